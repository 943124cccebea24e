"""The rows of a campaign as a table: a row per verdict, no column in a column; CSV of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

#: What a job says, and what each of its verdicts says.
_OF_JOB = ("source", "failures", "semantics", "assumed")
_OF_VERDICT = (
    "property",
    "k",
    "status",
    "holds",
    "up_to",
    "faults",
    "fewest",
    "reason",
    "states",
    "transitions",
)
COLUMNS = (*_OF_JOB, *_OF_VERDICT, "seconds", "problem")


def table_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each verdict of each job, and each job that has none, with its `problem`."""
    for row in rows:
        job = {name: row.get(name) for name in _OF_JOB}
        verdicts = row.get("verdicts") or ()
        for verdict in verdicts:
            found = {name: verdict.get(name) for name in (*_OF_VERDICT, "seconds")}
            yield {**dict.fromkeys(COLUMNS), **job, **found}
        if not verdicts:
            problem = row.get("error") or row.get("reason") or row.get("died") or "no verdict"
            yield {**dict.fromkeys(COLUMNS), **job, "problem": str(problem)}


def rows_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """A line per verdict; what is not known is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table_rows(rows))
    return out.getvalue()
