"""What a role was given up to its last durable point, in memory and on disk, so that it can be replayed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..errors import InputError, Place
from ..extraction.requests import ChooseRequest, Received, ReceiveRequest, RoleRequest
from ..extraction.role import RoleCall, RoleGenerator
from ..extraction.values import key
from .codec import Garbage, from_json, to_json

Given = dict[str, Any]


class DurableRecord:
    """One line per durable point: all that the role was given since the one before.

    A line that was cut off is as if the point had not been reached.
    """

    def __init__(self, path: str | Path | None, enums: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._enums = enums
        self._kept: list[Given] = []
        self._since: list[Given] = []
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def _load(self, path: Path) -> None:
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            with path.open("r+b") as file:
                file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self._kept += json.loads(line)
            except (ValueError, TypeError):
                raise InputError("this is not the record of a role", place=Place(str(path), number)) from None

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

    def reached(self, request: RoleRequest) -> None:
        """The role has come to this point; a durable one is written before anything else happens."""
        if not request.durable or not self._since:
            return
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(json.dumps(self._since).encode("utf-8") + b"\n")
                file.flush()
                os.fsync(file.fileno())
        self._kept += self._since
        self._since = []

    def replay(self, call: RoleCall) -> tuple[RoleGenerator, RoleRequest]:
        """The role at its last durable point, or at its start. What it sent on the way is not sent again.

        StopIteration if it ends before the first yield.
        """
        self._since = []
        generator = call.generator()
        request = next(generator)
        for given in self._kept:
            request = generator.send(self._value(request, given))
        return generator, request

    def _value(self, request: RoleRequest, given: Given) -> Any:
        try:
            if isinstance(request, ChooseRequest):
                return request.values[given["choice"]]
            if not isinstance(request, ReceiveRequest):
                return None
            if "timeout" in given:
                return None
            fields = tuple([from_json(field, self._enums) for field in given["fields"]])
            return Received(given["from"], given["name"], fields)
        except (KeyError, IndexError, Garbage):
            place = None if self._path is None else Place(str(self._path))
            raise InputError("the record does not fit the role", place=place) from None
