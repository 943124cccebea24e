"""The public names, and only they; the examples in the documentation run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stormproof
from stormproof import _engine
from tests.support.paths import ROOT


def test_the_public_names_are_there_sorted_and_documented() -> None:
    assert stormproof.__all__ == sorted(stormproof.__all__)
    for name in stormproof.__all__:
        thing = getattr(stormproof, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), f"{name} has no documentation"


def modules() -> list[str]:
    found = pkgutil.walk_packages(stormproof.__path__, "stormproof.")
    return ["stormproof", *(m.name for m in found if not m.name.endswith(("__main__", "_engine")))]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_readme_has_its_two_commands_on_top() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()[:20]
    assert "pip install . && stormproof check alternating-bit --loss" in lines
    assert "pip install '.[test]' && pytest" in lines


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


def test_the_engine_is_installed_with_its_stub() -> None:
    """The build generates it; without it `mypy --strict` would see the engine as `Any`."""
    assert _engine.__file__ is not None
    stub = ast.parse(Path(_engine.__file__).with_name("_engine.pyi").read_text("utf-8"))
    classes = {n.name for n in stub.body if isinstance(n, ast.ClassDef)}
    assert classes == {n for n in dir(_engine) if isinstance(getattr(_engine, n), type)}


def test_links_between_the_documents_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_public_names_are_imported_when_they_are_used() -> None:
    assert {"check", "runtime", "testing"} <= {*stormproof.__all__}
    assert all(getattr(stormproof, name) is not None for name in stormproof.__all__)
    assert {*stormproof.__all__} <= {*dir(stormproof)}
    with pytest.raises(AttributeError, match="has no attribute 'chekc'"):
        getattr(stormproof, "chekc")  # noqa: B009


def test_the_command_starts_without_what_it_does_not_need() -> None:
    text = "import sys, stormproof.apps.cli; print([m for m in sys.modules if m.startswith('stormproof.')])"
    loaded = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert not [part for part in ("engine", "formats", "checks", "draw") if f".{part}." in loaded]
