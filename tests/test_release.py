"""What a release checks and writes (`scripts/prepare_release`), and that workflows name what exists."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import stormproof as sp
from tests.support.paths import ROOT

yaml = pytest.importorskip("yaml")


def prepare() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(
        "prepare_release", str(ROOT / "scripts" / "prepare_release")
    )
    spec = importlib.util.spec_from_loader("prepare_release", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


RELEASE = prepare()


def test_version_is_the_metadata() -> None:
    pyproject, citation = ((ROOT / name).read_text("utf-8") for name in ("pyproject.toml", "CITATION.cff"))
    assert sp.__version__ == version("stormproof") == RELEASE.version_of(pyproject, citation)


def test_different_versions_are_refused() -> None:
    with pytest.raises(SystemExit, match="the same version"):
        RELEASE.version_of('version = "1.0"\n', "version: 1.1\n")


def test_section_of_the_changelog() -> None:
    changelog = "# Changelog\n\n## Unreleased\n\n- soon\n\n## 1.2.0 (2026-01-01)\n\n- a\n\n## 1.1.0\n\n- b\n"
    assert RELEASE.section_of(changelog, "1.2.0") == "- a\n"
    assert RELEASE.section_of(changelog, "1.1.0") == "- b\n"
    for missing in ("1.2", "2.0.0"):
        with pytest.raises(SystemExit, match="no section"):
            RELEASE.section_of(changelog, missing)


def test_links_of_the_readme_become_absolute() -> None:
    text = "[a](docs/a.md) ![b](docs/b.svg) [c](https://x.example) [d](#d) [docs/](docs/)"
    home = "https://github.com/o/r"
    assert RELEASE.with_absolute_links(text, "o/r", "v1") == (
        f"[a]({home}/blob/v1/docs/a.md) ![b]({home}/raw/v1/docs/b.svg) [c](https://x.example) [d](#d) "
        f"[docs/]({home}/tree/v1/docs/)"
    )


def test_a_checkout_is_prepared(tmp_path: Path) -> None:
    names = ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "README.md")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "prepare_release", tmp_path / "scripts")
    for name in names:
        shutil.copy(ROOT / name, tmp_path)
    changelog = (tmp_path / "CHANGELOG.md").read_text("utf-8")
    released = changelog.replace("## Unreleased", f"## {sp.__version__}", 1)
    (tmp_path / "CHANGELOG.md").write_text(released, encoding="utf-8")

    def run(tag: str) -> subprocess.CompletedProcess[str]:
        command = ["scripts/prepare_release", "--tag", tag, "--repository", "o/r", "--notes", "notes.md"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    wrong = run("v9.9")
    assert wrong.returncode == 1 and "the tag v9.9 is not the version" in wrong.stderr
    assert run(f"v{sp.__version__}").returncode == 0
    assert (tmp_path / "notes.md").stat().st_size > 0
    assert 'Homepage = "https://github.com/o/r"' in (tmp_path / "pyproject.toml").read_text("utf-8")
    assert not re.search(r"\]\((?![a-z]+:|#)", (tmp_path / "README.md").read_text("utf-8"))


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda p: p.name)
def test_workflows_name_what_exists(path: Path) -> None:
    """Scripts and folders in `run:` lines exist; actionlint says the rest (docs/releasing.md)."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            for word in re.findall(r"(?<![\w/*])(?:scripts|tests|\.ci)/[\w./]+", step.get("run", "")):
                assert (ROOT / word).exists(), word


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda p: p.name
)
def test_issue_forms(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    if path.name != "config.yml":
        assert {"name", "description", "body"} <= form.keys()
        assert all({"type", "attributes"} <= field.keys() for field in form["body"])
