"""`stormproof project` and `stormproof crash`, as a shell sees them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.languages import formats
from tests.support.command_line import Run
from tests.support.equality import same_up_to_states
from tests.support.peer_files import peer_files, peers, readable_protocols

SHOP = """global protocol Shop(role Buyer, role Shop) {
  order(int) from Buyer to Shop;
  choice at Shop { price from Shop to Buyer; } or { soldOut from Shop to Buyer; }
}
aux global protocol Thanks(role A, role B) { thanks from A to B; }
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.nuscr"
    path.write_text(SHOP)
    return path


def test_project_prints_local_types(run: Run, shop: Path) -> None:
    found = run("project", shop)
    assert found.code == 0
    assert found.out == (
        "protocol Shop\n"
        "role Buyer = Shop!order(int); Shop?{price; end, soldOut; end}\n"
        "role Shop = Buyer?order(int); Buyer!{price; end, soldOut; end}\n"
    )
    assert run("project", shop, "--role", "Shop").out == (
        "role Shop = Buyer?order(int); Buyer!{price; end, soldOut; end}\n"
    )
    assert run("project", "-", stdin=SHOP).out == found.out


def test_what_project_prints_is_read_again(run: Run, shop: Path) -> None:
    for style, language in (("storm", "storm"), ("ctx", "ctx")):
        text = run("project", shop, "--style", style).out
        assert same_up_to_states(formats.loads(text, language), formats.load(shop))


def test_project_chooses_a_protocol(run: Run, shop: Path) -> None:
    for arguments in ((shop, "--protocol", "Thanks"), (f"{shop}#Thanks",)):
        assert "role A = B!thanks; end" in run("project", *arguments).out
    assert run("project", shop, "--protocol", "Thank").code == 2
    assert run("project", shop, "--role", "Byer").code == 2


def test_recursions_of_automata_are_called_after_their_states(run: Run) -> None:
    text = "role A { go: B!m -> on\n on: B!n -> go }\nrole B { 0: A?m -> 1\n 1: A?n -> 0 }\n"
    found = run("project", "-", "--format", "storm", stdin=text)
    assert found.out == "role A = mu go. B!m; B!n; go\nrole B = mu t. A?m; A?n; t\n"


def test_project_as_json(run: Run, shop: Path) -> None:
    data = json.loads(run("project", shop, "--json").out)
    assert data["protocol"] == "Shop"
    assert data["roles"][0] == {
        "name": "Buyer",
        "reliable": True,
        "type": "Shop!order(int); Shop?{price; end, soldOut; end}",
    }


def test_project_says_where_a_crash_branch_is_missing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.nuscr"
    path.write_text(SHOP.replace("role Buyer", "reliable role Buyer", 1))
    found = run("project", path)
    assert found.code == 2 and not found.out
    assert f"{path}:3:20: error: role Shop may crash, but Buyer has no crash branch" in found.err
    assert "add:  or { crash from Shop to Buyer; ... }   or declare:  reliable role Shop" in found.err


def test_crash_lists_what_is_missing(run: Run, shop: Path) -> None:
    found = run("crash", shop, "--reliable", "Shop")
    assert found.code == 1
    assert "Buyer may crash, but cannot in the states s0 and s1: add the action crash there" in found.out
    assert "Shop waits for Buyer in state s0, Buyer may crash" in found.out
    everybody = json.loads(run("crash", shop, "--json").out)
    assert everybody["unreliable"] == ["Buyer", "Shop"]
    nobody = run("crash", shop, "--reliable", "Shop,Buyer")
    assert nobody.code == 0 and "crash-handling" in nobody.out


def test_crash_as_json(run: Run, shop: Path) -> None:
    data = json.loads(run("crash", shop, "--crash", "Buyer", "--json").out)
    assert data["unreliable"] == ["Buyer"] and not data["crash_handling"]
    assert {"condition": "CI", "process": "Shop", "state": "s0", "action": "Buyer?crash"}.items() <= (
        next(m for m in data["missing"] if m["process"] == "Shop").items()
    )


