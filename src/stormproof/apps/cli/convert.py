"""`stormproof convert`: from any language to any other that is written."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import UsageError, did_you_mean
from ...languages import formats
from .console import print_json, save_text
from .options import input_argument, json_option, load_input, output_options


def _languages() -> str:
    rows = []
    for language in formats.all_formats().values():
        ways = "read and written" if language.write else "read"
        if not language.read:
            ways = "written"
        rows.append(f"  {language.name:<10} {' '.join(language.suffixes):<14} {ways}: {language.about}")
    return "\b\nLanguages:\n" + "\n".join(rows)


class _Convert(click.Command):
    """Languages of other packages are looked for only where the help lists them."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.epilog = _languages()
        super().format_epilog(ctx, formatter)


@click.command("convert", cls=_Convert)
@input_argument
@click.option("--to", "target", metavar="LANGUAGE", help="The language to write; default: the suffix of -o.")
@output_options
@click.option("-k", "k", type=click.IntRange(1), default=1, show_default=True, help="Promela: the capacity.")
@json_option
def command(
    source: str,
    format: str | None,
    target: str | None,
    output: str | None,
    force: bool,
    k: int,
    as_json: bool,
) -> None:
    """Write the system in FILE in another language.

    \b
    Examples:
      stormproof convert net.scm --to storm
      stormproof convert shop.storm -o shop.json
      stormproof convert transfer.py:protocol --to storm     (runs the file)
      stormproof convert elevator.txt --to promela -k 3 -o elevator.pml
    """
    system = load_input(source, format)
    language = target_language(target, output)
    options = {"k": k} if language == "promela" else {}
    text = formats.dumps(system, language, **options)
    if output is not None or not as_json:
        save_text(output, text, overwrite=force)
    if as_json:
        where = {"output": output} if output is not None else {"text": text}
        print_json({"stormproof": 1, "language": language, **where})


def target_language(target: str | None, output: str | None, default: str | None = None) -> str:
    """The language to write: the one named, else the one of the output's suffix, else the default."""
    if target is None and output is None:
        if default is not None:
            return default
        written = [f.name for f in formats.all_formats().values() if f.write]
        raise UsageError(
            f"no language to write is given; use --to {'|'.join(written)}, or -o with its suffix"
        )
    if target is None:
        assert output is not None
        suffix = Path(output).suffix
        fitting = [f.name for f in formats.of_suffix(suffix) if f.write]
        if len(fitting) != 1:
            written = [f.name for f in formats.all_formats().values() if f.write]
            raise UsageError(
                f"the suffix '{suffix}' does not determine the language; add --to {'|'.join(written)}"
            )
        return fitting[0]
    known = formats.FORMATS if target in formats.FORMATS else formats.all_formats()
    if target not in known or not known[target].write:
        written = [f.name for f in formats.all_formats().values() if f.write]
        raise UsageError(
            f"'{target}' cannot be written; these languages can: {', '.join(written)}",
            hint=did_you_mean(target, written),
        )
    return target
