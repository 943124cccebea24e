"""Projection of a global protocol to each role, with full merging.

What a role sees of the graph is followed as sets of its nodes: where a choice that the role does not make
has different continuations, the role follows all of them until it is informed. Merging is that of the
literature on multiparty session types, read coinductively: branchings from one peer join their labels, and
the continuations of a label that both have merge in turn; selections must offer the same labels; everything
else must be equal. A role's own choice joins its branches. A role that crashes has no continuation in its
crash branch.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import ModelError, Place
from ...kernel.model.actions import CRASH, Message as Label
from ...kernel.semantics.explore import reached
from . import graph as local
from .global_nodes import CHOICE, END, MESSAGE, GlobalGraph, GlobalNode
from .local import message_text
from .stackless import Task, run


@dataclass(frozen=True, eq=False)
class _Step:
    """How a place was reached: which branches of others' choices were taken, the last one first."""

    choice: int
    branch: int
    before: _Trail
    length: int


@dataclass(frozen=True, eq=False)
class _Graft:
    """The trail `inner`, which starts with `old`, with `new` in its place; worked out only for an error."""

    inner: _Trail
    old: _Trail
    new: _Trail
    length: int


_Trail = _Step | _Graft | None


def _length(trail: _Trail) -> int:
    return 0 if trail is None else trail.length


def _path(trail: _Trail, skip: int = 0) -> Task[list[tuple[int, int]]]:
    """The choices and branches of a trail in order, the first `skip` left out."""
    tail = []
    while isinstance(trail, _Step) and trail.length > skip:
        tail.append((trail.choice, trail.branch))
        trail = trail.before
    tail.reverse()
    if not isinstance(trail, _Graft) or trail.length <= skip:
        return tail
    head: list[tuple[int, int]] = []
    if skip < _length(trail.new):
        head = yield _path(trail.new, skip)
    rest: list[tuple[int, int]] = yield _path(
        trail.inner, _length(trail.old) + max(0, skip - _length(trail.new))
    )
    return head + rest + tail


@dataclass
class _Offer:
    """What the role does next: `end`, or `wait` for / `send` to `peer` one of `targets`' messages.

    A target is a set of nodes, each with the trail by which it was reached first.
    """

    kind: str
    trail: _Trail
    peer: str = ""
    targets: dict[Label, dict[int, _Trail]] = field(default_factory=dict)
    places: dict[Label, Place | None] = field(default_factory=dict)

    def copy(self) -> _Offer:
        """One that may be added to, so that joining many branches takes time in their number only."""
        targets = {message: dict(members) for message, members in self.targets.items()}
        return _Offer(self.kind, self.trail, self.peer, targets, dict(self.places))


_MOST_STATES = 500_000
_MOST_STEPS = 10_000_000


def project(graph: GlobalGraph, role: str) -> local.LocalGraph:
    """What one role does; raises ModelError that names the choice and the branches that do not merge."""
    return local.share(_Projector(graph, role).run())


