"""--timeout is for the whole command: reading, building, searching, replaying, drawing and saving.

The deadline comes while a stage runs that would not end. None of these tests asks how long anything takes:
where the deadline is not kept, a stage ends in an error of its own.
"""

from __future__ import annotations

import importlib
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from stormproof.apps.cli import COMMANDS
from stormproof.limits import is_over
from stormproof.search.checks import api
from stormproof.surveys import claims, classify as classes, failure_models
from tests.support.command_line import Run
from tests.support.processes import Start

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")

LOSSY = "role A { a: B!x -> b\n b: }\nrole B { a: A?x -> b\n b: }\n"

#: What each command needs beside FILE.
NEEDS: dict[str, tuple[str, ...]] = {
    "reach": ("B@b",),
    "testgen": ("--role", "A"),
    "gate": ("--role", "A", "--run", "true"),
    "trace": ("LOG",),
    "crash": ("--sweep",),
    "draw": ("--property", "recovers", "--loss"),
}
#: Each of their jobs, cells or questions has the time for itself.
OF_EACH = ("table", "campaign", "studio", "mcp")


def timed() -> list[str]:
    """The commands with a time limit for all that they do."""
    modules = {
        name: importlib.import_module(f"stormproof.apps.cli.{m}").command for name, (m, _) in COMMANDS.items()
    }
    found = [n for n, c in modules.items() if any(p.name == "timeout" for p in c.params)]
    assert set(OF_EACH) < set(found)
    return [name for name in found if name not in OF_EACH]


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    path = tmp_path / "lossy.storm"
    path.write_text(LOSSY)
    return path


def arguments(command: str, file: Path, *more: str) -> list[str]:
    log = file.with_name("A.ndjson")
    log.write_text('{"role": "A", "do": "send", "peer": "B", "message": "x"}\n')
    needs = [str(log) if word == "LOG" else word for word in NEEDS.get(command, ())]
    return [command, str(file), *needs, *more]


def endless(*args: Any, **named: Any) -> Any:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
    raise AssertionError("this was not interrupted")


def late(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, call: int = 1) -> list[int]:
    """Let the deadline pass before this call goes on; the calls that were made."""
    whole, calls = getattr(module, name), list[int]()

    def called(*args: Any, **named: Any) -> Any:
        calls.append(len(calls) + 1)
        while len(calls) == call and not is_over():
            time.sleep(0.01)
        return whole(*args, **named)

    monkeypatch.setattr(module, name, called)
    return calls


