"""Failure models as JSON: what was asked for, and what it means channel by channel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from .actions import Channel
from .failures import ChannelFailure, FailureModel, Failures


def _choice_to_json(choice: bool | tuple[Channel, ...]) -> Any:
    return choice if isinstance(choice, bool) else [str(c) for c in choice]


def failures_to_json(failures: Failures) -> dict[str, Any]:
    """What was asked for."""
    return {
        "loss": _choice_to_json(failures.loss),
        "corrupt": _choice_to_json(failures.corrupt),
        "reorder": _choice_to_json(failures.reorder),
        "corrupt_scope": failures.corrupt_scope,
        "corrupt_map": [[str(c), a, b] for c, a, b in failures.corrupt_map],
        "crash": list(failures.crash),
        "file_faults": failures.file_faults,
    }


def model_to_json(model: FailureModel) -> dict[str, Any]:
    """What that means channel by channel: enough to replay a witness without asking again."""
    return {
        "channels": [
            {
                "from": c.sender,
                "to": c.receiver,
                "loss": f.loss,
                "reorder": f.reorder,
                "becomes": {m: sorted(others) for m, others in f.becomes.items() if others},
                "pool": list(f.pool),
                "total": f.total,
                **({"duplicate": True} if f.duplicate else {}),
            }
            for c, f in model.channels.items()
        ],
        "unreliable": list(model.unreliable),
    }


def model_from_json(data: Mapping[str, Any]) -> FailureModel:
    """The inverse of `model_to_json`."""
    try:
        channels = {
            Channel(row["from"], row["to"]): ChannelFailure(
                loss=bool(row["loss"]),
                reorder=bool(row["reorder"]),
                becomes={str(m): frozenset(map(str, o)) for m, o in row.get("becomes", {}).items()},
                pool=tuple(row.get("pool", ())),
                total=bool(row.get("total", False)),
                duplicate=bool(row.get("duplicate", False)),
            )
            for row in data["channels"]
        }
        return FailureModel(channels, tuple(data.get("unreliable", ())))
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"the failure model is incomplete: {problem}") from None
