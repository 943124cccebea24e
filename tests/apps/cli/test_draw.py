"""`stormproof draw` and `stormproof report` as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stormproof.errors import FormatError
from stormproof.kernel.model.failures import Failures
from stormproof.languages.formats import FORMATS, dumps
from stormproof.languages.protocols import protocol
from stormproof.surveys.failure_models import asked_column, failure_models
from tests.support.command_line import Run
from tests.support.svg_checks import check_svg, texts


def test_automata_to_standard_output(run: Run) -> None:
    done = run("draw", "half-duplex")
    assert done.code == 0 and {"Sender", "Receiver", "wait_ack"} <= set(texts(done.out))


def test_one_role(run: Run) -> None:
    done = run("draw", "half-duplex", "--role", "Sender", "--to", "dot")
    assert done.code == 0 and 'label="Sender"' in done.out and 'label="Receiver"' not in done.out
    wrong = run("draw", "half-duplex", "--role", "Sendr")
    assert wrong.code == 2 and "did you mean 'Sender'?" in wrong.err


@pytest.mark.parametrize(
    "command", [("draw", "--what", "chart", "--property", "alone"), ("check",), ("explain",)]
)
def test_the_run_of_a_requirement_with_failures_of_its_own(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """The run is one of the system that was searched, in which B may stop."""
    path = tmp_path / "ask.storm"
    path.write_text(
        "role A { s: B!ask -> t t: B?yes -> u u: } role B { s: A?ask -> t t: A!yes -> u u: }\n"
        "require alone: recovers under stop B\n"
    )
    done = run(command[0], path, *command[1:])
    assert done.code in (0, 1) and "stop" in done.out and not done.err


def test_the_chart_of_a_violation(run: Run) -> None:
    """Definitions 3.5 under loss: one message lost, and both wait."""
    done = run("draw", "alternating-bit", "--loss", "--what", "chart", "--property", "k-pg", "--width", "60")
    assert done.code == 0 and "✕" in done.out and done.out.count("⌛") == 2
    data = json.loads(run("draw", "alternating-bit", "--loss", "--what", "chart", "--json").out)
    assert data["what"] == "chart" and {m["end"] for m in data["chart"]["messages"]} <= {
        "lost",
        "received",
        "not received",
    }


def test_where_the_run_ends_is_marked(run: Run) -> None:
    done = run("draw", "alternating-bit", "--loss", "--property", "k-pg")
    assert done.out.count('class="sp-here"') == 2
    assert run("draw", "alternating-bit").out.count('class="sp-here"') == 0


def test_the_conflict_graph_of_a_violation(run: Run) -> None:
    done = run("draw", "half-duplex", "--reorder", "--what", "conflict", "--property", "rsc")
    root = check_svg(done.out)
    assert sum("sp-cycle" in e.get("class", "") for e in root.iter()) >= 2


def test_nothing_to_draw_is_said(run: Run) -> None:
    done = run("draw", "alternating-bit", "--what", "chart", "--property", "k-pg")
    assert done.code == 2 and "there is no run to draw: k-pg holds" in done.err


def test_undecided_is_not_a_mistake(run: Run) -> None:
    done = run("draw", "elevator", "--what", "chart", "--property", "k-pg", "--max-states", "5")
    assert done.code == 3 and "k-pg is undecided" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--to", "png"), "cannot be drawn as 'png'"),
        (("--what", "chart", "--to", "dot"), "cannot be drawn as 'dot'"),
        (("-o", "x.png"), "does not determine the form"),
        (("--what", "chart", "--role", "Sender"), "--role picks automata"),
    ],
)
def test_wrong_questions(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run("draw", "half-duplex", *arguments)
    assert done.code == 2 and words in done.err and "Traceback" not in done.err


def test_a_file_is_overwritten_only_when_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    assert run("draw", "half-duplex", "-o", path).code == 0
    check_svg(path.read_text(encoding="utf-8"))
    path.write_text("mine")
    assert run("draw", "half-duplex", "-o", path).code == 2 and path.read_text() == "mine"
    assert run("draw", "half-duplex", "-o", path, "--force").code == 0 and path.read_text() != "mine"


def test_a_report_is_written_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done = run("report", "half-duplex", "--loss", "--reorder", "--max-k", "2", "-o", path)
    assert done.code == 1 and "5 failure models" in done.out
    page = path.read_text(encoding="utf-8")
    assert "as asked" in page and "stormproof check half-duplex --loss --property k-pg -k 1" in page
    again = run("report", "half-duplex", "--loss", "-o", path)
    assert again.code == 2 and "already" in again.err and path.read_text(encoding="utf-8") == page


def test_a_report_from_standard_input_to_standard_output(run: Run) -> None:
    text = run("convert", "half-duplex", "--to", "json").out
    done = run("report", "-", "--property", "rsc", stdin=text)
    assert done.code == 0 and done.out.startswith("<!DOCTYPE html>"), "rsc holds without failures"
    data = json.loads(run("report", "half-duplex", "--property", "rsc", "--loss", "--json").out)
    assert data["models"]["reordering"]["verdicts"][0]["holds"] is False


def test_models_without_crashes() -> None:
    system = protocol("alternating-bit")
    assert list(failure_models(system, Failures())) == ["none", "loss", "corruption", "reordering"]
    assert asked_column(system, Failures(loss=True)) == "loss"
    mixed = Failures(loss=True, reorder=["Sender->Receiver"])
    assert list(failure_models(system, mixed))[-1] == "as asked" == asked_column(system, mixed)


def test_models_with_crashes() -> None:
    system = protocol("alternating-bit")
    crashing = Failures(loss=True, crash=["Sender"])
    assert list(failure_models(system, crashing))[-2:] == ["crash", "as asked"]
    declared = system.with_unreliable(["Sender"])
    assert list(failure_models(declared, Failures()))[:2] == ["crash", "crash, loss"]


def test_every_input_language_can_be_drawn(run: Run, tmp_path: Path) -> None:
    """Each language that is both read and written, with a system that it can express."""
    drawn = []
    for language in FORMATS.values():
        if not (language.read and language.write):
            continue
        path = tmp_path / f"x{language.suffixes[0]}"
        path.write_text(_somehow(language.name), encoding="utf-8")
        done = run("draw", path, "--format", language.name)
        assert done.code == 0, (language.name, done.err)
        check_svg(done.out)
        drawn.append(language.name)
    assert len(drawn) >= 4, drawn


def _somehow(language: str) -> str:
    for name in ("half-duplex", "client-server", "two-buyer"):
        try:
            return dumps(protocol(name), language)
        except FormatError:
            continue
    raise AssertionError(f"{language} expresses none of these protocols")


def test_the_page_names_the_command_that_makes_it_again(run: Run) -> None:
    asked = ("half-duplex", "--loss", "-k", "1", "--property", "rsc", "--property", "k-er")
    page = run("report", *asked).out
    assert "<code>stormproof report half-duplex --loss -k 1 --property rsc --property k-er</code>" in page
    page = run("report", "half-duplex", "--property=k-er", "--reorder-on", "Sender:Receiver").out
    assert "<code>stormproof report half-duplex --property=k-er --reorder-on Sender:Receiver</code>" in page


def test_what_was_assumed_stands_by_failure_model(run: Run) -> None:
    page = run("report", "half-duplex", "--property", "rsc").out
    assert "<dt>loss</dt><dd>loss on Sender→Receiver and Receiver→Sender</dd>" in page
