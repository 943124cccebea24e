"""The matrix protocols x failure models x properties, and its comparison with the paper's table."""

from .comparison import CellDifference, Impossible, PaperComparison, compare, impossible
from .matrix import PAPER_COLUMNS, Cell, Column, Matrix, run_table
from .peer_rows import peer_rows
from .published import Published, published

__all__ = [
    "PAPER_COLUMNS",
    "Cell",
    "CellDifference",
    "Column",
    "Impossible",
    "Matrix",
    "PaperComparison",
    "Published",
    "compare",
    "impossible",
    "peer_rows",
    "published",
    "run_table",
]
