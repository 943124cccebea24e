"""check, show, convert, fmt: exit codes, JSON that follows its schema, one clear sentence for a mistake."""

from __future__ import annotations

import json
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stormproof.apps.cli import show
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.search.checks.outcome import Outcome as CheckOutcome
from stormproof.search.checks.request import Request
from tests.support.command_line import Run

#: Commands that serve a page or an editor, and print no result.
SERVERS = ("studio", "lsp", "mcp")
SHOP = """\
protocol Shop

role Buyer {
  ask:    Shop!order   -> wait
  wait:   Shop?price   -> decide
          Shop?soldout -> done
  decide: Shop!pay     -> done
          Shop!leave   -> done
  done:
}

role Shop {
  idle:   Buyer?order   -> quote
  quote:  Buyer!price   -> wait
          Buyer!soldout -> closed
  wait:   Buyer?pay     -> closed
          Buyer?leave   -> closed
  closed:
}
"""


def schema(name: str) -> dict[str, Any]:
    text = (resources.files("stormproof") / "schemas" / f"{name}.schema.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.storm"
    path.write_text(SHOP)
    return path


def test_the_readmes_main_command(run: Run) -> None:
    result = run("check", "alternating-bit", "--loss")
    assert result.code == 1
    sentence, rows = result.out.partition("\n\n")[::2]
    assert " ".join(sentence.split()) == (
        "alternating-bit does not survive: `recovers` breaks after 1 loss on Sender→Receiver."
    )
    assert re.match(r"  ✘ recovers +deadlock, and nothing is in flight +breaks with 1 fault\n", rows)
    assert "how `recovers` breaks: 1 action, 1 fault, replayed ✔" in rows
    assert "k-pg" not in result.out, "nobody asked for classes"
    assert "replayed ✔" in result.out
    assert "lost" in result.out


def test_a_shop_that_faults_break(run: Run, shop: Path) -> None:
    assert run("check", shop).code == 0
    assert run("check", shop, "--loss").code == 1
    assert run("check", shop, "--crash", "Shop").code in (0, 1)


def test_json_follows_its_schema(run: Run) -> None:
    for flags in (
        [],
        ["--loss", "--certificate"],
        ["--corrupt", "--reorder", "-k", "2", "--certificate", "--budget", "loss=1"],
        ["--crash", "Sender"],
        ["--stop", "Sender"],
    ):
        result = run("check", "alternating-bit", *flags, "--json")
        data = json.loads(result.out)
        jsonschema.validate(data, schema("report"))
        jsonschema.validate({"stormproof": 1, **_bare(data["system"])}, schema("system"))


def _bare(system: dict[str, object]) -> dict[str, object]:
    return {k: v for k, v in system.items() if k not in ("csa", "deterministic", "directed")}


def test_violated_at_no_bound_says_what_was_tried(run: Run) -> None:
    data = json.loads(run("check", "alternating-bit", "--loss", "--property", "k-pg", "--json").out)
    (verdict,) = data["verdicts"]
    assert verdict["holds"] is False and verdict["k"] is None
    assert [t["k"] for t in verdict["tried"]] == list(range(1, 11))
    assert verdict["replayed"] is True


def test_standard_input_and_forced_language(run: Run) -> None:
    assert run("check", "-", stdin=SHOP).code == 0
    assert run("check", "-", "--format", "storm", stdin=SHOP).code == 0
    assert run("check", "-", "--format", "json", stdin=SHOP).code == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check", "alternating-bt"], "did you mean 'alternating-bit'"),
        (["check", "nowhere.storm"], "nowhere.storm"),
        (["check", "alternating-bit", "--loss-on", "Sender:Reciever"], "did you mean 'Receiver'"),
        (["check", "alternating-bit", "--property", "k-mcc"], "did you mean 'k-mc'"),
        (["check", "alternating-bit", "-k", "0"], "at least 1"),
        (["check", "alternating-bit", "--threads", "300"], "threads must be from 1 to 256, not 300"),
        (["check", "alternating-bit", "--crash", "Nobody"], "unknown role 'Nobody'"),
        (["check", "alternating-bit", "--corrupt-map", "Sender:Receiver:d0"], "is not a corruption"),
        (["check", "alternating-bit", "--memory", "lots"], "not an amount of memory"),
        (["check", "alternating-bit", "--timeout", "-1"], "--timeout must be more than 0"),
        (["chekc", "alternating-bit"], "did you mean 'check'"),
        (["convert", "alternating-bit"], "no language to write is given"),
        (["convert", "alternating-bit", "--to", "jsonn"], "did you mean 'json'"),
        (["show", "alternating-bit", "--format", "klingon"], "klingon"),
    ],
)
def test_a_mistake_gets_a_sentence_and_code_two(run: Run, arguments: list[str], sentence: str) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert sentence in result.err
    assert "Traceback" not in result.err and result.out == ""


