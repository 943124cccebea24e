"""Ctrl-C and SIGTERM wherever they come: what is known is still written, as a valid document."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from stormproof.apps.cli import check as check_command
from stormproof.apps.cli.console import uninterrupted
from stormproof.search.checks import api, so_far
from stormproof.surveys import claims, classify as classes, failure_models
from tests.support.command_line import Run
from tests.support.processes import signals_as_in_a_terminal

LOSSY = "role A { a: B!x -> b\n b: }\nrole B { a: A?x -> b\n b: }\nrequire dead: recovers under stop A\n"


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    path = tmp_path / "lossy.storm"
    path.write_text(LOSSY)
    return path


def interrupting(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, call: int = 1) -> None:
    """Let the call of this number be interrupted."""
    whole, calls = getattr(module, name), iter(range(1, 10**6))

    def called(*args: Any, **named: Any) -> Any:
        if next(calls) == call:
            raise KeyboardInterrupt
        return whole(*args, **named)

    monkeypatch.setattr(module, name, called)


def test_before_a_file_is_read(
    run: Run, lossy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting(monkeypatch, check_command, "load_with_places")
    result = run("check", lossy, "--json")
    assert result.code == 3 and result.err.strip() == ""
    assert json.loads(result.out)["reports"] == [
        {"file": str(lossy), "error": "undecided: interrupted", "problems": []}
    ]
    interrupting(monkeypatch, check_command, "load_with_places")
    target = tmp_path / "junit.xml"
    result = run("check", lossy, "--junit", target)
    assert result.code == 3 and result.err.strip() == "undecided: interrupted" and result.out == ""
    (error,) = ElementTree.parse(target).getroot().iter("error")
    assert error.get("message") == "undecided: interrupted"


def test_between_two_files_the_first_answer_stays(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting(monkeypatch, check_command, "load_with_places", call=2)
    result = run("check", lossy, "alternating-bit", "stop-and-wait", "--loss", "--json")
    first, second = json.loads(result.out)["reports"]
    assert result.code == 1 and first["verdicts"][0]["holds"] is False
    assert second == {"file": "alternating-bit", "error": "undecided: interrupted", "problems": []}


@pytest.mark.parametrize(("name", "call"), [("decide", 1), ("conclude", 1), ("conclude", 2)])
def test_outside_of_a_search(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: int
) -> None:
    interrupting(monkeypatch, api if name == "decide" else so_far, name, call)
    verdicts = json.loads(run("check", lossy, "--loss", "--json").out)["verdicts"]
    assert any("interrupted" in v["reason"] and v["holds"] is None for v in verdicts)


def test_a_page_of_what_was_checked(
    run: Run, lossy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(1, 100))
    whole = api.check

    def second_is_interrupted(*args: Any, **named: Any) -> Any:
        if next(calls) == 2:
            interrupting(monkeypatch, api, "decide")
        return whole(*args, **named)

    monkeypatch.setattr(failure_models, "check", second_is_interrupted)
    page = tmp_path / "page.html"
    result = run("report", lossy, "--reorder", "-o", page, "--json")
    models = json.loads(result.out)["models"]
    assert result.code == 3 and list(models) == ["none", "loss"]
    assert models["loss"]["notes"][-1] == "interrupted: nothing was checked under corruption, reordering"
    assert page.read_text().rstrip().endswith("</html>")


@pytest.mark.parametrize("flags", [(), ("--count",)])
def test_a_frontier_of_what_was_asked(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    calls, whole = iter(range(1, 1000)), api.check

    def third_is_interrupted(*args: Any, **named: Any) -> Any:
        number = next(calls)
        assert number <= 3, "asked after Ctrl-C"
        if number == 3:
            interrupting(monkeypatch, api, "decide")
        return whole(*args, **named)

    monkeypatch.setattr(claims, "check", third_is_interrupted)
    result = run("frontier", lossy, "--json", *flags)
    found = json.loads(result.out)
    if flags:
        assert [row["fault"] for row in found["counts"]] == ["loss", "duplicate", "reorder"]
        assert found["counts"][2]["sentence"] == "undecided: interrupted before it was asked"
    else:
        assert "interrupted: what was not asked by then is undecided" in found["notes"]
        assert len(found["undecided"]) > 1 and found["breaking"]
    assert result.code == 1


@pytest.mark.parametrize(("call", "known"), [(1, []), (2, ["perfect"]), (3, ["perfect", "loss"])])
def test_the_classes_that_were_asked(
    run: Run, lossy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int, known: list[str]
) -> None:
    interrupting(monkeypatch, classes, "check", call)
    picture = tmp_path / "classes.svg"
    result = run("classify", lossy, "--survival", "--max-k", "1", "--json", "-o", picture)
    found = json.loads(result.out)
    assert result.code == 3 and [s["interference"] for s in found["standings"]] == known
    assert all(s["classes"]["k-exh"]["holds"] for s in found["standings"])
    assert "corruption, reordering" in found["notes"][0] and picture.read_text().startswith("<svg")
    interrupting(monkeypatch, classes, "check", call)
    result = run("classify", lossy, "--max-k", "1")
    assert result.code == 3 and "interrupted: nothing was asked under" in result.out


def test_the_classes_within_a_search(run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupting(monkeypatch, api, "decide", 2)
    result = run("classify", lossy, "--survival", "--max-k", "1")
    rows = {line[:24].strip(): line[24:].split() for line in result.out.splitlines()}
    assert result.code == 3 and rows["recovers"] == ["✔", "?"] and rows["k-exhaustive †"] == ["✔", "k=1", "?"]


def test_what_is_being_written_is_finished_unless_asked_twice() -> None:
    with signals_as_in_a_terminal():
        before = signal.getsignal(signal.SIGINT)
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            written = True
        assert written and signal.getsignal(signal.SIGINT) is before
        with pytest.raises(KeyboardInterrupt), uninterrupted():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
