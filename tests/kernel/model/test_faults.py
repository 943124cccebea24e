"""A kind of fault exists once: what is said of it, and its steps. See also `test_fault_files`."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import InputError, ModelError
from stormproof.kernel.model.actions import Channel, Receive, Send
from stormproof.kernel.model.channel_faults import FAULT_STEPS, Corrupt, Duplicate, Lose, Swap
from stormproof.kernel.model.failures import ChannelFailure
from stormproof.kernel.model.fault_steps import Fault
from stormproof.kernel.model.faults import CORRUPTION, KINDS, PLAIN_KINDS, ChannelFaults, Corruption
from stormproof.kernel.model.run import Act, Witness, step_from_json, step_to_json
from stormproof.languages import formats
from stormproof.trust.replay import replay
from tests.support.kind_lists import kind_lists

AB = Channel("A", "B")
STEPS = [Lose(AB, 1, "x"), Corrupt(AB, 0, "x", "y"), Swap(AB, 0), Duplicate(AB, 0, "x")]


class Letters:
    """What faults do to plain letters."""

    def become(self, item: str, message: str) -> str:
        return message

    def copy(self, item: str) -> str:
        return item


def test_every_kind_has_a_field_and_an_argument_a_flag_and_a_step() -> None:
    keywords = {kind.keyword for kind in KINDS}
    assert keywords <= {f.name for f in fields(sp.Failures)}
    assert keywords == {f.name for f in fields(ChannelFaults)} - {"sender", "receiver"}
    assert {step.kind for step in FAULT_STEPS.values()} == set(KINDS)
    assert ChannelFailure(loss=True, reorder=True, duplicate=True).kinds == tuple(
        kind for kind in KINDS if kind is not CORRUPTION
    )


@pytest.mark.parametrize("step", STEPS, ids=lambda s: s.do)
def test_steps_as_json(step: Fault) -> None:
    assert step_from_json(step_to_json(step)) == step
    for key in step_to_json(step):
        short = {k: v for k, v in step_to_json(step).items() if k != key}
        with pytest.raises(InputError):
            step_from_json(short)


@pytest.mark.parametrize(("step", "left"), list(zip(STEPS, ("x", "yx", "xx", "xxx"), strict=True)))
def test_effects(step: Fault, left: str) -> None:
    assert "".join(step.effect("xx", Letters())) == left


def test_declarations_add_up_or_contradict() -> None:
    every: dict[str, Any] = {kind.keyword: True for kind in PLAIN_KINDS}
    plain = ChannelFaults("A", "B", **every)
    assert ChannelFaults("A", "B").merged(plain) == plain
    scope, pairs = Corruption("sender"), Corruption("channel", (("x", "y"),))
    assert plain.merged(ChannelFaults("A", "B", corrupt=scope)) == replace(plain, corrupt=scope)
    with pytest.raises(ModelError, match="declared twice, in different ways"):
        ChannelFaults("A", "B", corrupt=scope).merged(ChannelFaults("A", "B", corrupt=pairs))


def pay(faults: str = "") -> sp.System:
    return formats.loads(
        f"protocol Pay\n{faults}\n"
        "role A { start: B!pay -> wait\n wait: B?ok -> done\n done: }\n"
        "role B { idle: A?pay -> paid\n paid: A!ok -> idle }\n"
    )


def test_duplication_in_files() -> None:
    system = pay("faults A -> B: loss, duplicate")
    assert system.faults == (ChannelFaults("A", "B", loss=True, duplicate=True),)
    for language in ("storm", "json", "kmc", "fsa", "scm"):
        again = formats.loads(formats.dumps(system, language), format=language)
        assert again.faults == system.faults, language
    assert sp.Failures().on(system).on(AB).describe() == ("loss", "duplication")


def test_a_copy_is_received_at_once_and_never_of_a_crash_message() -> None:
    system, model = pay(), sp.Failures(duplicate=True).on(pay())
    send, take = Act("A", Send("B", "pay"), "wait"), Act("B", Receive("A", "pay"), "paid")
    twice = Duplicate(AB, 0, "pay")
    ends = {"A": "wait", "B": "paid"}
    good = Witness((send, twice, take), ends, {AB: ("pay",)})
    assert replay(system, model, "reach", None, good).established
    assert not replay(system, sp.Failures(loss=True).on(system), "reach", None, good).established
    idle = Witness((send, twice), {"A": "wait", "B": "idle"}, {AB: ("pay", "pay")})
    assert "not followed by a reception" in replay(system, model, "reach", None, idle).message
    assert "not defined" in replay(system, model, "rsc", None, replace(good, communication=())).message


def test_an_unknown_fault_is_no_argument() -> None:
    with pytest.raises(TypeError, match="no argument 'lossy'"):
        sp.Failures(lossy=True)  # type: ignore[call-arg]


def test_schemas_and_grammars_list_the_kinds() -> None:
    """Otherwise run scripts/refresh_kinds, and build the page of the studio (CONTRIBUTING)."""
    for path, text in kind_lists().items():
        assert json.loads(path.read_text("utf-8")) == json.loads(text), path
