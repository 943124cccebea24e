"""The runs of tests as data: what is written, and what its runners say of right and wrong implementations."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import unittest
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.live.testing.vectors import RUNNERS, runner, vectors, vectors_text
from tests.support.command_line import Run, run  # noqa: F401
from tests.support.paths import ROOT

SCHEMA = json.loads((ROOT / "src/stormproof/schemas/vectors.schema.json").read_text("utf-8"))

RELAY = """\
protocol Relay
faults Relay <-> Broker: loss
faults Relay: restart
role Relay {
  begin:   Broker!publish -> waiting
  waiting: Broker?ack -> done
           Broker?busy -> begin
           timeout -> begin
  done:    Broker?ack -> done
           Broker?busy -> done
}
service role Broker {
  idle:  Relay?publish -> said
  said:  Relay!ack -> idle
         Relay!busy -> idle
}
durable Relay@done
rest Relay@done, Broker@idle
"""


class Right:
    """Publishes until it is acknowledged."""

    saved = False

    def __init__(self) -> None:
        self.done = False

    def publish(self) -> list[tuple[str, str]]:
        return [] if self.done else [("Broker", "publish")]

    def start(self) -> list[tuple[str, str]]:
        return self.publish()

    def receive(self, peer: str, message: str) -> list[tuple[str, str]] | None:
        self.done = self.done or message == "ack"
        return self.publish()

    def expire(self) -> list[tuple[str, str]] | None:
        return None if self.done else self.publish()

    def restart(self) -> list[tuple[str, str]]:
        return self.publish()


class NeverAgain(Right):
    def expire(self) -> list[tuple[str, str]] | None:
        return None


class Forgets(Right):
    def restart(self) -> list[tuple[str, str]]:
        self.done = False
        return self.publish()


class Twice(Right):
    def start(self) -> list[tuple[str, str]]:
        return self.publish() * 2


class Raises(Right):
    def receive(self, peer: str, message: str) -> list[tuple[str, str]] | None:
        raise KeyError(message)


def load_runner(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("stormproof_vectors", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = vectors(sp.loads(RELAY, format="storm"), "Relay", effort=1_000)
    (tmp_path / "relay.vectors.json").write_text(vectors_text(found), "utf-8")
    for language, file in RUNNERS.items():
        (tmp_path / file).write_text(runner(language), "utf-8")
    return tmp_path


def verdicts(folder: Path, make: Callable[[], Any], file: str = "relay.vectors.json") -> Counter[str]:
    found = Counter[str]()
    suite = load_runner(folder / RUNNERS["python"]).Vectors(folder / file)
    for name in suite.names:
        try:
            suite.follow(name, make)
            found["passed"] += 1
        except AssertionError as problem:
            assert "the protocol allows" in str(problem) or "raises" in str(problem)
            found["failed"] += 1
        except unittest.SkipTest:
            found["undecided"] += 1
    return found


def test_what_is_written_is_what_the_schema_says(folder: Path) -> None:
    text = (folder / "relay.vectors.json").read_text("utf-8")
    found = json.loads(text)
    jsonschema.validate(found, SCHEMA)
    assert found == vectors(sp.loads(RELAY, format="storm"), "Relay", effort=1_000)
    done = {step[0] for vector in found["vectors"] for step in vector["steps"]}
    assert done == {"send", "receive", "timeout", "restart", "wait"}
    assert len({v["name"] for v in found["vectors"]}) == len(found["vectors"]) > 2
    assert max(map(len, text.splitlines())) < 400 and len(text) < 10_000


@pytest.mark.parametrize("language", RUNNERS)
def test_runners_are_short(language: str) -> None:
    assert len(runner(language).splitlines()) <= 200
    with pytest.raises(UsageError, match="there is no runner for 'cobol'"):
        runner("cobol")


def test_right_implementations_pass_and_wrong_ones_do_not(folder: Path) -> None:
    right = verdicts(folder, Right)
    assert not right["failed"] and right["passed"] > 2
    for wrong in (NeverAgain, Forgets, Twice, Raises):
        assert verdicts(folder, wrong)["failed"], wrong


def test_a_role_passes_its_own_vectors(tmp_path: Path) -> None:
    """Every role of these protocols, as its automaton, which chooses at random."""
    (tmp_path / RUNNERS["python"]).write_text(runner("python"), "utf-8")
    for name in ("alternating-bit", "two-buyer", "two-phase-commit", "tcp-open"):
        system = sp.protocol(name)
        for role in system.names:
            found = vectors(system, role, effort=1_000)
            jsonschema.validate(found, SCHEMA)
            (tmp_path / "v.json").write_text(vectors_text(found), "utf-8")
            text = sp.dumps(system, "storm")
            seen = verdicts(tmp_path, partial(Sending, text, role), "v.json")
            assert not seen["failed"] and seen["passed"], (name, role, seen)


class Sending:
    """An automaton that sends what it can at once."""

    def __init__(self, text: str, role: str) -> None:
        self.inner = sp.testing.AutomatonImplementation(text, role)

    def sent(self) -> list[tuple[str, str]]:
        return list(iter(self.inner.send, None))

    def start(self) -> list[tuple[str, str]]:
        return self.sent()

    def receive(self, peer: str, message: str) -> list[tuple[str, str]] | None:
        return self.sent() if self.inner.receive(peer, message) else None

    def expire(self) -> list[tuple[str, str]] | None:
        return self.sent() if self.inner.timer() else None

    def restart(self) -> list[tuple[str, str]]:
        self.inner.restart()
        return self.sent()


JAVASCRIPT = """\
import { testVectors } from "./stormproof_vectors.mjs";
class Relay {
  done = false;
  publish() { return this.done ? [] : [["Broker", "publish"]]; }
  start() { return this.publish(); }
  async receive(peer, message) { this.done ||= message === "ack"; return this.publish(); }
  expire() { return this.done ? null : EXPIRE; }
  restart() { return this.publish(); }
}
testVectors(() => new Relay(), "relay.vectors.json");
"""

RUST = """\
#[path = "stormproof_vectors.rs"]
mod stormproof_vectors;
use stormproof_vectors::{run, Implementation, Sent};
struct Relay { done: bool }
impl Relay {
    fn publish(&self) -> Vec<Sent> {
        if self.done { vec![] } else { vec![("Broker".to_string(), "publish".to_string())] }
    }
}
impl Implementation for Relay {
    fn start(&mut self) -> Vec<Sent> { self.publish() }
    fn receive(&mut self, _peer: &str, message: &str) -> Option<Vec<Sent>> {
        self.done |= message == "ack";
        Some(self.publish())
    }
    fn expire(&mut self) -> Option<Vec<Sent>> { if self.done { None } else { EXPIRE } }
    fn restart(&mut self) -> Vec<Sent> { self.publish() }
}
#[test]
fn relay() { run("relay.vectors.json", || Relay { done: false }); }
"""

GO = """\
package relay

