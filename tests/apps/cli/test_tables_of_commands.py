"""The tables that say what each command makes of observers, disks and timers: every command is in them, and
does what is said there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stormproof.apps.cli import COMMANDS
from tests.support.command_line import Run
from tests.support.paths import ROOT

OBSERVED = """role A { a: B!x -> b
  b: B?y -> c
  c: }
role B { d: A?x -> e
  e: A!y -> f
  f: }
observer O { no: A -> B?x -> yes
  yes: }
require r: never O@yes & A@a
"""
CUT = f"faults A <-> B: cut\n{OBSERVED}"
DISKS = """faults L: restart
role A { a: L!x -> b
  b: L?y -> c
  c: L?y -> c }
service role L { on restart -> i
  i: A?x -> g
  g: A!y -> i }
durable L@g
require s: never A@c & L@i recorded
"""
SAVED = """faults A: restart
role A {
  durable var n: 0..1 = 0
  a: B!x(n) -> b { n = 1 }
  b: save n -> c
  c: B!x(n) -> c
}
service role B { d: A?x(_) -> d }
rest A@{a, b, c}
require s: never A.n = 1 & A@a
"""
TIMED = """timers on time
role A { ask: B!go -> wait
  wait: B?done -> done
  done: }
role B { idle: A?go -> work
         timeout -> gone
  work: A!done -> over
  over:
  gone: }
"""
TABLES = {"observers": "language.md", "disks": "language.md", "timers": "timers.md"}


def table(name: str) -> str:
    text = (ROOT / "docs" / TABLES[name]).read_text("utf-8")
    return text.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]


@pytest.mark.parametrize("name", TABLES)
def test_every_command_is_named(name: str) -> None:
    firsts = [line.split("|")[1] for line in table(name).splitlines() if line.startswith("|")]
    named = {found.split()[0] for first in firsts for found in re.findall(r"`([^`]+)`", first)}
    assert set(COMMANDS) <= named, set(COMMANDS) - named


#: What is tried: the text, the arguments, the exit code, and a part of what is printed.
TRIED = [
    (OBSERVED, ("show", "FILE"), 0, ""),
    (OBSERVED, ("convert", "FILE", "--to", "dot"), 0, "has no observers, which are left out"),
    (OBSERVED, ("convert", "FILE", "--to", "json"), 0, '"observers"'),
    (OBSERVED, ("reach", "FILE", "O@yes"), 1, "reachable"),
    (OBSERVED, ("trace", "FILE", "LOG"), 0, "conforms"),
    (DISKS, ("explain", "FILE"), 1, "restarts in g°"),
    (DISKS, ("reach", "FILE", "L@g recorded"), 1, "reachable"),
    (DISKS, ("convert", "FILE", "--to", "promela"), 0, "/* record */"),
    (DISKS, ("convert", "FILE", "--to", "dot"), 0, "has no durable states, which are left out"),
    (DISKS, ("project", "FILE"), 0, "role L"),
    (SAVED, ("check", "FILE"), 1, "A may restart with what it saved of n"),
    (SAVED, ("convert", "FILE", "--to", "promela"), 0, "/* save n */"),
    (SAVED, ("convert", "FILE", "--to", "dot"), 0, "saves become internal actions"),
    (SAVED, ("mutate", "FILE"), 2, "without variables"),
    (SAVED, ("project", "FILE"), 2, "no internal actions"),
    (TIMED, ("check", "FILE"), 0, "timers on time"),
    (TIMED, ("check", "FILE", "--timers", "any-time"), 1, "only if a message, an action"),
    (TIMED, ("frontier", "FILE", "--faults", "loss"), 1, "timers ✘ at any time ✔ on time"),
    (TIMED, ("reach", "FILE", "deadlock"), 2, "reach knows no clocks"),
    (TIMED, ("convert", "FILE", "--to", "dot"), 0, "has no timers, which become internal actions"),
    (TIMED, ("convert", "FILE", "--to", "json"), 0, '"timers": "on-time"'),
    (TIMED, ("table", "FILE"), 0, "t.storm ✔"),
    (TIMED, ("trace", "FILE", "EARLY"), 0, "one may have expired early"),
    (TIMED, ("trace", "FILE", "EARLY", "--follow", "--idle", "1"), 0, "one may have expired early"),
    (
        f"faults A <-> B: cut\n{OBSERVED}",
        ("trace", "FILE", "LOG", "--follow", "--idle", "1"),
        2,
        "cut for good",
    ),
    (TIMED, ("project", "FILE"), 2, "no internal actions"),
]


@pytest.mark.parametrize(("text", "given", "code", "said"), TRIED)
def test_a_command_does_what_its_table_says(
    run: Run,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    text: str,
    given: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    files = {name: tmp_path / name.lower() for name in ("FILE", "LOG", "EARLY")}
    files["FILE"] = tmp_path / "t.storm"
    files["FILE"].write_text(text)
    sends = '{"role": "A", "do": "send", "peer": "B", "message": "%s"}\n'
    files["LOG"].write_text(sends % "x")
    files["EARLY"].write_text(sends % "go" + '{"role": "B", "do": "timeout"}\n')
    found = run(*(str(files.get(word, word)) for word in given))
    printed = " ".join((found.out + found.err + caplog.text).split())
    assert found.code == code, printed
    assert said in printed
