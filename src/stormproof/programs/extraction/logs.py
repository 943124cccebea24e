"""Calls of `logging`: nothing that a protocol depends on, so they are left out where roles are checked."""

from __future__ import annotations

import ast
import contextlib
import logging
from collections.abc import Iterator

from .source import RoleSource

_CALLS = frozenset(("debug", "info", "warning", "error", "exception", "critical", "log"))


def is_logging(source: RoleSource, node: ast.expr) -> bool:
    """`log.info(...)`, where `log` is a logger that the role finds outside of itself, or the module."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CALLS):
        return False
    return _logger(source, node.func.value) is not None


def _logger(source: RoleSource, node: ast.expr) -> object:
    """The logger that an expression names; None where it names something else."""
    if not isinstance(node, ast.Name) or node.id in source.function.__code__.co_varnames:
        return None
    found = source.free.get(node.id, source.function.__globals__.get(node.id))
    known = isinstance(found, logging.Logger | logging.LoggerAdapter) or found is logging
    return found if known else None


@contextlib.contextmanager
def nothing_logged() -> Iterator[None]:
    """While roles run only to be compared with what was extracted."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
