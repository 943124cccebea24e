"""A command line used carelessly or badly: one clear sentence, the right exit code, nothing overwritten."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stormproof.apps.cli.console import print_text
from stormproof.apps.cli.streams import _likeness
from tests.support.command_line import Outcome, Run
from tests.support.processes import Start

HOLDS = "role A { a: B!x -> b\n b: }\nrole B { a: A?x -> b\n b: }\n"
FAILS = "role A { a: B!x -> b\n b: B!y -> c\n c: }\nrole B { a: A?y -> b\n b: }\n"


@pytest.fixture
def holds(tmp_path: Path) -> Path:
    path = tmp_path / "holds.storm"
    path.write_text(HOLDS)
    return path


@pytest.fixture
def fails(tmp_path: Path) -> Path:
    path = tmp_path / "fails.storm"
    path.write_text(FAILS)
    return path


def refused(result: Outcome, *words: str) -> None:
    assert result.code == 2, result
    assert "Traceback" not in result.err and "internal error" not in result.err
    for word in words:
        assert word in result.err, (word, result.err)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--loss", "--budget", "9" * 20), "budget: at most 1,000,000 faults can be counted"),
        (("--loss", "A:B"), "--loss-on A:B"),
        (("--effort", "nan"), "'nan' is not a valid integer"),
        (("--property", "deadlock-freedom"), "ask for recovers, which excludes it"),
        (("--property", "never B@b"), "put it into the file: require never B@b"),
    ],
)
def test_what_to_type_instead(run: Run, holds: Path, arguments: tuple[str, ...], words: str) -> None:
    refused(run("check", holds, *arguments), words)


def test_other_names_of_survival(run: Run, holds: Path) -> None:
    assert run("check", holds, "--property", "survival").code == 0


def test_temporal_operators_are_no_goals(run: Run, holds: Path) -> None:
    refused(run("reach", holds, "EF B@b"), "a goal has no 'EF'")


# ---- names of files ------------------------------------------------------------------------------------


def test_a_directory_is_said_once(run: Run, tmp_path: Path) -> None:
    result = run("show", tmp_path)
    refused(result)
    assert result.err.strip() == f"{tmp_path}: cannot be read: this is a directory, not a file"
    refused(run("check", tmp_path), f"the folder {tmp_path} has no file in a language that is read")


def test_names_that_are_empty_or_too_long(run: Run) -> None:
    refused(run("check", ""), "the name of a file is missing")
    refused(run("check", "a" * 5000), "no file")
    refused(run("check", "a" * 5000 + ".storm"), "too long")


def test_a_common_suffix_is_no_likeness(run: Run, holds: Path) -> None:
    refused(run("check", holds.with_name("hold.storm")), "did you mean 'holds.storm'?")
    assert "did you mean" not in run("check", holds.with_name("query.storm")).err


def test_names_differ_in_case(run: Run, holds: Path) -> None:
    refused(run("check", holds, "--crash", "a"), "did you mean 'A'?")


def test_control_characters_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "escape.storm"
    path.write_text('role "A\\u001b[31m" { a: B!"m\\u001b[2J" -> b\n b: }\nrole B { a: }\n')
    for command in ("check", "explain", "show", "classify"):
        assert "\x1b" not in run(command, path).out
    path.write_text("role A { a: B!\x1b[2Jm -> b\n b: }\nrole B { a: }\n")
    result = run("check", path)
    refused(result, "\\x1b")
    assert "\x1b" not in result.err


#: Right to left, a blank of no width, an end of a line, private use, unassigned.
TRICKS = "\u202e\u2066\u200b\ufeff\u2028\u0085\x7f\ue000\u0378\U000e0041"
SHOWN = r"\u202e\u2066\u200b\ufeff\u2028\x85\x7f\ue000\u0378\U000e0041"


@pytest.mark.parametrize(
    "command", ["check", "explain", "show", "classify", "draw", "frontier", "fmt", "lint"]
)
def test_characters_that_do_not_show_are_escaped(run: Run, tmp_path: Path, command: str) -> None:
    path = tmp_path / "tricks.storm"
    path.write_text(
        f'role "Zoë{TRICKS}" {{ a: B!"m{TRICKS}" -> "b{TRICKS}"\n "b{TRICKS}": }}\nrole B {{ a: }}\n', "utf-8"
    )
    result = run(command, path, *(["--property", "k-er"] if command == "explain" else []))
    if command != "fmt":  # what it prints is the file, whose names are exact when a program reads them
        assert not set(TRICKS) & set(result.out + result.err)
    assert result.code in (0, 1)
    if command in ("show", "explain"):
        assert f"Zoë{SHOWN}" in result.out.replace("\n", "").replace(" ", "")


def test_a_file_on_a_terminal_has_no_tricks(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    print_text(f"role {TRICKS}")
    assert capsys.readouterr().out == f"role {SHOWN}\n"


def test_json_is_exact_and_escaped(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tricks.storm"
    path.write_text(f'role "A{TRICKS}" {{ a: B!m -> b\n b: }}\nrole B {{ a: }}\n', "utf-8")
    out = run("show", path, "--json").out
    assert not set(TRICKS) & set(out) and out.isascii()
    assert any(p["name"] == f"A{TRICKS}" for p in json.loads(out)["processes"])


def test_a_file_name_commands_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a\u202e\nb.storm"
    path.write_text("role")
    assert r"a\u202e\nb.storm" in run("check", path).err
    assert "\u202e" not in run("check", "--\u202e").err


@pytest.mark.parametrize("blank", ["", " "], ids=["a word", "words"])
def test_long_names_are_clipped(run: Run, tmp_path: Path, blank: str) -> None:
    name, path = f"XYZ{blank}" * 100_000, tmp_path / "long.storm"
    path.write_text(f'role "{name}" {{ a: B!m -> nowhere }}\nrole C {{ a: "{name}"?m -> b }}\n')
    result = run("check", path)
    refused(result, "nowhere")
    assert len(result.err) < 10_000
    path.write_text(f'role "{name}" {{ a: B!m -> b\n b: }}\nrole B {{ a: "{name}"?m -> b\n b: }}\n')
    for command in ("check", "show", "explain", "lint"):
        result = run(command, path)
        assert result.code in (0, 1) and len(result.out + result.err) < 300_000
    assert name in run("show", path, "--json").out


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")
@pytest.mark.parametrize("command", ["check", "lint", "explain", "show", "frontier"])
def test_a_pipe_is_read_once(run: Run, command: str) -> None:
    """As a shell gives it: stormproof check <(generator)."""
    end, writer = os.pipe()
    os.write(writer, HOLDS.encode())
    os.close(writer)
    try:
        assert run(command, f"/dev/fd/{end}").code in (0, 1)
    finally:
        os.close(end)


def test_fmt_shows_a_built_in_protocol_and_does_not_rewrite_it(run: Run) -> None:
    shown = run("fmt", "alternating-bit")
    assert shown.code == 0 and "role Sender {" in shown.out
    refused(run("fmt", "--write", "alternating-bit"), "no such file")


# ---- numbers and flags that say nothing or contradict ---------------------------------------------------


@pytest.mark.parametrize("flag", ["-k", "--max-k"])
def test_bounds_beyond_all_measure(run: Run, holds: Path, flag: str) -> None:
    refused(run("check", holds, flag, 10**20), "must be at most 1,000,000")
    refused(run("check", holds, flag, -1), "must be at least 1")


def test_limits_beyond_all_measure_are_no_limits(run: Run, holds: Path) -> None:
    assert run("check", holds, "--max-states", 10**25).code == 0
    assert run("check", holds, "--memory", "9" * 400 + "GiB").code == 0
    assert run("reach", holds, "A@b & B@a & A->B=[]", "--max-states", 10**25).code == 0


def test_one_bound_or_the_least(run: Run, holds: Path) -> None:
    refused(run("check", holds, "-k", 1, "--max-k", 3), "-k", "--max-k")
    assert run("check", holds, "--max-k", 3).code == 0


@pytest.mark.parametrize("flag", ["--loss-on", "--corrupt-on", "--reorder-on", "--crash"])
@pytest.mark.parametrize("value", ["", ","])
def test_a_flag_that_names_nobody_is_no_wish_for_perfect_channels(
    run: Run, holds: Path, flag: str, value: str
) -> None:
    refused(run("check", holds, flag, value), flag, "names no")


def test_a_scope_without_corruption(run: Run, holds: Path) -> None:
    refused(run("check", holds, "--corrupt-scope", "system"), "no effect without corruption", "--corrupt-on")
    assert run("check", holds, "--corrupt-scope", "system", "--corrupt").code in (0, 1)


def test_unknown_messages_and_processes_list_the_known(run: Run, fails: Path) -> None:
    refused(run("check", fails, "--corrupt-map", "A:B:q=x"), "unknown message 'q'", "messages here: x, y")
    refused(run("crash", fails, "--reliable", "Q"), "unknown process 'Q'; there are A, B")


def test_a_frontier_of_nothing_is_refused_before_the_search(
    run: Run, holds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stormproof.apps.cli.report.survey", None)
    refused(run("report", holds, "--frontier", "nope"), "unknown property 'nope'")


def test_bounds_take_no_goal(run: Run, holds: Path) -> None:
    refused(run("reach", holds, "deadlock", "--bounds"), "--bounds", "no goal")


# ---- goals ---------------------------------------------------------------------------------------------


def test_goals_nested_too_deep(run: Run, holds: Path) -> None:
    deep = "(" * 100 + "deadlock" + ")" * 100
    assert run("reach", holds, deep).code == 0
    refused(run("reach", holds, "(" + deep + ")"), "goal:1:101", "nested more than 100 deep")


def test_the_place_in_a_goal_of_several_lines(run: Run, holds: Path) -> None:
    result = run("reach", holds, "A@b\n  & B@z")
    refused(result, "goal:2:7: error: B has no state 'z'", "    2 |   & B@z")


def test_names_in_goals_are_quoted_as_in_json(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.storm"
    path.write_text('role "say \\"hi\\"" { "a b": B!x -> b\n b: }\nrole B { a: }\n')
    assert run("reach", path, '"say \\"hi\\""@"a b"').code == 1
    answer = json.loads(run("reach", path, '"say \\"hi\\""@"a b"', "--json").out)
    assert answer["goal"] == '"say \\"hi\\""@"a b"'
    refused(run("reach", path, '"\\q"@a'), "as in JSON")


# ---- what is written -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("classify", "FILE", "-o", "OUT"),
        ("reach", "FILE", "deadlock", "--reorder", "--pnml", "OUT"),
        ("report", "FILE", "-o", "OUT"),
        ("draw", "FILE", "--to", "svg", "-o", "OUT"),
        ("convert", "FILE", "--to", "json", "-o", "OUT"),
        ("crash", "FILE", "--complete", "--to", "json", "-o", "OUT"),
    ],
)
def test_nothing_is_overwritten_unless_told(
    run: Run, holds: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    out = tmp_path / "precious"
    out.write_text("precious")
    words = [{"FILE": str(holds), "OUT": str(out)}.get(a, a) for a in arguments]
    refused(run(*words), "the file exists already", "--force")
    assert out.read_text() == "precious"
    assert run(*words, "--force").code in (0, 1)
    assert out.read_text() != "precious"


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "FILE", "--to", "json"),
        ("draw", "FILE", "--to", "svg"),
        ("report", "FILE"),
        ("crash", "FILE", "--complete"),
        ("generate", "ring"),
        ("classify", "FILE"),
    ],
)
def test_a_dash_is_standard_output(
    run: Run, holds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    words = [{"FILE": str(holds)}.get(a, a) for a in arguments]
    assert run(*words, "-o", "-").out
    assert set(tmp_path.iterdir()) == before


# ---- streams -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("json_flag", [(), ("--json",)])
def test_a_reader_that_goes_away_does_not_change_the_verdict(
    start: Start, holds: Path, fails: Path, json_flag: tuple[str, ...]
) -> None:
    for path, code in ((holds, 0), (fails, 1)):
        read, write = os.pipe()
        os.close(read)
        process = start("check", path, *json_flag, stdout=write)
        os.close(write)
        _, said = process.communicate(timeout=60)
        others = [line for line in said.splitlines() if b": warning: " not in line]
        assert (process.returncode, others) == (code, [])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told(start: Start, holds: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start("check", holds, stdout=full)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 2
        assert said.decode().strip() == "standard output cannot be written: no space left on device"
        process = start("check", "no-such-thing", stderr=full)
        process.communicate(timeout=60)
        assert process.returncode == 2


def test_a_closed_standard_error(fails: Path) -> None:
    shell = f"{sys.executable} -m stormproof check {fails} 2>&-"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "recovers" in done.stdout


def test_a_frontier_in_a_narrow_terminal(run: Run, holds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("frontier", holds).out.splitlines()
    (row,) = (line.split() for line in lines if "A → B" in line)
    assert row == ["A", "→", "B", "✘", "1", "✔", "✔", "✔"]


def test_a_closed_standard_input(holds: Path) -> None:
    shell = f"{sys.executable} -m stormproof check - <&-"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.strip() == "<stdin>: cannot be read: it is closed"


def test_a_terminal_that_knows_only_ascii(start: Start) -> None:
    process = start("check", "alternating-bit", "--loss", env={"PYTHONIOENCODING": "ascii"})
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, b"")
    text = out.decode("ascii")
    assert "x recovers" in text and "+ clean" in text and "Sender>Receiver" in text
    process = start("check", "alternating-bit", "--loss", "--json", env={"PYTHONIOENCODING": "latin-1"})
    out, _ = process.communicate(timeout=60)
    assert json.loads(out.decode("utf-8"))["verdicts"]


def test_signs_without_a_likeness_are_numbered() -> None:
    problem = UnicodeEncodeError("ascii", "✔ é", 0, 3, "no such letter")
    assert _likeness(problem) == ("+ \\xe9", 3)


def test_a_narrow_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    lines = run("check", "alternating-bit", "--loss").out.splitlines()
    assert lines[:2] == ["alternating-bit does not", "survive: `recovers`"]
    rows = lines[: next(i for i, line in enumerate(lines) if line.startswith("how "))]
    assert all(len(line) <= 24 for line in rows)


# ---- signals -------------------------------------------------------------------------------------------


def wait_until_it_listens(pid: int) -> None:
    """Until the process has a handler for SIGTERM: on a busy machine Python takes a while to come to that."""
    status = Path(f"/proc/{pid}/status")
    for _ in range(600):
        caught = [line for line in status.read_text().splitlines() if line.startswith("SigCgt:")]
        if int(caught[0].split()[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.1)


def test_an_interrupt_while_classes_are_defined_has_its_exit_code_too(tmp_path: Path) -> None:
    """Dataclasses run code that is a string, which CPython remembers if it runs a module."""
    script = """
