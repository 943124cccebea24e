"""The command line, in process."""

from tests.support.command_line import run  # noqa: F401
