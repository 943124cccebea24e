"""A package imports only from the packages above it in the table of layers (CONTRIBUTING, *Layers*)."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SOURCE = ROOT / "src" / "stormproof"


def layers() -> list[str]:
    """The packages from top to bottom, as CONTRIBUTING lists them."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("<!-- layers -->")[2].partition("<!-- /layers -->")[0]
    return re.findall(r"^\| `([\w/]+)` \|", table, re.MULTILINE)


LAYERS = layers()
GROUPS = {layer.partition("/")[0] for layer in LAYERS if "/" in layer}


def modules() -> list[Path]:
    return sorted(p for p in SOURCE.rglob("*.py") if package_of(p) in LAYERS)


def package(parts: Sequence[str]) -> str:
    """The package of a dotted name's parts, after `stormproof`: with its group, if it is in one."""
    return "/".join(parts[: 2 if parts[0] in GROUPS else 1])


def package_of(path: Path) -> str:
    return package(path.relative_to(SOURCE).with_suffix("").parts)


def imported_packages(path: Path) -> set[str]:
    """The packages that a module imports, `_repr_*_` methods aside: those draw in notebooks only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_repr_")
        for inner in ast.walk(node)
    }
    home = ("stormproof", *path.relative_to(SOURCE).parts[:-1])
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in lazy:
            continue
        if isinstance(node, ast.ImportFrom):
            found |= _from(node, home)
        elif isinstance(node, ast.Import):
            found |= {package(a.name.split(".")[1:]) for a in node.names if a.name.startswith("stormproof.")}
    return found


def _from(node: ast.ImportFrom, home: tuple[str, ...]) -> set[str]:
    base = home[: len(home) - node.level + 1] if node.level else ()
    full = [*base, *(node.module.split(".") if node.module else [])]
    if full[:1] != ["stormproof"]:
        return set()
    if len(full) == 1 or (len(full) == 2 and full[1] in GROUPS):
        return {package([*full[1:], alias.name]) for alias in node.names}
    return {package(full[1:])}


def test_the_table_lists_every_package_once() -> None:
    tops = {p.name for p in SOURCE.iterdir() if (p / "__init__.py").exists()}
    inner = {f"{g}/{p.parent.name}" for g in GROUPS for p in (SOURCE / g).glob("*/__init__.py")}
    folders = (tops - GROUPS) | inner
    flat = {p.stem for p in SOURCE.glob("*.py")} - {"__init__", "__main__", "testing"}
    assert len(LAYERS) == len(set(LAYERS))
    assert set(LAYERS) == folders | flat


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_package_imports_only_from_those_above_it(path: Path) -> None:
    own = package_of(path)
    allowed = {*LAYERS[: LAYERS.index(own) + 1], *({"_engine"} if own == "search/engine" else ())}
    assert imported_packages(path) <= allowed


def test_what_checks_uses_nothing_of_what_finds() -> None:
    found = set().union(*(imported_packages(p) for p in modules() if package_of(p) == "trust"))
    groups = {name.partition("/")[0] for name in found}
    assert groups <= {"trust", "kernel", "programs", "languages", "errors", "limits", "records"}


def test_the_replay_kernel_is_independent_and_small() -> None:
    path = SOURCE / "trust" / "replay.py"
    text = path.read_text(encoding="utf-8")
    assert imported_packages(path) <= {"errors", "kernel/model", "trust"}
    assert set(re.findall(r"^from \.(\w+) import", text, re.MULTILINE)) == {"channel_faults"}
    assert len(text.splitlines()) < 300


def test_what_faults_do_is_read_independently_for_the_kernels() -> None:
    path = SOURCE / "trust" / "channel_faults.py"
    assert imported_packages(path) == {"kernel/model"}
    assert len(path.read_text(encoding="utf-8").splitlines()) < 300


#: What the kernel of survival reads by itself.
READ_APART = (
    *("replay_storm", "check_survival", "check_out_of_reach"),
    *("pending", "observers", "clocks", "links"),
)


@pytest.mark.parametrize("name", READ_APART)
def test_the_kernel_of_survival_is_independent_and_small(name: str) -> None:
    path = SOURCE / "trust" / f"{name}.py"
    assert imported_packages(path) <= {"errors", "kernel/model", "trust"}
    text = path.read_text(encoding="utf-8")
    others = set(re.findall(r"^from \.(\w+) import", text, re.MULTILINE))
    beside = {"channel_faults", "survival_certificate", "numbered_steps"}
    assert others <= {*READ_APART, *beside}
    assert len(text.splitlines()) < 300


def test_the_checker_of_certificates_is_independent_and_small() -> None:
    path = SOURCE / "trust" / "check_certificate.py"
    assert imported_packages(path) <= {"errors", "kernel/model", "kernel/semantics"}
    assert len(path.read_text(encoding="utf-8").splitlines()) < 300


def type_names(path: Path) -> list[str]:
    """The public classes and type aliases that a module defines."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.append(node.targets[0].id)
    return [name for name in found if name[0].isupper() and not name.isupper()]


def test_a_type_name_means_one_thing() -> None:
    count = Counter(name for path in modules() for name in type_names(path))
    assert [name for name, times in count.items() if times > 1] == []


def test_the_tests_mirror_the_packages() -> None:
    tests = ROOT / "tests"
    folders = {p.parent.relative_to(tests) for p in tests.rglob("test_*.py")} - {Path("docs")}
    assert [f for f in sorted(folders) if not (SOURCE / f / "__init__.py").exists()] == []


#: What else calls Python's own readers: on a token that a pattern has matched, on what stormproof itself
#: wrote for its other process, and on files of its own.
OWN_TEXTS = {
    "live/testing/runners/stormproof_vectors.py",  # runs where stormproof is not installed
    *(
        "languages/formats/read_data.py",
        "languages/formats/storm_scan.py",
        "languages/formats/dot.py",
        "languages/formats/json_places.py",
    ),
    *("kernel/data/tokens.py", "languages/types/local.py"),
    *("programs/extraction/second_process.py", "programs/extraction/second.py", "surveys/campaign/run.py"),
    "surveys/mutants/worker.py",
    *(
        "surveys/campaign/worker.py",
        "apps/workers/pool.py",
        "apps/workers/worker.py",
        "apps/workers/playing.py",
        "apps/cli/side_by_side.py",
    ),
}


def test_json_and_toml_from_outside_are_read_in_one_place() -> None:
    """Python's readers raise more than they document; only `formats.read_data` knows what."""
    readers = re.compile(r"\b(?:json|tomllib|tomli|pickle|yaml|marshal)\.loads?\(")
    found = {str(p.relative_to(SOURCE)) for p in modules() if readers.search(p.read_text("utf-8"))}
    assert found == OWN_TEXTS


def test_nothing_that_is_shipped_imports_the_oracle() -> None:
    found = {str(p.relative_to(SOURCE)) for p in modules() if "oracle" in imported_packages(p)}
    assert {f for f in found if not f.startswith("oracle/")} == set()


@pytest.mark.parametrize(
    ("reader", "kernel"),
    [
        ("oracle", ("kernel.semantics", "kernel.model.channel_faults")),
        ("trust", ("kernel.model.channel_faults",)),
    ],
)
def test_what_reads_faults_for_itself_takes_only_types_from_the_kernel(
    reader: str, kernel: tuple[str, ...]
) -> None:
    """It would test the kernel against itself otherwise."""
    for path in sorted((SOURCE / reader).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(kernel):
                assert all(alias.name[0].isupper() for alias in node.names), path.name
