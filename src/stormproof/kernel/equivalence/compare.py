"""Are two systems equal up to the names of their states, and if not, where do they part?

Unreachable states do not count, nor the order of the roles. Exact equality is tried first, then equality
where messages that differ only in the spelling of a payload's sort are taken for one (`payload_aliases`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, permutations

from ..model.actions import Action, Channel, Internal
from ..model.corruption import transitive_closure
from ..model.faults import PLAIN_KINDS, ChannelFaults
from ..model.part import whole
from ..model.phrases import arrow, listed, plural
from ..model.process import Process
from ..model.system import System
from ..model.timers import WORDS
from .isomorphism import isomorphism, role_matchings, same_requirements
from .payload_aliases import PayloadAlias, Renaming, renaming, respell, respell_action
from .trace_difference import MOST_PAIRS, Difference, of_automata, of_traces

#: How many ways to match roles are compared whole before the question is left undecided.
MOST_MATCHINGS = 2_000

#: Up to so many roles, every way to match them is tried to tell where two systems part.
_FEW_ROLES = 4

Called = tuple[str, str]


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. Names on the left are the first system's, those on the right the second's."""

    equal: bool | None
    same_traces: bool | None
    #: What differs, the first thing first; empty when the systems are equal.
    differences: tuple[Difference, ...] = ()
    #: Messages that were taken for one, though their payloads' sorts are spelt differently.
    identified: tuple[PayloadAlias, ...] = ()
    #: Which role is taken for which, and for each role of equal systems which state for which.
    roles: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: Why the question is undecided, where it is.
    reason: str = ""

    def __bool__(self) -> bool:
        return self.equal is True

    def to_json(self) -> dict[str, object]:
        return {
            "stormproof": 1,
            "equal": self.equal,
            "same_traces": self.same_traces,
            "roles": dict(self.roles),
            "states": {role: dict(states) for role, states in self.states.items()},
            "identified": [
                {"from": s.channel.sender, "to": s.channel.receiver, "left": s.first, "right": s.second}
                for s in self.identified
            ],
            "differences": [d.to_json() for d in self.differences],
            "reason": self.reason,
        }


def compare(
    first: System,
    second: System,
    *,
    any_roles: bool = False,
    called: Called = ("the first", "the second"),
    most_matchings: int = MOST_MATCHINGS,
    most_pairs: int = MOST_PAIRS,
) -> Comparison:
    """Equal up to the names of states, and with `any_roles` of roles? `called` names the two in sentences.

    >>> from stormproof import Process, Send, System
    >>> one, other = (System([Process("A", "s", [("s", Send("B", m), "t")]), Process("B", "s")])
    ...     for m in ("x(int)", "x(i32)"))
    >>> found = compare(one, other)
    >>> found.equal, found.identified[0].first, found.identified[0].second
    (True, 'x(int)', 'x(i32)')
    """
    first, second = whole(first), whole(second)
    if first.communication != second.communication:
        said = f"{called[0]} communicates by {_by(first)} and {called[1]} by {_by(second)}"
        return Comparison(False, False, (Difference("communication", said),))
    if first.timers != second.timers:
        said = f"timers of {called[0]} are {WORDS[first.timers]}, and of {called[1]} {WORDS[second.timers]}"
        return Comparison(False, False, (Difference("timers", said),))
    if first.observers != second.observers:
        said = f"{_watched(first, called[0])}, and {_watched(second, called[1])}"
        return Comparison(False, False, (Difference("observers", said),))
    if not any_roles:
        return _Pair(first, second, called, most_pairs).compare({r: r for r in second.names})
    likely = list(islice(role_matchings(first, second), most_matchings + 1))
    best = _closest(
        first, second, likely[:most_matchings] or _any_matchings(first, second), called, most_pairs
    )
    if best is None:
        return Comparison(False, False, (_unmatched(first, second, called),))
    if best.equal or len(likely) <= most_matchings:
        return best
    reason = (
        f"there are many ways to match their roles, and the first {most_matchings:,} do not make them equal"
    )
    return Comparison(None, None, reason=reason)


def _watched(system: System, called: str) -> str:
    """Observers are compared as they are written: of which events states are equal is not worked out."""
    names = [observer.name for observer in system.observers]
    return f"{called} is watched by {listed(names)}" if names else f"{called} has no observer"


def _by(system: System) -> str:
    return "mailboxes" if system.mailboxes else "channels of pairs"


