"""`stormproof testgen`: tests for implementations of one role."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ...kernel.model.failures import Failures
from ...limits import Limits
from ...live.testing.generate import testgen
from ...programs.extraction.load import split_python
from ...programs.extraction.system import ExtractedSystem
from .console import print_json, save_text
from .options import (
    effort_option,
    failure_options,
    input_argument,
    json_option,
    limit_options,
    load_input,
    output_options,
)


@click.command("testgen")
@input_argument
@click.option("--role", required=True, metavar="R", help="The role whose implementations are tested.")
@click.option(
    "--implementation",
    metavar="MODULE:NAME",
    help="What the tests import, and call to start an implementation; default: the role itself.",
)
@failure_options
@effort_option
@output_options
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    role: str,
    implementation: str | None,
    failures: Failures,
    effort: int,
    output: str | None,
    force: bool,
    limits: Limits,
    as_json: bool,
) -> None:
    """Write a pytest file that tests implementations of one role of the protocol in FILE.

    It has a test for each violating run and each sample run that a check finds, and a Hypothesis state
    machine that plays the other roles and the faults. An implementation offers three methods: send, receive
    and timer.

    \b
    Examples:
      stormproof testgen shop.storm --role Buyer --loss -o test_buyer.py
      stormproof testgen transfer.py:protocol --role Sender -o test_sender.py     (runs the file)
      stormproof testgen shop.storm --role Buyer --implementation shop.client:Adapter
    """
    system = load_input(source, format)
    python = split_python(source) if isinstance(system, ExtractedSystem) else None
    folder = Path(output).parent if output is not None else Path()
    text = testgen(
        system,
        role,
        failures,
        implementation=implementation,
        source=None if python is None else (os.path.relpath(python[0], folder), python[1]),
        effort=effort,
        limits=limits,
    )
    if output is not None or not as_json:
        save_text(output, text, overwrite=force)
    if as_json:
        where = {"output": output} if output is not None else {"text": text}
        print_json({"stormproof": 1, "role": role, **where})
