"""JUnit and SARIF, read back by other people's libraries; the action and the hooks."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Run
from tests.support.paths import DOCS, ROOT

BROKEN = """\
protocol Shop
faults Buyer <-> Shop: loss
role Buyer {
  ask:  Shop!order -> wait
  wait: Shop?price -> done
  done:
}
role Shop {
  idle:  Buyer?order -> quote
  quote: Buyer!price -> closed
         Buyer!odd   -> closed
  closed:
}
require served: always possible Buyer@done
require quick: never Shop@quote under none
expect violated known: recovers under stop Shop
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.storm").write_text(BROKEN)
    (tmp_path / "bad shop.storm").write_text("role A {\n  x: B!y -> z\nrole B { }\nrest C@c\n")
    return tmp_path


def test_junit_is_read_back(run: Run, files: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    result = run("check", "shop.storm", "bad shop.storm", "alternating-bit", "--junit", "out.xml")
    assert result.code == 2
    suites = {suite.name: suite for suite in junitparser.JUnitXml.fromfile("out.xml")}
    assert set(suites) == {"shop.storm", "bad shop.storm", "alternating-bit"}
    shop = {case.name: case for case in suites["shop.storm"]}
    assert set(shop) == {"recovers", "served", "quick", "known"}
    failed = {name for name, case in shop.items() if not case.is_passed}
    assert failed == {"recovers", "served", "quick"}, "a known limit passes"
    (failure,) = shop["recovers"].result
    assert isinstance(failure, junitparser.Failure)
    assert "fails without any fault" in failure.message and "⌛ price" in failure.text
    assert suites["shop.storm"].failures == 3 and suites["shop.storm"].errors == 0
    assert suites["bad shop.storm"].errors == len(list(suites["bad shop.storm"])) > 0
    assert all(case.is_passed for case in suites["alternating-bit"])


def test_what_is_undecided_is_no_success(run: Run, files: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    flags = ["--loss", "--unbounded", "--effort", "0", "--junit", "out.xml"]
    assert run("check", "alternating-bit-retransmit", *flags).code == 3
    (suite,) = junitparser.JUnitXml.fromfile("out.xml")
    (error,) = next(case for case in suite if case.name == "recovers").result
    assert isinstance(error, junitparser.Error) and "up to channels of length 1" in error.message


def test_sarif_is_read_back(run: Run, files: Path) -> None:
    loader = pytest.importorskip("sarif.loader")
    assert run("check", "shop.storm", "bad shop.storm", "--sarif", "out.sarif").code == 2
    read = loader.load_sarif_file("out.sarif")
    records = read.get_records()
    found = {(r["Severity"], r["Code"], r["Location"], r["Line"]) for r in records}
    assert ("error", "recovers", "shop.storm", 3) in found, "Buyer waits, and its role is in line 3"
    assert {("error", "requirement", "shop.storm", n) for n in (14, 15)} <= found
    assert ("warning", "lint", "shop.storm", 11) in found
    assert {r["Line"] for r in records if r["Code"] == "input"} == {1, 3, 4}
    assert not any(line == 16 for *_, line in found), "a known limit is no problem"


def test_sarif_has_the_run_step_by_step(run: Run, files: Path) -> None:
    data = json.loads(run("check", "shop.storm", "--sarif", "-").out)
    results = {r["ruleId"]: r for r in data["runs"][0]["results"]}
    ((flow,),) = ([f["locations"] for f in c["threadFlows"]] for c in results["recovers"]["codeFlows"])
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in flow]
    assert lines == [4, 9, 11], "order is sent, received, and odd is answered"
    assert flow[0]["location"]["message"]["text"] == "Buyer sends order to Shop"
    assert {r["id"] for r in data["runs"][0]["tool"]["driver"]["rules"]} == set(results)


def test_sarif_has_the_sign_of_every_verdict(run: Run, files: Path) -> None:
    """Also of those that are as they should be, which are no results."""
    data = json.loads(run("check", "shop.storm", "--sarif", "-").out)
    signs = {v["status"]: v["sign"] for v in data["runs"][0]["properties"]["verdicts"]}
    assert signs["violated"] == "✘" and signs["known limit"] == "◇"
    data = json.loads(
        run("check", "alternating-bit-retransmit", "--loss", "--max-k", "1", "--sarif", "-").out
    )
    rows = {v["name"]: (v["status"], v["sign"]) for v in data["runs"][0]["properties"]["verdicts"]}
    assert rows["recovers"] == ("bounded", "◐") and rows["once"] == ("proved", "✔")


def test_standard_output_is_for_one_document(run: Run, files: Path) -> None:
    result = run("check", "shop.storm", "--sarif", "-", "--junit", "-")
    assert result.code == 2 and "give only one of them" in result.err
    assert run("check", "shop.storm", "--json", "--junit", "-").code == 2


def test_addresses_are_quoted(run: Run, files: Path) -> None:
    run("check", "bad shop.storm", "--sarif", "out.sarif")
    (first, *_) = json.loads((files / "out.sarif").read_text())["runs"][0]["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad%20shop.storm"


def _yaml(text: str) -> Any:
    return pytest.importorskip("yaml").safe_load(text)


def test_the_hooks_run(run: Run, files: Path) -> None:
    hooks = _yaml((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in hooks} == {"stormproof-check", "stormproof-lint", "stormproof-fmt"}
    codes = {h["id"]: run(*shlex.split(h["entry"])[1:], "shop.storm").code for h in hooks}
    assert codes == {"stormproof-check": 1, "stormproof-lint": 0, "stormproof-fmt": 0}


def test_the_action_and_the_documented_workflow(run: Run, files: Path) -> None:
    action = _yaml((ROOT / "action.yml").read_text())
    command = action["runs"]["steps"][-1]
    assert set(command["env"].values()) == {
        f"${{{{ inputs.{name} }}}}" for name in ("files", "flags", "junit", "sarif")
    }
    for name, value in {"FILES": "shop.storm", "FLAGS": "--loss", "JUNIT": "j", "SARIF": "s"}.items():
        command["run"] = command["run"].replace(f'"${name}"', value).replace(f"${name}", value)
    assert run(*shlex.split(command["run"])[1:]).code == 1
    workflow, *hooks = [
        _yaml(part.partition("```")[0]) for part in (DOCS / "ci.md").read_text().split("```yaml\n")[1:]
    ]
    (step,) = [s for s in workflow["jobs"]["survive"]["steps"] if "stormproof@" in s.get("uses", "")]
    assert set(step["with"]) <= set(action["inputs"])
    known = {hook["id"] for hook in _yaml((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert len(hooks) == 2
    assert {hook["id"] for file in hooks for repo in file["repos"] for hook in repo["hooks"]} <= known


def test_github_shows_findings_beside_their_lines(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "summary.md"))
    (files / "summary.md").write_text("before\n")
    result = run("check", "shop.storm", "bad shop.storm", "--github")
    assert result.code == 2
    lines = [line for line in result.out.splitlines() if line.startswith("::")]
    assert any(line.startswith("::error file=shop.storm,line=14,col=9,title=served::") for line in lines)
    assert any(line.startswith("::error file=bad shop.storm,line=") for line in lines)
    assert not any("title=known" in line for line in lines), "a known limit is no finding"
    text = (files / "summary.md").read_text("utf-8")
    assert text.startswith("before\n")
    assert "| ✘ | served |" in text and "| ◇ | known |" in text and "⌛ price" in text


def test_names_cannot_write_annotations_or_markdown_of_their_own(run: Run, files: Path) -> None:
    """A quoted name may hold anything; here it would end the line, or open a tag."""
    name = r"x\n::error file=a::b<b>|`"
    text = BROKEN.replace("price", json.dumps(name.encode().decode("unicode_escape")))
    (files / "odd.storm").write_text(text)
    result = run("check", "odd.storm", "--github")
    assert result.code == 1
    lines = [line for line in result.out.splitlines() if line.startswith("::")]
    assert lines and all("file=odd.storm" in line for line in lines)
    from stormproof.apps.cli.options import load_with_places
    from stormproof.search.checks.api import check
    from stormproof.tell.ci.checked_file import CheckedFile
    from stormproof.tell.ci.github import summary

    system, warnings, places = load_with_places("odd.storm")
    shown = summary([CheckedFile("odd.storm", check(system), warnings, places)])
    outside = "".join(shown.split("```")[::2])
    assert "<b>" not in outside and "price" not in shown


def test_annotations_and_json_do_not_mix(run: Run, files: Path) -> None:
    result = run("check", "shop.storm", "--github", "--json")
    assert result.code == 2 and "--github" in result.out + result.err


def test_every_rule_of_sarif_says_what_to_do(run: Run, files: Path) -> None:
    """As code hosts want it; docs/releasing.md has the command of the validator."""
    run("check", "shop.storm", "bad shop.storm", "--sarif", "out.sarif")
    data = json.loads(Path("out.sarif").read_text())
    assert data["$schema"].endswith("sarif-schema-2.1.0.json")
    rules = data["runs"][0]["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} >= {"requirement", "input", "recovers"}
    for rule in rules:
        assert rule["fullDescription"]["text"].endswith(".") and len(rule["help"]["text"]) > 40
