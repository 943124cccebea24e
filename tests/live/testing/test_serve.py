"""Random runs of implementations elsewhere: what is noticed, how it is shrunk, what the lines say."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import InputError, UsageError
from stormproof.live.testing.lines import Driver, read, written
from stormproof.live.testing.serve import RandomRuns, serve
from stormproof.live.testing.vectors import DRIVERS, runner_files
from stormproof.tell.ci.failure_text import random_failure
from tests.live.testing.test_vectors import (
    EXPIRE,
    JAVASCRIPT,
    RELAY,
    RUST,
    Forgets,
    NeverAgain,
    Raises,
    Right,
    Twice,
    tool,
)
from tests.support.command_line import Run, run  # noqa: F401

SYSTEM = sp.loads(RELAY, format="storm")


class Here(Driver):
    """Drives an implementation in this process."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make, self.said, self.started = make, list[tuple[str, ...]](), 0

    def say(self, *words: str) -> None:
        self.said.append(words)

    def ask(self, *words: str) -> list[str]:
        if words == ("start",):
            self.implementation = self.make()
            self.started += 1
        try:
            sent = getattr(self.implementation, words[0])(*words[1:])
        except Exception as problem:
            return ["raised", repr(problem)]
        return ["refused"] if sent is None else ["sent", *(word for message in sent for word in message)]


def played(make: Callable[[], Any], **more: Any) -> RandomRuns:
    return serve(SYSTEM, "Relay", None, Here(make), **more)


def test_a_right_implementation_passes() -> None:
    for seed in range(3):
        found = played(Right, seed=seed)
        assert (found.exit_code, found.headline) == (0, f"passed: 100 random runs, seed {seed}")


@pytest.mark.parametrize("wrong", [NeverAgain, Forgets, Twice, Raises])
def test_wrong_ones_fail_with_a_short_run(wrong: type[Right]) -> None:
    for seed in range(5):
        found = played(wrong, seed=seed)
        assert found.exit_code == 1 and found.failure is not None and found.again
        assert "the protocol allows" in found.failure or "raises KeyError" in found.failure
        # The longest that is needed: publish, its reception, an answer, its reception, a restart.
        assert found.run is None or len(found.run.steps) <= 5
        assert "│" in random_failure(found) or found.run is None


def test_the_same_seed_is_the_same_answer() -> None:
    assert random_failure(played(Forgets, seed=4)) == random_failure(played(Forgets, seed=4))


def test_a_failure_that_does_not_come_again_is_kept() -> None:
    class Once(Right):
        failed = False

        def expire(self) -> list[tuple[str, str]] | None:
            if not Once.failed and not self.done:
                Once.failed = True
                return []
            return super().expire()

    found = played(Once)
    assert found.exit_code == 1 and not found.again
    assert "it did not fail again with the same choices" in found.headline


def test_a_budget_limits_the_faults() -> None:
    """Forgets is seen in a restart only, which a budget of no faults does not allow."""
    none = sp.Failures(budget=0)
    assert serve(SYSTEM, "Relay", none, Here(Forgets)).exit_code == 0
    one = sp.Failures(budget=1)
    found = serve(SYSTEM, "Relay", one, Here(Forgets))
    assert found.run is not None and found.run.fault_count == 1


def test_lines_carry_any_text() -> None:
    words = ["receive", "A\tB", "a\\tb\nc\\", ""]
    assert read(written(words)) == words
    assert written(words).count("\n") == 1


@pytest.mark.parametrize("line", ["", "sent\tBroker\n", "refused\tnow\n", "what\n", "sent"])
def test_answers_that_are_none_are_refused(line: str) -> None:
    with pytest.raises(InputError, match="the driver"):
        Driver(io.StringIO(), io.StringIO(line)).ask("start")


PYTHON = """\
import sys
from stormproof_random import play
class Relay:
    def __init__(self): self.done = False
    def publish(self): return [] if self.done else [("Broker", "publish")]
    def start(self): return self.publish()
    def receive(self, peer, message): self.done |= message == "ack"; return self.publish()
    def expire(self): return None if self.done else EXPIRE
    def restart(self): return self.publish()
print(play(COMMAND, Relay))
"""


def command_of(language: str, folder: Path, expire: str) -> list[str]:
    """What plays with the implementation of test_vectors in this language."""
    server = [sys.executable, "-m", "stormproof", "testgen", "relay.storm", "--role", "Relay", "--serve"]
    shown = "[" + ", ".join(f'"{word}"' for word in server) + "]"
    if language == "python":
        (folder / "relay.py").write_text(PYTHON.replace("EXPIRE", expire).replace("COMMAND", shown))
        return [sys.executable, "relay.py"]
    if language == "javascript":
        text = JAVASCRIPT.replace("EXPIRE", expire).partition("testVectors(() =>")[0]
        text = text.replace(
            'testVectors } from "./stormproof_vectors.mjs"', 'play } from "./stormproof_random.mjs"'
        )
        (folder / "relay.mjs").write_text(f"{text}console.log(await play({shown}, () => new Relay()));\n")
        return [tool("node"), "relay.mjs"]
    text = RUST.replace("EXPIRE", expire).partition("#[test]")[0].replace("{run, ", "{")
    text = '#[path = "stormproof_random.rs"]\nmod stormproof_random;\n' + text
    text += (
        f'fn main() {{ println!("{{}}", stormproof_random::play(&{shown}, || Relay {{ done: false }})); }}\n'
    )
    (folder / "relay.rs").write_text(text)
    subprocess.run(
        [tool("rustc"), "--edition", "2021", "-A", "dead_code", "relay.rs"], cwd=folder, check=True
    )
    return ["./relay"]


@pytest.mark.parametrize("language", DRIVERS)
def test_the_driver_of_each_language(language: str, tmp_path: Path) -> None:
    (tmp_path / "relay.storm").write_text(RELAY)
    for file, text in runner_files(language).items():
        (tmp_path / file).write_text(text, "utf-8")
        assert len(text.splitlines()) <= 200
    right, wrong = EXPIRE[language]
    for expire, passes in ((right, True), (wrong, False)):
        command = command_of(language, tmp_path, expire)
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        said = done.stdout + done.stderr
        assert (done.returncode == 0) == passes, said
        if passes:
            assert "passed: 100 random runs, seed 0" in said
        else:
            assert "Relay waits; the protocol allows: sends publish to Broker" in said
            assert "◷ timeout" in said


def test_mistakes_on_the_command_line(run: Run, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "relay.storm"
    file.write_text(RELAY)
    asked = ("testgen", file, "--role", "Relay", "--serve")
    refused = run(*asked, "--vectors")
    assert refused.code == 2 and "--serve writes nothing but lines for a driver" in refused.err
    refused = run(*asked, stdin="sent\tBroker\n")
    assert refused.code == 2 and refused.out == "start\n"
    assert "the driver answers 'sent\\tBroker'" in refused.err
    refused = run(*asked, stdin="")
    assert refused.code == 2 and "the driver ended" in refused.err
    with pytest.raises(UsageError, match="no role 'Relays'"):
        serve(SYSTEM, "Relays", None, Here(Right))