import (
	"relay/vectors"
	"testing"
)

type Relay struct{ done bool }

func (r *Relay) publish() []vectors.Sent {
	if r.done {
		return nil
	}
	return []vectors.Sent{{Peer: "Broker", Message: "publish"}}
}
func (r *Relay) Start() []vectors.Sent { return r.publish() }
func (r *Relay) Receive(peer, message string) ([]vectors.Sent, bool) {
	r.done = r.done || message == "ack"
	return r.publish(), true
}
func (r *Relay) Expire() ([]vectors.Sent, bool) {
	if r.done {
		return nil, false
	}
	return EXPIRE, true
}
func (r *Relay) Restart() []vectors.Sent { return r.publish() }

func TestRelay(t *testing.T) {
	vectors.Run(t, "relay.vectors.json", func() vectors.Implementation { return &Relay{} })
}
"""

JAVA = """\
import java.util.List;

class Relay implements StormproofVectors.Implementation {
    boolean done;
    List<StormproofVectors.Sent> publish() {
        return done ? List.of() : List.of(new StormproofVectors.Sent("Broker", "publish"));
    }
    public List<StormproofVectors.Sent> start() { return publish(); }
    public List<StormproofVectors.Sent> receive(String peer, String message) {
        done |= message.equals("ack");
        return publish();
    }
    public List<StormproofVectors.Sent> expire() { return done ? null : EXPIRE; }
    @Override public List<StormproofVectors.Sent> restart() { return publish(); }
    public static void main(String[] arguments) throws Exception {
        StormproofVectors.run("relay.vectors.json", Relay::new);
    }
}
"""

PYTHON = """\
import sys
from stormproof_vectors import Vectors
class Relay:
    def __init__(self): self.done = False
    def publish(self): return [] if self.done else [("Broker", "publish")]
    def start(self): return self.publish()
    def receive(self, peer, message): self.done |= message == "ack"; return self.publish()
    def expire(self): return None if self.done else EXPIRE
    def restart(self): return self.publish()
