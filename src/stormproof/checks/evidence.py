"""The witness that a violated verdict carries: the best of the shortest runs, replayed before it is shown."""

from __future__ import annotations

from ..counterexample.build import POLISH, build_witness
from ..counterexample.contents import contents
from ..counterexample.minimise import Shortest
from ..engine.k_properties import Violation
from ..errors import InternalError
from ..model.run import Witness
from ..trust.replay import BUDGET, replay
from .bug_report import reproducer
from .request import Evidence, Question


def evidence(question: Question, violation: Violation, k: int) -> Evidence:
    """The witness and what the replay kernel says of it; a part of several conjunctions is shown once."""
    key = (id(violation), k)
    if key not in question.evidence:
        witness = _witness(question, violation, k)
        # A run that was not searched for has another to fall back on, at a smaller bound.
        budget = BUDGET if violation.shortest else BUDGET // 5
        question.evidence[key] = (witness, *replayed(question, violation.property, k, witness, budget))
    return question.evidence[key]


def _witness(question: Question, violation: Violation, k: int) -> Witness:
    return build_witness(
        question.system,
        question.model,
        violation.firings,
        contents(question.system, question.model, violation),
        bound=k,
        culprit=violation.end.culprit,
        shortest=violation.shortest,
        runs=_runs(question, violation, k) if question.polish else None,
        polish=POLISH if question.polish else 0,
    )


def _runs(question: Question, violation: Violation, k: int) -> Shortest | None:
    """All shortest runs, where the engine has described them."""
    if not violation.ends:
        return None
    length = len(violation.firings)
    return Shortest(question.system, question.model, k, length, violation.ends, violation.controls)


def replayed(
    question: Question, name: str, k: int | None, witness: Witness, budget: int = BUDGET
) -> tuple[bool | None, tuple[str, ...]]:
    """Ask the replay kernel before the verdict is shown; a mismatch is a defect and says so loudly."""
    if not question.replay:
        return None, ()
    answer = replay(question.system, question.model, name, k, witness, budget)
    if not answer.ok:
        where = reproducer(question.system, question.model, name, k, witness, answer)
        raise InternalError(
            f"the witness against {name} does not replay: {answer.message}; "
            f"what is needed to reproduce this is in {where}"
        )
    if answer.established:
        return True, ()
    return None, (f"replayed as a run; {answer.message}",)
