"""Text charts on a terminal, in colour where it has any; every kind of fault also has a sign of its own."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from ...tell.draw.chart.build import Chart
from ...tell.draw.chart.text import chart_lines

#: The styles of a text chart as rich names them.
_STYLES = {
    "name": "bold",
    "life": "dim",
    "state": "dim",
    "note": "dim",
    "fold": "dim",
    "lost": "red",
    "changed": "magenta",
    "overtakes": "cyan",
    "loop": "cyan",
    "wait": "yellow",
}


def print_chart(out: Console, chart: Chart, width: int | None = None) -> None:
    """The chart, within the terminal."""
    lines = chart_lines(chart, width or max(out.width - 2, 40))
    text = Text("\n").join(
        Text.assemble(*((words, _STYLES.get(s, "")) for words, s in line)) for line in lines
    )
    out.print(text, soft_wrap=True)