failed = 0
suite = Vectors()
for name in suite.names:
    try: suite.follow(name, Relay)
    except AssertionError as problem: print(problem); failed = 1
    except Exception as skipped: print("skipped", skipped)
sys.exit(failed)
"""


def tool(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=str(Path.home() / ".cargo" / "bin"))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def commands(language: str, folder: Path, expire: str) -> list[list[str]]:
    """What runs the implementation in this language; `expire` is what it does when its timer expires."""
    if language == "python":
        (folder / "relay.py").write_text(PYTHON.replace("EXPIRE", expire))
        return [[sys.executable, "relay.py"]]
    if language == "javascript":
        (folder / "relay.test.mjs").write_text(JAVASCRIPT.replace("EXPIRE", expire))
        return [[tool("node"), "--test", "relay.test.mjs"]]
    if language == "go":
        (folder / "relay_test.go").write_text(GO.replace("EXPIRE", expire))
        (folder / "go.mod").write_text("module relay\n\ngo 1.18\n")
        (folder / "vectors").mkdir(exist_ok=True)
        (folder / "vectors" / RUNNERS["go"]).write_text(runner("go"), "utf-8")
        (folder / RUNNERS["go"]).unlink(missing_ok=True)  # a package of its own, in a folder of its own
        return [[tool("go"), "vet", "relay/vectors"], [tool("go"), "test", "."]]
    if language == "java":
        (folder / "Relay.java").write_text(JAVA.replace("EXPIRE", expire))
        return [[tool("javac"), "Relay.java", RUNNERS["java"]], [tool("java"), "Relay"]]
    (folder / "relay.rs").write_text(RUST.replace("EXPIRE", expire))
    return [[tool("rustc"), "--edition", "2021", "--test", "relay.rs", "-o", "relay"], ["./relay"]]


#: What publishes again, and what does not.
EXPIRE = {
    "python": ("self.publish()", "[]"),
    "javascript": ("this.publish()", "[]"),
    "rust": ("Some(self.publish())", "Some(vec![])"),
    "go": ("r.publish()", "nil"),
    "java": ("publish()", "List.<StormproofVectors.Sent>of()"),
}


def check_report(rows: list[dict[str, Any]]) -> None:
    """What is done, and in which handler."""
    for row in rows:
        if row["verdict"] == "undecided":
            continue
        handlers = {tuple(step["transition"][:1]): step["handler"] for step in row["steps"]}
        assert handlers.get(("timeout",), "expire") == "expire"
        assert handlers.get(("receive",), "receive") == "receive"
        assert row["steps"][0] == {"transition": ["send", "Broker", "publish"], "handler": "start"}


@pytest.mark.parametrize("language", RUNNERS)
def test_the_runner_of_each_language(language: str, folder: Path) -> None:
    """All languages say the same of the same implementation, and report it."""
    told = []
    for expire in EXPIRE[language]:
        report = folder / "report.ndjson"
        report.unlink(missing_ok=True)
        environment = {**os.environ, "STORMPROOF_REPORT": str(report)}
        environment |= {"STORMPROOF_VECTORS": "relay.vectors.json"}
        for command in commands(language, folder, expire):
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert report.exists(), done.stdout + done.stderr
        rows = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
        told.append({row["vector"]: row["verdict"] for row in rows})
        check_report(rows)
        assert (done.returncode == 0) == ("failed" not in told[-1].values()), done.stdout + done.stderr
    right, wrong = told
    names = {v["name"] for v in json.loads((folder / "relay.vectors.json").read_text())["vectors"]}
    assert set(right) == set(wrong) == names and "failed" not in right.values()
    assert "failed" in wrong.values()
    said = done.stdout + done.stderr
    assert "it waits; the protocol allows: " in said and "sends publish to Broker" in said


def test_on_the_command_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    Path("relay.storm").write_text(RELAY)
    asked = ("testgen", "relay.storm", "--role", "Relay", "--vectors")
    assert run(*asked, "-o", "relay.json", "--runner", "rust").code == 0
    assert json.loads(Path("relay.json").read_text())["role"] == "Relay"
    assert Path("stormproof_vectors.rs").read_text("utf-8") == runner("rust")
    assert json.loads(run(*asked).out)["version"] == 1
    assert json.loads(run(*asked, "--json").out)["vectors"]["version"] == 1
    assert "--runner is for vectors in a file" in run(*asked, "--runner", "rust").err
    assert "leave out --implementation" in run(*asked, "--implementation", "a:b").err
