"""The matrix protocols x failure models x properties, and its comparison with a published table."""

from .comparison import CellDifference, Impossible, PaperComparison, PaperRow
from .matrix import PAPER_COLUMNS, Cell, Column, Matrix, run_table

__all__ = [
    "PAPER_COLUMNS",
    "Cell",
    "CellDifference",
    "Column",
    "Impossible",
    "Matrix",
    "PaperComparison",
    "PaperRow",
    "run_table",
]
