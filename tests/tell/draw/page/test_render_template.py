"""The template environment: values are escaped, unknown ones are errors, and nothing else loads it."""

from __future__ import annotations

import subprocess
import sys

import jinja2
import pytest

from stormproof.tell.draw.page.render_template import render_template


def test_values_are_escaped() -> None:
    chart = {"svg": "<svg/>", "properties": ["<b>"]}
    shown = render_template(
        "notebook_report", style="", name="<i>", rows=[("<u>",)], charts=[chart], page="<p>"
    )
    assert "<svg/>" in shown and not any(f"<{name}>" in shown for name in "buip")


def test_a_value_that_is_not_given_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="words"):
        render_template("notebook_verdict", verdict={"property": "rsc"}, reason="", steps="")


def test_the_command_line_starts_without_the_template_engine() -> None:
    script = (
        "import sys\n"
        "from stormproof.apps.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    print('jinja2' in sys.modules)\n"
    )
    for arguments in (["--version"], ["check", "half-duplex"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "False"