import stormproof.apps.cli, stormproof_command
stormproof.apps.cli.main = lambda: exec("raise KeyboardInterrupt")
stormproof_command.main()
"""
    (tmp_path / "interrupted.py").write_text(script)
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (3, b"undecided: interrupted\n")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see who handles what")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "arguments",
    [("check", "-k", "12", "--property", "k-exh", "--no-reduction"), ("classify", "--max-k", "12")],
)
def test_a_signal_stops_a_search_and_it_says_so(
    start: Start, number: signal.Signals, arguments: tuple[str, ...]
) -> None:
    command, *rest = arguments
    process = start(command, "elevator", *rest, "--memory", "4GiB")
    wait_until_it_listens(process.pid)
    time.sleep(1.5)
    assert process.poll() is None, "it ended before the signal"
    process.send_signal(number)
    asked = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - asked < 20
    assert process.returncode == 3
    assert b"interrupted" in out + err and b"Traceback" not in out + err


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see who handles what")
@pytest.mark.parametrize(
    "command", [("check", "elevator", "-k", "12", "--no-reduction"), ("studio", "--no-open")]
)
def test_a_signal_that_is_ignored_from_the_start_stays_so(start: Start, command: tuple[str, ...]) -> None:
    """As in the background of a script: what is meant for the foreground ends nothing else."""
    ignoring = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    process = start(*command, through=f"{ignoring}; os.execv(sys.argv[1], sys.argv[1:])")
    wait_until_it_listens(process.pid)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode in (0, 3)
