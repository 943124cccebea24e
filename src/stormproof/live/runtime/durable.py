"""What a role was given up to its last durable point, in memory and on disk, so that it can be replayed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...errors import InputError, Place
from ...programs.extraction.requests import ChooseRequest, Received, ReceiveRequest, RoleRequest
from ...programs.extraction.role import RoleCall, RoleGenerator
from ...programs.extraction.values import key
from .codec import Garbage, from_json, to_json
from .log import LoggedAt
from .record_file import RecordFile

Given = dict[str, Any]


class DurableRecord:
    """One line per durable point: all that the role was given since the one before.

    A line that was cut off is as if the point had not been reached.
    """

    def __init__(self, path: str | Path | None, role: str, enums: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._role, self.enums = role, enums
        self._file: RecordFile | None = None
        self._kept: list[Given] = []
        self._since: list[Given] = []

    def open(self) -> None:
        """Read what is there, and keep others from writing."""
        if self._path is None or self._file is not None:
            return
        self._file, self._kept = RecordFile(self._path, self._role), []
        for given in self._file.lines:
            self._keep(given)

    def begin_with(self, entries: Iterable[list[Given]]) -> None:
        """Instead of a file: what was saved at each durable point."""
        self._kept = []
        for given in entries:
            self._keep(given)

    def _keep(self, given: Any) -> None:
        if not isinstance(given, list) or not given or not all(isinstance(g, dict) for g in given):
            raise self._misfit()
        self._kept += given

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def continues(self) -> bool:
        """Has the role been at a durable point, so that it goes on from there?"""
        return bool(self._kept)

    @property
    def logged(self) -> LoggedAt | None:
        """The event that led to the last durable point, and where it was to be logged."""
        found = self._kept[-1].get("log") if self._kept else None
        match found:
            case [int(before), str(line)]:
                return before, line
        return None

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

    def reached(self, logged: LoggedAt | None) -> list[Given]:
        """The role has come to a durable point, by an event that is yet to be logged. This is written
        before anything else happens; it is given back."""
        if logged is not None:
            self._since[-1]["log"] = logged
        if self._file is not None:
            self._file.append(self._since)
        saved, self._since = self._since, []
        self._kept += saved
        return saved

    def replay(self, call: RoleCall) -> tuple[RoleGenerator, RoleRequest]:
        """The role at its last durable point, or at its start. What it sent on the way is not sent again.

        StopIteration if it ends before the first yield.
        """
        self._since = []
        generator = call.generator()
        request = next(generator)
        for given in self._kept:
            value = self._value(request, given)
            try:
                request = generator.send(value)
            except Exception:  # the role has changed since: it ends, or raises, where it did not
                raise self._misfit() from None
        return generator, request

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
            fits = not given.keys() - {"log"}
        if not fits:
            raise self._misfit()
        return message

    def _misfit(self) -> InputError:
        place = None if self._path is None else Place(str(self._path))
        return InputError(
            "the record does not fit the role", place=place, hint="remove it if the role has changed"
        )
