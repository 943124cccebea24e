"""The example notebook: executed, and stored without what differs from run to run."""

from __future__ import annotations

from typing import Any

import nbclient
import nbformat

from tests.support.paths import DOCS

NOTEBOOK = DOCS / "example.ipynb"


def stored() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


def executed() -> Any:
    """The notebook with fresh outputs; plain text, which contains times, only if there is nothing else."""
    notebook = stored()
    metadata = dict(notebook.metadata)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    notebook.metadata = nbformat.from_dict(metadata)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if len(data) > 1:
                data.pop("text/plain", None)
    return notebook


def save(notebook: Any) -> None:
    nbformat.write(notebook, NOTEBOOK)
