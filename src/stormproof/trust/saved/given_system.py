"""What a saved result is about: the searched system and the failures, made again of what was given.

Nothing of it is taken from the file but the given system and the failures that were asked for; what the file
says beside them has to be what follows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...errors import InputError, ModelError, UsageError
from ...kernel.data.system import DataSource
from ...kernel.goals.asks import ask_of
from ...kernel.model.ask import RECOVERS, Ask, clean
from ...kernel.model.budget import Budget
from ...kernel.model.failures import FailureModel
from ...kernel.model.failures_json import model_to_json
from ...kernel.model.failures_text import describe_failures
from ...kernel.model.part import whole
from ...kernel.model.properties import known_properties
from ...kernel.model.requirement import Requirement
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.transform.extras import looking_at, of_roles_alone, survival_model
from ...kernel.transform.prepare import prepare, with_process_faults
from ...kernel.transform.stop_restart import Transformed
from ...kernel.transform.under import system_under
from ...languages.formats.json_ import to_json
from ...languages.formats.json_values import same_json
from ...languages.formats.storm import read
from .saved_report import SavedResult, SavedVerdict


@dataclass(frozen=True)
class SavedQuestion:
    """What a verdict answers. `given` is the system before it was changed, with who may crash marked,
    `model` the searched one and its failures; `ask` None: `name` is a property that is no survival."""

    name: str
    given: System
    model: SurvivalModel
    ask: Ask | None


def not_following(result: SavedResult) -> str:
    """What beside the verdicts is not what follows from the given system and the failures; "" if all is."""
    if result.source is not None and (problem := _not_made_of(result.source, result.given)):
        return problem
    try:
        system, model, _ = prepare(result.given, result.failures, result.semantics)
    except UsageError as problem:
        raise InputError(f"the failures cannot be asked of the given system: {problem}") from None
    if system != result.system:
        return "the system is not what the given one becomes under these failures"
    if not same_json(model_to_json(model), model_to_json(result.model)):
        return "what each channel and process may do is not what the failures mean for the given system"
    assumed = describe_failures(result.given.with_unreliable(model.unreliable), model, result.failures.budget)
    if result.head.get("assumed", assumed) != assumed:
        return "what is assumed, in words, is not what the failures mean"
    return ""


def _not_made_of(source: DataSource, given: System) -> str:
    """The automata of roles with variables are made again from their text."""
    try:
        again = whole(read(source.text, "source", source.given))
    except (InputError, ModelError, UsageError) as problem:
        return f"the text that the roles were made of cannot be read: {problem.message}"
    again = replace(again, name=given.name, communication=given.communication)
    if not same_json(to_json(again), to_json(given)):
        return "the system is not what its text describes with these constants"
    return ""


def question_of(result: SavedResult, verdict: SavedVerdict) -> SavedQuestion | None:
    """Nothing of it is taken from the verdict: a requirement is looked up in the system. None: there is no
    such requirement."""
    required = verdict.requirement
    if required is not None:
        known = required in result.given.requirements and required.title == verdict.property
        return required_question(result, required) if known else None
    searched = with_process_faults(result.system, result.model)
    model = _model(searched, result.model, result.failures.budget)
    ask = {"recovers": RECOVERS, "clean": clean(model.system, model.rest)}.get(verdict.property)
    model = of_roles_alone(model) if ask is None else looking_at(model, ask)
    given = result.given.with_unreliable(result.model.unreliable)
    return SavedQuestion(verdict.property, given, model, ask)


def required_question(result: SavedResult, required: Requirement) -> SavedQuestion:
    system, failures, given = result.system, result.model, result.given
    budget: Budget = result.failures.budget
    if required.under is not None:
        given, asked = system_under(given, required.under, result.failures.as_written)
        system, failures, _ = prepare(given, asked, result.semantics)
        budget = asked.budget
    searched = with_process_faults(system, failures)
    model = _model(searched, failures, budget)
    given = given.with_unreliable(failures.unreliable)
    if required.claims_property:
        return SavedQuestion(known_properties(required.claim.what)[0], given, of_roles_alone(model), None)
    ask = ask_of(model, searched.requirement(required))
    model = of_roles_alone(model) if ask is None else looking_at(model, ask)
    return SavedQuestion(required.claim.what, given, model, ask)


def _model(searched: Transformed, failures: FailureModel, budget: Budget) -> SurvivalModel:
    return survival_model(searched.system, failures, budget)
