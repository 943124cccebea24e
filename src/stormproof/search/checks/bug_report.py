"""The file that is left behind when a witness does not replay: a saved result, with what the kernel said."""

from __future__ import annotations

import hashlib
import json
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ...errors import OutputError
from ...kernel.model.run import Replay, Witness
from .recovery import name_of
from .report import Report, Verdict
from .request import Request


def write_bug_report(
    request: Request, part: str, k: int | None, witness: Witness, answer: Replay, folder: Path | None = None
) -> Path:
    """Write everything that is needed to see the mismatch again, and say where.

    The file has the form of `check --json`, so `stormproof replay` reads it. It goes into the working
    directory, or, where that cannot be written, among the temporary files.
    """
    required = next((r for r in request.requirements if name_of(r) == part), None)
    property = part if required is None else required.title
    verdict = Verdict(
        property, False, k=k, reason=answer.message, witness=witness, witness_k=k, requirement=required
    )
    report = Report(
        system=request.system,
        failures=request.failures,
        model=request.model,
        verdicts=(verdict,),
        semantics=request.semantics,
        given=request.given,
        prepared=request.prepared,
        asked=(property,),
    )
    data = report.to_json()
    data["reproducer"] = {"version": _version(), "replay": answer.message}
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    name = f"stormproof-reproducer-{property}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    for place in (folder or Path.cwd(), Path(tempfile.gettempdir())):
        try:
            (place / name).write_text(text, encoding="utf-8")
            return place / name
        except OSError as problem:
            failed = problem
    raise OutputError(f"no bug report could be written: {failed}")


def _version() -> str:
    try:
        return version("stormproof")
    except PackageNotFoundError:
        return "unknown"
