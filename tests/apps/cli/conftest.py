"""The command line as fixtures: `run("check", "x.storm")`, and `start` as a process of its own."""

from tests.support.command_line import run  # noqa: F401
from tests.support.processes import start  # noqa: F401
