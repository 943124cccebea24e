"""How a violation of each property is explained; the table of properties is the kernel's."""

from __future__ import annotations

from collections.abc import Callable

from ...kernel.model.properties import (
    ALIASES as ALIASES,
    CLEAN as CLEAN,
    CRASH_HANDLING as CRASH_HANDLING,
    CRASH_PROPERTIES as CRASH_PROPERTIES,
    DEFAULT_PROPERTIES as DEFAULT_PROPERTIES,
    GOALS as GOALS,
    HALF_DUPLEX as HALF_DUPLEX,
    K_ER as K_ER,
    K_ER_UP_TO_CRASH as K_ER_UP_TO_CRASH,
    K_EXH as K_EXH,
    K_EXH_LITERAL as K_EXH_LITERAL,
    K_EXH_UP_TO_CRASH as K_EXH_UP_TO_CRASH,
    K_MC as K_MC,
    K_OBI as K_OBI,
    K_PG as K_PG,
    K_SAFE as K_SAFE,
    K_SIBI as K_SIBI,
    K_WER as K_WER,
    K_WMC as K_WMC,
    K_WMC_UP_TO_CRASH as K_WMC_UP_TO_CRASH,
    PROPERTIES as PROPERTIES,
    RECOVERS as RECOVERS,
    RSC as RSC,
    SURVIVAL_PROPERTIES as SURVIVAL_PROPERTIES,
    Decision as Decision,
    Guarantee as Guarantee,
    Property as Property,
    Symptom as Symptom,
    base_names as base_names,
    known_properties as known_properties,
    undefined_under as undefined_under,
)
from ..narrate import reason, survival
from ..narrate.reason import RunEnd

_EXPLAIN: dict[str, Callable[[RunEnd], str]] = {
    K_EXH.name: reason.cannot_send,
    K_EXH_LITERAL.name: reason.cannot_send,
    K_ER.name: reason.never_received,
    K_WER.name: reason.nothing_received,
    K_PG.name: reason.waits_for_ever,
    K_OBI.name: reason.outputs_depend_on_the_bound,
    K_SIBI.name: reason.inputs_race,
    RSC.name: reason.no_synchronous_order,
    HALF_DUPLEX.name: reason.both_channels_hold,
    K_ER_UP_TO_CRASH.name: reason.never_received,
    K_EXH_UP_TO_CRASH.name: reason.cannot_send,
    RECOVERS.name: survival.stuck,
    CLEAN.name: survival.left_behind,
}


def explanation(name: str) -> Callable[[RunEnd], str]:
    """What says in a sentence how a run ends against the property."""
    return _EXPLAIN.get(name, reason.situations)