def test_undecided_is_code_three_and_violated_goes_before_it(run: Run) -> None:
    result = run("check", "alternating-bit", "--max-states", "1", "--property", "k-mc", "--json")
    assert result.code == 3
    (verdict,) = json.loads(result.out)["verdicts"]
    assert verdict["holds"] is None and "limit of 1 configuration was" in verdict["reason"]


def test_file_faults_apply_unless_told(run: Run) -> None:
    text = SHOP.replace("role Buyer", "faults Buyer -> Shop: loss\n\nrole Buyer", 1)
    assert run("check", "-", stdin=text).code == 1
    assert run("check", "-", "--no-file-faults", stdin=text).code == 0


def test_show_names_roles_channels_and_classes(run: Run, shop: Path) -> None:
    result = run("show", shop)
    assert result.code == 0
    for word in ("Buyer", "Shop", "CSA, directed", "soldout", "Buyer → Shop"):
        assert word in result.out
    data = json.loads(run("show", shop, "--json").out)
    assert data["classes"]["csa"] is True and data["alphabets"]["Buyer->Shop"] == ["order", "pay", "leave"]


def test_convert_never_overwrites_unless_told(run: Run, shop: Path, tmp_path: Path) -> None:
    target = tmp_path / "shop.json"
    assert run("convert", shop, "-o", target).code == 0
    before = target.read_text()
    jsonschema.validate(json.loads(before), schema("system"))
    refused = run("convert", shop, "--to", "storm", "-o", target)
    assert refused.code == 2 and "--force" in refused.err and target.read_text() == before
    assert run("convert", shop, "--to", "storm", "-o", target, "--force").code == 0
    assert target.read_text() != before


