"""The runs against those who are to blame for a violated k-property, built from what the engine found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...kernel.model.actions import Word, pair_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ..engine.k_properties import ViolationEnd
from .end_contents import contents_of


def culprit_run(
    system: System, failures: FailureModel, run: Witness, ends: Sequence[ViolationEnd]
) -> Witness:
    """The run against the culprit of whichever of the ends it comes to."""
    return replace(run, culprit=_culprit(system, failures, ends, run), calm_from=None)


def _culprit(
    system: System, failures: FailureModel, ends: Sequence[ViolationEnd], run: Witness
) -> dict[str, str]:
    """The culprit of the end that the run comes to; of a channel, with the message at its head, which in a
    mailbox that reorders may be another sender's."""
    at = run.end(system)
    end = next(e for e in ends if e.states == at.states and _stands_for(system, failures, e, at.words))
    culprit = dict(end.culprit)
    if "message" in culprit and "process" not in culprit:
        queues = run.channels.items()
        c, word = next((c, w) for c, w in queues if culprit["channel"] in {str(pair_of(c, m)) for m in w})
        culprit |= {"channel": str(pair_of(c, word[0])), "message": str(word[0])}
    return culprit


def _stands_for(system: System, failures: FailureModel, end: ViolationEnd, words: Sequence[Word]) -> bool:
    contents = contents_of(system, failures, end).values()
    return all(content.fits(word) for content, word in zip(contents, words, strict=True))
