"""The site of the documents: pages have places, examples are those of the skill, and links lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

import pytest

import stormproof as sp
from stormproof.apps.mcp import skill
from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Pages that `scripts/build_site` writes.
WRITTEN = {"commands.md", "schemas.md", "grammar.md"}


def script() -> ModuleType:
    loader = SourceFileLoader("build_site", str(ROOT / "scripts" / "build_site"))
    spec = importlib.util.spec_from_loader("build_site", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def navigation() -> dict[str, list[str]]:
    groups = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    return {
        title: [page for entry in pages for page in entry.values()]
        for group in groups
        for title, pages in group.items()
    }


def test_every_page_has_one_place() -> None:
    pages = [page for group in navigation().values() for page in group]
    here = {p.name for p in (ROOT / "docs").iterdir() if p.suffix in (".md", ".ipynb")}
    assert sorted(pages) == sorted(here | set(script().OTHERS.values()) | WRITTEN)


def test_the_list_of_pages_has_the_groups_of_the_site() -> None:
    text = (ROOT / "docs" / "README.md").read_text("utf-8")
    others = script().OTHERS
    for title, pages in navigation().items():
        section = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
        listed = re.findall(r"^\| \[([\w.-]+)\]", section, re.MULTILINE)
        elsewhere = {"README.md", "contributing.md", "changelog.md", *WRITTEN}
        assert [others.get(page, page) for page in listed] == [p for p in pages if p not in elsewhere]


def test_the_examples_of_the_cookbook_are_those_that_are_tested() -> None:
    text = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
    found = dict(re.findall(r"<!-- example: ([\w-]+) -->\n```storm\n(.*?)```", text, re.DOTALL))
    assert found == {name: skill.example(name)["right"] for name in skill.examples()}


def test_the_twins_of_the_cookbook_violate_what_it_says() -> None:
    """They declare it; that each declared violation is there is tested with the library."""
    text = (ROOT / "docs" / "cookbook.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| `([\w-]+)` \| `([\w-]+)` \| `([\w-]+)`", text, re.MULTILINE)
    assert len(rows) == 22
    for right, twin, name in rows:
        broken = {r.name for r in sp.protocol(twin).requirements if r.violated}
        kept = {r.name for r in sp.protocol(right).requirements if r.violated}
        assert name in broken and name not in kept, twin


def test_numbers_in_the_glossary_are_of_definitions() -> None:
    rows = re.findall(
        r"\| ([\d.]+)(?: to ([\d.]+))? \|$", (ROOT / "docs/glossary.md").read_text("utf-8"), re.M
    )
    known = re.findall(r"^### (\d+\.\d+) ", (ROOT / "docs/definitions.md").read_text("utf-8"), re.M)
    assert rows and {number for row in rows for number in row if number} <= set(known)


@pytest.mark.parametrize(
    ("link", "becomes"),
    [
        ("[a](../SECURITY.md#x)", "[a](security.md#x)"),
        ("[a](../README.md)", "a"),
        ("[a](../examples/arrows)", "a"),
        ("[a](docs/nowhere.md)", "a"),
        ("[a](#here)", "[a](#here)"),
    ],
)
def test_links_that_leave_the_site(link: str, becomes: str) -> None:
    assert script().relinked(link) == becomes


@pytest.mark.skipif(shutil.which("zensical") is None, reason="zensical is not installed")
def test_the_site_is_built_without_a_warning() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "build_site"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (ROOT / "build" / "site" / "cookbook" / "index.html").is_file()
    assert "cookbook.md" in (ROOT / "build" / "site" / "llms.txt").read_text("utf-8")
