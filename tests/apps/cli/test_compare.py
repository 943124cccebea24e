"""`stormproof compare`, as a shell sees it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.command_line import Run
from tests.support.peer_files import peers

AUTH = """global protocol Auth(role C, role S) {
  login(int) from C to S;
  choice at S { ok from S to C; } or { no from S to C; }
}
"""
C = 'digraph C { 0 -> 1 [label="S!login(i32)"]; 1 -> 2 [label="S?ok()"]; 1 -> 2 [label="S?no()"]; }'
S = 'digraph S { 0 -> 1 [label="C?login(i32)"]; 1 -> 2 [label="C!ok()"]; 1 -> 2 [label="C!no()"]; }'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("auth.nuscr", AUTH), ("C.dot", C), ("S.dot", S)):
        (tmp_path / name).write_text(text)
    (tmp_path / "Client.dot").write_text(C.replace("no()", "never"))
    return tmp_path


def asked(run: Run, *arguments: str) -> dict[str, Any]:
    data = json.loads(run("compare", *arguments, "--json").out)
    schema = files("stormproof") / "schemas" / "comparison.schema.json"
    jsonschema.validate(data, json.loads(schema.read_text(encoding="utf-8")))
    assert isinstance(data, dict)
    return data


def test_a_protocol_and_its_automata(run: Run, folder: Path) -> None:
    for arguments in (
        ("auth.nuscr", "C.dot", "S.dot"),
        ("C.dot", "S.dot", "auth.nuscr"),
        ("auth.nuscr", "C.dot"),
        ("auth.nuscr", "--with", "C.dot", "--with", "S.dot"),
    ):
        found = run("compare", *arguments)
        assert found.code == 0, found
        assert "are equal up to the names of states" in found.out
        assert "login(int) and login(i32) on C→S" in found.out or "login(i32) and login(int)" in found.out
    data = asked(run, "auth.nuscr", "C.dot", "S.dot")
    assert data["equal"] is True and data["states"]["C"]["end"] == "2"


def test_what_differs_is_a_sentence(run: Run, folder: Path) -> None:
    found = run("compare", "auth.nuscr", "Client.dot", "S.dot")
    assert found.code == 1
    assert (
        "after C sends login(int) to S, it can take no from S in auth.nuscr, and take never from S in "
        "Client.dot + S.dot" in found.out.replace("\n", " ")
    )
    data = asked(run, "auth.nuscr", "Client.dot", "S.dot")
    difference = data["differences"][0]
    assert difference["trace"] == ["S!login(int)"] and difference["only_right"] == ["S?never"]


def test_roles_by_other_names(run: Run, folder: Path) -> None:
    (folder / "other.nuscr").write_text(
        AUTH.replace("role C", "role X").replace("C;", "X;").replace("C to", "X to")
    )
    found = run("compare", "auth.nuscr", "other.nuscr")
    assert found.code == 1 and "--any-roles" in found.out
    found = run("compare", "auth.nuscr", "other.nuscr", "--any-roles")
    assert found.code == 0 and "C is X" in found.out
    assert asked(run, "auth.nuscr", "other.nuscr", "--any-roles")["roles"] == {"C": "X", "S": "S"}


def test_equal_traces_may_suffice(run: Run, folder: Path) -> None:
    rolled = "role A = mu t. B!a; t\nrole B = mu t. A?a; t\n"
    unrolled = "role A { s: B!a -> t\nt: B!a -> s }\nrole B { s: A?a -> s }\n"
    (folder / "one.storm").write_text(rolled)
    (folder / "two.storm").write_text(unrolled)
    found = run("compare", "one.storm", "two.storm")
    assert found.code == 1 and "A has the same traces in both" in found.out
    assert run("compare", "one.storm", "two.storm", "--traces").code == 0
    (folder / "two.storm").write_text("unreliable " + unrolled)
    assert run("compare", "one.storm", "two.storm", "--traces").code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("auth.nuscr",), "two systems are needed to compare"),
        (("C.dot", "S.dot"), "two roles of one system"),
        (("auth.nuscr", "auth.nuscr", "C.dot", "S.dot"), "not clear which"),
        (("C.dot", "S.dot", "Client.dot"), "not clear which"),
        (("auth.nuscr", "nothing.dot"), "no such file"),
        (
            ("auth.nuscr", "--with", "C.dot", "--with", "auth.nuscr"),
            "several files make one system only in DOT",
        ),
    ],
)
def test_wrong_questions(run: Run, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    found = run("compare", *arguments)
    assert found.code == 2 and words in found.err, found


def test_library_names_and_standard_input(run: Run, folder: Path) -> None:
    assert run("compare", "alternating-bit", "alternating-bit").code == 0
    assert run("compare", "-", "C.dot", stdin=AUTH).code == 0


def test_simple_auth(run: Run) -> None:
    names = ("simple_auth.nuscr", "simple_auth_C_expected.dot", "simple_auth_S_expected.dot")
    assert run("compare", *(peers("dot", name) for name in names)).code == 0
