"""Reachability without a bound (paper, preliminaries and appendix; semantics, section 6).

`reach` answers *reachable* with a replayed run, *unreachable* with a certificate that `check_certificate`
accepts, or *undecided* with what was tried.
"""

from __future__ import annotations

from .answer import REACHABLE, UNDECIDED, UNREACHABLE, Answer
from .api import reach
from .bounds import Bound, Bounds, bounds
from .certificates import Certificate, check_certificate
from .pnml import pnml

__all__ = [
    "REACHABLE",
    "UNDECIDED",
    "UNREACHABLE",
    "Answer",
    "Bound",
    "Bounds",
    "Certificate",
    "bounds",
    "check_certificate",
    "pnml",
    "reach",
]
