"""Does a protocol still work when messages are lost, corrupted or reordered, and when processes crash?

>>> import stormproof as sp
>>> report = sp.check(sp.protocol("alternating-bit"), sp.Failures(loss=True))
>>> report["k-wmc"].holds, report["k-pg"].holds
(True, False)
"""

import re
from importlib import import_module
from pathlib import Path

_STUB = re.compile(r"^from \.([\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def _public() -> dict[str, str]:
    """Where each public name is defined, as `__init__.pyi` lists them."""
    text = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    lines = ((home, first or second) for home, first, second in _STUB.findall(text))
    return {name: home for home, names in lines for name in re.findall(r"(\w+) as", names)}


_HOMES = _public()


def __getattr__(name: str) -> object:
    """A module is imported when one of its names is first used, so that a command does not wait for what it
    does not need."""
    if name == "__all__":
        return sorted(_HOMES)
    if name == "__version__":
        return import_module("importlib.metadata").version("stormproof")
    if name not in _HOMES:
        raise AttributeError(f"module 'stormproof' has no attribute '{name}'")
    home = import_module(f".{_HOMES[name]}", __name__)
    found: object = getattr(home, name) if hasattr(home, name) else import_module(f"{home.__name__}.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
