"""In place of the native engine, which no browser has: its names, and that there is none.

The enumerations are written behind this by the script that builds the page, from the engine itself.
"""

from .errors import UsageError

NATIVE = False


class _Missing:
    def __init__(self, *arguments, **named):
        raise UsageError(
            "this needs the engine, which this page does not have",
            hint="ask on your machine: stormproof check FILE",
        )


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Missing
