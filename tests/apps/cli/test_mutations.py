"""Files that are almost right end in a verdict or in one clear error, in every command that reads a file."""

from __future__ import annotations

import json
import os
import random
import zlib
from pathlib import Path

import pytest

from stormproof.languages import formats
from stormproof.surveys.campaign.results import Results
from tests.support.command_line import Run
from tests.support.mutations import mutated
from tests.support.paths import ROOT

#: So many mutations of each file in each command; STORMPROOF_MUTATIONS asks for more, from other seeds.
MUTATIONS = int(os.environ.get("STORMPROOF_MUTATIONS", "40"))
SEED = int(os.environ.get("STORMPROOF_SEED", "1"))

STORM = """protocol "p"
faults A -> B: loss
role A { a: B!m -> b
 b: B?ok -> c
 c: }
role B { a: A?m -> b
 b: A!ok -> c
 c: }
require done: always possible A@c
require k: k-mc at 2
"""
PLAN = """files = ["p.storm"]
properties = ["k-mc", "survives"]
bounds = [1, 2]
max_k = 3
timeout = 5.5
memory = "1GiB"
states = 1000
semantics = ["definition", "encoding"]
[[failures]]
name = "lossy"
loss = true
[[failures]]
loss_on = ["A:B"]
corrupt_map = [["A", "B", "m", "ok"]]
[[generate]]
family = "ring"
size = [2, 3]
[[expect]]
name = "e"
holds = ["lossy k-mc"]
violated = ["lossy survives"]
"""
EVENTS = (
    *('{"role": "A", "do": "send", "peer": "B", "message": "m", "time": 1.5}',),
    *('{"role": "B", "do": "receive", "peer": "A", "message": "m", "time": 2}',),
    *('{"role": "B", "do": "send", "peer": "A", "message": "ok", "time": 3}',),
)
SHIVIZ = 'A {"A":1}\nsend m to B\nB {"A":1,"B":1}\nreceive m from A\nB {"A":1,"B":2}\nsend ok to A\n'
GOLDEN = ROOT / "tests" / "languages" / "formats" / "golden"
#: One text in each language, and the commands that work on what they read.
LANGUAGES = {
    ".storm": STORM,
    ".json": "",
    **{suffix: (GOLDEN / f"ring{suffix}").read_text("utf-8") for suffix in (".dot", ".fsa", ".kmc", ".scm")},
    ".nuscr": "global protocol P(role A, role B) {\n  m(int) from A to B;\n"
    "  choice at B { ok() from B to A; } or { no() from B to A; }\n}\n",
    ".ctx": "s[a]: b⊕m(int) . b&{ok, crash . end},\n!s[b]: a&m(int) . a⊕ok\n",
}
COMMANDS = ("show", "lint", "fmt", "project", "classify", "check", "explain")

CELL = ("--models", "none", "--property", "k-mc", "--max-k", "1", "-o", "t.html")
FEW = ("--timeout", "5", "--states", "2000")


