"""Eighty columns: nothing is wider, and nothing that matters is cut."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

import stormproof as sp
from stormproof.tell.draw.chart.build import chart
from tests.support.command_line import Run

#: Payloads, states, a role and a requirement with names that no column has room for.
LONG = """
protocol long
role ShoppingCartService {
  start: Gateway!authorise_payment_with_the_number_of_the_order_and_the_amount -> waiting_for_the_gateway
  waiting_for_the_gateway: Gateway?authorised_with_a_reference_and_a_date -> done
  done:
}
role Gateway {
  i: ShoppingCartService?authorise_payment_with_the_number_of_the_order_and_the_amount -> g
  g: Ledger!book_the_amount_of_the_order -> h
  h: Ledger?booked_the_amount_of_the_order -> k
  k: ShoppingCartService!authorised_with_a_reference_and_a_date -> l
  l:
}
role Ledger {
  i: Gateway?book_the_amount_of_the_order -> j
  j: Gateway!booked_the_amount_of_the_order -> k
  k:
}
require a_name_of_a_requirement_that_no_column_of_eighty_has_room_for_with_all_else_on_a_line: never \
ShoppingCartService@done
"""
WORDS = re.findall(r"[a-z]+(?:_[a-z]+)+", LONG)


def printed(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int, *arguments: str) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = run("check", "-", *arguments, stdin=LONG).out
    shown = out.partition("\nunder ")[0].partition("\nwithout faults")[0]
    assert max(map(cell_len, shown.splitlines())) <= columns
    return "".join(shown.split())


@pytest.mark.parametrize("columns", [80, 60, 44])
def test_every_payload_and_name_is_there_in_full(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    text = printed(run, monkeypatch, columns)
    assert {word for word in WORDS if word not in text} == set()


def test_what_is_awaited_is_there_in_full(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(run, monkeypatch, 80, "--loss", "--property", "recovers")
    for message in ("authorised_with_a_reference_and_a_date", "book_the_amount_of_the_order"):
        assert message in text


def test_a_label_that_does_not_fit_has_a_number_in_the_legend() -> None:
    report = sp.check(sp.loads(LONG), properties=["clean"])
    assert report["clean"].holds
    system = sp.loads(LONG)
    witness = next(v for v in sp.check(system, classes=False) if v.requirement is not None).witness
    assert witness is not None
    text = chart(system, witness).to_text(80)
    numbers = re.findall(r"^ *(\[\d+\]) (\w+)$", text, re.MULTILINE)
    assert [number for number, _ in numbers] == [f"[{i}]" for i in range(1, len(numbers) + 1)]
    assert {name for _, name in numbers} <= {*WORDS, "ShoppingCartService"} and len(numbers) >= 4
    above = text.partition("\n  [1] ")[0]
    assert all(number in above for number, _ in numbers), "each is used"
    assert "[1]" not in chart(system, witness).to_text(200), "where there is room there is no legend"


def test_nine_roles_are_a_vector_of_states(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not nine lines of what each of them waits for."""
    monkeypatch.setenv("COLUMNS", "80")
    roles = "\n".join(f"role W{i} {{ idle: Boss?go -> done  done: }}" for i in range(8))
    sends = "\n".join(f"s{i}: W{i}!go -> s{i + 1}" for i in range(8))
    out = run("check", "-", "--loss", stdin=f"role Boss {{ {sends}\ns8: }}\n{roles}\n").out
    assert "at the end: Boss s1, W0 idle, W1 idle, W2 idle, W3 idle," in out or "Boss s8" in out
    assert "waits for go" not in out and out.count("⌛") <= 9


def test_a_requirement_that_is_reached_names_the_states_that_it_is_about_first() -> None:
    roles = "\n".join(f"role W{i} {{ idle: Boss?go -> done  done: }}" for i in range(2))
    boss = "role Boss { s: W0!go -> t  t: W1!go -> u  u: }"
    report = sp.check(sp.loads(f"{boss}\n{roles}\nrequire late: never W1@done"), classes=False)
    assert report["late"].reason == "reached: W1 done, Boss u, W0 idle"


DECLARES = """
role A { s: B!x -> t  t: }
role B { s: A?x -> t  t: }
faults A -> B: loss
require lonely: always possible A@t under stop B
"""


def test_a_frontier_tries_what_the_file_declares(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "declares.storm"
    path.write_text(DECLARES)
    own, every = (
        json.loads(run("frontier", path, *more, "--json").out) for more in ((), ("--faults", "all"))
    )
    assert {choice["fault"] for choice in own["choices"]} == {"loss", "stop"}
    assert {"loss", "duplicate", "stop", "restart"} <= {choice["fault"] for choice in every["choices"]}
    assert "tried is what the file declares, loss and stop; --faults all tries every kind" in own["notes"]
    path.write_text(DECLARES.replace("faults A -> B: loss\n", ""))
    free = json.loads(run("frontier", path, "--json").out)
    assert free["choices"] == every["choices"], "a file that declares nothing leaves it to whoever asks"
