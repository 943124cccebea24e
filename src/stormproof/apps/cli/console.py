"""Where output goes: colours on a terminal only, NO_COLOR respected, progress on standard error."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from rich.console import (
    Console,
    ConsoleOptions,
    ConsoleRenderable,
    RenderableType,
    RenderHook,
    RenderResult,
)
from rich.segment import Segment
from rich.text import Text

from ...errors import MOST_SHOWN, clipped, visible
from ...languages import formats
from ...limits import format_memory, past_the_deadline
from ...options import Progress, ProgressCallback

if TYPE_CHECKING:
    from rich.live import Live


class _Visible(RenderHook):
    """What does not show is escaped in names, and lines end with their last visible character.

    The colours that rich adds later are not touched.
    """

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Shown(renderable) for renderable in renderables]


class _Shown:
    def __init__(self, renderable: ConsoleRenderable) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _without_trailing_blanks(console.render(self._renderable, options))


def _without_trailing_blanks(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Tables fill their last column with blanks, which nobody wants in a file or a clipboard."""
    blanks: list[Segment] = []
    for segment in segments:
        if segment.control:
            yield segment
            continue
        for i, piece in enumerate(visible(segment.text).split("\n")):
            if i > 0:
                blanks = []
                yield Segment.line()
            text = piece.rstrip(" ")
            if text:
                yield from (*blanks, Segment(text, segment.style))
                blanks = []
            if len(piece) > len(text):
                blanks.append(Segment(piece[len(text) :], segment.style))
    yield from blanks


#: A paragraph or a cell that is longer is hardly read on a terminal; JSON has all of it.
_MOST_IN_PARAGRAPH = 50_000


class _Screen(Console):
    """Shows names from files: none commands the terminal, and none fills it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, soft_wrap=False, **options)
        self.push_render_hook(_Visible())

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Every part of what is printed comes here, the cells of tables too."""
        if isinstance(renderable, (str, Text)):
            renderable = _clipped(renderable)
        return super().render(renderable, options)


def _clipped(text: str | Text) -> str | Text:
    """Without the middle of a word or a paragraph that is too long; such a text loses its styles."""
    plain = str(text)
    if len(plain) <= MOST_SHOWN:
        return text
    words = (clipped(word) for word in plain.split(" "))
    shown = "\n".join(clipped(line, _MOST_IN_PARAGRAPH) for line in " ".join(words).split("\n"))
    return text if shown == plain else shown


def console() -> Console:
    """For people: rich decides about colour from the terminal and NO_COLOR; names are never markup."""
    return _Screen()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What is known by now is written to its end, even after the deadline: Ctrl-C or SIGTERM comes too late,
    unless it comes twice."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}

    def restore(*_: object) -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in numbers:
        signal.signal(number, restore)
    try:
        with past_the_deadline():
            yield
    finally:
        restore()


def print_json(data: Any) -> None:
    """For programs: one JSON value, in UTF-8 whatever the locale."""
    import json

    with uninterrupted():
        text = json.dumps(data, ensure_ascii=False, indent=2)
        print_text("\n".join(_escaped_json(line) for line in text.split("\n")))


def _escaped_json(line: str) -> str:
    """The same JSON, in which no character hides or commands a terminal: what does not show is in strings."""
    import json

    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def print_text(text: str) -> None:
    """What a program reads, exactly, or a file that is shown on a terminal: in UTF-8 whatever the locale."""
    text = text if text.endswith("\n") else text + "\n"
    shown = visible(text) if sys.stdout.isatty() else text
    click.echo(shown.encode("utf-8", "backslashreplace"), nl=False)


def save_text(output: str | None, text: str, overwrite: bool) -> None:
    """Into a file, or to standard output where none is named."""
    with uninterrupted():
        if output is None:
            print_text(text)
        else:
            formats.save(Path(output), text, overwrite=overwrite)


#: The lines of a terminal that are left to the progress line, which may be long.
_ROOM_FOR_LINE = 6


class ProgressLine:
    """A line on standard error while a search runs, on a terminal only."""

    def __init__(self, live: Live | None) -> None:
        self._live = live
        self._above: Text | None = None

    @property
    def show(self) -> ProgressCallback | None:
        return None if self._live is None else lambda state: self._update(_line(state))

    def say(self, line: str) -> None:
        """For what is no search."""
        self._update(Text(line))

    def show_above(self, write: Callable[[Console], None]) -> None:
        """What is printed is above the line from now on, as far as it fits, until the search ends."""
        if self._live is None:
            return
        out = self._live.console
        screen = _Screen(file=StringIO(), width=out.width, force_terminal=True, no_color=out.no_color)
        write(screen)
        lines = cast(StringIO, screen.file).getvalue().rstrip().split("\n")
        shown = lines[: max(out.height - _ROOM_FOR_LINE, 1)]
        self._above = Text.from_ansi("\n".join([*shown, ""]))
        self._update(Text(""))

    def _update(self, line: Text) -> None:
        if self._live is not None:
            self._live.update(line if self._above is None else Text("\n").join([self._above, line]))

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """No line while something else is printed."""
        if self._live is None:
            yield
            return
        self._live.update(Text(""))
        self._live.stop()
        yield
        self._live.start()


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """The line of one search, which is gone when it ends."""
    if not sys.stderr.isatty():
        yield ProgressLine(None)
        return
    with _live() as live:
        yield ProgressLine(live)


def _live() -> Live:
    """A part of standard error that is drawn again and again, and is gone in the end."""
    from rich.live import Live

    return Live(console=_Screen(stderr=True), transient=True, refresh_per_second=10)


@contextmanager
def counter_line(what: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """A count on standard error, on a terminal only: done, and of how many where that is known."""
    if not sys.stderr.isatty():
        yield None
        return
    with _live() as live:
        yield lambda done, of: live.update(Text(f"{done:,}{'' if of is None else f' of {of:,}'} {what}"))


def _line(state: Progress) -> Text:
    """What is searched and how far it is; below it, what is saved, and what is known so far."""
    rate = state.states / state.seconds if state.seconds > 0 else 0.0
    of_memory = "" if state.most_memory is None else f" of {format_memory(state.most_memory)}"
    of_time = "" if state.most_seconds is None else f" of {_clock(state.most_seconds)}"
    parts = [
        f"{state.task} ━━━  {_count(state.states)} configurations",
        *_phase(state, rate),
        f"{format_memory(state.memory)}{of_memory}",
        f"{_clock(state.seconds)}{of_time}",
    ]
    lines = [" · ".join(parts)]
    if saved := _saved(state):
        lines.append(f"saved: {' · '.join(saved)}")
    if state.known:
        lines.append(f"known so far: {state.known}")
    return Text("\n".join(lines))


def _phase(state: Progress, rate: float) -> list[str]:
    if state.phase == "judging":
        return [f"judging what they can reach, {_count(state.unjudged)} open"]
    if state.phase == "shortening":
        return ["looking for a shortest run"]
    return [f"{_count(rate)}/s", f"frontier {_count(state.frontier)}"]


def _saved(state: Progress) -> list[str]:
    """What symmetry, reduction and compression leave out, as far as it was counted."""
    saved = []
    if state.represented > state.states > 0:
        saved.append(f"symmetry, these stand for {_count(state.represented)}")
    if state.postponed is not None:
        saved.append(f"reduction, {state.postponed:.0%} of the actions postponed")
    if state.compact and state.states > 0:
        saved.append(f"compact store, {state.memory / state.states:.0f} bytes per configuration")
    return saved


def _clock(seconds: float) -> str:
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def _count(number: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f}"
