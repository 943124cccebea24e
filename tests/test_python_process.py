"""No command, and no process that it starts, runs anything of the current folder or the folder of a file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.apps.cli import COMMANDS
from stormproof.python_process import python_process
from tests.support.hostile_folder import NAMES, HostileFolder
from tests.support.language_server import LanguageServer
from tests.support.paths import ROOT, STORMPROOF

SHOP = """protocol Shop
faults Buyer -> Shop: loss
role Buyer { ask: Shop!order -> wait
  wait: Shop?price -> done
  done: }
role Shop { idle: Buyer?order -> quote
  quote: Buyer!price -> done
  done: }
"""
ROLES = """
import stormproof as sp

@sp.role
def A():
    yield sp.send("B", "hello")

@sp.role
def B():
    yield sp.receive("A")

def protocol():
    return sp.extract(A, B)
"""
LOG = '{"role": "Buyer", "do": "send", "peer": "Shop", "message": "order"}\n'

#: What each command is asked; {file} is a protocol and {roles} one in Python, in the other hostile folder.
ASKED = {
    "check": ["{file}", "--certificate", "--examples"],
    "lint": ["{file}", "--json"],
    "show": ["{file}"],
    "convert": ["{file}", "--to", "json"],
    "compare": ["{file}", "{file}"],
    "fmt": ["{file}"],
    "list": [],
    "classify": ["{file}", "--survival"],
    "explain": ["{file}", "--suggest", "50"],
    "report": ["{file}", "--frontier", "survival"],
    "draw": ["{file}"],
    "replay": ["{result}"],
    "reach": ["{file}", "deadlock"],
    "trace": ["{file}", "{log}"],
    "testgen": ["{file}", "--role", "Buyer"],
    "gate": ["{file}", "--role", "Buyer", "--run", "true", "--jobs", "1"],
    "crash": ["{file}"],
    "project": ["{file}"],
    "generate": ["ring", "--size", "3"],
    "table": ["{file}", "--models", "none", "--property", "rsc"],
    "campaign": ["{file}", "-o", "{results}", "--models", "loss"],
    "frontier": ["{file}"],
    "mutate": ["{file}", "--jobs", "2"],
    "completion": ["bash"],
}
#: Those that run until they are ended have tests of their own.
SERVERS = {"studio", "lsp", "mcp"}


@pytest.fixture
def here(tmp_path: Path) -> HostileFolder:
    """The current folder."""
    return HostileFolder(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path) -> HostileFolder:
    """The folder of the files."""
    found = HostileFolder(tmp_path / "there")
    for name, text in (("shop.storm", SHOP), ("roles.py", ROLES), ("log.ndjson", LOG)):
        (found.path / name).write_text(text, encoding="utf-8")
    return found


@pytest.fixture(autouse=True)
def nothing_ran(here: HostileFolder, there: HostileFolder) -> Iterator[None]:
    yield
    assert here.ran == "" and there.ran == ""


def asked(arguments: list[str], there: HostileFolder) -> list[str]:
    names = {
        "file": "shop.storm",
        "roles": "roles.py:protocol",
        "log": "log.ndjson",
        "result": "result.json",
        "results": "results.jsonl",
    }
    return [a.format_map({key: str(there.path / name) for key, name in names.items()}) for a in arguments]


def run(here: HostileFolder, *arguments: str) -> str:
    """What the command prints, and only if it has answered."""
    done = subprocess.run(
        [STORMPROOF, *arguments],
        cwd=here.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    assert done.stdout, done.stderr
    return done.stdout


def test_every_command_is_tried() -> None:
    assert ASKED.keys() | SERVERS == COMMANDS.keys()


@pytest.mark.parametrize("command", ASKED)
def test_a_command_runs_nothing_of_a_folder(command: str, here: HostileFolder, there: HostileFolder) -> None:
    if command == "replay":
        printed = run(here, *asked(["check", "{file}", "--json"], there))
        (there.path / "result.json").write_text(printed, encoding="utf-8")
    run(here, command, *asked(ASKED[command], there))


@pytest.mark.parametrize("command", ["check", "testgen", "trace"])
def test_a_python_file_that_is_named_runs_alone(
    command: str, here: HostileFolder, there: HostileFolder
) -> None:
    """Roles are extracted once more in a second process; what the file imports would be run, too."""
    (there.path / "log.ndjson").write_text('{"role": "A", "do": "send", "peer": "B", "message": "hello"}\n')
    more = {"check": [], "testgen": ["--role", "A"], "trace": ["{log}"]}[command]
    run(here, command, *asked(["{roles}", *more], there))


def test_a_file_that_is_called_like_a_python_source_is_not_run(here: HostileFolder) -> None:
    """A pattern of the shell finds it."""
    (here.path / "json.py:protocol").write_text(SHOP)
    assert "Shop" in run(here, "show", "json.py:protocol")


def test_the_studio_runs_nothing_of_a_folder(here: HostileFolder, there: HostileFolder) -> None:
    for name in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(name)
    from tests.support.studio_server import StudioServer, TalkingPage

    with StudioServer(str(there.path / "shop.storm"), cwd=here.path) as studio:
        page = TalkingPage(studio)
        answer = page.ask("check", text=SHOP, settings={})
        assert answer["answer"]["verdicts"]
        page.close()


def test_the_language_server_runs_nothing_of_a_folder(here: HostileFolder, there: HostileFolder) -> None:
    pytest.importorskip("pygls")
    file = there.path / "shop.storm"
    with LanguageServer(here.path) as server:
        server.open(file)
        assert server.heard("textDocument/publishDiagnostics")["uri"] == file.as_uri()
        lenses = ""
        while "recovers" not in lenses:
            lenses = str(server.request("textDocument/codeLens", {"textDocument": {"uri": file.as_uri()}}))


def test_a_campaign_on_dask_runs_nothing_of_a_folder(
    tmp_path: Path, here: HostileFolder, there: HostileFolder
) -> None:
    pytest.importorskip("distributed")
    from tests.support.dask_cluster import Cluster

    cluster = Cluster(tmp_path, 1, cwd=there.path)
    try:
        arguments = ["campaign", "{file}", "-o", "{results}", "--models", "loss", "--on", cluster.address]
        assert "0 died" in run(here, *asked(arguments, there))
    finally:
        cluster.end()


@pytest.mark.parametrize("path", ["", ":", ".:", "{here}", "{here}:/nowhere", ":{kept}"])
def test_a_process_that_is_started_reads_no_current_folder_from_the_environment(
    path: str, here: HostileFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here.path)
    monkeypatch.setenv("PYTHONPATH", path.format(here=here.path, kept=tmp_path))
    (tmp_path / "asked.py").write_text(
        "import json, sys\ndef main(given): print(*given, *sys.path, sep='\\n')\n"
    )
    module = "asked" if "kept" in path else "stormproof.apps.workers.worker"
    command, environment = python_process(module, "one", "two")
    done = subprocess.run(command, env=environment, input="", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if module == "asked":
        given, folders = done.stdout.splitlines()[:2], done.stdout.splitlines()[2:]
        assert given == ["one", "two"] and str(tmp_path) in folders
        assert not {"", ".", str(here.path)} & set(folders)


def test_z3_does_not_take_its_library_from_the_current_folder(here: HostileFolder) -> None:
    pytest.importorskip("z3")
    engine = next(Path(sp.__path__[0]).glob("_engine*.so"))
    shutil.copy(engine, here.path / "libz3.so")
    code = "from stormproof.trust.reachability.check_equation import load_z3; print(load_z3().Int('x') + 1)"
    (here.path / "z3.py").unlink()
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=here.path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "x + 1\n", done.stderr


def test_the_modules_would_be_run_where_they_are_found(here: HostileFolder) -> None:
    """Else these tests could not fail."""
    other = HostileFolder(here.path.parent / "other")
    for name in NAMES:
        if name != "encodings":  # which Python has loaded before
            subprocess.run([sys.executable, "-S", "-c", f"import {name}"], cwd=other.path, check=True)
            assert other.ran.split()[-1:] == [name]


def test_processes_are_started_in_one_way() -> None:
    """What needs the path of Python asks `python_process`."""
    started = re.compile(
        r"sys\.executable|multiprocessing|ProcessPoolExecutor|os\.(spawn|posix_spawn|system|exec)"
    )
    source = ROOT / "src"
    found = {str(p.relative_to(source)) for p in source.rglob("*.py") if started.search(p.read_text("utf-8"))}
    assert found == {"stormproof/python_process.py"}
