"""`stormproof testgen`: tests for implementations of one role."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from ...errors import UsageError
from ...kernel.model.failures import Failures
from ...kernel.model.system import System
from ...limits import Limits
from ...live.testing.generate import testgen
from ...live.testing.vectors import RUNNERS, runner_files, vectors as role_vectors, vectors_text
from ...programs.extraction.load import split_python
from ...programs.extraction.system import ExtractedSystem
from . import HOLDS
from .console import print_json, save_text, uninterrupted
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
@click.option(
    "--vectors", is_flag=True, help="Write the runs and the role as JSON, for tests in any language."
)
@click.option(
    "--runner",
    type=click.Choice([*RUNNERS]),
    help="With --vectors -o: also write what runs them in this language, into the same folder.",
)
@click.option(
    "--serve",
    "served",
    is_flag=True,
    help="Play the other roles and the faults at random, for a driver in any language.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="With --serve: what chance depends on.")
@click.option(
    "--runs", type=click.IntRange(1), default=100, show_default=True, help="With --serve: so many runs."
)
@click.option(
    "--steps", type=click.IntRange(1), default=50, show_default=True, help="With --serve: choices in a run."
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
    vectors: bool,
    runner: str | None,
    served: bool,
    seed: int,
    runs: int,
    steps: int,
    failures: Failures,
    effort: int,
    output: str | None,
    force: bool,
    limits: Limits,
    as_json: bool,
) -> int:
    """Write a pytest file that tests implementations of one role of the protocol in FILE.

    It has a test for each violating run and each sample run that a check finds, and a Hypothesis state
    machine that plays the other roles and the faults. An implementation offers three methods: send, receive
    and timer.

    \b
    Examples:
      stormproof testgen shop.storm --role Buyer --loss -o test_buyer.py
      stormproof testgen transfer.py:protocol --role Sender -o test_sender.py     (runs the file)
      stormproof testgen shop.storm --role Buyer --implementation shop.client:Adapter
      stormproof testgen shop.storm --role Buyer --vectors --runner rust -o tests/buyer.vectors.json
      stormproof testgen shop.storm --role Buyer --serve --seed 7     (a driver of --runner starts it)
    """
    if served:
        if vectors or implementation is not None or output is not None or as_json:
            raise UsageError("--serve writes nothing but lines for a driver", hint="give no other output")
        return _serve(load_input(source, format), role, failures, seed, runs, steps)
    if runner is not None and not (vectors and output):
        raise UsageError("--runner is for vectors in a file", hint="give --vectors and -o")
    if vectors and implementation is not None:
        raise UsageError("vectors are for any implementation", hint="leave out --implementation")
    system = load_input(source, format)
    if vectors:
        found = role_vectors(system, role, failures, effort=effort, limits=limits)
        _save_vectors(found, runner, output, force, as_json)
        return HOLDS
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
    return HOLDS


def _serve(system: System, role: str, failures: Failures, seed: int, runs: int, steps: int) -> int:
    """The last line has the sentence, and the chart of the run that failed."""
    from ...live.testing.lines import Driver
    from ...live.testing.serve import serve
    from ...tell.ci.failure_text import random_failure

    driver = Driver(sys.stdout, sys.stdin)
    found = serve(system, role, failures, driver, seed=seed, runs=runs, steps=steps)
    with uninterrupted():
        if found.failure is not None:
            driver.say("failed", random_failure(found))
        else:
            driver.say("undecided" if found.stopped else "passed", found.headline)
    return found.exit_code


def _save_vectors(
    found: dict[str, Any], runner: str | None, output: str | None, force: bool, as_json: bool
) -> None:
    """The vectors are JSON; `--json` says where they are, as of tests, or has them in an answer."""
    if output is not None or not as_json:
        save_text(output, vectors_text(found), overwrite=force)
    if runner is not None and output is not None:
        for file, text in runner_files(runner).items():
            save_text(str(Path(output).parent / file), text, overwrite=True)
    if as_json:
        where = {"output": output} if output is not None else {"vectors": found}
        print_json({"stormproof": 1, "role": found["role"], **where})
