"""`stormproof mutate`: what it prints, as text, JSON and JUnit."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.support.command_line import Run

OFFER = """protocol offer
faults Client <-> Server: loss
role Client {
  ask: Server!ask -> wait
  wait: Server?offer -> served
        timeout -> ask
  served: Server?offer -> served
}
service role Server {
  idle: Client?ask -> answer
  answer: Client!offer -> idle
}
"""
REQUIRED = "require served: always possible Client@served\nrequire tidy: clean\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "offer.storm"
    path.write_text(OFFER)
    return path


def test_what_survives_is_listed_with_its_line(run: Run, file: Path) -> None:
    result = run("mutate", file, "--operator", "delete,timer")
    lines = result.out.splitlines()
    assert result.code == 1
    assert lines[0] == "offer: 6 mutants: 4 noticed, 0 equal, 2 survive"
    said = "".join(lines).replace(" ", "")
    assert "offer.storm:4Clientinask:without`Server!ask->wait`:survives" in said
    assert "offer.storm:7Clientinserved:without`Server?offer->served`:survives" in said
    assert "asked: recovers" in lines
    assert max(map(len, lines)) <= 80


def test_none_survives(run: Run, file: Path) -> None:
    file.write_text(OFFER + REQUIRED)
    result = run("mutate", file, "--operator", "delete", "--operator", "timer", "--all")
    assert result.code == 0
    words = " ".join(result.out.split())
    assert words.count("noticed by recovers") == 4
    assert words.count("noticed by served") == 1 and words.count("noticed by tidy") == 1


def test_json_is_as_its_schema_says(run: Run, file: Path) -> None:
    text = (resources.files("stormproof") / "schemas" / "mutants.schema.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["$id"] == "urn:stormproof:schema:mutants:1"
    result = run("mutate", file, "--json")
    data = json.loads(result.out)
    jsonschema.validate(data, schema)
    assert sum(data["counts"].values()) == len(data["mutants"])
    numbers = {m["number"]: m["words"] for m in data["mutants"]}
    some = json.loads(run("mutate", file, "--json", "--operator", "skip").out)
    assert some["operators"] == ["skip"] and some["mutants"]
    assert all(numbers[m["number"]] == m["words"] for m in some["mutants"])


def test_two_runs_say_the_same(run: Run, file: Path) -> None:
    first, second = (json.loads(run("mutate", file, "--json", "--jobs", str(n)).out) for n in (1, 2))
    assert {k: v for k, v in first.items() if k != "seconds"} == {
        k: v for k, v in second.items() if k != "seconds"
    }


def test_junit_has_a_case_for_each(run: Run, file: Path) -> None:
    root = ElementTree.fromstring(run("mutate", file, "--operator", "delete,timer", "--junit", "-").out)
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "2", "0")
    failed, _ = (case for case in suite if case.find("failure") is not None)
    assert failed.get("line") == "4" and "Server!ask" in str(failed.get("name"))


def test_what_is_undecided_is_said(run: Run, file: Path) -> None:
    result = run("mutate", file, "--operator", "skip", "--max-states", "1")
    assert result.code == 3 and "0 noticed, 0 equal, 0 survive, 2 undecided" in result.out
    report = ElementTree.fromstring(
        run("mutate", file, "--operator", "skip", "--max-states", "1", "--junit", "-").out
    )
    assert report.get("errors") == "2"


def test_mistakes_on_the_command_line(run: Run, file: Path) -> None:
    wrong = run("mutate", file, "--operator", "delte")
    assert wrong.code == 2 and "did you mean 'delete'?" in wrong.err
    both = run("mutate", file, "--json", "--junit", "-")
    assert both.code == 2 and "give only one of them" in json.loads(both.out)["error"]
    assert run("mutate", file, "--jobs", "0").code == 2


def test_a_built_in_protocol_has_lines_and_a_python_role_those_of_its_states(
    run: Run, tmp_path: Path
) -> None:
    data = json.loads(run("mutate", "lock", "--operator", "skip", "--json").out)
    assert all(m["line"] for m in data["mutants"])
    path = tmp_path / "roles.py"
    path.write_text(
        "import stormproof as sp\n\n@sp.role\ndef A():\n    yield sp.send('B', 'hello')\n\n"
        "@sp.role\ndef B():\n    yield sp.receive('A')\n\ndef protocol():\n    return sp.extract(A, B)\n"
    )
    # Without the send B waits for ever; who receives nothing has ended, and what is sent to it is ignored.
    data = json.loads(run("mutate", f"{path}:protocol", "--operator", "delete", "--json").out)
    assert [(m["line"], m["status"]) for m in data["mutants"]] == [(5, "noticed"), (9, "survives")]


def test_mailboxes_too(run: Run, file: Path) -> None:
    result = run("mutate", file, "--mailbox", "--operator", "delete,timer", "--json")
    counts = json.loads(result.out)["counts"]
    assert counts == {"noticed": 4, "equal": 0, "survives": 2, "undecided": 0}
