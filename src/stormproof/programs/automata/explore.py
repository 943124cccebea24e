"""The points that programs can reach together, as far as they are wanted: a fixpoint over the messages that
may come on each channel.

A message is tried once at each point that listens to its sender, and a point is visited once. A point that
has not been visited is a mark: it is known, and what comes after it is not (definitions 18.1). Whatever was
visited has all the transitions that the messages known so far give it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Generic

from ...errors import ModelError, did_you_mean
from ...kernel.model.actions import Receive, Send
from .program import (
    ActOffer,
    AnyProgram,
    Automaton,
    InTransit,
    P,
    ReceiveOffer,
    Response,
    SendOffer,
    Variable,
    listed_last,
)
from .walk import WalkStart, walk

#: Values of one variable, messages of one name, points of one role: more are refused.
MOST_VALUES = 1_000
MOST_POINTS = 50_000

#: Where all points cannot be made at once, a check begins with those of a run of so many steps.
FIRST = 100


#: After so many points what is known so far is shown.
_SHOW_EVERY = 64

#: Is told how many points there are by now; the second number is that of all, which nobody knows.
ShowPoints = Callable[[int, int | None], None]

_shown: ContextVar[ShowPoints | None] = ContextVar("shown", default=None)


@contextmanager
def showing(show: ShowPoints | None) -> Iterator[None]:
    """While automata are made in here, say how far that is."""
    before = _shown.set(show)
    try:
        yield
    finally:
        _shown.reset(before)


def explore(programs: Iterable[AnyProgram[P]]) -> dict[str, Automaton[P]]:
    """The automata of all programs, each from its start, breadth first."""
    return JointExploration(programs).run()


def explore_alone(program: AnyProgram[P], came: Iterable[InTransit]) -> Automaton[P]:
    """The automaton of one program among peers that may send it just these messages, at any time."""
    letters = list(came)
    alone = JointExploration([program], [letter.peer for letter in letters])
    for letter in letters:
        alone.inboxes[program.name].put(letter)
    return alone.run()[program.name]


class JointExploration(Generic[P]):
    """The points that have been reached so far."""

    def __init__(self, programs: Iterable[AnyProgram[P]], outside: Iterable[str] = ()) -> None:
        self.roles = {program.name: RoleExploration(program) for program in programs}
        self.inboxes = {name: _Inbox() for name in (*self.roles, *outside)}
        #: Is what goes beyond a limit an error? Otherwise it stays a mark.
        self.strict = True

    def run(self, most: int | None = None) -> dict[str, Automaton[P]]:
        """The automata of all points, or of those for which `most` steps suffice."""
        self.begin()
        self.strict = most is None
        for role in self.roles.values():
            role.bounded = self.strict
        share = 0 if most is None else max(most // len(self.roles), 1)
        advance = partial(self.advance, limit=most, share=share)
        while any(list(map(advance, self.roles.values()))):
            pass
        return self.automata()

    @property
    def complete(self) -> bool:
        """Is there no mark?"""
        return not any(role.waiting for role in self.roles.values())

    def begin(self) -> None:
        for name, role in self.roles.items():
            role.reach(role.program.start)
            for point in role.program.recovery.values():
                role.reach(point)
            role.reach_restarts()
            for message in role.program.named():
                if message.peer in self.inboxes:
                    self.inboxes[name].put(message)

    @property
    def spent(self) -> int:
        """How many points were visited, and steps tried."""
        return sum(role.spent for role in self.roles.values())

    def automata(self) -> dict[str, Automaton[P]]:
        return {name: role.automaton() for name, role in self.roles.items()}

    def advance(self, role: RoleExploration[P], limit: int | None = None, share: int = 0) -> bool:
        """Try what is new, messages and points; was there anything?"""
        may = limit is None or self.spent < limit
        if role.tried == len(self.inboxes[role.name].messages) and not (role.queue and may):
            return False
        self._try_messages(role)
        last = role.spent + share
        while role.queue and (limit is None or (role.spent < last and self.spent < limit)):
            self._visit(role, role.queue.popleft())
        return True

    def _try_messages(self, role: RoleExploration[P]) -> None:
        """What came since then, at the points that listen already."""
        inbox = self.inboxes[role.name].messages
        first, role.tried = role.tried, len(inbox)
        if first == role.tried:
            return
        for order in range(first, role.tried):
            for point, rank in role.listening.get(inbox[order].peer, ()):
                role.receive(point, rank, order, inbox[order])

    # ---- as far as somebody asks ----

    def first(self) -> None:
        """The initial points, and what runs without faults come to from there."""
        self.begin()
        for role in self.roles.values():
            role.bounded = False
        start = self.start()
        self.make({name: [key] for name, key in start.at.items()}, [start], FIRST, 1)

    def start(self) -> WalkStart:
        return WalkStart({name: role.program.start.key for name, role in self.roles.items()}, {})

    def make(
        self, marks: Mapping[str, Iterable[Hashable]], starts: Sequence[WalkStart], steps: int, bound: int
    ) -> None:
        """Make these marks and, as a guess, what comes next: on walks from these configurations, of so many
        steps together. A limit is an error only where these marks themselves are beyond it."""
        self.strict = True
        for name, keys in marks.items():
            for key in keys:
                self.want(name, key)
        self.strict = False
        for seed, start in enumerate(starts):
            if all(key in self.roles[name].visited for name, key in start.at.items()):
                walk(self, start, steps // len(starts), bound, seed)

    def want(self, name: str, key: Hashable) -> bool:
        """Make a point, unless that goes beyond a limit; is it made?"""
        role = self.roles[name]
        if key not in role.visited:
            self._visit(role, role.points[key])
            for other in self.roles.values():
                self._try_messages(other)
        return key in role.visited

    def hear(self, others: Mapping[str, Sequence[InTransit]]) -> bool:
        """Whatever listens takes some message, if only one of `others`, by receiver: else it would look as if
        it had ended. False where none is known."""
        unheard = [name for name, role in self.roles.items() if not role.hear(others.get(name, ()))]
        return not unheard

    def _visit(self, role: RoleExploration[P], point: P) -> None:
        if point.key in role.visited or (len(role.visited) >= MOST_POINTS and not self.strict):
            return
        if not role.note(point, self.strict):
            return
        role.visited.add(point.key)
        role.spent += 1
        show = _shown.get()
        if show is not None and len(role.visited) % _SHOW_EVERY == 0:
            show(sum(len(r.points) for r in self.roles.values()), None)
        role.waiting.pop(point.key, None)
        if len(role.visited) > MOST_POINTS and self.strict:
            raise role.too_many_points()
        self.check_peers(role, point)
        for rank, offer in enumerate(role.program.offers(point)):
            if isinstance(offer, ActOffer):
                role.step(point, (rank, 0), Response(offer.action, offer.value))
                continue
            if isinstance(offer, SendOffer):
                self.send(role, offer, point)
                role.step(point, (rank, 0), Response(Send(offer.peer, offer.message.message), offer.value))
            else:
                self._listen(role, point, rank, offer)

    def _listen(self, role: RoleExploration[P], point: P, rank: int, offer: ReceiveOffer) -> None:
        role.listening.setdefault(offer.peer, []).append((point, rank))
        role.listens.add(point.key)
        for order, message in enumerate(self.inboxes[role.name].messages[: role.tried]):
            if message.peer == offer.peer:
                role.receive(point, rank, order, message)

    def send(self, role: RoleExploration[P], offer: SendOffer, point: P) -> None:
        inbox, message = self.inboxes[offer.peer], offer.message
        if message.identity in inbox.known:
            return
        if (message.peer, message.message) in inbox.spelt:
            problem = f"two different messages are spelt {message.message}"
            raise role.program.refusal(problem, "rename one of their enums", point)
        inbox.put(message)
        alike = [m.message for m in inbox.messages if m.peer == role.name and m.name == message.name]
        if len(alike) > MOST_VALUES and self.strict:
            problem = f"{role.name} sends more than {MOST_VALUES:,} different messages '{message.name}'"
            raise role.program.refusal(problem, f"{listed_last(alike)}; count modulo something", point)

    def check_peers(self, role: RoleExploration[P], point: P) -> None:
        """ModelError where it sends to a role that there is not, or listens to one."""
        for offer in role.program.offers(point):
            if not isinstance(offer, ActOffer) and offer.peer not in self.inboxes:
                raise self._unknown_peer(role, offer.peer, point)

    def _unknown_peer(self, role: RoleExploration[P], peer: str, point: P) -> ModelError:
        hint = did_you_mean(peer, self.inboxes) or f"roles here: {', '.join(self.inboxes)}"
        return role.program.refusal(f"{role.name} names an unknown role '{peer}'", hint, point)


class _Inbox:
    """The messages that may come to one role, in the order in which they were found."""

    def __init__(self) -> None:
        self.messages: list[InTransit] = []
        self.known: set[Hashable] = set()
        self.spelt: set[tuple[str, str]] = set()

    def put(self, message: InTransit) -> None:
        if message.identity not in self.known:
            self.known.add(message.identity)
            self.spelt.add((message.peer, message.message))
            self.messages.append(message)


class RoleExploration(Generic[P]):
    """The points of one program that were found, and the steps between them, each with its rank: the offer,
    and the message that was received."""

    def __init__(self, program: AnyProgram[P]) -> None:
        self.program = program
        self.name = program.name
        self.points: dict[Hashable, P] = {}
        self.queue: deque[P] = deque()
        self.visited: set[Hashable] = set()
        self.spent = 0
        #: The marks.
        self.waiting: dict[Hashable, P] = {}
        #: Is it an error if more points are known than a role may have?
        self.bounded = True
        self.steps: dict[Hashable, list[tuple[tuple[int, int], Response, Hashable]]] = {}
        self.listening: dict[str, list[tuple[P, int]]] = {}
        self.listens: set[Hashable] = set()
        self.tried = 0
        self.values: dict[Hashable, dict[Hashable, str]] = {}
        self.names: dict[Hashable, str] = {}
        self.restarts: list[Hashable] = []

    def reach(self, point: P) -> Hashable:
        if point.key not in self.points:
            self.points[point.key] = point
            self.steps[point.key] = []
            self.queue.append(point)
            self.waiting[point.key] = point
            if self.bounded and len(self.points) > MOST_POINTS:
                raise self.too_many_points()
        return point.key

    def hear(self, others: Sequence[InTransit]) -> bool:
        unheard = [key for key in self.listens if not self._receives(key)]
        for key in unheard:
            point = self.points[key]
            for order, message in enumerate(others):
                for rank, offer in enumerate(self.program.offers(point)):
                    if isinstance(offer, ReceiveOffer) and offer.peer == message.peer:
                        self.receive(point, rank, order, message)
                if self._receives(key):
                    break
        return all(map(self._receives, unheard))

    def _receives(self, key: Hashable) -> bool:
        return any(isinstance(response.action, Receive) for _, response, _ in self.steps[key])

    def receive(self, point: P, rank: int, order: int, message: InTransit) -> None:
        self.step(point, (rank, order), Response(Receive(message.peer, message.message), message))

    def step(self, point: P, rank: tuple[int, int], response: Response) -> None:
        leaving = self.steps[point.key]
        self.spent += 1
        leaving += [(rank, response, self.reach(to)) for to in self.program.after(point, response)]
        self.note_saved(point, response)

    def note_step(self, point: P, rank: tuple[int, int], response: Response, to: P) -> None:
        """A step that was made otherwise, once."""
        row = (rank, response, self.reach(to))
        if row not in self.steps[point.key]:
            self.steps[point.key].append(row)
        self.note_saved(point, response)

    def note_saved(self, point: P, response: Response) -> None:
        """What a step writes to the disk, from which a restart begins."""
        if (disk := self.program.disk) is not None and (values := self.program.saved(point, response)):
            disk.write(values)
            self.reach_restarts()

    def reach_restarts(self) -> None:
        """Where a restart begins with what the disk may hold."""
        for point in () if self.program.disk is None else self.program.disk.new():
            self.restarts.append(self.reach(point))

    def note(self, point: P, strict: bool) -> bool:
        """Count the values of its variables; are there not too many? Only if it is `strict` that is an
        error."""
        for variable in self.program.variables(point):
            taken = self.values.setdefault(variable.identity, {})
            if variable.value not in taken:
                if len(taken) >= MOST_VALUES and not strict:
                    return False
                self.names[variable.identity] = variable.name
                taken[variable.value] = variable.spelt
                if len(taken) > MOST_VALUES:
                    raise self._too_many_values(variable)
        return True

    def _too_many_values(self, variable: Variable) -> ModelError:
        problem = f"'{variable.name}' of {self.name} takes more than {MOST_VALUES:,} values"
        return self._refusal(problem, variable.identity)

    def too_many_points(self) -> ModelError:
        """The variable with the most values is named."""
        problem = f"{self.name} can wait at more than {MOST_POINTS:,} points"
        if not self.values:
            return self.program.refusal(problem, "it is too large")
        most = max(self.values, key=lambda v: len(self.values[v]))
        problem = f"{problem}, where '{self.names[most]}' takes {len(self.values[most]):,} values"
        return self._refusal(problem, most)

    def _refusal(self, problem: str, variable: Hashable) -> ModelError:
        last = listed_last(list(self.values[variable].values()))
        hint = f"{last}; keep it small, for example modulo something"
        return self.program.refusal(problem, hint, variable=variable)

    def automaton(self) -> Automaton[P]:
        """Breadth first from the start and where restarts begin, steps in the order of the offers and of the
        messages."""
        found = Automaton(self.program)
        recovery = [point.key for point in self.program.recovery.values()]
        queue: list[Hashable] = list(dict.fromkeys([self.program.start.key, *recovery, *self.restarts]))
        seen = set(queue)
        for key in queue:
            point = found.points[key] = self.points[key]
            if key in self.waiting and not point.failure:
                found.unmade.add(key)
            leaving = sorted(self.steps[key], key=lambda step: step[0])
            found.steps[key] = [(response, to) for _, response, to in leaving]
            new = dict.fromkeys(to for _, _, to in leaving if to not in seen)
            seen.update(new)
            queue.extend(new)
        return found
