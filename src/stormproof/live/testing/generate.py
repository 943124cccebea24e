"""`testgen`: a pytest file for implementations of one role of a protocol."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...errors import UsageError, did_you_mean
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.phrases import listed
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.transform.mailboxes import refuse_mailboxes
from ...languages.formats import dumps
from ...limits import as_a_whole
from ...options import Knobs
from ...programs.extraction.system import declaring, under_model
from ...search.checks.api import check
from ...search.checks.report import Report
from ..conformance.log import LogEvent
from .reference import AutomatonImplementation
from .role_test import RoleTest
from .scenarios import Scenario, scenarios

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The width of lines that most formatters leave alone.
_WIDTH = 88

_IMPLEMENTATION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")

_HEAD = '''"""Tests for implementations of the role {role} of {protocol}.

Failures: {failures}.
Written by stormproof testgen. Generate this file again when the protocol changes.
"""

{implementation}
#: The protocol, with the faults that the tests cover.
PROTOCOL = {text}

TEST = RoleTest(PROTOCOL, {role_name}, implementation{budget})
'''

_CASE = '''

def {name}() -> None:
    """{about}"""
    TEST.follow({steps})
'''

_MACHINE = '''

class {role}Machine(RoleMachine):
    """An implementation among the other roles, on channels that do all that the protocol lets them do."""

    test = TEST


Test{role} = {role}Machine.TestCase
Test{role}.settings = SETTINGS
'''

_IMPORTED = """{names}
from {module} import {name} as implementation
"""

_AUTOMATON = '''{names}


def implementation() -> Implementation:
    """What is tested: the role itself, as its automaton says. Replace it by your own implementation."""
    return AutomatonImplementation(PROTOCOL, {role_name})

'''

_FUNCTION = '''from pathlib import Path

{names}


def implementation() -> Implementation:
    """What is tested: the role function itself. Replace it by your own implementation."""
    file = Path(__file__).parent / {file}
    return RoleImplementation(role_in(str(file), {name}, {role_name}))

'''

#: The function of `stormproof.testing` for each event.
_STEPS = {"send": "sends", "receive": "receives", "timeout": "timer", "restart": "restarts", "wait": "waits"}


@as_a_whole
def testgen(
    system: System,
    role: str,
    failures: Failures | None = None,
    *,
    implementation: str | None = None,
    source: tuple[str, str] | None = None,
    **knobs: Unpack[Knobs],
) -> str:
    """A pytest file for implementations of a role: a test for each violating run and each sample run of the
    check under these failures, more runs that cover the role's transitions, and a Hypothesis state machine.

    `implementation` is `module:name`, where `name()` gives an `sp.testing.Implementation`. Without it the
    role itself is tested: its function, if `source` is `(file, name)`, the file relative to the folder of the
    tests and the name of the protocol in it; else its automaton.
    """
    _check_implementation(implementation)
    tested = what_is_tested(system, role, failures, **knobs)
    report, text, budget, found = tested.report, tested.text, tested.budget, tested.scenarios
    steps = sorted({_STEPS[event.do] for scenario in found for event in scenario.events})
    head = _HEAD.format(
        role=_inside(role),
        role_name=_quoted(role),
        protocol=_inside(system.name or "the protocol"),
        failures=_inside(report.assumed),
        implementation=_tested(role, steps, implementation, source),
        text=_quoted(text),
        budget=f", {json.dumps(budget)}" if budget else "",
    )
    return "".join([head, *map(_case, found), _MACHINE.format(role=re.sub(r"\W", "_", role))])


@dataclass(frozen=True)
class RoleUnderTest:
    """What tests of a role are made of: the protocol with the faults that they cover, and the runs."""

    role: str
    report: Report
    text: str
    budget: dict[str, int]
    test: RoleTest
    scenarios: tuple[Scenario, ...]

    @property
    def model(self) -> SurvivalModel:
        return self.test.model


def what_is_tested(
    system: System, role: str, failures: Failures | None, **knobs: Unpack[Knobs]
) -> RoleUnderTest:
    check_role(system, role)
    report = check(system, failures, **knobs)
    text = protocol_text(report.prepared or report.system, report.model, role)
    budget = report.failures.budget.to_json()
    test = RoleTest(text, role, lambda: AutomatonImplementation(text, role), budget)
    return RoleUnderTest(role, report, text, budget, test, scenarios(report, test.model, role))


def check_role(system: System, role: str) -> None:
    """UsageError unless tests can be made for this role."""
    if role not in system:
        hint = did_you_mean(role, system.names) or f"roles here: {listed(system.names)}"
        raise UsageError(f"the protocol has no role '{role}'", hint=hint)
    refuse_mailboxes(system, "tests are generated for the channels of pairs only")


def _check_implementation(implementation: str | None) -> None:
    if implementation is not None and not _IMPLEMENTATION.fullmatch(implementation):
        raise UsageError(f"'{implementation}' names no implementation", hint="write it module:name")


def _tested(role: str, steps: list[str], implementation: str | None, source: tuple[str, str] | None) -> str:
    """The imports, and what is tested."""
    names = ["SETTINGS", "RoleMachine", "RoleTest"]
    if implementation is not None:
        module, _, name = implementation.partition(":")
        return _IMPORTED.format(names=_imported([*names, *steps]), module=module, name=name)
    if source is None:
        more = ["AutomatonImplementation", "Implementation"]
        names = [names[0], *more, *names[1:], *steps]
        return _AUTOMATON.format(names=_imported(names), role_name=_quoted(role))
    more = ["Implementation", "RoleImplementation"]
    names = [names[0], *more, *names[1:], *sorted([*steps, "role_in"])]
    file, name = map(_quoted, source)
    return _FUNCTION.format(names=_imported(names), file=file, name=name, role_name=_quoted(role))


def _imported(names: list[str]) -> str:
    """The import of these names, one per line where one line would be long."""
    line = f"from stormproof.testing import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return line
    return "from stormproof.testing import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def protocol_text(checked: System, model: FailureModel, role: str) -> str:
    """The protocol that was checked, and nothing that it requires. It declares the failures of the check, and
    that the role may restart where a requirement says so."""
    under = under_model(model)
    if any(r.under is not None and role in r.under.restart for r in checked.requirements):
        under = replace(under, restart=(*under.restart, role))
    return dumps(replace(declaring(checked, under), requirements=()), "storm")


def _case(scenario: Scenario) -> str:
    steps = "".join(f"        {_step(event)},\n" for event in scenario.events)
    about = textwrap.fill(
        _inside(scenario.about), _WIDTH - 7, subsequent_indent="    ", break_long_words=False
    )
    return _CASE.format(name=scenario.name, about=about, steps=f"\n{steps}    " if steps else "")


def _step(event: LogEvent) -> str:
    given = ", ".join(map(_quoted, (event.peer, event.message))) if event.peer else ""
    return f"{_STEPS[event.do]}({given})"


def _quoted(text: str) -> str:
    """A literal: over several lines if it has some, in double quotes if that needs no escapes."""
    lines = text.split("\n")
    if len(lines) > 1 and '"""' not in text and all(map(str.isprintable, lines)):
        escaped = text.replace("\\", "\\\\")
        return f'"""\\\n{escaped}"""'
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in text else plain


def _inside(text: str) -> str:
    """A text as it may stand in a docstring."""
    return text.replace("\\", "\\\\").replace('"', "'")