@pytest.mark.parametrize("command", timed())
def test_reading_counts(run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr("stormproof.languages.formats.storm.read", endless)
    result = run(*arguments(command, lossy, "--timeout", "0.1"))
    assert (result.code, result.out) == (3, "")
    assert result.err.strip().splitlines()[-1] == "undecided: the time limit of 0.1 s was reached"


@pytest.mark.parametrize(
    "command", ["check", "classify", "explain", "frontier", "report", "draw", "testgen", "crash"]
)
def test_building_counts(run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr("stormproof.search.checks.request.prepare", endless)
    result = run(*arguments(command, lossy, "--timeout", "0.1"))
    assert result.code == 3 and "Traceback" not in result.err


def test_of_a_violation_whose_run_was_not_replayed_it_is_said(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stormproof.search.checks.evidence.replay_storm", endless)
    result = run("check", lossy, "--loss", "--json", "--timeout", "2")
    recovers = json.loads(result.out)["verdicts"][0]
    assert result.code == 3 and recovers["holds"] is None
    assert recovers["reason"] == (
        "the time limit of 2 s was reached; a violation was found, and its run not replayed yet"
    )


def test_what_was_decided_before_is_printed(run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_decide_defined", endless)
    result = run("check", lossy, "--loss", "--json", "--timeout", "3", "-v")
    verdicts = {v["property"]: v for v in json.loads(result.out)["verdicts"]}
    assert verdicts["recovers"]["holds"] is False and result.code == 1
    assert verdicts["rsc"]["holds"] is None
    assert verdicts["rsc"]["reason"] == "the time limit of 3 s was reached before it was asked"


def test_of_several_files_the_first_are_answered(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late(monkeypatch, api, "report_on", 2)
    result = run("check", lossy, "alternating-bit", "stop-and-wait", "--loss", "--timeout", "3")
    assert result.code == 1 and "breaks with 1 fault" in result.out
    assert "the time limit of 3 s was reached: 1 file not checked" in result.out


@pytest.mark.parametrize("flags", [(), ("--count",), ("--property", "k-wmc")])
def test_a_frontier_asks_no_more(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    calls = late(monkeypatch, claims, "check", 2)
    result = run("frontier", lossy, "--json", "--timeout", "2", *flags)
    found = json.loads(result.out)
    assert len(calls) == 2 and result.code in (1, 3)
    assert any(note.startswith("the time limit of 2 s was reached: ") for note in found["notes"])


def test_a_violation_that_a_frontier_has_found_is_not_dropped(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it asked again after the deadline, to replay it."""
    text = "role A { a: B!x -> b\n b: B?y -> c\n c: }\nrole B { a: A!y -> b\n b: A?x -> c\n c: }\n"
    lossy.write_text(text)
    late(monkeypatch, claims, "check", 1)
    result = run("frontier", lossy, "--property", "rsc", "--json", "--timeout", "2")
    found = json.loads(result.out)
    assert all(b["verdict"]["holds"] is False for b in found["breaking"]) and result.code in (1, 3)


def test_classes_are_asked_no_more(run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = late(monkeypatch, classes, "check", 2)
    result = run("classify", lossy, "--json", "--timeout", "3")
    found = json.loads(result.out)
    assert len(calls) == 2 and result.code == 3
    assert found["notes"] == [
        "the time limit of 3 s was reached: nothing was asked under corruption, reordering"
    ]


def test_models_of_a_report_are_asked_no_more(
    run: Run, lossy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = late(monkeypatch, failure_models, "check", 2)
    page = tmp_path / "page.html"
    result = run("report", lossy, "--reorder", "-o", page, "--json", "--timeout", "3")
    models = json.loads(result.out)["models"]
    assert len(calls) == 2 and result.code == 3 and list(models) == ["none", "loss"]
    assert models["loss"]["notes"][-1] == (
        "the time limit of 3 s was reached: nothing was checked under corruption, reordering"
    )
    assert page.read_text().rstrip().endswith("</html>")


def test_a_layout_is_part_of_it(
    run: Run, lossy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without time for it the picture is a plain one."""
    from stormproof.tell.draw.layout import layered

    monkeypatch.setattr(
        layered, "order_ranks", lambda ranks, links, tick, before: [tick() for _ in iter(int, 1)]
    )
    picture = tmp_path / "a.svg"
    result = run("draw", lossy, "-o", picture, "--layout-time", "1000", "--timeout", "0.5")
    assert result.code == 0 and picture.read_text().startswith("<svg")


def test_a_role_that_is_extracted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "long_role.py").write_text(
        """import stormproof as sp


@sp.role
def A():
    n = 0
    while n < 10**7:
        n = n + 1 + 0 * sum(range(10_000))
        yield sp.send("B", "m")


@sp.role
def B():
    while True:
        yield sp.receive("A")


protocol = sp.extract(A, B)
"""
    )
    result = run("check", f"{tmp_path / 'long_role.py'}:protocol", "--timeout", "1")
    assert result.code == 3 and result.err.strip().endswith("undecided: the time limit of 1 s was reached")
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_certificate_that_was_not_made_in_time(
    run: Run, lossy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is not withheld, and it is said what is missing."""
    monkeypatch.setattr("stormproof.trust.check_survival.check_holds", endless)
    asked = ("--property", "recovers", "--certificate", "--json", "--timeout", "3")
    (recovers,) = json.loads(run("check", lossy, *asked).out)["verdicts"]
    assert recovers["holds"] is True and "certificate" not in recovers
    assert "no certificate was made: the time limit of 3 s was reached" in recovers["notes"]


def large(roles: int, states: int) -> str:
    """A ring in which every role sends and receives messages of its own in every state."""

    def role(i: int) -> str:
        after, before = (i + 1) % roles, (i - 1) % roles
        lines = [
            f"  s{s}: R{after}!m{i}_{s} -> s{(s + 1) % states}  R{before}?m{before}_{s} -> s{s * 7 % states}"
            for s in range(states)
        ]
        return "\n".join([f"role R{i} {{", *lines, "}"])

    return "\n".join(map(role, range(roles)))


@pytest.mark.parametrize("command", ["check", "classify", "frontier"])
def test_a_large_file(start: Start, tmp_path: Path, command: str) -> None:
    """By processor time, of which others may leave little: each took minutes, or tens of seconds."""
    import resource

    path = tmp_path / "large.storm"
    path.write_text(large(40, 350))
    assert path.stat().st_size > 600_000
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    process = start(command, path, "--timeout", "1")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 3 and b"the time limit of 1 s was reached" in out + err
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 6


def test_a_file_that_python_cannot_interrupt(start: Start, tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text("import itertools\nsum(itertools.repeat(1))\n")
    process = start("check", f"{tmp_path / 'endless.py'}:protocol", "--timeout", "1")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert err.decode().strip() == "undecided: the time limit of 1 s was reached"
