"""Where in a JSON text a value stands, for errors. Only walked when something is wrong; no recursion."""

from __future__ import annotations

import json
import re

#: Keys and indices that lead to a value.
Path = tuple["str | int", ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def find(text: str, path: Path) -> tuple[int, int]:
    """The span of the first token of the value at a path (of its key, where the value is in an object)."""
    stack: list[tuple[str, int]] = []
    current: list[str | int] = []
    wanted, best, pending = list(path), (0, 1), None
    for match in _TOKEN.finditer(text):
        token, span = match.group(), match.span()
        if token == ":":
            continue
        if token in "}]":
            if not stack:
                break
            stack.pop()
            current = current[: len(stack)]
            continue
        if token == ",":
            if stack and stack[-1][0] == "[":
                stack[-1] = ("[", stack[-1][1] + 1)
                current[len(stack) - 1 :] = [stack[-1][1]]
            else:
                pending = None
            continue
        if stack and stack[-1][0] == "{" and pending is None:
            pending = token
            current[len(stack) - 1 :] = [_key(token)]
            if current == wanted:
                return span
            continue
        if current == wanted:
            return span
        pending = None
        if token in "{[":
            stack.append((token, 0))
            if token == "[":
                current.append(0)
    return best


def _key(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token
