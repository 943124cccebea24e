"""The one template environment: every page and every fragment of HTML is a template of this package.

Values are escaped unless a template marks them as safe, as only our own pictures, styles and scripts are.
Jinja2 is imported when the first page is rendered, not when the command line starts.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from ....kernel.model.status import Status

if TYPE_CHECKING:
    from jinja2 import Environment


def render_template(name: str, /, **context: object) -> str:
    """The template `name`, without its suffix, filled in."""
    return _environment().get_template(f"{name}.html.j2").render(context)


def asset(name: str) -> str:
    """A style sheet or script that a page carries in itself."""
    return _read("assets", name)


@cache
def _environment() -> Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _read("templates", name)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["signs"] = Status
    return environment


def _read(folder: str, name: str) -> str:
    return resources.files(__package__).joinpath(folder).joinpath(name).read_text(encoding="utf-8")
