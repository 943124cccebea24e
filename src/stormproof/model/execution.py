"""Executions and their communications: the objects of the theory of RSC (paper, section 3).

An execution is a sequence of actions; positions count from 0 (the paper counts from 1). A *communication* of
it says which send each reception matches; it is valid under a failure model when the channels could really
have behaved so (semantics, section 4). From both follow the conflict graph and causal equivalence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from .actions import CRASH, Action, Channel, Internal, Message, Receive, Send, channel_of
from .failures import ChannelFailure, FailureModel

#: Who acts and how. `semantics.Event` is such a pair.
Event = tuple[str, Action]
Execution = Sequence[Event]
#: A matched pair (send, reception), an unmatched send or an internal action, as positions in the execution.
Interaction = tuple[int, ...]
Communication = tuple[Interaction, ...]
#: What one node of a conflict graph is called: the actions of the interaction with their processes.
Label = tuple[Event, ...]
#: A reception on one channel: which of the channel's sends it matches, counted from 0, and what is received.
Reception = tuple[int, Message]


def sends_on(execution: Execution, channel: Channel) -> tuple[int, ...]:
    """Where the channel is written to, in the order of time."""
    return _acting(execution, channel, Send)


def receptions_on(execution: Execution, channel: Channel) -> tuple[int, ...]:
    """Where the channel is read from, in the order of time."""
    return _acting(execution, channel, Receive)


def _acting(execution: Execution, channel: Channel, kind: type) -> tuple[int, ...]:
    return tuple(
        j
        for j, (process, action) in enumerate(execution)
        if isinstance(action, kind) and channel_of(process, action) == channel
    )


def channels_of(execution: Execution) -> tuple[Channel, ...]:
    """The channels that the execution touches, first touched first."""
    found = dict.fromkeys(channel_of(process, action) for process, action in execution)
    return tuple(c for c in found if c is not None)


def message_at(execution: Execution, position: int) -> Message:
    action = execution[position][1]
    assert not isinstance(action, Internal)
    return action.message


def matching_pairs(execution: Execution) -> tuple[Interaction, ...]:
    """Def. matcherrors: every send with every later reception on its channel (*i*-matching pairs)."""
    found = [
        (s, r)
        for channel in channels_of(execution)
        for s in sends_on(execution, channel)
        for r in receptions_on(execution, channel)
        if s < r
    ]
    return tuple(sorted(found))


def perfect_matching_pairs(execution: Execution) -> tuple[Interaction, ...]:
    """The k-th send with the k-th reception, when the message is the same and the reception comes later."""
    found = []
    for channel in channels_of(execution):
        for s, r in zip(sends_on(execution, channel), receptions_on(execution, channel), strict=False):
            if s < r and message_at(execution, s) == message_at(execution, r):
                found.append((s, r))
    return tuple(sorted(found))


def possible(failure: ChannelFailure, sent: Sequence[Message], received: Sequence[Reception]) -> bool:
    """May a channel on which `sent` was sent have delivered `received`, as far as matching goes?

    Section 4 of the semantics: a message received is one that the message sent may have become; without
    reordering matching keeps the order; with neither loss nor reordering the matched sends are a prefix.
    """
    matched = [index for index, _ in received]
    if len(set(matched)) < len(matched):
        return False
    if not all(failure.may_become(sent[index], message) for index, message in received):
        return False
    if not failure.reorder and matched != sorted(matched):
        return False
    if not failure.loss and not failure.reorder and matched != list(range(len(matched))):
        return False
    return _crash_stays_last(failure, sent, matched)


def _crash_stays_last(failure: ChannelFailure, sent: Sequence[Message], matched: Sequence[int]) -> bool:
    """The crash message is the last of its channel, and no interference changes that (semantics, section 5).

    So nothing is received after it, and without loss all that was sent before it was received before it.
    Where matching keeps the order this follows; on a reordering channel it is a condition of its own.
    """
    for place, index in enumerate(matched):
        if sent[index] is CRASH:
            complete = failure.loss or set(range(index)) <= set(matched[:place])
            return place == len(matched) - 1 and complete
    return True


def is_valid(execution: Execution, communication: Communication, failures: FailureModel) -> bool:
    """Is this a communication of the execution that the failure model allows?"""
    covered = Counter(j for interaction in communication for j in interaction)
    if covered != Counter(range(len(execution))):
        return False
    pairs = [x for x in communication if len(x) == 2]
    alone = [x[0] for x in communication if len(x) == 1]
    if len(pairs) + len(alone) != len(communication) or not set(pairs) <= set(matching_pairs(execution)):
        return False
    if any(isinstance(execution[j][1], Receive) for j in alone):
        return False
    return all(_valid_on(execution, pairs, channel, failures) for channel in channels_of(execution))


def _valid_on(
    execution: Execution, pairs: Iterable[Interaction], channel: Channel, failures: FailureModel
) -> bool:
    sends = sends_on(execution, channel)
    here = sorted((x for x in pairs if x[0] in sends), key=lambda x: x[1])
    return _possible_on(execution, failures.on(channel), sends, here)


def _possible_on(
    execution: Execution, failure: ChannelFailure, sends: Sequence[int], pairs: Sequence[Interaction]
) -> bool:
    """`possible`, for the pairs (send, reception) of one channel in the order of the receptions."""
    sent = [message_at(execution, s) for s in sends]
    received = [(sends.index(s), message_at(execution, r)) for s, r in pairs]
    return all(s < r for s, r in pairs) and possible(failure, sent, received)


def communications(execution: Execution, failures: FailureModel) -> Iterator[Communication]:
    """Comm(e): all valid communications of an execution under a failure model."""
    choices = [
        list(_matchings(execution, channel, failures.on(channel))) for channel in channels_of(execution)
    ]
    for chosen in product(*choices):
        yield communication_of(execution, [pair for pairs in chosen for pair in pairs])


def _matchings(
    execution: Execution, channel: Channel, failure: ChannelFailure
) -> Iterator[tuple[Interaction, ...]]:
    """The ways in which one channel can match all of its receptions.

    What is possible for all receptions is possible for the first few of them, so a partial choice that is
    not possible is given up at once.
    """
    sends, receptions = sends_on(execution, channel), receptions_on(execution, channel)

    def extend(pairs: tuple[Interaction, ...]) -> Iterator[tuple[Interaction, ...]]:
        if len(pairs) == len(receptions):
            yield pairs
            return
        for send in sends:
            longer = (*pairs, (send, receptions[len(pairs)]))
            if _possible_on(execution, failure, sends, longer):
                yield from extend(longer)

    yield from extend(())


def communication_of(execution: Execution, pairs: Iterable[Interaction]) -> Communication:
    """The communication with these matched pairs; every other action is alone."""
    chosen = list(pairs)
    taken = {j for pair in chosen for j in pair}
    alone = [(j,) for j in range(len(execution)) if j not in taken]
    return tuple(sorted([*chosen, *alone]))


def commute(execution: Execution, communication: Communication, i: int, j: int) -> bool:
    """Two actions commute when they have different processes and are no matched pair."""
    return execution[i][0] != execution[j][0] and (min(i, j), max(i, j)) not in communication


def precedes(execution: Execution, communication: Communication, i: int, j: int) -> bool:
    """The causal order: earlier, and not commuting."""
    return i < j and not commute(execution, communication, i, j)


@dataclass(frozen=True)
class ConflictGraph:
    """Interactions, with an edge when an action of one precedes an action of another."""

    nodes: tuple[Interaction, ...]
    edges: frozenset[tuple[Interaction, Interaction]]
    labels: Mapping[Interaction, Label]

    @cached_property
    def successors(self) -> Mapping[Interaction, tuple[Interaction, ...]]:
        table: dict[Interaction, list[Interaction]] = {node: [] for node in self.nodes}
        for source, target in sorted(self.edges):
            table[source].append(target)
        return {node: tuple(targets) for node, targets in table.items()}

    @cached_property
    def order(self) -> tuple[Interaction, ...] | None:
        """The nodes such that every edge leads onwards, earliest first, or None in a cyclic graph."""
        waiting = Counter(target for _, target in self.edges)
        placed: list[Interaction] = []
        ready = [node for node in self.nodes if not waiting[node]]
        while ready:
            node = min(ready)
            ready.remove(node)
            placed.append(node)
            for target in self.successors[node]:
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
        return tuple(placed) if len(placed) == len(self.nodes) else None

    @property
    def acyclic(self) -> bool:
        return self.order is not None

    def cycle(self) -> tuple[Interaction, ...] | None:
        """A shortest cycle, from its first interaction on, or None."""
        if self.acyclic:
            return None
        found = [path for node in self.nodes if (path := self._round(node)) is not None]
        return min(found, key=lambda path: (len(path), path))

    def _round(self, start: Interaction) -> tuple[Interaction, ...] | None:
        """A shortest way from a node back to itself."""
        before: dict[Interaction, Interaction | None] = {start: None}
        queue = [start]
        for node in queue:
            for target in self.successors[node]:
                if target == start:
                    return tuple(reversed(list(_back(before, node))))
                if target not in before:
                    before[target] = node
                    queue.append(target)
        return None


def _back(before: Mapping[Interaction, Interaction | None], node: Interaction) -> Iterator[Interaction]:
    at: Interaction | None = node
    while at is not None:
        yield at
        at = before[at]


def conflict_graph(execution: Execution, communication: Communication) -> ConflictGraph:
    """cgraph(e, C). The edges are between different interactions; a matched pair has none to itself.

    The two actions of a matched pair are in one interaction, so edges come from actions of one process.
    """
    edges = {
        (first, second)
        for first in communication
        for second in communication
        if first != second and any(precedes(execution, communication, i, j) for i in first for j in second)
    }
    labels = {x: tuple(tuple_of(execution[j]) for j in x) for x in communication}
    return ConflictGraph(tuple(sorted(communication)), frozenset(edges), labels)


def tuple_of(event: Event) -> Event:
    """A bare pair, so that events of any make compare equal."""
    process, action = event
    return (process, action)


def isomorphic(first: ConflictGraph, second: ConflictGraph) -> bool:
    """Is there a bijection of the nodes that keeps labels and edges?"""
    if len(first.edges) != len(second.edges) or Counter(_shades(first)) != Counter(_shades(second)):
        return False
    left = dict(zip(first.nodes, _shades(first), strict=True))
    right = dict(zip(second.nodes, _shades(second), strict=True))

    def extend(mapping: dict[Interaction, Interaction], rest: Sequence[Interaction]) -> bool:
        if not rest:
            return True
        node, used = rest[0], set(mapping.values())
        for image in second.nodes:
            if image in used or left[node] != right[image] or not _fits(first, second, mapping, node, image):
                continue
            if extend({**mapping, node: image}, rest[1:]):
                return True
        return False

    return extend({}, first.nodes)


def _shades(graph: ConflictGraph) -> list[tuple[Label, int, int]]:
    """What an isomorphism keeps of each node: its label and its degrees."""
    out = Counter(source for source, _ in graph.edges)
    into = Counter(target for _, target in graph.edges)
    return [(graph.labels[node], out[node], into[node]) for node in graph.nodes]


def _fits(
    first: ConflictGraph,
    second: ConflictGraph,
    mapping: Mapping[Interaction, Interaction],
    node: Interaction,
    image: Interaction,
) -> bool:
    return all(
        ((node, other) in first.edges) == ((image, partner) in second.edges)
        and ((other, node) in first.edges) == ((partner, image) in second.edges)
        for other, partner in mapping.items()
    )


def causally_equivalent(
    first: tuple[Execution, Communication], second: tuple[Execution, Communication]
) -> bool:
    """(e, C) ~ (e', C'): their conflict graphs are isomorphic, labels included."""
    return isomorphic(conflict_graph(*first), conflict_graph(*second))


def is_rsc_execution(communication: Communication) -> bool:
    """Is every matched pair of the form {j, j+1}?"""
    return all(x[1] == x[0] + 1 for x in communication if len(x) == 2)


def is_equivalent_to_rsc(execution: Execution, communication: Communication) -> bool:
    """Lemma rscconflict: equivalent to an RSC execution exactly when the conflict graph is acyclic."""
    return conflict_graph(execution, communication).acyclic


def synchronised(
    execution: Execution, communication: Communication
) -> tuple[tuple[Event, ...], Communication] | None:
    """The RSC execution that (e, C) is equivalent to, with its communication, or None (Lemma rscconflict)."""
    order = conflict_graph(execution, communication).order
    if order is None:
        return None
    place = {j: new for new, j in enumerate(j for interaction in order for j in interaction)}
    moved = sorted(place, key=lambda j: place[j])
    renamed = tuple(sorted(tuple(place[j] for j in interaction) for interaction in communication))
    return tuple(tuple_of(execution[j]) for j in moved), renamed


def is_borderline_violation(
    execution: Execution, communication: Communication, failures: FailureModel
) -> bool:
    """Def. *borderline violation*: not equivalent to an RSC execution, and one without its last reception."""
    if not execution or not isinstance(execution[-1][1], Receive):
        return False
    if is_equivalent_to_rsc(execution, communication):
        return False
    shorter = execution[:-1]
    every = list(communications(shorter, failures))
    return all(is_equivalent_to_rsc(shorter, c) for c in every) and any(is_rsc_execution(c) for c in every)