def _any_matchings(first: System, second: System) -> list[dict[str, str]]:
    """Without a likely matching the systems differ; to say where, all are tried of few roles, else names."""
    if len(first.names) == len(second.names) <= _FEW_ROLES:
        ways = permutations(first.names)
        return [dict(zip(second.names, images, strict=True)) for images in ways]
    return [{r: r for r in second.names}] if set(first.names) == set(second.names) else []


def _closest(
    first: System, second: System, ways: Iterable[Mapping[str, str]], called: Called, most_pairs: int
) -> Comparison | None:
    """The first way to take roles for each other that makes the systems equal, or else the one that comes
    nearest: the fewest differences, and those the latest."""
    best: Comparison | None = None
    for names in ways:
        found = _Pair(first, second.rename(processes=names), called, most_pairs).compare(names)
        if found.equal:
            return found
        if best is None or _distance(found) < _distance(best):
            best = found
    return best


def _distance(found: Comparison) -> tuple[int, int]:
    return len(found.differences), -sum(len(d.trace) for d in found.differences)


def _unmatched(first: System, second: System, called: Called) -> Difference:
    left, right = (len(s.names) for s in (first, second))
    if left != right:
        return Difference("roles", f"{called[0]} has {plural(left, 'role')} and {called[1]} has {right}")
    said = f"no way to take the roles of {called[1]} for those of {called[0]} fits their sizes and messages"
    return Difference("roles", said)


