"""Recursion without the interpreter's stack: types nest as deep as files let them (100,000 levels and more).

A recursive function is written as a generator that *yields* its recursive calls and *returns* its result;
`run` keeps the pending calls in a list.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")
Task = Generator[Any, Any, T]


def run(task: Task[T]) -> T:
    """The result of a generator that yields the generators it calls.

    >>> def depth(n):
    ...     return 0 if n == 0 else 1 + (yield depth(n - 1))
    >>> run(depth(50_000))
    50000
    """
    stack: list[Task[Any]] = [task]
    value: Any = None
    while stack:
        try:
            called = stack[-1].send(value)
        except StopIteration as done:
            stack.pop()
            value = done.value
        else:
            stack.append(called)
            value = None
    result: T = value
    return result
