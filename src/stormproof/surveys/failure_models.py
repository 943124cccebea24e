"""The failure models that a report compares, and the checks under each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..kernel.model.arguments import check_arguments
from ..kernel.model.failures import Failures
from ..kernel.model.faults import PAPER_KINDS
from ..kernel.model.system import System
from ..limits import as_a_whole, is_over, why_interrupted
from ..options import Knobs, Options
from ..search.checks.api import check
from ..search.checks.report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

ASKED = "as asked"


def failure_models(system: System, asked: Failures) -> dict[str, Failures]:
    """None, each fault on every channel, crashes where somebody is asked to crash, and the asked mixture.

    Processes that the file says may crash do so under every model, which their names then say. What was
    asked for is left out where it means the same as one of the others. A budget is that of every model.
    """
    common: dict[str, Any] = {
        "file_faults": not system.faults,
        "budget": asked.budget,
        "as_written": asked.as_written,
        "timers": asked.timers,
    }
    found = {"none": Failures(**common)}
    for kind in PAPER_KINDS:
        asked_for: dict[str, Any] = {kind.keyword: True}
        found[kind.noun] = Failures(**asked_for, corrupt_scope=asked.corrupt_scope, **common)
    if system.unreliable:
        found = {"crash" if name == "none" else f"crash, {name}": f for name, f in found.items()}
    if set(asked.crash) - set(system.unreliable):
        found["more crashes" if system.unreliable else "crash"] = Failures(crash=asked.crash, **common)
    known = [f.on(system) for f in found.values()]
    if asked.on(system) not in known:
        found[ASKED] = asked
    return found


def asked_column(system: System, asked: Failures) -> str:
    """The name of the model that means what was asked for."""
    wanted = asked.on(system)
    return next(name for name, f in failure_models(system, asked).items() if f.on(system) == wanted)


@as_a_whole
def survey(
    system: System,
    asked: Failures | None = None,
    *,
    k: int | None = None,
    max_k: int | None = None,
    properties: Iterable[str] | None = None,
    **knobs: Unpack[Knobs],
) -> dict[str, Report]:
    """A check under each model, with its own effort; the time limit is shared out among them.

    Ctrl-C and the time limit leave out the models that come after the one being checked, whose notes say so.
    """
    check_arguments(system, asked)
    models = failure_models(system, asked or Failures())
    options = Options().but(**knobs)
    if options.limits.seconds is not None:
        share = replace(options.limits, seconds=options.limits.seconds / len(models))
        options = replace(options, limits=share)
    names = None if properties is None else tuple(properties)
    found = {}
    for name, failures in models.items():
        found[name] = check(
            system,
            failures,
            k=k,
            max_k=max_k,
            properties=names,
            options=options,
        )
        left_out = [other for other in models if other not in found]
        if (found[name].interrupted or is_over()) and left_out:
            note = f"{why_interrupted()}: nothing was checked under {', '.join(left_out)}"
            found[name] = replace(found[name], notes=(*found[name].notes, note))
            break
    return found
