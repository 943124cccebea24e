"""The failures and the budget that a page has set, as far as the text has such channels and roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...kernel.model.actions import Channel
from ...kernel.model.cuts import links
from ...kernel.model.failures import Failures
from ...kernel.model.faults import CUT, KINDS, PROCESS_KINDS, SCOPES
from ...kernel.model.system import System
from ...kernel.model.timers import MODES

#: The faults of roles, by the arguments of `Failures`.
ROLE_FAULTS = ("crash", *(kind.keyword for kind in PROCESS_KINDS))


def settings_to_json(failures: Failures) -> dict[str, Any]:
    """Channels are pairs of names, since a name may contain an arrow."""
    data: dict[str, Any] = {}
    choices = [(kind.keyword, failures.choice(kind)) for kind in KINDS]
    for name, choice in (*choices, (CUT.keyword, failures.cut), ("cut_link", failures.cut_link)):
        data[name] = choice if isinstance(choice, bool) else [list(c) for c in choice]
    return data | {
        **{name: list(getattr(failures, name)) for name in ROLE_FAULTS},
        "corrupt_scope": failures.corrupt_scope,
        "corrupt_map": [[list(c), before, after] for c, before, after in failures.corrupt_map],
        "partition": [list(side) for side in failures.partition],
        "partition_stays": failures.partition_stays,
        "file_faults": failures.file_faults,
        "as_written": failures.as_written,
        "timers": failures.timers,
        "budget": failures.budget.to_json(),
    }


def settings_on(system: System, data: Any) -> Failures:
    """The inverse, without the channels, roles and messages that the system does not have: they were set
    before the text changed."""
    if not isinstance(data, Mapping):
        raise InputError("the settings of a page are an object")
    try:
        return _failures(system, data)
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise InputError(f"the settings of the page cannot be read: {problem}") from None


def _failures(system: System, data: Mapping[str, Any]) -> Failures:
    chosen: dict[str, Any] = {}
    for kind in (*KINDS, CUT):
        choice = data.get(kind.keyword, False)
        chosen[kind.keyword] = choice if isinstance(choice, bool) else _channels(system, choice)
    for name in ROLE_FAULTS:
        chosen[name] = [role for role in data.get(name, ()) if role in system]
    sides = [tuple(side) for side in data.get("partition", ())]
    whole = sorted(name for side in sides for name in side) == sorted(system.names)
    scope = data.get("corrupt_scope", SCOPES[0])
    return Failures(
        **chosen,
        corrupt_scope=scope if scope in SCOPES else SCOPES[0],
        corrupt_map=_corruptions(system, data.get("corrupt_map", ())),
        partition=sides if whole else (),
        partition_stays=whole and data.get("partition_stays") is True,
        cut_link=_links(system, data.get("cut_link", ())),
        file_faults=data.get("file_faults", True) is True,
        as_written=data.get("as_written") is True,
        timers=mode if (mode := data.get("timers")) in MODES else "",
        budget={kind: most for kind, most in (data.get("budget") or {}).items() if most is not None},
    )


def _channels(system: System, pairs: Any) -> list[Channel]:
    return [Channel(*pair) for pair in pairs if tuple(pair) in system.channel_index]


def _links(system: System, pairs: Any) -> list[Channel]:
    known = {frozenset(cut[0]) for cut in links(system.channels)}
    return [Channel(*pair) for pair in pairs if frozenset(pair) in known]


def _corruptions(system: System, rows: Any) -> list[tuple[Channel, str, str]]:
    return [
        (Channel(*pair), before, after)
        for pair, before, after in rows
        if tuple(pair) in system.channel_index and {before, after} <= set(system.messages)
    ]
