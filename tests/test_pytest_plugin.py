"""What pytest shows of a protocol: files as tests, charts, fixtures; and nothing where nobody asks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import stormproof as sp

SHOP = """\
protocol Shop
faults Buyer <-> Shop: loss
role Buyer {
  ask:  Shop!order -> wait
  wait: Shop?price -> done
        timeout -> ask
  done: Shop?price -> done
}
role Shop {
  idle:  Buyer?order -> quote
  quote: Buyer!price -> idle
}
rest Buyer@done, Shop@idle
require served: always possible Buyer@done
require never Shop@quote under none
expect violated known: recovers under stop Shop
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.storm").write_text(SHOP)
    (tmp_path / "test_nothing.py").write_text("def test_nothing(): pass\n")
    return tmp_path


def run_pytest(folder: Path, *arguments: str, code: int = 0, warnings: str = "error") -> str:
    """The plugin is loaded by name: an older installation does not know it."""
    command = [sys.executable, "-W", "ignore", "-m", "pytest", "-p", "stormproof.pytest_plugin"]
    command += ["-p", "no:cacheprovider", "-W", warnings, "-rA", "--no-header", *arguments]
    environment = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "", "COLUMNS": "200", "PYTHONUTF8": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_a_file_that_is_named_has_a_test_for_each_requirement(folder: Path) -> None:
    shown = run_pytest(folder, "shop.storm", code=1)
    assert "FAILED shop.storm::never Shop@quote - Shop: ✘" in shown and "1 failed, 3 passed" in shown
    for name in ("recovers", "served", "known"):
        assert f"PASSED shop.storm::{name}\n" in shown
    assert "wait │                │ quote" in shown, "the chart"
    assert "Traceback" not in shown and "assertions.py" not in shown
    assert "1 passed" in run_pytest(folder, "shop.storm::served")


def test_files_are_tests_only_where_somebody_asks(folder: Path) -> None:
    assert "1 passed" in run_pytest(folder) and "1 passed" in run_pytest(folder, ".")
    (folder / "pytest.ini").write_text("[pytest]\nstormproof_files = *.storm\n")
    assert "1 failed, 4 passed" in run_pytest(folder, code=1)
    assert "1 passed" in run_pytest(folder, "-m", "not stormproof")


def test_no_python_of_a_folder_is_run(folder: Path) -> None:
    (folder / "roles.py").write_text("raise SystemExit('it was run')\n")
    (folder / "pytest.ini").write_text("[pytest]\nstormproof_files = *.py\n")
    shown = run_pytest(folder, code=2)
    assert "roles.py is Python, which is not run" in shown and "it was run" not in shown
    assert "Traceback" not in shown and "_hookexec" not in shown


def test_a_mistake_in_a_file_is_shown_with_its_line(folder: Path) -> None:
    (folder / "bad.storm").write_text("role A {\n  x: B!y -> z\n}\n")
    shown = run_pytest(folder, "bad.storm", code=2)
    assert "bad.storm:2:" in shown and "unknown role 'B'" in shown and "Traceback" not in shown


def test_what_an_assertion_was_about_is_drawn(folder: Path) -> None:
    (folder / "test_shop.py").write_text(
        "import stormproof as sp\n"
        "SHOP = sp.load('shop.storm')\n"
        "def test_plain(): assert sp.survives(SHOP, sp.Failures(stop=['Shop']))\n"
        "def test_ours(): sp.assert_survives(SHOP, sp.Failures(stop=['Shop']))\n"
        "def test_right(): assert sp.survives(SHOP) and 0, 'something else'\n"
    )
    shown = run_pytest(folder, "test_shop.py", code=1)
    plain, _, others = shown.partition("test_ours ___")
    ours, _, right = others.partition("test_right ___")
    assert "assert <Verdict ✘ recovers: violated>" in plain and plain.count("┷ stop") == 1
    assert re.search("^E +AssertionError: Shop: ✘ recovers: breaks with", ours, re.MULTILINE)
    assert ours.count("┷ stop") == 1, "the message has it, and no section repeats it"
    assert "┷ stop" not in right and "something else" in right


