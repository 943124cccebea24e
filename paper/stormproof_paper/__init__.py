"""The paper's published table: its answers, and where they come from, beside those of stormproof."""

from .compare import compare, impossible
from .peer_rows import peer_rows
from .published import Published, published

__all__ = ["Published", "compare", "impossible", "peer_rows", "published"]
