"""A protocol in a Python file, whatever the file is called."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from stormproof.errors import InputError, ModelError
from stormproof.programs.extraction.load import load_protocol

MODULE = """
import {name}
import stormproof as sp
from helper import WORD

@sp.role
def A():
    yield sp.send("B", WORD)

@sp.role
def B():
    yield sp.receive("A")

def protocol():
    return sp.extract(A, B)
"""


@pytest.mark.parametrize("name", ["token", "types", "random", "stormproof", "pytest"])
def test_a_file_may_be_called_like_a_module_that_exists(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The file is loaded, by the second process too; the module stays what it was, there and here."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper.py").write_text("WORD = 'hello'\n", encoding="utf-8")
    (tmp_path / f"{name}.py").write_text(MODULE.format(name=name), encoding="utf-8")
    before = sys.modules.get(name)
    with caplog.at_level(logging.WARNING):
        system = load_protocol(f"{name}.py", "protocol")
    assert system.messages == ("hello",)
    assert not caplog.messages, "it is extracted in two processes"
    assert before is None or sys.modules[name] is before
    sys.modules.pop("helper", None)


def test_a_file_may_have_a_name_that_no_module_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = MODULE.format(name="sys").replace("from helper import WORD", "WORD = 'hello'")
    for name in ("two words.py", "v1.2.py", "2pc.py"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert load_protocol(str(tmp_path / name), "protocol").name == "protocol"
    assert not caplog.messages


def test_what_the_second_process_refuses_is_named_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = MODULE.format(name="sys").replace("from helper import WORD", "def f():\n    return f()")
    (tmp_path / "deep.py").write_text(text.replace("WORD", "f()"), encoding="utf-8")
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    with pytest.raises(ModelError, match="this needs too much: RecursionError") as problem:
        load_protocol("../deep.py", "protocol")
    assert str(problem.value.place) == "../deep.py:9:5"


def test_a_file_is_run_only_if_something_in_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What may be meant is found without running it."""
    file = tmp_path / "unnamed.py"
    for text, hint in {
        "def helper(x): ...\nsystem = sp.extract(A, B)\n": f"write {file}:system",
        "def protocol(): ...\nother = f()\n": f"write {file}:protocol",
        "x = 5\n": "write in it: protocol = sp.extract(...)",
        "def (": "write in it: protocol = sp.extract(...)",
    }.items():
        file.write_text("print('it runs')\n" + text, encoding="utf-8")
        with pytest.raises(InputError, match="the name of the protocol is missing") as problem:
            load_protocol(str(file), "")
        assert problem.value.hint == hint and capsys.readouterr() == ("", "")
    with pytest.raises(InputError, match="there is no such file"):
        load_protocol(str(tmp_path / "nothing.py"), "")
