"""The properties, one row each: what it says, and how it is decided.

Everything that depends on which property is asked reads this table. The definitions are in `oracle`, and the
replay kernel and the checker of certificates have readings of their own; CONTRIBUTING, *Adding a property*,
lists the places.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from ...errors import UsageError, did_you_mean
from ...records import dataclass
from .budget import Budget
from .failures import FailureModel
from .requirement import SURVIVAL_ALIASES


class Decision(enum.Enum):
    """How a property is decided."""

    BOUNDED = "explored for k = 1, 2, ... together with the other properties of a bound"
    RSC = "a search of rendezvous prefixes"
    HALF_DUPLEX = "a search of rendezvous pairs or counters"
    CRASH_HANDLING = "read off the automata"
    SURVIVAL = "storms explored for k = 1, 2, ..., calm futures, and a proof for channels of any length"


class Symptom(enum.Enum):
    """What is wrong at the end of a run, where the explanation can say more than one sentence."""

    WAITS = "a process waits for what never comes"
    UNRECEIVED = "a message is never received"
    BLOCKED = "a channel is full and stays full"


class Guarantee(enum.Enum):
    """What a property at one bound implies for channels of any length, where its guard holds."""

    SAFE = "safe for channels of any length"
    EXISTENTIALLY_BOUNDED = "existentially bounded"


@dataclass(frozen=True)
class Property:
    """One row. A conjunction has `parts` and is explained by the part that fails; a variant of a property is
    shown by the same runs. `received_once`: it presupposes that no message is received twice;
    `in_pairs_only`: that each ordered pair of processes has a channel."""

    name: str
    sentence: str
    title: str
    decision: Decision
    parts: tuple[Property, ...] = ()
    symptom: Symptom | None = None
    guarantee: Guarantee | None = None
    perfect_channels_only: bool = False
    variant_of: Property | None = None
    excuses_crashed: bool = False
    received_once: bool = False
    in_pairs_only: bool = False

    @property
    def bounded(self) -> bool:
        return self.decision is Decision.BOUNDED

    @property
    def original(self) -> Property:
        """The property that this is a variant of, or the property itself."""
        return self.variant_of or self

    @property
    def bases(self) -> tuple[Property, ...]:
        """The properties that are really decided: the parts, or the property itself."""
        return self.parts or (self,)


K_EXH = Property(
    "k-exh",
    "every send of a sending state can be fired within the bound",
    "Exhaustivity fails",
    Decision.BOUNDED,
    symptom=Symptom.BLOCKED,
    guarantee=Guarantee.EXISTENTIALLY_BOUNDED,
)
K_EXH_LITERAL = Property(
    "k-exh-literal",
    "the same, as the paper's text has it: the process itself may act before",
    "Exhaustivity fails",
    Decision.BOUNDED,
    symptom=Symptom.BLOCKED,
    variant_of=K_EXH,
)
K_ER = Property(
    "k-er",
    "every message at the head of a channel can still be received",
    "Eventual reception fails",
    Decision.BOUNDED,
    symptom=Symptom.UNRECEIVED,
)
K_WER = Property(
    "k-wer",
    "from every channel that holds a message something can still be received",
    "Weak eventual reception fails",
    Decision.BOUNDED,
    symptom=Symptom.UNRECEIVED,
)
K_PG = Property(
    "k-pg",
    "every process that waits to receive can still receive, send or end",
    "Progress fails",
    Decision.BOUNDED,
    symptom=Symptom.WAITS,
)
K_SAFE = Property("k-safe", "k-er and k-pg", "k-safety fails", Decision.BOUNDED, parts=(K_ER, K_PG))
K_MC = Property(
    "k-mc",
    "k-multiparty compatible: k-exh, k-er and k-pg",
    "k-multiparty compatibility fails",
    Decision.BOUNDED,
    parts=(K_EXH, K_ER, K_PG),
    guarantee=Guarantee.SAFE,
)
K_WMC = Property(
    "k-wmc",
    "weakly k-multiparty compatible: k-exh and k-er",
    "Weak k-multiparty compatibility fails",
    Decision.BOUNDED,
    parts=(K_EXH, K_ER),
)
K_OBI = Property(
    "k-obi",
    "output bound independent: if one send of a state fits, all do",
    "Output bound independence fails",
    Decision.BOUNDED,
    perfect_channels_only=True,
    in_pairs_only=True,
)
K_SIBI = Property(
    "k-sibi",
    "strongly input bound independent: receptions do not race",
    "Strong input bound independence fails",
    Decision.BOUNDED,
    perfect_channels_only=True,
    in_pairs_only=True,
)
RSC = Property(
    "rsc",
    "realisable with synchronous communication",
    "Realisability with synchronous communication fails",
    Decision.RSC,
    received_once=True,
)
HALF_DUPLEX = Property(
    "half-duplex",
    "never both channels of two processes hold messages",
    "The half-duplex property fails",
    Decision.HALF_DUPLEX,
    received_once=True,
    in_pairs_only=True,
)
CRASH_HANDLING = Property(
    "crash-handling", "every crash is announced and handled", "Crash handling fails", Decision.CRASH_HANDLING
)
K_ER_UP_TO_CRASH = Property(
    "k-er-up-to-crash",
    "k-er, messages to a crashed process excused",
    "Eventual reception fails",
    Decision.BOUNDED,
    symptom=Symptom.UNRECEIVED,
    variant_of=K_ER,
    excuses_crashed=True,
)
K_EXH_UP_TO_CRASH = Property(
    "k-exh-up-to-crash",
    "k-exh, sends to a crashed process excused",
    "Exhaustivity fails",
    Decision.BOUNDED,
    symptom=Symptom.BLOCKED,
    variant_of=K_EXH,
    excuses_crashed=True,
)
K_WMC_UP_TO_CRASH = Property(
    "k-wmc-up-to-crash",
    "k-wmc, what goes to a crashed process excused",
    "Weak k-multiparty compatibility fails",
    Decision.BOUNDED,
    parts=(K_EXH_UP_TO_CRASH, K_ER_UP_TO_CRASH),
    excuses_crashed=True,
)

RECOVERS = Property(
    "recovers",
    "whatever happened, once the faults stop, the protocol can still come to rest",
    "The protocol does not recover",
    Decision.SURVIVAL,
)
CLEAN = Property(
    "clean",
    "when everybody rests, nothing is left in a channel",
    "Messages are left behind",
    Decision.SURVIVAL,
)

#: Every property that can be asked for, by name, in the order in which they are listed.
PROPERTIES: dict[str, Property] = {
    row.name: row
    for row in (
        RECOVERS,
        CLEAN,
        K_EXH,
        K_EXH_LITERAL,
        K_ER,
        K_WER,
        K_PG,
        K_SAFE,
        K_MC,
        K_WMC,
        K_OBI,
        K_SIBI,
        RSC,
        HALF_DUPLEX,
        CRASH_HANDLING,
        K_ER_UP_TO_CRASH,
        K_EXH_UP_TO_CRASH,
        K_WMC_UP_TO_CRASH,
    )
}

#: Survival, which is asked first.
SURVIVAL_PROPERTIES = (RECOVERS.name, CLEAN.name)

#: The classes, asked where nothing is named; and in addition where a process may crash.
DEFAULT_PROPERTIES = tuple(p.name for p in (K_EXH, K_ER, K_PG, K_MC, K_WMC, RSC))
CRASH_PROPERTIES = tuple(
    p.name for p in (CRASH_HANDLING, K_ER_UP_TO_CRASH, K_EXH_UP_TO_CRASH, K_WMC_UP_TO_CRASH)
)


#: Other names of properties, and what to ask for instead of names that are goals.
ALIASES = {
    "progress": K_PG.name,
    "safe": K_SAFE.name,
    **dict.fromkeys(SURVIVAL_ALIASES, RECOVERS.name),
}
GOALS = {
    "deadlock": "ask for recovers, which excludes it; or for one: stormproof reach FILE deadlock",
    "livelock": "ask for recovers, which excludes it",
    "unspecified": "it is a goal: stormproof reach FILE unspecified",
    "orphan": "it is a goal: stormproof reach FILE orphan; or ask for clean",
}


def known_properties(names: str | Iterable[str], required: Sequence[str] = ()) -> tuple[str, ...]:
    """The names without repetition; an unknown one is refused with the nearest, which may be that of what a
    file has `required`."""
    given = dict.fromkeys([names] if isinstance(names, str) else names)
    asked = tuple(dict.fromkeys(ALIASES.get(name, name) for name in given))
    for name in asked:
        if name not in PROPERTIES:
            in_file = f"the file requires {', '.join(required)}, and " if required else ""
            raise UsageError(
                f"unknown property '{name}'; {in_file}there are {', '.join(PROPERTIES)}",
                hint=did_you_mean(name, required) or _instead(name) or did_you_mean(name, PROPERTIES),
            )
    return asked


def _instead(name: str) -> str | None:
    """What to type where the name is that of a goal, or begins a requirement."""
    if name.startswith(("never ", "always ")):
        return f"put it into the file: require {name}"
    goal = next((goal for goal in GOALS if goal in name.casefold()), None)
    return None if goal is None else GOALS[goal]


def undefined_under(name: str, model: FailureModel, budget: Budget, mailboxes: bool) -> str:
    """Why a property is not defined under a failure model, or with mailboxes; "" where it is."""
    if mailboxes and PROPERTIES[name].in_pairs_only:
        return f"{name} is a property of the channels of pairs, and here each process has a mailbox"
    if budget.limited and PROPERTIES[name].decision not in (Decision.SURVIVAL, Decision.CRASH_HANDLING):
        return f"{name} is defined for any number of faults only, and the budget allows {budget}"
    if model.cuts and PROPERTIES[name].decision not in (Decision.SURVIVAL, Decision.CRASH_HANDLING):
        return f"{name} is not defined where links may be cut for good (definitions 15.8)"
    kinds = [kind.noun for kind in model.kinds if not kind.matches_once]
    if not (PROPERTIES[name].received_once and kinds):
        return ""
    return (
        f"{name} is not defined under {' and '.join(kinds)}: it presupposes that no message is received twice"
    )


def base_names(names: Sequence[str]) -> tuple[str, ...]:
    """The properties that are really decided for these."""
    return tuple(dict.fromkeys(base.name for name in names for base in PROPERTIES[name].bases))
