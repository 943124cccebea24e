"""Languages of other packages: found when they may be needed, and not before."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stormproof.languages.formats.languages import FORMATS
from tests.support.paths import ROOT, STORMPROOF

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SHOP = "Buyer -> Seller: order\nSeller -> Buyer: parcel\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The example in a folder as pip would install it: its module, its name and its entry points."""
    example, folder = ROOT / "examples" / "arrows", tmp_path / "site"
    project = tomllib.loads((example / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = folder / f"stormproof_arrows-{project['version']}.dist-info"
    about.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(metadata, encoding="utf-8")
    rows = [f"{name} = {value}" for name, value in project["entry-points"]["stormproof.languages"].items()]
    (about / "entry_points.txt").write_text("\n".join(["[stormproof.languages]", *rows]), encoding="utf-8")
    shutil.copy(example / "stormproof_arrows.py", folder)
    return folder


def broken(site: Path, code: str) -> Path:
    """The same package with other code in it."""
    (site / "stormproof_arrows.py").write_text(code, encoding="utf-8")
    return site


def run(site: Path, *arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [str(STORMPROOF), *map(str, arguments)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)


def test_a_file_is_read_in_the_language_of_its_suffix_or_content(site: Path, tmp_path: Path) -> None:
    (tmp_path / "shop.arrows").write_text(SHOP, encoding="utf-8")
    (tmp_path / "shop").write_text(SHOP, encoding="utf-8")
    for name in ("shop.arrows", "shop"):
        done = run(site, "convert", name, "--to", "storm", folder=tmp_path)
        assert (done.returncode, "Seller!order" in done.stdout) == (0, True), done.stderr
    assert run(site, "check", "shop.arrows", folder=tmp_path).returncode == 0
    assert run(site, "check", "shop.arrows", "--loss", folder=tmp_path).returncode == 1
    assert "arrows" in run(site, "convert", "--help", folder=tmp_path).stdout
    wrong = run(site, "convert", "shop.arrows", "--to", "arrows", folder=tmp_path)
    assert wrong.returncode == 2 and "'arrows' cannot be written" in wrong.stderr


def test_an_error_of_the_language_has_its_place(site: Path, tmp_path: Path) -> None:
    (tmp_path / "shop.arrows").write_text(SHOP + "Buyer Seller\n", encoding="utf-8")
    done = run(site, "check", "shop.arrows", folder=tmp_path)
    assert done.returncode == 2 and "shop.arrows:3:1: error: expected a message" in done.stderr


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import nothing_of_that_name", "cannot be used: ModuleNotFoundError"),
        ("raise SystemExit(0)", "cannot be used: SystemExit"),
        ("ARROWS = 1", "is not a Format of that name"),
        (
            "from stormproof.languages.formats import Format\n"
            "ARROWS = Format('arrows', ('.arrows',), bool, lambda text, name: 1 // 0, None, '')",
            "failed: ZeroDivisionError",
        ),
        (
            "from stormproof.languages.formats import Format\n"
            "ARROWS = Format('arrows', ('.arrows',), bool, lambda text, name: text, None, '')",
            "failed: it gave str, not System",
        ),
    ],
)
def test_a_language_that_fails_is_named_without_a_traceback(
    site: Path, tmp_path: Path, code: str, message: str
) -> None:
    (tmp_path / "shop.arrows").write_text(SHOP, encoding="utf-8")
    done = run(broken(site, code), "check", "shop.arrows", folder=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    shown = " ".join(done.stderr.split())
    assert "the language 'arrows' of stormproof-arrows" in shown and message in shown


def test_what_needs_no_other_language_asks_no_other_package(site: Path, tmp_path: Path) -> None:
    where = broken(site, "raise AssertionError('it was loaded')")
    (tmp_path / "shop.storm").write_text(
        "role A { a: B!m -> b b: }\nrole B { a: A?m -> b b: }\n", encoding="utf-8"
    )
    for source in ("shop.storm", "two-buyer"):
        assert run(where, "check", source, "-k", "1", folder=tmp_path).returncode in (0, 1)
    code = (
        "import sys; from stormproof.apps.cli import main\n"
        "try: main(['check', 'two-buyer'])\n"
        "except SystemExit: print('importlib.metadata' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stderr.strip() == "False"


def test_our_languages_are_named_as_others_name_theirs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["entry-points"]["stormproof.languages"]
    assert named == {name: f"stormproof.languages.formats.languages:{name.upper()}" for name in FORMATS}
