"""`stormproof studio`: write, see, ask and play, on a page of this machine."""

from __future__ import annotations

import asyncio
import re
import signal
from functools import partial

import click

from ...errors import MissingDependency, UsageError
from ...kernel.model.failures import Failures
from ...limits import Limits
from .options import failure_options, limits_of_each, load_input, missing_for_studio

#: What a link that somebody shared looks like; only the part behind the # matters.
_LINK = re.compile(r"(?:https?://[^#]*)?#(s=[A-Za-z0-9_-]+)")


@click.command("studio")
@click.argument("source", metavar="[FILE]", required=False)
@click.option("--format", "format", metavar="LANGUAGE", help="Read FILE in this language.")
@failure_options
@click.option("--port", type=int, default=0, metavar="N", help="Listen on this port; default: a free one.")
@click.option("--no-open", is_flag=True, help="Print the address and do not open a browser.")
@partial(limits_of_each, "question")
def command(
    source: str | None,
    format: str | None,
    failures: Failures,
    port: int,
    no_open: bool,
    limits: Limits,
) -> int:
    """Write FILE, see its automata, ask what it survives and play its runs, in the browser.

    FILE is a file in any language, a built-in protocol, a `.storm` file yet to be written, or a link that
    somebody shared. Nothing leaves this machine: the server listens on 127.0.0.1 only, and its page loads
    nothing from elsewhere. Stop it with Ctrl-C.

    \b
    Examples:
      stormproof studio
      stormproof studio shop.storm --loss
      stormproof studio alternating-bit --no-open --port 8080
    """
    _require_packages()
    link = _LINK.fullmatch(source.strip()) if source is not None else None
    _serve(None if link else source, format, failures, port, link, not no_open, limits)
    return 0


def _require_packages() -> None:
    missing = missing_for_studio()
    if missing:
        raise MissingDependency(
            f"the studio needs {', '.join(missing)}", hint="install it with: pip install 'stormproof[studio]'"
        )


def _serve(
    source: str | None,
    format: str | None,
    failures: Failures,
    port: int,
    link: re.Match[str] | None,
    opens: bool,
    limits: Limits,
) -> None:
    from ..studio.document import open_document
    from ..studio.guard import Guard
    from ..studio.server import Studio, listen, serve
    from ..studio.stopping import stop_by_signals
    from ..workers.pool import PoolLimits
    from ..workers.settings import settings_to_json

    document = open_document(source, format, load_input)
    if not 0 <= port < 65_536:
        raise UsageError(f"--port must be from 0 to 65535, not {port}")
    listening = listen(port)
    guard = Guard(listening.getsockname()[1])
    pool = PoolLimits(seconds=limits.seconds or 300, memory=limits.bytes or 0, states=limits.states)
    fragment = link[1] if link else ""
    studio = Studio(guard, document, {"settings": settings_to_json(failures)}, pool, fragment)
    stop_by_signals(studio)
    click.echo(f"{document.name} in the studio: {guard.address}")
    click.echo(
        "Ctrl-C stops it." + (" If no page opens, open this address; it serves once." if opens else "")
    )
    try:
        if opens:
            studio.open_in_browser()
        asyncio.run(serve(studio, listening))
        signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        studio.forget_redirect()
    click.echo("stopped")