@pytest.fixture
def files(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the commands read, in which they run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.storm").write_text(STORM)
    return tmp_path


def _mutations(data: bytes, name: str, count: int = MUTATIONS) -> list[bytes]:
    chance = random.Random(zlib.crc32(name.encode()) + SEED)
    return [mutated(data, chance) for _ in range(count)]


def _sound(run: Run, data: bytes, *arguments: object) -> None:
    """No defect, no traceback, and an error is said in words."""
    done = run(*arguments)
    said = f"{arguments} on {data[:3000]!r}: {done.err[:3000]}"
    assert done.code in (0, 1, 2, 3), said
    assert "Traceback" not in done.err + done.out, said
    assert done.code != 2 or done.err.strip() or done.out.strip(), said


@pytest.mark.parametrize("suffix", LANGUAGES)
@pytest.mark.parametrize("command", COMMANDS)
def test_protocols(run: Run, files: Path, suffix: str, command: str) -> None:
    text = LANGUAGES[suffix] or formats.dumps(formats.loads(STORM), "json")
    path = files / f"x{suffix}"
    limits = FEW if command in ("check", "explain", "classify") else ()
    for data in _mutations(text.encode(), command + suffix, max(1, MUTATIONS // 4)):
        path.write_bytes(data)
        _sound(run, data, command, path, *limits)


@pytest.mark.parametrize("kind", ["result", "certificate"])
def test_saved_results(run: Run, files: Path, kind: str) -> None:
    if kind == "result":
        text = run("check", "p.storm", "--json", "--certificate").out
    else:
        run("table", "two-buyer", *CELL, "--certificates", "proofs")
        text = next(Path("proofs").glob("*.json")).read_text("utf-8")
    for data in _mutations(text.encode(), kind, 3 * MUTATIONS):
        Path("saved.json").write_bytes(data)
        _sound(run, data, "replay", "saved.json", "--budget", "2000")


@pytest.mark.parametrize("text", ["\n".join(EVENTS) + "\n", SHIVIZ], ids=["ndjson", "shiviz"])
def test_logs(run: Run, files: Path, text: str) -> None:
    for data in _mutations(text.encode(), text, 3 * MUTATIONS):
        Path("a.log").write_bytes(data)
        _sound(run, data, "trace", "p.storm", "a.log", "--loss", *FEW)


@pytest.fixture
def no_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are checked here, and not in processes of their own."""

    def check_all(jobs, results: Results, **_) -> None:  # type: ignore[no-untyped-def]
        for job in jobs:
            if job.key not in results.rows:
                results.add({**job.row, "verdicts": []})

    monkeypatch.setattr("stormproof.apps.cli.campaign.run_campaign", check_all)


@pytest.mark.usefixtures("no_jobs")
def test_plans(run: Run, files: Path) -> None:
    for data in _mutations(PLAN.encode(), "plan", 5 * MUTATIONS):
        Path("plan.toml").write_bytes(data)
        Path("out.jsonl").unlink(missing_ok=True)
        _sound(run, data, "campaign", "plan.toml", "-o", "out.jsonl")


def test_results_of_campaigns(run: Run, files: Path) -> None:
    run("table", "p.storm", *CELL, "--results", "out.jsonl")
    text = Path("out.jsonl").read_bytes()
    assert text.count(b"\n") == 1
    for data in _mutations(text, "results", MUTATIONS):
        Path("out.jsonl").write_bytes(data)
        _sound(run, data, "table", "p.storm", *CELL, "--results", "out.jsonl", "--force")


READING = [("check",), ("show",), ("replay",), ("trace", "p.storm"), ("campaign", "-o", "x")]


@pytest.mark.parametrize("arguments", READING)
def test_what_is_no_file(run: Run, files: Path, arguments: tuple[str, ...]) -> None:
    secret = files / "unreadable.toml"
    secret.write_text("")
    secret.chmod(0)
    for name in (".", "/dev/null", "/proc/self/mem", str(secret), "missing/x", "p.storm/x.toml", "x" * 5_000):
        _sound(run, b"", *arguments, name)


@pytest.mark.parametrize("key", ["k", "configurations"])
@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 3_000 + "]" * 3_000, "NaN", "1e999", "9" * 30])
def test_certificates_with_numbers_that_do_not_fit(run: Run, files: Path, key: str, value: str) -> None:
    lists: dict[str, object] = {"processes": [], "channels": [], "configurations": [], "runs": []}
    data = {"stormproof": 1, "property": "k-mc", "k": 1, "system": {}, "failures": {}, **lists, key: "HERE"}
    Path("c.json").write_text(json.dumps(data).replace('"HERE"', value))
    done = run("replay", "c.json")
    assert done.code == 2 and "c.json" in done.err


#: Lines of plans that are refused, whatever else the plan says.
TOO_MUCH = {
    "digits": f"max_k = {'9' * 5_000}",
    "large": "max_k = 99999999999999999999",
    "nested": f"files = {'[' * 3_000}{']' * 3_000}",
    "parts": f"{'a.' * 3_000}a = 1",
    "deep": f"{'a.' * 500}a = 1",
    "no number": "timeout = nan",
    "infinite": "timeout = 1e999",
}


@pytest.mark.parametrize("line", TOO_MUCH.values(), ids=TOO_MUCH)
def test_plans_that_are_too_much(run: Run, files: Path, line: str) -> None:
    Path("plan.toml").write_text(line if line.startswith("files") else f'files = ["p.storm"]\n{line}\n')
    done = run("campaign", "plan.toml", "-o", "out.jsonl")
    assert done.code == 2 and "Traceback" not in done.err


@pytest.mark.parametrize("which", ["digits", "large", "infinite"])
def test_a_number_that_does_not_fit_is_said_in_our_words(run: Run, files: Path, which: str) -> None:
    """And not in Python's, which recommend `sys.set_int_max_str_digits`."""
    Path("plan.toml").write_text(f'files = ["p.storm"]\n{TOO_MUCH[which]}\n')
    done = run("campaign", "plan.toml", "-o", "out.jsonl")
    assert done.code == 2 and done.err.startswith("plan.toml: a number is too large")
