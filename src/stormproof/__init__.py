"""Does a protocol still work when messages are lost, corrupted or reordered, and when processes crash?

>>> import stormproof as sp
>>> report = sp.check(sp.protocol("alternating-bit"), sp.Failures(loss=True))
>>> report["k-wmc"].holds, report["k-pg"].holds
(True, False)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import (
        FormatError,
        InputError,
        InternalError,
        MissingDependency,
        ModelError,
        OutputError,
        ParseError,
        StormproofError,
        UnknownName,
        UsageError,
    )
    from .kernel.equivalence.compare import Comparison, compare
    from .kernel.model.actions import CRASH, Channel, Internal, Receive, Send, Transition
    from .kernel.model.failures import Failures
    from .kernel.model.faults import ChannelFaults, Corruption
    from .kernel.model.process import Process
    from .kernel.model.requirement import Claim, Requirement, Under
    from .kernel.model.run import Witness
    from .kernel.model.system import System
    from .kernel.transform.crash_completion import complete
    from .kernel.transform.crash_handling import crash_handling
    from .languages.formats import dumps, load, loads, save
    from .languages.formats.storm_requirements import require
    from .languages.protocols import protocol
    from .languages.protocols.generators import generate
    from .limits import Limits
    from .live import runtime, testing
    from .live.conformance.api import trace
    from .live.testing.generate import testgen
    from .programs.extraction.api import extract
    from .programs.extraction.requests import Received, choose, receive, send
    from .programs.extraction.role import role
    from .search.checks.api import check, survives
    from .search.checks.report import Report, Verdict
    from .search.reachability.api import reach
    from .search.reachability.channel_bounds import channel_bounds
    from .surveys.classify import classify
    from .surveys.crash_sets import crash_sets
    from .surveys.failure_models import survey
    from .surveys.fault_counts import fault_counts
    from .surveys.frontier import frontier
    from .tell.draw.chart.build import chart
    from .tell.draw.chart.data import Chart
    from .tell.draw.page.report import report_page
    from .tell.explain.explanation import explanations
    from .tell.explain.suggest import suggest

__all__ = [
    "CRASH",
    "Channel",
    "ChannelFaults",
    "Chart",
    "Claim",
    "Comparison",
    "Corruption",
    "Failures",
    "FormatError",
    "InputError",
    "Internal",
    "InternalError",
    "Limits",
    "MissingDependency",
    "ModelError",
    "OutputError",
    "ParseError",
    "Process",
    "Receive",
    "Received",
    "Report",
    "Requirement",
    "Send",
    "StormproofError",
    "System",
    "Transition",
    "Under",
    "UnknownName",
    "UsageError",
    "Verdict",
    "Witness",
    "channel_bounds",
    "chart",
    "check",
    "choose",
    "classify",
    "compare",
    "complete",
    "crash_handling",
    "crash_sets",
    "dumps",
    "explanations",
    "extract",
    "fault_counts",
    "frontier",
    "generate",
    "load",
    "loads",
    "protocol",
    "reach",
    "receive",
    "report_page",
    "require",
    "role",
    "runtime",
    "save",
    "send",
    "suggest",
    "survey",
    "survives",
    "testgen",
    "testing",
    "trace",
]

#: Where each public name is defined. The module is imported when the name is first used, so that a command
#: does not wait for what it does not need.
_HOMES = {
    "check": "checks.api",
    "survives": "checks.api",
    "Report": "checks.report",
    "Verdict": "checks.report",
    "trace": "conformance.api",
    "chart": "draw.chart.build",
    "Chart": "draw.chart.data",
    "report_page": "draw.page.report",
    "Comparison": "equivalence.compare",
    "compare": "equivalence.compare",
    "FormatError": "errors",
    "InputError": "errors",
    "InternalError": "errors",
    "MissingDependency": "errors",
    "ModelError": "errors",
    "OutputError": "errors",
    "ParseError": "errors",
    "StormproofError": "errors",
    "UnknownName": "errors",
    "UsageError": "errors",
    "explanations": "explain.explanation",
    "suggest": "explain.suggest",
    "extract": "extraction.api",
    "Received": "extraction.requests",
    "choose": "extraction.requests",
    "receive": "extraction.requests",
    "send": "extraction.requests",
    "role": "extraction.role",
    "dumps": "formats",
    "load": "formats",
    "loads": "formats",
    "save": "formats",
    "require": "formats.storm_requirements",
    "Limits": "limits",
    "CRASH": "model.actions",
    "Channel": "model.actions",
    "Internal": "model.actions",
    "Receive": "model.actions",
    "Send": "model.actions",
    "Transition": "model.actions",
    "Failures": "model.failures",
    "ChannelFaults": "model.faults",
    "Corruption": "model.faults",
    "Process": "model.process",
    "Claim": "model.requirement",
    "Requirement": "model.requirement",
    "Under": "model.requirement",
    "Witness": "model.run",
    "System": "model.system",
    "protocol": "protocols",
    "generate": "protocols.generators",
    "reach": "reachability.api",
    "channel_bounds": "reachability.channel_bounds",
    "classify": "surveys.classify",
    "crash_sets": "surveys.crash_sets",
    "survey": "surveys.failure_models",
    "fault_counts": "surveys.fault_counts",
    "frontier": "surveys.frontier",
    "testgen": "testing.generate",
    "complete": "transform.crash_completion",
    "crash_handling": "transform.crash_handling",
}


def __getattr__(name: str) -> object:
    if name in ("runtime", "testing"):
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module 'stormproof' has no attribute '{name}'")
    found: object = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
