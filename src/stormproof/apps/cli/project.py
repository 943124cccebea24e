"""`stormproof project`: what each role does, as a local session type."""

from __future__ import annotations

import click

from ...errors import UsageError
from ...languages import formats, protocols
from ...languages.formats import ctx, scribble
from ...languages.types.local import layout_local, role_text
from ...languages.types.recover import session_of_system
from ...languages.types.session import Session
from .console import print_json, print_text
from .options import input_argument, json_option, load_input


@click.command("project")
@input_argument
@click.option("--role", "roles", multiple=True, metavar="R", help="Only this role; may be repeated.")
@click.option(
    "--protocol", metavar="NAME", help="The protocol of FILE to use; default: the first that is not aux."
)
@click.option(
    "--style",
    type=click.Choice(["storm", "ctx"]),
    default="storm",
    show_default=True,
    help="The spelling: that of .storm files, or that of typing contexts.",
)
@json_option
def command(
    source: str,
    format: str | None,
    roles: tuple[str, ...],
    protocol: str | None,
    style: str,
    as_json: bool,
) -> None:
    """Print the local session type of each role of FILE.

    A global protocol is projected; a typing context is printed as it is; automata are turned into types where
    they are such. What is printed is itself a .storm file (or, with --style ctx, a typing context).

    \b
    Examples:
      stormproof project shop.nuscr
      stormproof project shop.nuscr --role Buyer
      stormproof project shop.nuscr --protocol Refund --style ctx
    """
    session = _session(source, format, protocol)
    chosen = roles or session.roles
    for role in chosen:
        session.type(role)
    if as_json:
        print_json(_to_json(session, chosen, style))
    elif style == "ctx":
        print_text(_ctx(session, chosen))
    else:
        print_text(_storm(session, chosen, whole=not roles))


def _session(source: str, format: str | None, protocol: str | None) -> Session:
    """Types are kept as they were written; only automata have to be turned into types."""
    if source != "-" and protocols.is_library_name(source):
        return _refuse_choice(session_of_system(load_input(source, format))[0], protocol)
    path, part = formats.split_part(source)
    text = formats.read_text(path)
    name = formats.display_name(path)
    language = format or formats.detect(text, name).name
    if language == "scribble":
        return scribble.read_session(text, name, protocol or part or None)
    if language == "ctx":
        return _refuse_choice(ctx.read_session(text, name), protocol or part)
    return _refuse_choice(session_of_system(formats.loads(text, language, name))[0], protocol or part)


def _refuse_choice(session: Session, protocol: str | None) -> Session:
    if protocol:
        raise UsageError("there is one protocol here; --protocol chooses among those of a Scribble file")
    return session


def _storm(session: Session, roles: tuple[str, ...], whole: bool) -> str:
    lines = [f"protocol {role_text(session.name)}"] if whole and session.name else []
    for role in roles:
        mark = "unreliable " if role in session.unreliable else ""
        lines.append(f"{mark}role {role_text(role)} = {layout_local(session.type(role))}")
    return "\n".join(lines)


def _ctx(session: Session, roles: tuple[str, ...]) -> str:
    entries = []
    for role in roles:
        mark = "!" if role in session.unreliable else ""
        entries.append(f"{mark}s[{role_text(role)}]: {layout_local(session.type(role), 'ctx', indent=1)}")
    return ",\n\n".join(entries)


def _to_json(session: Session, roles: tuple[str, ...], style: str) -> dict[str, object]:
    return {
        "stormproof": 1,
        "protocol": session.name,
        "roles": [
            {
                "name": role,
                "reliable": role not in session.unreliable,
                "type": layout_local(session.type(role), style, width=10**9),
            }
            for role in roles
        ],
        "warnings": [str(w) for w in session.warnings],
    }
