"""Families: the systems are what their descriptions say, and wrong parameters are refused."""

from __future__ import annotations

import pytest

from stormproof import compare
from stormproof.errors import UsageError
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.languages import formats, protocols
from stormproof.languages.protocols.generators import FAMILIES, generate
from stormproof.languages.protocols.generators.sketch import Sketch
from stormproof.oracle import bounded
from stormproof.search.checks.api import check
from tests.support.equality import same_up_to_states
from tests.support.peer_files import peers


def least(system: System, most: int = 4) -> int | None:
    return check(system, max_k=most, properties=["k-mc"], replay=False)["k-mc"].k


def is_rsc(system: System) -> bool | None:
    return check(system, properties=["rsc"], replay=False)["rsc"].holds


@pytest.mark.parametrize("name", FAMILIES)
def test_defaults_round_trip(name: str) -> None:
    system = generate(name)
    again = formats.loads(formats.dumps(system, "storm"), format="storm")
    assert same_up_to_states(system, again)
    assert all(set(p.reachable()) == set(p.states) for p in system), "no state is there for nothing"


@pytest.mark.parametrize("size, tokens", [(2, 1), (3, 2), (5, 5)])
def test_rings(size: int, tokens: int) -> None:
    system = generate("ring", size=size, tokens=tokens)
    assert len(system.names) == size and least(system) == 1
    # A full ring passes all its tokens at once, and each send comes before the reception on its process.
    assert is_rsc(system) is (tokens < size)


def test_stars_and_pipelines() -> None:
    for system in (
        generate("star", leaves=5),
        generate("pipeline", stages=4),
        generate("pipeline", stages=1),
    ):
        assert system.csa and system.directed and least(system) == 1 and is_rsc(system)


@pytest.mark.parametrize("pairs, messages", [(1, 1), (2, 3)])
def test_pairs_are_independent(pairs: int, messages: int) -> None:
    system = generate("pairs", pairs=pairs, messages=messages)
    assert len(system.channels) == 2 * pairs and least(system) == 1 and is_rsc(system)
    alone = generate("pairs", pairs=1, messages=messages)
    sizes = [len(bounded.explore(s, Failures().on(s), 1).steps) for s in (alone, system)]
    assert sizes[1] == sizes[0] ** pairs, "configurations of independent parts multiply"


@pytest.mark.parametrize("branches, bound, pairs", [(1, 1, 1), (2, 2, 1), (3, 3, 1), (1, 3, 2)])
def test_branching_needs_exactly_its_bound(branches: int, bound: int, pairs: int) -> None:
    system = generate("branching", branches=branches, bound=bound, pairs=pairs)
    assert least(system) == bound
    assert is_rsc(system) is False


@pytest.mark.parametrize("window", [1, 2, 3])
@pytest.mark.parametrize("family", ["go-back-n", "selective-repeat"])
def test_windows_progress_under_loss(family: str, window: int) -> None:
    report = check(
        generate(family, window=window), Failures(loss=True), k=1, properties=["k-er", "k-pg"], replay=False
    )
    assert report["k-er"].holds and report["k-pg"].holds


@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("family", ["go-back-n", "selective-repeat"])
def test_windows_deliver_in_order_under_loss(family: str, window: int) -> None:
    """The receiver's base is never behind the sender's nor more than the window ahead of it, which is the
    safety argument for numbers modulo N + 1, and modulo 2 N."""
    system = generate(family, window=window)
    modulus = window + 1 if family == "go-back-n" else 2 * window
    ts = bounded.explore(system, Failures(loss=True).on(system), 2)
    for sender, receiver in {at.states for at in ts.steps}:
        ahead = (_base(receiver) - _base(sender)) % modulus
        assert ahead <= window, (sender, receiver)


def _base(state: str) -> int:
    """The first number in a state's name; `expect2`, `ack2` and `base2_...` name the next frame or base."""
    return int("".join(c for c in state.split("_")[0] if c.isdigit()))


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_the_largest_number_is_elected(nodes: int) -> None:
    system = generate("leader-election", nodes=nodes)
    assert least(system) == 1
    ts = bounded.explore(system, Failures().on(system), 2)
    ends = [at for at, leaving in ts.steps.items() if not leaving]
    assert [at.states for at in ends] == [("follower",) * (nodes - 1) + ("leader",)]
    assert not any(any(at.words) for at in ends)


@pytest.mark.parametrize("stations", [2, 3, 5])
def test_one_station_holds_the_token(stations: int) -> None:
    system = generate("token-ring", stations=stations)
    assert least(system) == 1 and is_rsc(system)
    for at in bounded.explore(system, Failures().on(system), 2).steps:
        holders = sum(s in ("holding", "sent", "release") for s in at.states)
        assert holders + sum("token" in word for word in at.words) == 1


@pytest.mark.parametrize("philosophers", [2, 3])
def test_philosophers_starve_unless_one_is_left_handed(philosophers: int) -> None:
    for left_handed in (False, True):
        system = generate("dining-philosophers", philosophers=philosophers, left_handed=left_handed)
        report = check(system, k=1, properties=["k-pg"], replay=False)
        assert report["k-pg"].holds is left_handed
        for at in bounded.explore(system, Failures().on(system), 1).steps:
            states = dict(zip(system.names, at.states, strict=True))
            for i in range(1, philosophers + 1):
                left, right = states[f"Philosopher{i}"], states[f"Philosopher{i % philosophers + 1}"]
                assert not (left == "eating" and right == "eating"), "they share a fork"


def sized(proposers: int, acceptors: int, retries: int, **options: bool) -> System:
    return generate("paxos", proposers=proposers, acceptors=acceptors, retries=retries, **options)