def test_fmt_check_write_and_standard_input(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.storm"
    path.write_text(SHOP.replace("  ask:    Shop!order   -> wait", "ask: Shop!order->wait // first"))
    assert run("fmt", "--check", path).code == 1
    assert run("fmt", "--write", path).code == 0
    assert "// first" in path.read_text()
    assert run("fmt", "--check", path).code == 0
    assert run("fmt", "-", stdin=SHOP).out.startswith("protocol Shop")


def test_no_escape_codes_on_a_pipe(run: Run) -> None:
    assert "\x1b[" not in run("check", "alternating-bit", "--loss").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(run: Run, shell: str) -> None:
    assert "stormproof" in run("completion", shell).out


def test_help_has_examples_and_every_command_answers(run: Run) -> None:
    from stormproof.apps.cli import COMMANDS

    for name in COMMANDS:
        result = run(name, "--help")
        assert result.code == 0 and "Usage:" in result.out
        assert "stormproof" in result.out.split("Options:")[0]
        if name not in SERVERS:
            assert "--json" in (result.out if name != "generate" else run("generate", "ring", "--help").out)


RESEND = """\
protocol Resend
role A { s: B!req -> w
         w: B?resp -> d
            timeout -> s
         d: }
role B { i: A?req -> g
         g: A!resp -> i }
require recovers under loss on A -> B
"""


def test_rows_name_the_failures_of_a_requirement_and_what_is_not_required(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "resend.storm"
    path.write_text(RESEND)
    result = run("check", str(path))
    assert result.code == 0
    assert re.search(r"◐ recovers +under loss on A -> B +up to channels of", result.out)
    words = " ".join(result.out.split())
    assert "fails without any fault," in words and "only if a message, an action" in words
    assert "not required" in words and "replayed" not in result.out, "nothing that is required breaks"


@pytest.mark.parametrize("arguments", [("check", "alternating-bit", "--loss"), ("frontier", "client-server")])
def test_no_line_ends_in_blanks(run: Run, arguments: tuple[str, ...]) -> None:
    lines = run(*arguments).out.splitlines()
    assert len(lines) > 5 and [line for line in lines if line != line.rstrip()] == []


def test_the_product_of_many_roles() -> None:
    """That of 15,000 roles has more digits than Python writes."""
    many = System([Process(f"R{i}", "s", states=("t",)) for i in range(15_000)])
    assert show._product(many.product_size) == "about 10^4515 control states"
    assert json.dumps(show._classes(many)["product_size"]) == "null"
    assert show._product(1) == "1 control state" and show._product(1234) == "1,234 control states"


def claims(out: str, name: str) -> str:
    """The second column in the rows of a verdict, joined again."""
    lines = iter(out.splitlines())
    first = next(line for line in lines if re.match(rf"  \S {name}  ", line))
    column = re.match(rf"  \S {name} +", first)
    assert column is not None
    parts = [first[column.end() :]]
    while (line := next(lines)).startswith(" " * column.end()):
        parts.append(line[column.end() :])
    return " ".join(re.split(r" {2,}", part)[0] for part in parts)


def test_a_budget_is_in_the_headline(run: Run) -> None:
    found = run("check", "alternating-bit-retransmit", "--loss", "--budget", "2", "--max-k", "2")
    assert "survives every run with at most 2 faults" in claims(found.out, "recovers")
    assert "any number of faults" not in found.out


def test_the_answer_is_printed_before_any_class_is_asked(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shop: Path
) -> None:
    """For each of several files; Ctrl-C while classes are asked leaves the exit code of the answer."""
    printed: list[str] = []

    def ask(request: Request, most: int | None) -> CheckOutcome:
        printed.append(capsys.readouterr().out)
        if len(printed) == 2:
            raise KeyboardInterrupt
        return CheckOutcome("rsc", True)

    api = sys.modules["stormproof.search.checks.api"]
    monkeypatch.setattr(api, "_UNBOUNDED", dict.fromkeys(api._UNBOUNDED, ask))
    result = run("check", "-v", shop, "alternating-bit", "http", "smtp", "--loss")
    assert "Shop does not" in printed[0] and "breaks: " in printed[0] and "classes" not in printed[0]
    assert "classes" in printed[1] and "alternating-bit does not" in printed[1] and "breaks: " in printed[1]
    assert result.code == 1 and "k-mc ?" in result.out and "interrupted: 2 files not checked" in result.out


def test_the_limit_that_left_longer_channels_open_is_named(run: Run) -> None:
    """And with --unbounded, what holds up to some length only is marked as undecided."""
    limited = run("check", "go-back-2", "--loss", "--property", "recovers", "--max-states", "2000")
    assert limited.code == 0 and "◐ recovers" in limited.out
    assert re.search(r"length \d are not decided within the limit on\s+configurations", limited.out)
    command = ("check", "alternating-bit-retransmit", "--loss", "--property", "recovers")
    unbounded = run(*command, "--max-k", "2", "--unbounded")
    assert unbounded.code == 3 and "? recovers" in unbounded.out
    assert re.search(r"up to channels of length 2;\n.* undecided for longer ones", unbounded.out)


def test_two_messages_in_order(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "order.storm"
    path.write_text(
        "role A { s: B!open -> t  t: B!data -> d  d: }\nrole B { s: A?open -> t  t: A?data -> d  d: }\n"
    )
    assert run("check", path).code == 0
    for fault, ending in (("--reorder", "deadlock: B does not receive data"), ("--loss", "deadlock")):
        found = run("check", path, fault)
        assert found.code == 1 and re.search(rf"✘ recovers +{ending}.* breaks with 1 fault", found.out)


VACUOUS = """faults A -> B: corrupt
role A { s: B!x -> t
         t: }
role B { s: A?x -> t
         t: }
require nothing: never A@s & A@t
"""


def test_what_says_nothing_is_an_error_with_strict(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "vacuous.storm"
    path.write_text(VACUOUS)
    lenient, strict = run("check", path), run("check", path, "--strict")
    assert (lenient.code, strict.code) == (0, 2)
    for said in ("nothing: it says nothing", "corruption has no effect"):
        assert said in " ".join(lenient.out.split()) and f"error: {said}" in strict.err
    assert run("lint", path).code == 0 and run("lint", path, "--strict").code == 2
    assert "6:9: warning: nothing: it says nothing" in run("lint", path).out
    assert "1:8: warning: corruption has no effect" in run("lint", path).out
    path.write_text(VACUOUS.replace("corrupt", "loss").replace("A@s & A@t", "A@s & B@t"))
    assert run("check", path, "--strict", "--no-file-faults").code == 0
    assert run("check", path, "--strict").code == 1, "a violation is more than a warning"
    assert run("check", path, "--strict", "--no-file-faults", "--loss-on", "B:A").code == 2


def test_ci_reads_what_says_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "lost.storm"
    path.write_text(VACUOUS.replace("A@s & A@t", "A@s & B@u").replace("t: }", "t: A?x -> u\n u: }"))
    found = run("check", path, "--sarif", "-", "--no-file-faults", "--duplicate-on", "B:A")
    results = json.loads(found.out)["runs"][0]["results"]
    said = [r["message"]["text"] for r in results if r["ruleId"] == "lint"]
    assert "nothing: no run reaches B@u, without which it cannot be violated" in said
    assert "faults on B→A have no effect: nothing is sent there" in said and len(said) == len(set(said))
    junit = run("check", path, "--junit", "-", "--no-file-faults").out
    assert "no run reaches B@u" in junit