class _Projector:
    def __init__(self, graph: GlobalGraph, role: str) -> None:
        self.graph = graph
        self.nodes = graph.nodes
        self.role = role
        self.acts = self._acting()
        self.steps = 0
        self.names: dict[frozenset[int], str] = {}

    def _acting(self) -> list[bool]:
        """From which nodes can an action of the role still be reached?"""
        before: list[list[int]] = [[] for _ in self.nodes]
        acting = []
        for number, node in enumerate(self.nodes):
            for below in node.next:
                before[below].append(number)
            if node.kind == MESSAGE and self.role in (node.sender, node.receiver):
                acting.append(number)
        found = set(reached(acting, before.__getitem__))
        return [number in found for number in range(len(self.nodes))]

    def run(self) -> local.LocalGraph:
        index: dict[frozenset[int], int] = {}
        queue: list[dict[int, _Trail]] = []

        def number(members: dict[int, _Trail]) -> int:
            canonical, name = self._canonical(members)
            key = frozenset(canonical)
            if key not in index:
                index[key] = len(queue)
                queue.append(canonical)
                names.append(name)
            if len(queue) > _MOST_STATES:
                raise self._too_large(f"has more than {_MOST_STATES:,} states")
            return index[key]

        names: list[str] = []
        number({self.graph.start: None})
        result = local.LocalGraph()
        for members in queue:
            offer = self._merge_all(members)
            edges = tuple(local.Edge(m, number(t), offer.places[m]) for m, t in offer.targets.items())
            place = next(iter(offer.places.values()), None)
            result.states.append(
                local.TypeState(offer.kind, offer.peer, edges, names[len(result.states)], place)
            )
        return result

    def _canonical(self, members: dict[int, _Trail]) -> tuple[dict[int, _Trail], str]:
        """Skip what the role does not see, so that equal futures get equal sets."""
        found: dict[int, _Trail] = {}
        name = ""
        for at, trail in members.items():
            seen = set()
            while at not in seen:
                seen.add(at)
                node = self.nodes[at]
                name = node.name if node.loop else name
                if node.kind in (CHOICE, END) or self._involved(node):
                    break
                at = node.next[0]
            found.setdefault(at if self.acts[at] else _END, trail)
        return found, name

    def _involved(self, node: GlobalNode) -> bool:
        return node.kind == MESSAGE and self.role in (node.sender, node.receiver)

    def _merge_all(self, members: dict[int, _Trail]) -> _Offer:
        merged: _Offer | None = None
        self.known: dict[int, tuple[_Offer | None, _Trail]] = {}
        for at, trail in members.items():
            offer, _ = run(self._offer(at, trail, set()))
            merged = self._merged(merged, offer)
        return merged or _Offer(local.END, None)

    def _offer(self, at: int, trail: _Trail, open_: set[int]) -> Task[tuple[_Offer | None, bool]]:
        """What the role does next from a node, None when nothing is added: a loop that comes back to where
        the search is already, or a branch in which the role has crashed. And whether a loop was cut."""
        self._count()
        if at == _END or not self.acts[at]:
            return _Offer(local.END, trail), False
        if at in open_:
            return None, True
        if at in self.known:
            return _graft(*self.known[at], trail), False
        node = self.nodes[at]
        if self._involved(node):
            return self._action(node, trail), False
        open_.add(at)
        if node.kind == CHOICE and node.sender == self.role:
            found, cut = yield self._own_choice(node, trail, open_)
        elif node.kind == CHOICE:
            found, cut = yield self._other_choice(at, trail, open_)
        else:
            found, cut = yield self._offer(node.next[0], trail, open_)
        open_.discard(at)
        if not cut:
            self.known[at] = found, trail
        return found, cut

    def _action(self, node: GlobalNode, trail: _Trail) -> _Offer | None:
        sends = node.sender == self.role
        if sends and node.label is CRASH:
            return None
        peer = node.receiver if sends else node.sender
        kind = local.SEND if sends else local.WAIT
        return _Offer(kind, trail, peer, {node.label: {node.next[0]: trail}}, {node.label: node.place})

    def _other_choice(self, at: int, trail: _Trail, open_: set[int]) -> Task[tuple[_Offer | None, bool]]:
        merged: _Offer | None = None
        cut = False
        for i, branch in enumerate(self.nodes[at].next):
            offer, looped = yield self._offer(branch, _Step(at, i, trail, _length(trail) + 1), open_)
            cut = cut or looped
            merged = self._merged(merged, offer)
        return merged, cut

    def _own_choice(
        self, node: GlobalNode, trail: _Trail, open_: set[int]
    ) -> Task[tuple[_Offer | None, bool]]:
        joined: _Offer | None = None
        cut = False
        for branch in node.next:
            offer, looped = yield self._offer(branch, trail, open_)
            cut = cut or looped
            if offer is None:
                continue
            self._count(len(offer.targets))
            if joined is None:
                joined = offer.copy()
            else:
                self._join(node, joined, offer)
        return joined, cut

    def _join(self, choice: GlobalNode, first: _Offer, second: _Offer) -> None:
        """The role's own choice: its branches are sends to one peer, with different messages."""
        place = next(iter(second.places.values()), choice.place)
        if first.peer != second.peer:
            raise ModelError(
                f"{self.role} chooses between sending to {first.peer} and sending to {second.peer}; the "
                f"branches of a choice all start with messages to one role",
                place=place,
            )
        for message in second.targets:
            if message in first.targets:
                raise ModelError(
                    f"two branches of this choice of {self.role} start with the same message "
                    f"'{message_text(message)}' to {first.peer}",
                    place=place,
                    hint="the first messages of the branches are distinct",
                )
        first.targets.update(second.targets)
        first.places.update(second.places)

    def _merged(self, first: _Offer | None, second: _Offer | None) -> _Offer | None:
        """`first`, which may be added to, and `second`, which may not, as one."""
        if second is None:
            return first
        self._count(len(second.targets))
        if first is None:
            return second.copy()
        same = (first.kind, first.peer) == (second.kind, second.peer)
        if not same or (first.kind == local.SEND and set(first.targets) != set(second.targets)):
            raise self._clash(first, second)
        for message, more in second.targets.items():
            there = first.targets.setdefault(message, {})
            for node, trail in more.items():
                there.setdefault(node, trail)
            first.places.setdefault(message, second.places[message])
        return first

    def _count(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise self._too_large(f"takes more than {_MOST_STEPS:,} steps")

    def _too_large(self, how: str) -> ModelError:
        place = self.nodes[self.graph.start].place
        return ModelError(f"the projection to {self.role} {how}", place=place)

    def _clash(self, first: _Offer, second: _Offer) -> ModelError:
        """Name the role, the choice and the two branches: where the two trails part."""
        trails = zip(run(_path(first.trail)), run(_path(second.trail)), strict=False)
        for (choice, branch), (choice2, branch2) in trails:
            if branch != branch2 and choice == choice2:
                node = self.nodes[choice]
                return ModelError(
                    f"the protocol does not project to {self.role}, which does not learn how {node.sender} "
                    f"chooses here: in branch {branch + 1} ({self._start(node, branch)}) {self.role} "
                    f"{_does(first)}, in branch {branch2 + 1} ({self._start(node, branch2)}) it "
                    f"{_does(second)}",
                    place=node.place,
                    hint=f"let each branch tell {self.role} by a message of its own",
                )
        place = next(iter(first.places.values()), None)
        return ModelError(
            f"the protocol does not project to {self.role}: it {_does(first)}, or {_does(second)}",
            place=place,
        )

    def _start(self, choice: GlobalNode, branch: int) -> str:
        """The first message of a branch and its line."""
        place = choice.places[branch]
        at = choice.next[branch]
        while self.nodes[at].kind != MESSAGE:
            at = self.nodes[at].next[0]
        label = message_text(self.nodes[at].label)
        return f"'{label}', line {place.line}"


_END = -1


def _graft(offer: _Offer | None, old: _Trail, new: _Trail) -> _Offer | None:
    """An offer found by the trail `old`, as it looks when reached by the trail `new`."""
    if offer is None or old is new:
        return offer

    def move(trail: _Trail) -> _Trail:
        length = _length(new) + _length(trail) - _length(old)
        return _Graft(trail, old, new, length) if length else None

    targets = {m: {n: move(t) for n, t in members.items()} for m, members in offer.targets.items()}
    return _Offer(offer.kind, move(offer.trail), offer.peer, targets, offer.places)


def _does(offer: _Offer) -> str:
    if offer.kind == local.END:
        return "is done"
    messages = " or ".join(f"'{message_text(m)}'" for m in offer.targets)
    if offer.kind == local.SEND:
        return f"sends {messages} to {offer.peer}"
    return f"waits for {messages} from {offer.peer}"