@pytest.mark.parametrize(
    "size, lossy",
    [((1, 1, 1), False), ((1, 3, 1), False), ((2, 1, 2), False), ((2, 2, 1), False), ((2, 1, 2), True)],
)
def test_paxos_chooses_one_value(size: tuple[int, int, int], lossy: bool) -> None:
    """Agreement, on perfect and on lossy channels: no two proposers choose different values."""
    system = sized(*size)
    ts = bounded.explore(system, Failures(loss=lossy).on(system), 1)
    chosen = {frozenset(_chosen(at.states)) for at in ts.steps}
    assert all(len(values) <= 1 for values in chosen)
    assert any(chosen), "somebody does choose"


@pytest.mark.parametrize("size", [(1, 1, 1), (1, 3, 1), (2, 1, 2), (2, 2, 1)])
def test_paxos_is_multiparty_compatible(size: tuple[int, int, int]) -> None:
    """Everybody ends, late answers are taken: nothing waits for ever on perfect channels."""
    assert least(sized(*size)) == 1


@pytest.mark.parametrize("size", [(1, 1, 1), (1, 3, 1), (2, 1, 2), (2, 2, 1), (2, 2, 2)])
def test_paxos_in_turn_still_chooses_one_value(size: tuple[int, int, int]) -> None:
    system = sized(*size, in_turn=True)
    assert least(system) == 1
    ts = bounded.explore(system, Failures().on(system), 1)
    chosen = {frozenset(_chosen(at.states)) for at in ts.steps}
    assert all(len(values) <= 1 for values in chosen) and any(chosen)


def test_forgetful_acceptors_may_choose_two_values() -> None:
    """The figure compares no numbers; what Lamport's acceptors remember is what agreement needs."""
    for in_turn in (False, True):
        system = sized(2, 1, 1, forgetful=True, in_turn=in_turn)
        assert least(system) == 1
        ts = bounded.explore(system, Failures().on(system), 1)
        assert {"1", "2"} in [_chosen(at.states) for at in ts.steps]


def test_the_paper_s_figure_has_three_states_a_ballot() -> None:
    """a0, and for each of the 4 ballots a1 and a2; as often as proposers may still be there; and the end."""
    system = protocols.protocol("paxos-2p3a-figure")
    assert len(system["Acceptor1"].states) == (1 + 2 * 4) + 2 * (1 + 2 * 2) + 1
    answers = {str(a) for a in system["Acceptor1"].sends("answer1_prom_1")}
    assert answers == {"Proposer1!prom<1>", "Proposer1!reject<1>"}
    report = check(system, k=1, properties=["k-mc", "rsc"], replay=False)
    assert report["k-mc"].holds and report["rsc"].holds is False


def _chosen(states: tuple[str, ...]) -> set[str]:
    """The values that proposers know to be chosen."""
    found = set()
    for state in states:
        if state.startswith("chosen_"):
            found.add(state.split("_")[2])
        elif "chose_v" in state:
            found.add(state.split("chose_v")[1].split("_")[0])
    return found


def test_paxos_has_the_sizes_of_its_parameters() -> None:
    system = generate("paxos", proposers=2, acceptors=3, retries=2)
    assert system.csa and not system.directed
    assert len(system.names) == 5 and len(system.channels) == 12
    assert {m for m in system.messages if m.startswith("prep<")} == {f"prep<{n}>" for n in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    "name, values, message",
    [
        ("paxoss", {}, "did you mean 'paxos'"),
        ("paxos", {"proposer": 2}, "did you mean 'proposers'"),
        ("paxos", {"proposers": 0}, "from 1 to 8, not 0"),
        ("ring", {"size": 1}, "from 2 to"),
        ("ring", {"size": 3, "tokens": 4}, "at most 3 tokens"),
        ("ring", {"size": True}, "whole number"),
        ("dining-philosophers", {"left_handed": 3}, "true or false"),
        ("branching", {"branches": 1000, "bound": 1000, "pairs": 1000}, "more than 200,000 transitions"),
        ("paxos", {"proposers": 8, "acceptors": 15, "retries": 8}, "more than 200,000 transitions"),
    ],
)
def test_wrong_parameters(name: str, values: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        generate(name, **values)


def test_a_sketch_stops_at_its_limit() -> None:
    from stormproof.kernel.model.actions import Internal

    role = Sketch("small", most=2).role("A")
    role.add("a", Internal("x"), "a")
    role.add("a", Internal("y"), "a")
    with pytest.raises(UsageError, match="small would have more than 2"):
        role.add("a", Internal("z"), "a")


def test_paxos_as_published_is_the_public_file() -> None:
    theirs = formats.load(peers("interference", "benchmarks", "1Paxos2P1A.txt"))
    ours = generate("paxos", proposers=2, acceptors=1, retries=1, as_published=True)
    assert compare(ours, theirs, any_roles=True)


@pytest.mark.parametrize("choice", ["any_order", "drop_late", "retry_rejected", "serve_on", "opposite"])
def test_every_choice_of_paxos_as_published_makes_another_system(choice: str) -> None:
    """Late answers exist only where answers come in any order."""
    base = {"acceptors": 3, "retries": 2, "as_published": True, "any_order": choice == "drop_late"}
    plain = generate("paxos", **base)
    chosen = generate("paxos", **{**base, choice: True})
    assert plain.csa and chosen.csa and plain.processes != chosen.processes
    with pytest.raises(UsageError, match=f"{choice} is a choice of Paxos as published"):
        generate("paxos", **{choice: True})
