"""The matrix protocols x failure models x properties, and its comparison with the paper's table."""

from .matrix import PAPER_COLUMNS, Cell, Column, Matrix, run_table
from .paper import Comparison, Difference, Published, compare, published
from .render import RENDERERS, render

__all__ = [
    "PAPER_COLUMNS",
    "RENDERERS",
    "Cell",
    "Column",
    "Comparison",
    "Difference",
    "Matrix",
    "Published",
    "compare",
    "published",
    "render",
    "run_table",
]
