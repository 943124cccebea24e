"""Where output goes: colours on a terminal only, NO_COLOR respected, progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from ..engine.monitor import Progress, ProgressCallback
from ..limits import format_memory


def console() -> Console:
    """For people: rich decides about colour from the terminal and NO_COLOR; names are never markup."""
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False)


def print_json(data: Any) -> None:
    """For programs: one JSON value, in UTF-8 whatever the locale."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


@contextmanager
def progress_line() -> Iterator[ProgressCallback | None]:
    """A line on standard error while a search runs, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    errors = Console(stderr=True, highlight=False, markup=False)
    with Live(console=errors, transient=True, refresh_per_second=10) as live:
        yield lambda state: live.update(_line(state))


@contextmanager
def counter_line(what: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """A count on standard error, on a terminal only: done, and of how many where that is known."""
    if not sys.stderr.isatty():
        yield None
        return
    errors = Console(stderr=True, highlight=False, markup=False)
    with Live(console=errors, transient=True, refresh_per_second=10) as live:
        yield lambda done, of: live.update(Text(f"{done:,}{'' if of is None else f' of {of:,}'} {what}"))


def _line(state: Progress) -> Text:
    rate = state.states / state.seconds if state.seconds > 0 else 0.0
    minutes, seconds = divmod(int(state.seconds), 60)
    parts = [
        f"{state.task} ━━━  {_count(state.states)} configurations",
        f"{_count(rate)}/s",
        f"frontier {_count(state.frontier)}",
        format_memory(state.memory),
        f"{minutes}:{seconds:02d}",
    ]
    return Text(" · ".join(parts))


def _count(number: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f}"
