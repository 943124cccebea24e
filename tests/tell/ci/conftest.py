"""The command line as a fixture: `run("check", "x.storm")`."""

from tests.support.command_line import run  # noqa: F401