def test_crash_writes_the_completed_system(run: Run, shop: Path, tmp_path: Path) -> None:
    target = tmp_path / "handled.json"
    assert run("crash", shop, "--reliable", "Shop", "-o", target).code == 0
    system = formats.load(target)
    assert system.unreliable == ("Buyer",) and crash_handling(system).holds
    assert run("crash", target).code == 0
    assert run("crash", shop, "--reliable", "Shop", "-o", target).code == 2
    assert run("crash", shop, "--reliable", "Shop", "-o", target, "--clean-up", "--force").code == 0
    assert crash_handling(formats.load(target)).cleans_up
    printed = run("crash", shop, "--reliable", "Shop", "--complete").out
    assert crash_handling(formats.loads(printed, "storm")).holds


def test_crash_refuses_unknown_names(run: Run, shop: Path) -> None:
    for arguments in (("--reliable", "Shp"), ("--crash", "Byer"), ("--reliable", "Shop", "--crash", "Shop")):
        found = run("crash", shop, *arguments)
        assert found.code == 2 and found.err


def test_a_drawn_crash_of_a_reliable_process_is_noted(run: Run, shop: Path) -> None:
    drawn = run("crash", shop, "--reliable", "Shop", "--complete").out
    found = run("crash", "-", "--reliable", "Buyer", stdin=drawn)
    assert "Buyer is taken to be reliable here, but the file lets it crash" in found.out


def test_sweep(run: Run, shop: Path) -> None:
    found = run("crash", shop, "--sweep", "--property", "k-mc", "--property", "crash-handling")
    assert found.code == 1
    assert "Buyer, Shop*" in found.out and "4 sets of processes" in found.out
    assert "holds when nobody crashes" in found.out
    data = json.loads(run("crash", shop, "--sweep", "--max-size", "1", "--property", "rsc", "--json").out)
    assert [s["unreliable"] for s in data["sets"]] == [[], ["Buyer"], ["Shop"]]
    for flags in (
        ("--sweep", "--reliable", "Shop"),
        ("--sweep", "--clean-up"),
        ("--max-size", 1),
        ("--loss",),
    ):
        assert run("crash", shop, *flags).code == 2
    assert "-k has an effect with --sweep only" in run("crash", shop, "-k", 1).err


def test_a_sweep_asks_for_survival(run: Run, shop: Path) -> None:
    """The classes are shown beside it, and count only where they are named."""
    found = run("crash", shop, "--sweep")
    assert found.code == 0 and "✘" in found.out, "classes that fail do not count"
    assert re.search(r"recovers +holds whoever crashes \(any channel length\)", found.out)
    broken = run("crash", "two-phase-commit", "--sweep", "--max-size", "1")
    assert broken.code == 1 and "✘ 1" in broken.out
    retransmit = ("alternating-bit-retransmit", "--sweep", "--max-size", "0", "--max-k", "2")
    up_to = run("crash", *retransmit)
    assert up_to.code == 0 and "◐ ≤2" in up_to.out and "(up to channels of length 2)" in up_to.out
    assert run("crash", *retransmit, "--property", "rsc").code == 1


def test_check_and_show_and_convert_take_these_languages(run: Run, shop: Path) -> None:
    assert run("check", shop, "--property", "k-mc").code == 0
    assert run("show", shop).code == 0
    assert run("convert", shop, "--to", "ctx").out.startswith("Shop[Buyer]: ")
    completed = run("check", shop, "--crash", "Shop", "--property", "k-wmc-up-to-crash")
    assert "crash handling was completed" in completed.out


FILES = [*readable_protocols(), *peer_files("mpstk")]


@pytest.mark.parametrize("path", FILES)
def test_other_tools_files_are_projected_and_checked(run: Run, path: Path) -> None:
    assert run("project", path).code == 0
    found = run("check", path, "-v", "--json", "--max-k", "2", "--max-states", "200000")
    assert found.code in (0, 1)
    data = json.loads(found.out)
    handling = [v["holds"] for v in data["verdicts"] if v["property"] == "crash-handling"]
    assert handling == ([True] if data["failures"]["unreliable"] else [])
    assert all(v["holds"] is not None for v in data["verdicts"])
    if not data["failures"]["unreliable"]:
        assert next(v["holds"] for v in data["verdicts"] if v["property"] == "k-mc")


def test_warnings_go_to_standard_error(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    path = peers("mpstk", "dns-crash-failover.ctx")
    found = run("project", path, "--json")
    assert "nothing but the crash of q" in json.loads(found.out)["warnings"][0]
    assert "nothing but the crash of q" in caplog.text
