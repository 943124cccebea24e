"""Does a protocol still work when messages are lost, corrupted or reordered, and when processes crash?

>>> import stormproof as sp
>>> report = sp.check(sp.protocol("alternating-bit"), sp.Failures(loss=True))
>>> report["k-wmc"].holds, report["k-pg"].holds
(True, False)
"""

from .checks import check
from .classify import classify
from .comparison import Comparison, compare
from .crash import complete, crash_handling
from .errors import (
    FormatError,
    InputError,
    InternalError,
    MissingDependency,
    ModelError,
    OutputError,
    ParseError,
    StormproofError,
    UsageError,
)
from .failures import Failures
from .faults import ChannelFaults, Corruption
from .formats import dumps, load, loads, save
from .frontier import frontier
from .limits import Limits
from .model import CRASH, Channel, Internal, Process, Receive, Send, System, Transition
from .protocols import protocol
from .reach import reach
from .verdicts import Report, Verdict
from .witness import Witness

__all__ = [
    "CRASH",
    "Channel",
    "ChannelFaults",
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
    "Report",
    "Send",
    "StormproofError",
    "System",
    "Transition",
    "UsageError",
    "Verdict",
    "Witness",
    "check",
    "classify",
    "compare",
    "complete",
    "crash_handling",
    "dumps",
    "frontier",
    "load",
    "loads",
    "protocol",
    "reach",
    "save",
]
