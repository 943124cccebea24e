"""What a file requires of its protocol: claims, each under the failures of the check or under its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from ...records import dataclass
from .cuts import Cut, cuts_renamed
from .faults import CUT, KINDS, PROCESS_KINDS, ChannelFaults
from .goal import READABLE, Goal, Spelling, mentioned, rename, show

#: The claims that are no properties of the table; the first three have a goal.
NEVER, ALWAYS_POSSIBLE, LEADS_TO, RECOVERS, CLEAN = (
    "never",
    "always possible",
    "leads to",
    "recovers",
    "clean",
)
#: The faults whose number may be limited, as files spell them.
PROCESS_FAULTS = ("crash", *(kind.keyword for kind in PROCESS_KINDS))
COUNTED = (*(kind.keyword for kind in KINDS), CUT.keyword, *PROCESS_FAULTS)
_WITH_GOAL = (NEVER, ALWAYS_POSSIBLE, LEADS_TO)
#: Other names that people give to survival.
SURVIVAL_ALIASES = ("survives", "survival")


@dataclass(frozen=True)
class Claim:
    """`never` or `always possible` with a goal, `recovers`, `clean`, or a property, perhaps at one bound; or
    that one goal, `after` which it is asked, `leads to` another."""

    what: str
    goal: Goal | None = None
    k: int | None = None
    after: Goal | None = None

    def __post_init__(self) -> None:
        if self.what in SURVIVAL_ALIASES:
            object.__setattr__(self, "what", RECOVERS)
        if (self.goal is not None) != (self.what in _WITH_GOAL):
            raise ValueError(f"'{self.what}' {'needs a' if self.goal is None else 'has no'} goal")
        if (self.after is not None) != (self.what == LEADS_TO):
            raise ValueError(f"'{self.what}' {'needs' if self.after is None else 'has no'} 'after'")

    def __str__(self) -> str:
        return self.written(READABLE)

    def written(self, spelling: Spelling) -> str:
        """The claim as a language spells it."""
        if self.goal is None:
            return self.what if self.k is None else f"{self.what} at {self.k}"
        said = f"{self.what} {show(self.goal, spelling)}"
        return said if self.after is None else f"{show(self.after, spelling)} {said}"

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Those that it speaks of, in the order in which they are written."""
        return tuple(goal for goal in (self.after, self.goal) if goal is not None)

    def map_goals(self, change: Callable[[Goal], Goal]) -> Claim:
        """The same claim on other goals."""
        if self.goal is None:
            return self
        after = None if self.after is None else change(self.after)
        return replace(self, goal=change(self.goal), after=after)


@dataclass(frozen=True)
class Under:
    """The failures of one requirement, which replace those of the file and of the check.

    `faults` and `cuts` of channels, processes that may `crash`, `stop` or `restart`, and `at_most` so many
    faults of a kind (None: of all kinds together). `timers`: `on-time` or `any-time`; without it, as the file
    says.
    """

    faults: tuple[ChannelFaults, ...] = ()
    crash: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    restart: tuple[str, ...] = ()
    at_most: tuple[tuple[str | None, int], ...] = ()
    timers: str = ""
    cuts: tuple[Cut, ...] = ()

    def __post_init__(self) -> None:
        """In one order, so that equal failures are equal however they are listed."""
        put = object.__setattr__
        faults = (f for f in self.faults if f != ChannelFaults(f.sender, f.receiver))
        put(self, "faults", tuple(sorted(faults, key=lambda f: (f.sender, f.receiver))))
        put(self, "cuts", tuple(sorted({tuple(sorted(cut)) for cut in self.cuts})))
        for field_name in PROCESS_FAULTS:
            put(self, field_name, tuple(sorted(set(getattr(self, field_name)))))
        least: dict[str | None, int] = {}
        for kind, number in self.at_most:
            least[kind] = min(number, least.get(kind, number))
        put(self, "at_most", tuple(sorted(least.items(), key=lambda item: item[0] or "")))

    @property
    def processes(self) -> tuple[str, ...]:
        """Every process that it names."""
        ends = [end for fault in self.faults for end in (fault.sender, fault.receiver)]
        ends += [end for cut in self.cuts for channel in cut for end in channel]
        return tuple(dict.fromkeys((*ends, *self.crash, *self.stop, *self.restart)))

    def renamed(self, processes: Mapping[str, str], messages: Mapping[str, str]) -> Under:
        def new(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(processes.get(name, name) for name in names)

        return replace(
            self,
            faults=tuple(fault.renamed(processes, messages) for fault in self.faults),
            crash=new(self.crash),
            stop=new(self.stop),
            restart=new(self.restart),
            cuts=cuts_renamed(self.cuts, processes),
        )


@dataclass(frozen=True)
class Requirement:
    """A claim that is to hold or, with `violated`, one that is known not to hold.

    `under` None: under the failures of the check. `line` is where a file states it.
    """

    claim: Claim
    name: str = ""
    violated: bool = False
    under: Under | None = None
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.violated and self.under is None:
            raise ValueError("an expected violation says under which failures")

    @property
    def claims_property(self) -> bool:
        """Does it claim a property of the table, not survival?"""
        return self.claim.goal is None and self.claim.what not in (RECOVERS, CLEAN)

    @property
    def processes(self) -> tuple[str, ...]:
        """Every process that it names."""
        named = (name for goal in self.claim.goals for name in mentioned(goal))
        return tuple(dict.fromkeys((*named, *(self.under.processes if self.under else ()))))

    @property
    def title(self) -> str:
        """Its name, or else what it claims."""
        return self.name or str(self.claim)

    def renamed(self, processes: Mapping[str, str], messages: Mapping[str, str]) -> Requirement:
        """With other process and message names; what is not mentioned keeps its own."""
        return replace(
            self,
            claim=self.claim.map_goals(lambda goal: rename(goal, processes, messages)),
            under=None if self.under is None else self.under.renamed(processes, messages),
        )
