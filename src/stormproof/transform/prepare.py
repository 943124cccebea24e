"""The system that is searched: who may crash is marked, crash handling completed, encodings applied."""

from __future__ import annotations

from ..errors import UsageError
from ..model.failures import FailureModel, Failures
from ..model.phrases import listed
from ..model.system import System
from . import crash_handling, paper_encodings


def prepare(
    system: System, failures: Failures, semantics: str = "definition"
) -> tuple[System, FailureModel, tuple[str, ...]]:
    """The system that is searched: who may crash is marked, crash handling completed, encodings applied.

    A completed system also cleans up, as the translation from types does: else the crash message would stay
    behind wherever somebody has finished, and k-er fail for that alone.
    """
    if semantics not in ("definition", "encoding"):
        raise UsageError(f"unknown semantics '{semantics}'; it is 'definition' or 'encoding'")
    model = failures.on(system)
    marked = system.with_unreliable(model.unreliable)
    remarks: list[str] = []
    if model.unreliable and not crash_handling.crash_handling(marked).holds:
        marked = crash_handling.complete(marked, clean_up=True)
        remarks.append(
            f"crash handling was completed: {listed(model.unreliable)} may crash, which the system as given "
            "does not handle (`stormproof crash` shows what was missing)"
        )
    if semantics == "encoding":
        marked, model = paper_encodings.encode(marked, paper_encodings.resolve(marked, failures))
        remarks.append("loss and corruption are the paper's encodings (its section 7), not the definitions")
    return marked, model, tuple(remarks)