@dataclass(frozen=True)
class _Pair:
    """Two systems whose roles have the same names (the second's were renamed, if need be)."""

    first: System
    second: System
    called: Called
    most_pairs: int

    def compare(self, names: Mapping[str, str]) -> Comparison:
        """`names`: how the second system's roles were named before -> their names here."""
        before = {new: old for old, new in names.items()}
        roles = {r: before[r] for r in self.first.names if r in before}
        missing = self._missing_roles()
        if missing:
            return Comparison(False, False, missing, roles=roles)
        states, used = self._states({}), {}
        if states is None:
            used = renaming(self.first, self.second)
            states = self._states(used) if used else None
        spellings = tuple(PayloadAlias(c, our, their) for c, m in used.items() for their, our in m.items())
        around = (
            *self._reliability(),
            *self._rest(states or {}),
            *self._faults(used),
            *self._requirements(states, used),
        )
        if states is not None:
            return Comparison(not around, True, around, spellings, roles, states)
        inside, same = self._roles_differ(used, before)
        return Comparison(False, same, (*around, *inside), spellings, roles)

    def _missing_roles(self) -> tuple[Difference, ...]:
        found = []
        sides = (self.first, self.second)
        for side, other in ((0, 1), (1, 0)):
            extra = [r for r in sides[side].names if r not in sides[other]]
            if extra:
                word = "the role" if len(extra) == 1 else "the roles"
                said = f"{self.called[side]} has {word} {listed(extra)}, which {self.called[other]} has not"
                found.append(Difference("roles", said, extra[0]))
        return tuple(found)

    def _states(self, used: Renaming) -> dict[str, dict[str, str]] | None:
        """For each role which state is which; reliability and rest states are judged apart."""
        respelt = respell(self.second, used)
        found = {}
        for process in self.first:
            mapping = _same_automaton(process, respelt[process.name])
            if mapping is None:
                return None
            found[process.name] = mapping
        return found

    def _reliability(self) -> tuple[Difference, ...]:
        found = []
        for process in self.first:
            if process.reliable != self.second[process.name].reliable:
                may, never = self.called if not process.reliable else self.called[::-1]
                said = f"{process.name} may crash in {may} and never crashes in {never}"
                found.append(Difference("reliability", said, process.name))
        return tuple(found)

    def _rest(self, states: Mapping[str, Mapping[str, str]]) -> Iterator[Difference]:
        """Who is a service, and where roles rest; `states` is which state is which, where that is known."""
        for ours in self.first.trim():
            theirs = self.second[ours.name].trim()
            if ours.service != theirs.service:
                one, other = self.called if ours.service else self.called[::-1]
                said = f"{ours.name} is a service in {one} and not in {other}"
                yield Difference("rest", said, ours.name)
            mapping = states.get(ours.name)
            if mapping is None and ours.rest is not None and theirs.rest is not None:
                continue
            image = None if ours.rest is None else {mapping[s] if mapping else s for s in ours.rest}
            if image != (None if theirs.rest is None else set(theirs.rest)):
                said = f"{ours.name} rests {_where(ours)} in {self.called[0]} and {_where(theirs)} in "
                yield Difference("rest", said + self.called[1], ours.name)

    def _requirements(
        self, states: Mapping[str, Mapping[str, str]] | None, used: Renaming
    ) -> Iterator[Difference]:
        """By name, and, where each state and message of one is one of the other, by what they say."""
        names = [{r.title if r.name else "" for r in s.requirements} for s in (self.first, self.second)]
        for side, other in ((0, 1), (1, 0)):
            for name in sorted(names[side] - names[other] - {""}):
                said = f"{self.called[side]} requires {name}, which {self.called[other]} does not"
                yield Difference("requirements", said)
        if names[0] == names[1] and states is not None and not used:
            if not same_requirements(self.first, self.second, states):
                said = f"the requirements of {self.called[0]} and {self.called[1]} differ"
                yield Difference("requirements", said)

    def _faults(self, used: Renaming) -> tuple[Difference, ...]:
        """The faults that files declare, and, where messages may be corrupted, into what."""
        respelt = respell(self.second, used)
        ours, theirs = (
            {Channel(f.sender, f.receiver): _says(f) for f in s.faults} for s in (self.first, respelt)
        )
        none = _says(ChannelFaults("", ""))
        differing = [c for c in dict.fromkeys((*ours, *theirs)) if ours.get(c, none) != theirs.get(c, none)]
        found = [
            Difference(
                "faults",
                f"the faults that {self.called[0]} and {self.called[1]} declare on {arrow(c)} differ",
            )
            for c in differing
        ]
        if not found and any(f.corrupt and f.corrupt.pairs is None for f in self.first.faults):
            found += self._alphabets(respelt)
        return tuple(found)

    def _alphabets(self, respelt: System) -> list[Difference]:
        """Messages that only unreachable states name are still what a corruption may make."""
        found = []
        for channel in dict.fromkeys((*self.first.channels, *respelt.channels)):
            ours, theirs = set(self.first.alphabet(channel)), set(respelt.alphabet(channel))
            if ours != theirs:
                extra = listed(sorted(str(m) for m in ours ^ theirs))
                said = f"only one of the two names {extra} on {arrow(channel)}, which a corruption may make"
                found.append(Difference("faults", said))
        return found

    def _roles_differ(
        self, used: Renaming, before: Mapping[str, str]
    ) -> tuple[list[Difference], bool | None]:
        """Role by role, traces first; and whether all roles have the same traces."""
        respelt = respell(self.second, used)
        parted, alike, same = [], [], True
        unknown = False
        for process in self.first:
            other = respelt[process.name]
            if _same_automaton(process, other) is not None:
                continue
            found, complete = of_traces(process, other, self.most_pairs)
            if found is not None:
                spelt = _Speller(process.name, used, before)
                parted.append(found.described(process.name, self.called, spelt))
                same = False
                continue
            unknown = unknown or not complete
            alike.append(of_automata(process, other, self.called, complete))
        return [*parted, *alike], None if same and unknown else same


def _same_automaton(first: Process, second: Process) -> dict[str, str] | None:
    """Which state is which, so that rest states match where that is possible."""
    second = replace(second, reliable=first.reliable, service=first.service)
    exact = isomorphism(first, second)
    return exact or isomorphism(replace(first, rest=None), replace(second, rest=None))


def _where(process: Process) -> str:
    if process.rest is None:
        return "by default"
    return f"in {listed(process.rest)}" if process.rest else "nowhere"


def _says(fault: ChannelFaults) -> tuple[object, ...]:
    """What a declaration means: corruption is the reflexive and transitive closure of its pairs."""
    corrupt: object = fault.corrupt
    if fault.corrupt is not None and fault.corrupt.pairs is not None:
        closed = transitive_closure(fault.corrupt.pairs)
        corrupt = frozenset((a, b) for a, others in closed.items() for b in others)
    return (*(fault.has(kind) for kind in PLAIN_KINDS), corrupt or None)


@dataclass(frozen=True)
class _Speller:
    """The second system's actions as it spells them itself."""

    role: str
    used: Renaming
    before: Mapping[str, str]

    def __call__(self, action: Action) -> Action:
        back = {c: {our: their for their, our in m.items()} for c, m in self.used.items()}
        own = respell_action(self.role, action, back)
        return own if isinstance(own, Internal) else replace(own, peer=self.before.get(own.peer, own.peer))