def test_the_effort_reaches_files_assertions_and_the_fixture(folder: Path) -> None:
    (folder / "test_effort.py").write_text(
        "import stormproof as sp\n"
        "def test_it(stormproof_options):\n"
        "    assert stormproof_options.effort == 0\n"
        "    assert sp.assert_survives(sp.load('shop.storm')).up_to == 1\n"
        "    assert sp.assert_survives(sp.load('shop.storm'), effort=100_000, max_k=2).up_to == 2\n"
    )
    assert "1 passed" in run_pytest(folder, "test_effort.py", "--stormproof-effort", "0")
    run_pytest(folder, "test_effort.py", "--stormproof-effort", "-1", code=4)


def test_logs_of_a_test_are_compared(folder: Path) -> None:
    (folder / "test_logs.py").write_text(
        "import pytest, stormproof as sp\n"
        'ORDER = \'{"role": "Buyer", "do": "%s", "peer": "Shop", "message": "order"}\\n\'\n'
        "def test_right(tmp_path, assert_logs_conform):\n"
        "    (tmp_path / 'Buyer.ndjson').write_text(ORDER % 'send')\n"
        "    assert assert_logs_conform(sp.load('shop.storm')).events == 1\n"
        "def test_wrong(tmp_path, assert_logs_conform):\n"
        "    (tmp_path / 'Buyer.ndjson').write_text(ORDER % 'receive')\n"
        "    assert_logs_conform(sp.load('shop.storm'))\n"
    )
    shown = run_pytest(folder, "test_logs.py", code=1)
    assert "PASSED test_logs.py::test_right" in shown
    assert "FAILED test_logs.py::test_wrong - AssertionError: Shop: does not conform" in shown


def test_a_project_that_does_not_use_it_loads_nothing(folder: Path) -> None:
    (folder / "test_modules.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    mine = {m for m in sys.modules if m.startswith('stormproof')}\n"
        "    assert mine == {'stormproof', 'stormproof.pytest_plugin'}\n"
    )
    assert "1 passed" in run_pytest(folder, "test_modules.py")


def test_assertions_give_what_they_have_found() -> None:
    lossy, system = sp.Failures(loss=True), sp.protocol("alternating-bit")
    assert sp.assert_holds(system, properties=["k-wmc"], k=1)["k-wmc"].holds
    with pytest.raises(AssertionError, match="k-pg") as refused:
        sp.assert_holds(system, lossy, properties=["k-wmc", "k-pg"], k=1)
    assert "✔" not in str(refused.value).partition("\n")[0]
    with pytest.raises(AssertionError, match=r"\? k-wmc: undecided"):
        sp.assert_holds(system, lossy, properties=["k-wmc"], limits=sp.Limits(states=1))


def test_representations_are_short() -> None:
    report = sp.check(
        sp.protocol("alternating-bit"), sp.Failures(loss=True), properties=["k-wmc", "recovers"]
    )
    assert repr(report) == "<Report on alternating-bit: ✔ k-wmc, ✘ recovers>"
    assert repr(report["k-wmc"]) == "<Verdict ✔ k-wmc: holds>"


def test_failures_may_be_keywords() -> None:
    system = sp.protocol("alternating-bit-retransmit")
    assert sp.assert_survives(system, loss=["Sender->Receiver"]).holds
    with pytest.raises(AssertionError, match="lost"):
        sp.assert_survives(sp.protocol("alternating-bit"), loss=True)
    with pytest.raises(AssertionError):
        sp.assert_holds(sp.protocol("alternating-bit"), loss=True, budget=1)
    with pytest.raises(sp.UsageError, match="given twice: as a value, and as loss"):
        sp.assert_survives(system, sp.Failures(), loss=True)
