"""What a role has on its disk: what it was given up to its last durable point, so that it can be replayed, or
what it saved of its durable parameters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...errors import InputError, Place
from ...programs.extraction.requests import ChooseRequest, Received, ReceiveRequest, RoleRequest, SaveRequest
from ...programs.extraction.role import RoleCall, RoleGenerator
from ...programs.extraction.values import key
from .codec import Garbage, from_json, to_json
from .record_file import RecordFile

Given = dict[str, Any]
#: One line: what a role was given since the line before, or the durable parameters that it saved.
Entry = list[Given] | dict[str, Any]


class DurableRecord:
    """One line per durable point, or per save.

    A line that was cut off is as if nothing had been recorded there.
    """

    def __init__(self, path: str | Path | None, role: str, enums: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._role, self.enums = role, enums
        self._file: RecordFile | None = None
        self._kept: list[Given] = []
        self._since: list[Given] = []
        self._saved: dict[str, Any] = {}

    def open(self) -> None:
        """Read what is there, and keep others from writing."""
        if self._path is None or self._file is not None:
            return
        self._file = RecordFile(self._path, self._role)
        self.begin_with(self._file.lines)

    def begin_with(self, entries: Iterable[Entry]) -> None:
        """Instead of a file: what was recorded, line by line."""
        self._kept, self._saved = [], {}
        for entry in entries:
            self._keep(entry)

    def _keep(self, entry: Any) -> None:
        if isinstance(entry, dict) and isinstance(saved := entry.get("saved"), dict) and saved:
            self._saved |= saved
        elif isinstance(entry, list) and entry and all(isinstance(g, dict) for g in entry):
            self._kept += entry
        else:
            raise self._misfit()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def continues(self) -> bool:
        """Is there anything on the disk from which the role goes on?"""
        return bool(self._kept or self._saved)

    def gave(self, request: RoleRequest, value: Any) -> None:
        """The role was given this for its request."""
        given: Given = {}
        if isinstance(request, ChooseRequest):
            given = {"choice": [key(v) for v in request.values].index(key(value))}
        elif isinstance(value, Received):
            given = {"from": value.peer, "name": value.name, "fields": [to_json(f) for f in value.fields]}
        elif isinstance(request, ReceiveRequest):
            given = {"timeout": True}
        self._since.append(given)

    def reached(self) -> Entry:
        """The role has come to a durable point. This is written before it does anything else there; it is
        given back."""
        written, self._since = self._since, []
        self._append(written)
        self._kept += written
        return written

    def save(self, request: SaveRequest) -> Entry:
        """Durable parameters are written; what is written is given back."""
        saved = {name: to_json(value) for name, value in request.values}
        self._append({"saved": saved})
        self._saved |= saved
        return {"saved": saved}

    def _append(self, entry: Entry) -> None:
        if self._file is not None:
            self._file.append(entry)

    def replay(self, call: RoleCall) -> tuple[RoleGenerator, RoleRequest]:
        """The role at its last durable point, or at its start with what it saved. What it sent on the way is
        not sent again.

        StopIteration if it ends before the first yield.
        """
        self._since = []
        generator = call.again(self._values(call)).generator()
        request = next(generator)
        for given in self._kept:
            value = self._value(request, given)
            try:
                request = generator.send(value)
            except Exception:  # the role has changed since: it ends, or raises, where it did not
                raise self._misfit() from None
        return generator, request

    def _values(self, call: RoleCall) -> dict[str, Any]:
        """The durable parameters that were saved."""
        if not set(self._saved) <= set(call.role.durable) or (self._kept and call.role.durable):
            raise self._misfit()
        try:
            return {name: from_json(value, self.enums) for name, value in self._saved.items()}
        except (Garbage, RecursionError):
            raise self._misfit() from None

    def _value(self, request: RoleRequest, given: Given) -> Any:
        """What the role was given for this request; InputError where it cannot have been."""
        try:
            if isinstance(request, ChooseRequest):
                return request.values[range(len(request.values)).index(given["choice"])]
            fields = [from_json(field, self.enums) for field in given.get("fields", ())]
            message = Received(given["from"], given["name"], tuple(fields)) if "from" in given else None
        except (KeyError, ValueError, TypeError, RecursionError, Garbage):
            raise self._misfit() from None
        if isinstance(request, ReceiveRequest):
            fits = request.timed and "timeout" in given if message is None else request.takes(message)
        else:
            fits = not given
        if not fits:
            raise self._misfit()
        return message

    def _misfit(self) -> InputError:
        place = None if self._path is None else Place(str(self._path))
        return InputError(
            "the record does not fit the role", place=place, hint="remove it if the role has changed"
        )
