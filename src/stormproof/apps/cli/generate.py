"""`stormproof generate`: a member of a family of protocols."""

from __future__ import annotations

from typing import Any

import click

from ...errors import did_you_mean
from ...languages import formats
from ...languages.protocols.generators import FAMILIES, Family, Parameter, generate
from .console import print_json, save_text
from .convert import target_language
from .options import output_path


class Families(click.Group):
    """One command per family, with its parameters as options."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.commands) or f"the families are {', '.join(self.commands)}"
            raise click.UsageError(f"no family '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group("generate", cls=Families)
def command() -> None:
    """Write a protocol of a family with parameters.

    \b
    Examples:
      stormproof generate paxos --proposers 2 --acceptors 3 --retries 2
      stormproof generate go-back-n --window 4 -o window.storm
      stormproof generate branching --branches 3 --bound 4 --pairs 2 | stormproof check -
    """


def _run(
    family: str, target: str | None, output: str | None, force: bool, as_json: bool, **given: Any
) -> None:
    system = generate(family, **given)
    language = target_language(target, output, "storm")
    text = formats.dumps(system, language)
    if output is not None or not as_json:
        save_text(output, text, overwrite=force)
    if as_json:
        where = {"output": output} if output is not None else {"text": text}
        print_json({"stormproof": 1, "language": language, "name": system.name, **where})


def _option(parameter: Parameter) -> click.Option:
    flag = "--" + parameter.name.replace("_", "-")
    if isinstance(parameter.default, bool):
        return click.Option([flag, parameter.name], is_flag=True, help=parameter.about)
    return click.Option(
        [flag, parameter.name],
        type=click.IntRange(parameter.least, parameter.most),
        default=parameter.default,
        show_default=True,
        help=parameter.about,
    )


def _family_command(family: Family) -> click.Command:
    def run(**options: Any) -> None:
        _run(family.name, **options)

    return click.Command(
        family.name,
        callback=run,
        help=family.about,
        params=[
            *(_option(p) for p in family.parameters),
            click.Option(
                ["--to", "--format", "target"],
                metavar="LANGUAGE",
                help="The language to write; default: storm.",
            ),
            click.Option(
                ["-o", "--output"],
                metavar="PATH",
                callback=output_path,
                help="The file to write; default: standard output.",
            ),
            click.Option(["--force"], is_flag=True, help="Overwrite PATH if it exists."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print JSON for programs."),
        ],
    )


for _each in FAMILIES.values():
    command.add_command(_family_command(_each))
