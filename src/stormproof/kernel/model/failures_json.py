"""Failure models as JSON: what was asked for, and what it means channel by channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError, UsageError
from .actions import Channel
from .failures import ChannelFailure, FailureModel, Failures
from .faults import CUT, KINDS, PLAIN_KINDS, PROCESS_KINDS


def _choice_to_json(choice: bool | tuple[Channel, ...]) -> Any:
    return choice if isinstance(choice, bool) else [str(c) for c in choice]


def failures_to_json(failures: Failures) -> dict[str, Any]:
    """What was asked for."""
    return {
        **{kind.keyword: _choice_to_json(failures.choice(kind)) for kind in KINDS},
        "corrupt_scope": failures.corrupt_scope,
        "corrupt_map": [[str(c), a, b] for c, a, b in failures.corrupt_map],
        "crash": list(failures.crash),
        **{kind.keyword: list(getattr(failures, kind.keyword)) for kind in PROCESS_KINDS},
        "partition": [list(side) for side in failures.partition],
        CUT.keyword: _choice_to_json(failures.cut),
        "cut_link": _choice_to_json(failures.cut_link),
        "partition_stays": failures.partition_stays,
        "file_faults": failures.file_faults,
        "budget": failures.budget.to_json(),
        "as_written": failures.as_written,
        "timers": failures.timers,
    }


def failures_from_json(data: Mapping[str, Any]) -> tuple[Failures, tuple[str, ...]]:
    """The inverse of `failures_to_json`, of an object that holds what they mean, too; and the keys that are
    neither. What is left out is as it is where nothing is asked for."""
    known = failures_to_json(Failures())
    meaning = model_to_json(FailureModel({}))
    asked = {key: data.get(key, default) for key, default in known.items()}
    for key, value in asked.items():
        if not _names_only(value, lists=key in ("partition", "corrupt_map")):
            raise InputError(f"'{key}' of the failures does not list names")
    try:
        failures = Failures(**asked)
    except (UsageError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"the failures that were asked for cannot be read: {problem}") from None
    again = failures_to_json(failures)
    flags = ("file_faults", "as_written", "partition_stays")
    for key, value in asked.items():
        if again[key] != value or type(again[key]) is not (bool if key in flags else type(value)):
            raise InputError(f"'{key}' of the failures is not written as it should be")
    return failures, tuple(f"failures.{key}" for key in sorted({*data} - {*known, *meaning}))


def _names_only(value: Any, lists: bool) -> bool:
    """Does a list hold names or, where they are allowed, lists of them?"""
    parts = value if isinstance(value, list) else []
    return all(isinstance(p, str) or (lists and isinstance(p, list) and _names_only(p, False)) for p in parts)


def model_to_json(model: FailureModel) -> dict[str, Any]:
    """What that means channel by channel: enough to replay a witness without asking again."""
    return {
        "channels": [
            {
                "from": c.sender,
                "to": c.receiver,
                **{kind.keyword: kind in f.kinds for kind in PLAIN_KINDS},
                "becomes": {m: sorted(others) for m, others in f.becomes.items() if others},
                "pool": list(f.pool),
                "total": f.total,
            }
            for c, f in model.channels.items()
        ],
        "unreliable": list(model.unreliable),
        **{f"may_{kind.keyword}": list(getattr(model, kind.keyword)) for kind in PROCESS_KINDS},
        "on_time": model.on_time,
        "may_cut": [[list(channel) for channel in cut] for cut in model.cuts],
    }


def model_from_json(data: Mapping[str, Any]) -> FailureModel:
    """The inverse of `model_to_json`."""
    try:
        channels = {Channel(row["from"], row["to"]): _channel(row) for row in data["channels"]}
        faulty = {kind.keyword: _names(data.get(f"may_{kind.keyword}", ())) for kind in PROCESS_KINDS}
        on_time = data.get("on_time", False) is True
        cuts = tuple(tuple(Channel(*_names(c)) for c in cut) for cut in data.get("may_cut", ()))
        unreliable = _names(data.get("unreliable", ()))
        return FailureModel(channels, unreliable, on_time=on_time, cuts=cuts, **faulty)
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"the failure model is incomplete: {problem}") from None


def _channel(row: Mapping[str, Any]) -> ChannelFailure:
    plain: dict[str, Any] = {kind.keyword: bool(row.get(kind.keyword, False)) for kind in PLAIN_KINDS}
    return ChannelFailure(
        becomes={str(m): frozenset(map(str, o)) for m, o in row.get("becomes", {}).items()},
        pool=tuple(row.get("pool", ())),
        total=bool(row.get("total", False)),
        **plain,
    )


def _names(data: Any) -> tuple[str, ...]:
    if isinstance(data, str) or not all(isinstance(name, str) for name in data):
        raise TypeError(f"{data!r} are not names of processes")
    return tuple(data)
