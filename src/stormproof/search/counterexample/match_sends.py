"""Which send each reception takes, on one channel, with the fewest faults.

Each reception, and each position of the final word, *takes* one earlier send; what nobody takes is lost.

The cost of a choice is its number of fault steps: one for each message taken as another one (the corruption
relation is transitively closed, so one step suffices), one for each pair of messages that leave in the
opposite order of their sending (each such pair must be swapped once, and bringing a message to the head just
before it leaves swaps each pair just once), one for each send that nobody takes, one for each reception after
which the message stays.

- Channels that keep the order: takers take sends in order, so a table over (sends, takers) finds the cheapest
  choice.
- The others: a search over words, one layer per event, which keeps the cheapest words of each layer. It is
  exact as long as a layer has no more than `WIDTH` words. If pruning leaves it without a valid choice, a
  maximum flow finds one, so a choice is found whenever there is one; where a message may be received more
  than once, a wider search and then one that gives nothing up, depth first.

A message is taken to be lost right after it is sent: that needs the least room, so it is within the bound
whenever any placement is.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import NamedTuple

from ...kernel.model.actions import Channel, Crash, Message, sender_in
from ...kernel.model.failures import ChannelFailure
from ...records import dataclass
from .channel_faults import Stay, keeps_order, may_lose, stays, with_stayed, within_reach

#: How many words a layer of the search may have.
WIDTH = 300
#: And where that leaves no choice and a message may be received more than once.
MOST_WORDS = 20_000
#: Partial choices on a channel without a bound, where there may be no choice at all.
MOST_PARTIAL = 200_000

FAR = 1 << 30


class ChannelEvent(NamedTuple):
    """What happens to one channel, at which move; `forced`: the send that a taker must take."""

    move: int
    message: Message
    send: bool
    forced: int | None = None


@dataclass
class Matching:
    """Which send each reception takes, which sends stand in the channel at the end; the others are lost.

    `stays`: the receptions after which the message stays in the channel, and how.
    """

    taken: dict[int, int] = field(default_factory=dict)
    final: list[int] = field(default_factory=list)
    stays: dict[int, Stay] = field(default_factory=dict)

    @property
    def kept(self) -> set[int]:
        return {*self.taken.values(), *self.final}


@dataclass(frozen=True)
class MatchingProblem:
    """One channel: its events in order, the word that it is to hold in the end (None: any), the bound."""

    channel: Channel
    failure: ChannelFailure
    events: tuple[ChannelEvent, ...]
    final: tuple[Message, ...] | None
    bound: int
    matched: frozenset[int] | None

    @property
    def sends(self) -> tuple[ChannelEvent, ...]:
        return tuple(e for e in self.events if e.send)

    @property
    def takers(self) -> tuple[ChannelEvent, ...]:
        """Receptions, then the positions of the final word, which are numbered after all moves."""
        ends = (ChannelEvent(FAR + i, m, False) for i, m in enumerate(self.final or ()))
        return (*(e for e in self.events if not e.send), *ends)

    @property
    def in_order(self) -> tuple[ChannelEvent, ...]:
        """What happens to the channel, and then the positions of the final word."""
        return (*self.events, *self.takers[sum(not e.send for e in self.events) :])

    def cost(self, sent: ChannelEvent, taker: ChannelEvent) -> int | None:
        """What it costs to take this send here; None: it cannot be."""
        if taker.move < sent.move or not self.failure.may_become(sent.message, taker.message):
            return None
        if self.matched is not None:
            wanted = taker.forced == sent.move if taker.move < FAR else sent.move not in self.matched
            if not wanted:
                return None
        return int(sent.message != taker.message)

    def may_lose(self, sent: ChannelEvent) -> bool:
        needed = self.matched is not None and sent.move in self.matched
        return may_lose(self.failure, sent.message) and not needed

    def choice(self, pairs: Iterable[tuple[int, int]], stays: Mapping[int, Stay] | None = None) -> Matching:
        """From (taker, send) pairs in the order of leaving."""
        found = Matching(stays=dict(stays or {}))
        for taker, sent in pairs:
            if taker < FAR:
                found.taken[taker] = sent
            else:
                found.final.append(sent)
        return found


def cheapest(problem: MatchingProblem) -> Matching | None:
    """The choice with the fewest faults, or None when no interference makes these events possible."""
    if not problem.failure.matches_once:
        return _beam(problem) or _beam(problem, width=MOST_WORDS) or _any(problem)
    if keeps_order(problem.failure):
        return _fifo(problem)
    return _beam(problem) or _by_flow(problem)


def _room(problem: MatchingProblem) -> list[int]:
    """For each send: how many of the sends up to it may be kept, given what has left by then."""
    room, left = [], 0
    for event in problem.events:
        if event.send:
            room.append(problem.bound + left)
        else:
            left += 1
    return room


def _fifo(problem: MatchingProblem) -> Matching | None:
    """The cheapest order-preserving choice: best[j] after i sends, j of them kept, for the first j takers.

    On equal cost a send is rather kept than lost, so that the message lost is the later one: into a full
    channel, the one that finds it full.
    """
    sends, takers, room = problem.sends, problem.takers, _room(problem)
    receptions = sum(not e.send for e in problem.events)
    free = problem.final is None
    best: dict[int, int] = {0: 0}
    how: list[dict[int, bool]] = []
    for i, sent in enumerate(sends):
        following: dict[int, int] = {}
        kept: dict[int, bool] = {}
        for j, cost in best.items():
            price = 0 if free and j >= receptions else None
            if j < len(takers):
                price = problem.cost(sent, takers[j])
            if price is not None and j < room[i] and cost + price <= following.get(j + 1, FAR):
                following[j + 1], kept[j + 1] = cost + price, True
            if problem.may_lose(sent) and cost + 1 < following.get(j, FAR):
                following[j], kept[j] = cost + 1, False
        best = following
        how.append(kept)
    ends = [j for j in best if j == len(takers) or (free and j >= receptions)]
    if not ends:
        return None
    return _trace(problem, how, min(ends, key=lambda j: (best[j], -j)))


def _trace(problem: MatchingProblem, how: list[dict[int, bool]], j: int) -> Matching:
    pairs, takers, sends = [], problem.takers, problem.sends
    for i in range(len(how) - 1, -1, -1):
        if how[i][j]:
            j -= 1
            pairs.append((takers[j].move if j < len(takers) else FAR, sends[i].move))
    return problem.choice(reversed(pairs))


class _Node(NamedTuple):
    """A partial choice: what it has cost, the kept sends in the channel as the messages that they are by now,
    the last (taker, send), and how the message stays, if it does."""

    cost: int
    word: tuple[ChannelEvent, ...]
    pair: tuple[int, int] | None
    before: _Node | None
    stay: Stay | None = None


def _beam(
    problem: MatchingProblem, keep: frozenset[int] | None = None, width: int = WIDTH
) -> Matching | None:
    """All choices event by event, the cheapest `width` words of each layer kept.

    `keep`: the sends that are kept, when that has been decided already.
    """
    layer = [_Node(0, (), None, None)]
    events = problem.in_order
    wanted = Counter(e.message for e in events if not e.send)
    to_come = Counter(e.message for e in events if e.send)
    exact = problem.final is not None and not problem.failure.corrupt
    for event in events:
        if event.send:
            to_come[event.message] -= 1
            found = [n for node in layer for n in _put(problem, node, event, keep)]
        else:
            found = [n for node in layer for n in _take(problem, node, event)]
            wanted[event.message] -= 1
        if exact:
            found = [n for n in found if _useful(n.word, wanted)]
        layer = _cheapest(problem, found, wanted, to_come, width)
    if problem.final is not None:
        layer = [n for n in layer if not n.word]
    return _unwind(problem, min(layer, key=lambda n: n.cost)) if layer else None


def _any(problem: MatchingProblem) -> Matching | None:
    """Some choice, not always the cheapest: depth first, each word after each event once."""
    events = problem.in_order
    stack = [(0, _Node(0, (), None, None))]
    seen: set[tuple[int, tuple[Message, ...]]] = set()
    while stack and (problem.bound < FAR or len(seen) < MOST_PARTIAL):
        at, node = stack.pop()
        if at == len(events):
            if problem.final is None or not node.word:
                return _unwind(problem, node)
            continue
        key = at, tuple(e.message for e in node.word)
        if key in seen:
            continue
        seen.add(key)
        step = _put(problem, node, events[at], None) if events[at].send else _take(problem, node, events[at])
        stack += [(at + 1, n) for n in sorted(step, key=lambda n: -n.cost)]
    return None


def _useful(word: tuple[ChannelEvent, ...], wanted: Counter[Message]) -> bool:
    """Without corruption, a kept message must still be taken by somebody."""
    return all(count <= wanted[m] for m, count in Counter(e.message for e in word).items())


def _cheapest(
    problem: MatchingProblem,
    found: list[_Node],
    wanted: Counter[Message],
    to_come: Counter[Message],
    width: int,
) -> list[_Node]:
    """One node a word, those that promise the least cost; unmatched equal messages are interchangeable."""
    best: dict[tuple[object, ...], _Node] = {}
    matched = problem.matched or ()
    for node in found:
        key = tuple(e.move if e.move in matched else e.message for e in node.word)
        if key not in best or node.cost < best[key].cost:
            best[key] = node
    if len(best) <= width:
        return list(best.values())
    return sorted(best.values(), key=lambda n: n.cost + _lacking(n.word, wanted, to_come))[:width]


def _lacking(word: tuple[ChannelEvent, ...], wanted: Counter[Message], to_come: Counter[Message]) -> int:
    """How many corruptions are still needed at least: messages wanted that are neither here nor to come."""
    here = Counter(e.message for e in word)
    return sum(max(0, count - here[m] - to_come[m]) for m, count in wanted.items())


def _put(
    problem: MatchingProblem, node: _Node, sent: ChannelEvent, keep: frozenset[int] | None
) -> Iterable[_Node]:
    if len(node.word) < problem.bound and (keep is None or sent.move in keep):
        yield node._replace(word=(*node.word, sent))
    if problem.may_lose(sent) and (keep is None or sent.move not in keep):
        # With a given end and without copies the number of losses is the same for every choice.
        counts = problem.final is None or not problem.failure.matches_once
        yield node._replace(cost=node.cost + counts)


def _take(problem: MatchingProblem, node: _Node, taker: ChannelEvent) -> Iterable[_Node]:
    """Let each message that may, leave; of equal messages the first, which is swapped the least."""
    seen: set[Message] = set()
    for i, sent in enumerate(within_reach(problem.failure, node.word)):
        price = problem.cost(sent, taker)
        own = (e for e in node.word[:i] if sender_in(e.message) == sender_in(sent.message))
        moved_crash = isinstance(sent.message, Crash) and any(own)
        if price is None or moved_crash or (problem.matched is None and sent.message in seen):
            continue
        seen.add(sent.message)
        cost, rest, pair = node.cost + i + price, node.word[:i] + node.word[i + 1 :], (taker.move, sent.move)
        yield _Node(cost, rest, pair, node)
        for stay in stays(problem.failure, sent.message, taker.message) if taker.move < FAR else ():
            kept = with_stayed(stay, sent._replace(message=stay.message), rest)
            yield _Node(cost + 1, kept, pair, node, stay)


def _unwind(problem: MatchingProblem, node: _Node) -> Matching:
    pairs, stayed, at = [], {}, node
    rest = [(FAR, e.move) for e in node.word]
    while at is not None and at.pair is not None:
        pairs.append(at.pair)
        if at.stay is not None:
            stayed[at.pair[0]] = at.stay
        assert at.before is not None
        at = at.before
    return problem.choice([*reversed(pairs), *rest], stayed)


def _by_flow(problem: MatchingProblem) -> Matching | None:
    """Some valid choice on a reordering channel, then the cheapest one that loses the same messages.

    Units flow from a chain of prefixes (of the first i sends no more are kept than there is room for),
    through the sends, to their takers; all takers must be served, and all sends that cannot be lost.
    """
    sends, takers, room = problem.sends, problem.takers, _room(problem)
    flow: dict[object, dict[object, int]] = {}

    def edge(a: object, b: object, most: int) -> None:
        flow.setdefault(a, {})[b] = most
        flow.setdefault(b, {}).setdefault(a, 0)

    edge("source", ("upto", len(sends) - 1), FAR)
    for i, sent in enumerate(sends):
        edge(("upto", i), ("send", i), 1)
        edge(("upto", i), ("upto", i - 1), room[i - 1] if i else 0)
        for j, taker in enumerate(takers):
            if problem.cost(sent, taker) is not None:
                edge(("send", i), ("take", j), 1)
    for j in range(len(takers)):
        edge(("take", j), "sink", 1)
    while _augment(flow):
        pass
    pairs = [
        (j, i) for i in range(len(sends)) for j in range(len(takers)) if flow[("take", j)].get(("send", i))
    ]
    kept = {sends[i].move for _, i in pairs}
    rest = [s.move for s in sends if s.move not in kept and not problem.may_lose(s)]
    if len(pairs) < len(takers) or (rest and problem.final is not None):
        return None
    better = _beam(problem, frozenset(kept.union(rest)))
    found = [(takers[j].move, sends[i].move) for j, i in sorted(pairs)]
    return better or problem.choice([*found, *((FAR, sent) for sent in rest)])


def _augment(flow: dict[object, dict[object, int]]) -> bool:
    """One more unit along a shortest augmenting path."""
    came: dict[object, object] = {"source": None}
    queue: deque[object] = deque(["source"])
    while queue and "sink" not in came:
        node = queue.popleft()
        for other, most in flow[node].items():
            if most > 0 and other not in came:
                came[other] = node
                queue.append(other)
    node = "sink"
    while node in came and came[node] is not None:
        before = came[node]
        flow[before][node] -= 1
        flow[node][before] += 1
        node = before
    return "sink" in came
