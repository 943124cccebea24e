"""Data flows one way: a room imports only what stands to its left (CONTRIBUTING, the map of the house)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "stormproof"

#: Rooms by rank; a module may import its own rank's other rooms only where no cycle results.
RANKS = [
    {"errors"},
    {"faults", "limits"},
    {"model"},
    {"failures", "spelling", "isomorphism", "parting", "comparison", "wording"},
    {"semantics", "witness", "story", "execution", "semantics_rsc", "conflicts"},
    {"types", "crash", "encodings"},
    {"formats"},
    {"protocols"},
    {
        "engine",
        "takers",
        "fewest",
        "fewest_rsc",
        "shorten",
        "concretise",
        "persistence",
        "replay",
        "reasons",
        "halfduplex",
        "confirm",
    },
    {"verdicts", "notes", "reproducer", "saved", "certify", "certified"},
    {"question", "evidence", "bounded", "checks"},
    {
        "explain",
        "coverage",
        "paces",
        "samples",
        "showing",
        "examples",
        "classify",
        "reach",
        "goals",
        "lattice",
        "frontier",
        "table",
        "campaign",
        "sweep",
    },
    {"draw"},
    {"cli", "__main__"},
]
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}


def modules() -> list[Path]:
    return sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """The rooms that a module imports, `_repr_*_` methods aside: those draw lazily, in notebooks only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_repr_")
        for inner in ast.walk(node)
    }
    package = ("stormproof", *path.relative_to(SOURCE).parts[:-1])
    rooms: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in lazy:
            continue
        if isinstance(node, ast.ImportFrom):
            rooms |= _from(node, package)
        elif isinstance(node, ast.Import):
            rooms |= {a.name.split(".")[1] for a in node.names if a.name.startswith("stormproof.")}
    return rooms


def _from(node: ast.ImportFrom, package: tuple[str, ...]) -> set[str]:
    base = package[: len(package) - node.level + 1] if node.level else ()
    full = [*base, *(node.module.split(".") if node.module else [])]
    if full[:1] != ["stormproof"]:
        return set()
    return {full[1]} if len(full) > 1 else {alias.name for alias in node.names}


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_room_imports_only_what_is_left_of_it(path: Path) -> None:
    room = room_of(path)
    assert room in RANK, f"give the room '{room}' a place in RANKS"
    for other in imported_rooms(path) - {room, "_engine"}:
        assert other in RANK, f"{path.name} imports '{other}', which has no place in RANKS"
        assert RANK[other] <= RANK[room], f"{room} imports {other}, which lies to its right"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_only_the_engine_room_imports_the_native_engine(path: Path) -> None:
    if room_of(path) != "engine":
        assert "_engine" not in imported_rooms(path)


def test_the_replay_kernel_is_independent_and_small() -> None:
    path = SOURCE / "replay.py"
    assert imported_rooms(path) <= {"model", "failures", "witness"}
    assert len(path.read_text(encoding="utf-8").splitlines()) < 200


def test_the_checker_of_good_news_has_nothing_of_the_engine_and_of_the_search() -> None:
    path = SOURCE / "confirm.py"
    assert imported_rooms(path) <= {"model", "failures", "semantics"}
    assert len(path.read_text(encoding="utf-8").splitlines()) < 200
