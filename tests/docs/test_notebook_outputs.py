"""docs/example.ipynb is stored with the outputs that it has when it is executed."""

from __future__ import annotations

import pytest

pytest.importorskip("nbclient", reason="nbclient is not installed: the notebook is not executed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed: the notebook is not executed")

from tests.support import notebook


def test_every_cell_is_stored_with_its_output() -> None:
    cells = [cell for cell in notebook.stored().cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    kinds = [set(output.get("data", {"text": None})) for cell in cells for output in cell.outputs]
    assert kinds == [
        {"image/svg+xml"},
        {"text/html"},
        {"text/html"},
        {"image/svg+xml"},
        {"text"},
        {"text/plain"},
    ]


@pytest.mark.filterwarnings("ignore")
def test_the_stored_outputs_are_what_is_shown_now() -> None:
    fresh, stored = notebook.executed(), notebook.stored()
    for now, then in zip(fresh.cells, stored.cells, strict=True):
        assert now.get("outputs") == then.get("outputs"), f"{now.id} differs: scripts/refresh_docs stores it"
