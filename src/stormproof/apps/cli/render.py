"""A report as a person reads it: what was assumed, what holds, what does not, why, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ...kernel.model.budget import Budget
from ...kernel.model.failures import Failures
from ...kernel.model.faults import CUT, KINDS, PROCESS_KINDS
from ...kernel.model.partition import STAYS
from ...kernel.model.phrases import plural, queues
from ...kernel.model.system import System
from ...search.checks.report import Report, Verdict
from .options import mailbox_asked, missing_for_studio
from .rows import filled, print_beside, print_rows

if TYPE_CHECKING:
    from ...search.examples.find import Examples

#: Below this many columns a field beside its name would stand letter under letter.
_NARROW = 50


def print_answer(console: Console, report: Report) -> None:
    """The answer in a sentence, a line for each verdict, the run of the first violation, and under what."""
    console.print(Text(report.answer, style="bold"))
    rows = [v for v in report if v.survival or v.counts]
    if rows:
        console.print()
        print_rows(console, report, rows)
    _notes(console, report.notes, rows)
    first = report.shown
    if first is not None:
        print_why(console, report, first)
    console.print()
    console.print(Text(_under(report), style="dim"))


def print_known(console: Console, report: Report) -> None:
    """What is known while the search goes on: the verdicts, and how the first violation comes about."""
    print_rows(console, report, list(report))
    if report.shown is not None:
        print_why(console, report, report.shown)


def print_end(
    console: Console, report: Report, source: str, question: str = "", verbose: bool = False
) -> None:
    """What is printed below the answer: with -v the classes in a line; what was explored, what to do next."""
    if verbose:
        console.print()
        print_heading(console, report.given or report.system, source, with_classes=False)
        _classes(console, [v for v in report if not v.survival and not v.counts])
    explored = max((v.states for v in report), default=0)
    console.print(Text(f"{plural(explored, 'configuration')} in {_time(report.seconds)}", style="dim"))
    for does, command in _next(report, source, question):
        console.print(Text(f"{does}: {command}"), soft_wrap=True)


def _under(report: Report) -> str:
    """The failures, as the end of a sentence."""
    return (
        f"without faults: {report.assumed.partition(': ')[2]}"
        if report.model.harmless
        else f"under {report.assumed}"
    )


def _may_be_mended(report: Report) -> bool:
    """Does `explain` search for lines that repair it?"""
    from ...kernel.data.system import DataSystem
    from ...tell.explain.judge import is_repairable

    plain = not isinstance(report.given or report.system, DataSystem)
    return plain and any(is_repairable(verdict) for verdict in report)


def _next(report: Report, source: str, question: str) -> Iterator[tuple[str, str]]:
    """Commands that go on from here, for the violation that is shown."""
    first = report.shown
    if first is None:
        return
    asked = flags(report)
    if source != "-" and not question and first.survival:
        does = "mend it" if _may_be_mended(report) else "see why"
        yield does, f"stormproof explain {shlex.quote(source)}{asked}"
    yield "step through it", _stepping(source, asked, question)


def _stepping(source: str, failures: str, question: str) -> str:
    """The studio, where it is installed and can ask the same; otherwise a page."""
    if source == "-" or question or missing_for_studio() or mailbox_asked():
        return f"stormproof report {shlex.quote(source)}{failures}{question} -o report.html"
    return f"stormproof studio {shlex.quote(source)}{failures}"


def _classes(console: Console, verdicts: list[Verdict]) -> None:
    """One line: `k-exh ✔1 · k-pg ✘`, where a number is the least k."""
    if not verdicts:
        return
    words = []
    for verdict in verdicts:
        bound = str(verdict.k) if verdict.holds and verdict.k is not None else ""
        words.append(f"{verdict.property} {verdict.status.sign}{bound}")
    print_field(console, "classes", " · ".join(words) + " (see stormproof classify)")


def print_heading(console: Console, system: System, source: str, with_classes: bool = True) -> None:
    parts = [
        plural(len(system.processes), "role"),
        queues(system),
        plural(len(system.messages), "message"),
    ]
    parts += [classes(system)] if with_classes else []
    print_field(console, system.name or source, " · ".join(parts))


def print_field(console: Console, name: str, text: str) -> None:
    if console.width < _NARROW:
        console.print(Text.assemble((name, "bold"), f": {text}"))
        return
    print_beside(console, Text(f"{filled(name, 17)}  ", style="bold"), Text(text))


def classes(system: System) -> str:
    """`CSA, directed`, or what keeps the system out."""
    found = system.classification
    words = ["CSA" if found.csa else "not a CSA (" + _why_no_csa(system) + ")"]
    words.append("directed" if found.directed else f"not directed ({_place(found.undirected[0])})")
    if found.internal:
        words.append("internal actions")
    return ", ".join(words)


def _why_no_csa(system: System) -> str:
    found = system.classification
    if found.mixed:
        return f"{_place(found.mixed[0])} sends and receives"
    return f"{_place(found.nondeterministic[0])} is not deterministic"


def _place(where: tuple[str, str]) -> str:
    return ".".join(where)


def _notes(console: Console, general: Sequence[str], verdicts: Sequence[Verdict]) -> None:
    """Each remark once, with the properties that it belongs to."""
    by_text: dict[str, list[str]] = {note: [] for note in general}
    for verdict in verdicts:
        for note in verdict.notes:
            by_text.setdefault(note, []).append(verdict.property)
    if by_text:
        console.print()
    for text, names in by_text.items():
        about = f"{', '.join(names)}: " if names else ""
        print_beside(console, Text("  "), Text(f"{about}{text}", style="dim"))


def print_why(console: Console, report: Report, verdict: Verdict) -> None:
    from ...tell.draw.chart.build import chart
    from .print_chart import print_chart

    assert verdict.witness is not None
    witness = verdict.witness
    counts = [plural(len([a for a in witness.acts if a.fault is None]), "action")]
    if witness.fault_count:
        counts.append(plural(witness.fault_count, "fault"))
    counts.append(verdict.replay_words)
    bound = f" at k = {verdict.witness_k}" if verdict.witness_k else ""
    how = "how `{}` breaks" if witness.fault_count else "how `{}` fails"
    console.print()
    console.print(Text(f"{how.format(verdict.property)}{bound}: {', '.join(counts)}", style="bold"))
    console.print()
    system = report.of(verdict).system
    print_chart(console, chart(system, witness))
    for other in verdict.others:
        same = other.witness.steps == witness.steps
        said = f"{other.name.replace('->', '→')}, too{', in the same run' if same else ''}: {other.reason}"
        console.print()
        console.print(Text(said, style="bold"))
        if not same:
            console.print()
            print_chart(console, chart(system, other.witness))


def print_examples(console: Console, found: Examples) -> None:
    """The sample runs with what they show, and what else is known of all runs."""
    from rich.table import Table

    from ...tell.draw.chart.build import chart
    from .print_chart import print_chart

    for i, example in enumerate(found.runs):
        number = f"sample run {i + 1}" if len(found.runs) > 1 else "sample run"
        console.print()
        console.print(Text(f"{number} for {found.title(example)}", style="bold"))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for names, text in found.lines(example):
            grid.add_row(Text(f"  {names}", style="bold"), Text(text))
        console.print(grid)
        console.print()
        print_chart(console, chart(found.system, example.run.witness, repeats=example.run.back))
    console.print()
    for remark in found.remarks():
        console.print(Text(remark))


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)}:{int(seconds % 60):02d} min"


def flags(report: Report) -> str:
    """The failure flags that ask the same again, quoted for a shell."""
    asked, words = report.failures, ["--mailbox"] if mailbox_asked() else []
    for kind in KINDS:
        choice = asked.choice(kind)
        if choice is True:
            words.append(f"--{kind.keyword}")
        elif choice:
            words.append(
                f"--{kind.keyword}-on " + shlex.quote(",".join(f"{c.sender}:{c.receiver}" for c in choice))
            )
    if asked.corrupt_scope != "channel":
        words.append(f"--corrupt-scope {asked.corrupt_scope}")
    for channel, message, other in asked.corrupt_map:
        words.append("--corrupt-map " + shlex.quote(f"{channel.sender}:{channel.receiver}:{message}={other}"))
    if asked.crash:
        words.append("--crash " + shlex.quote(",".join(asked.crash)))
    for fault in PROCESS_KINDS:
        names: tuple[str, ...] = getattr(asked, fault.keyword)
        words += [f"--{fault.keyword} {shlex.quote(','.join(names))}"] if names else []
    if asked.partition:
        sides = " | ".join(",".join(side) for side in asked.partition)
        words.append("--partition " + shlex.quote(sides + (f" {STAYS}" if asked.partition_stays else "")))
    words += _cut_flags(asked)
    if asked.budget.limited:
        words.append(f"--budget {','.join(_budget_words(asked.budget))}")
    if asked.timers:
        words.append(f"--timers {asked.timers}")
    if asked.as_written:
        words.append("--as-written")
    if not asked.file_faults:
        words.append("--no-file-faults")
    return "".join(f" {word}" for word in words)


def _cut_flags(asked: Failures) -> list[str]:
    everywhere = [f"--{CUT.keyword}"] if asked.cut is True else []
    some = () if isinstance(asked.cut, bool) else asked.cut
    rows = [("on", some), ("link", asked.cut_link)]
    return everywhere + [
        f"--{CUT.keyword}-{flag} " + shlex.quote(",".join(f"{c.sender}:{c.receiver}" for c in channels))
        for flag, channels in rows
        if channels
    ]


def _budget_words(budget: Budget) -> list[str]:
    """`3`, `loss=2`."""
    return [str(n) if kind == "total" else f"{kind}={n}" for kind, n in budget.to_json().items()]


def question_flags(k: int | None, max_k: int | None, properties: tuple[str, ...]) -> str:
    """The flags that ask the same of the same bounds."""
    bounds = f" -k {k}" if k is not None else f" --max-k {max_k}" if max_k is not None else ""
    return bounds + "".join(f" --property {shlex.quote(name)}" for name in properties)
