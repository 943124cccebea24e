"""Tests of implementations: what `stormproof testgen` writes runs on this.

Implementation                        the interface that an implementation of a role offers to the tests
RoleTest(protocol, role, make)        a role of a protocol, and what makes an implementation of it
sends, receives, timer, restarts, waits    the steps of a test
RoleMachine, SETTINGS                 the Hypothesis state machine, and how long it runs
RoleImplementation, role_in           a role function as an implementation
vectors(system, role, failures)       the runs as data, for other languages
AutomatonImplementation               the automaton of a role as an implementation
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .interface import Implementation, Restartable
from .reference import AutomatonImplementation, RoleImplementation, role_in
from .role_test import RoleTest, receives, restarts, sends, timer, waits

if TYPE_CHECKING:
    from .machine import SETTINGS, RoleMachine

__all__ = [
    "SETTINGS",
    "AutomatonImplementation",
    "Implementation",
    "Restartable",
    "RoleImplementation",
    "RoleMachine",
    "RoleTest",
    "receives",
    "restarts",
    "role_in",
    "sends",
    "timer",
    "waits",
]


def __getattr__(name: str) -> object:
    """The state machine needs Hypothesis, which only those who run it have to install."""
    if name not in ("RoleMachine", "SETTINGS"):
        raise AttributeError(f"module 'stormproof.testing' has no attribute '{name}'")
    try:
        found: object = getattr(import_module(".machine", __name__), name)
    except ImportError as problem:
        from ...errors import MissingDependency

        raise MissingDependency(
            "the generated tests need Hypothesis", hint="pip install hypothesis"
        ) from problem
    return found
