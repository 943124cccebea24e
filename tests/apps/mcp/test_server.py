"""Each tool, asked by the library's own client; malformed calls; what is outside the folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp.client.client import Client

from stormproof.apps.mcp import skill

RUN = Callable[..., Any]
TOOLS = {"language", "lint", "check", "explain", "reach", "frontier", "mutate", "trace", "draw"}


async def _ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    said = await client.call_tool(tool, arguments)
    assert not said.is_error, said
    answer = said.structured_content
    assert isinstance(answer, dict)
    assert len(json.dumps(answer)) < 20_000
    assert answer["next"]
    return answer


def test_the_tools_are_listed(run: RUN) -> None:
    async def ask(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = run(ask)
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.description for tool in tools)


def test_from_the_grammar_to_a_repair(run: RUN) -> None:
    """What an agent does: it reads, writes, checks, has it explained, and checks the repair."""

    async def ask(client: Client) -> None:
        card = await _ask(client, "language")
        assert "retry" in card["examples"] and "role A" in card["grammar"]
        wrong = (await _ask(client, "language", example="retry"))["wrong"]
        assert (await _ask(client, "lint", text=wrong))["status"] == "clean"
        found = await _ask(client, "check", text=wrong)
        assert found["status"] == "violated"
        rows = {row["name"]: row for row in found["verdicts"]}
        assert rows["answered"]["status"] == "violated" and rows["answered"]["line"] == 17
        assert "request" in found["run"] and "lost" in found["run"]
        explained = await _ask(client, "explain", text=wrong)
        assert "request" in explained["paragraphs"][0]
        repair = explained["repairs"][0]
        assert (await _ask(client, "check", text=repair["text"]))["status"] == "survives"

    run(ask)


def test_the_other_tools(run: RUN) -> None:
    async def ask(client: Client) -> None:
        faults = {"loss": ["Sender->Receiver"], "budget": 1}
        lost = await _ask(client, "check", builtin="alternating-bit", faults=faults)
        assert lost["status"] == "violated" and "Receiver→Sender" not in lost["failures"]
        reached = await _ask(client, "reach", goal="Client@done", text=skill.example("retry")["right"])
        assert reached["status"] == "reachable" and reached["run"]
        edge = await _ask(client, "frontier", text=skill.example("retry")["right"])
        assert edge["status"] == "breaks" and edge["tolerated"]
        assert "subgraph" in (await _ask(client, "draw", builtin="two-buyer"))["mermaid"]

    run(ask)


def test_mutants_that_nothing_notices_are_listed(run: RUN) -> None:
    text = skill.example("retry")["right"]

    async def ask(client: Client) -> None:
        found = await _ask(client, "mutate", text=text, operators=["delete"])
        assert found["counts"]["noticed"] >= 1
        assert all(survivor["line"] for survivor in found["survivors"])
        wrong = await _ask(client, "mutate", text=text, operators=["no-such"])
        assert wrong["status"] == "wrong" and "no-such" in wrong["problems"][0]["message"]

    run(ask)


def test_logs_are_compared(run: RUN) -> None:
    right = [{"role": "Client", "do": "send", "peer": "Server", "message": "request"}]
    wrong = [*right, {"role": "Client", "do": "receive", "peer": "Server", "message": "nonsense"}]
    text = skill.example("retry")["right"]

    async def ask(client: Client) -> list[Any]:
        logs = ["\n".join(map(json.dumps, rows)) for rows in (right, wrong)]
        return [await _ask(client, "trace", text=text, logs=[log]) for log in logs]

    good, bad = run(ask)
    assert good["status"] == "conforms"
    assert bad["status"] == "does not conform" or "problems" in bad


def test_mistakes_have_places(run: RUN) -> None:
    async def ask(client: Client) -> None:
        found = await _ask(client, "check", text="role A {\n  s: B!m -> t\n}\n")
        assert found["status"] == "wrong"
        assert {problem.get("line") for problem in found["problems"]} == {2}
        for arguments in ({}, {"text": "x", "builtin": "two-buyer"}, {"builtin": "two-byer"}, {"text": ""}):
            assert (await _ask(client, "check", **arguments))["status"] == "wrong"
        found = await _ask(client, "check", builtin="two-buyer", faults={"loss": ["Seller->Nobody"]})
        assert found["status"] == "wrong" and "Nobody" in found["problems"][0]["message"]

    run(ask)


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": 5},
        {"text": "role A {}", "faults": {"los": True}},
        {"text": "role A {}", "faults": {"loss": 3.5}},
        {"text": "role A {}", "faults": "loss"},
        {"builtin": ["two-buyer"]},
    ],
)
def test_malformed_calls_are_refused_in_words(run: RUN, arguments: dict[str, Any]) -> None:
    async def ask(client: Client) -> None:
        said = await client.call_tool("check", arguments)
        assert said.is_error and said.content
        assert "Traceback" not in str(said.content)
        assert (await _ask(client, "check", builtin="two-buyer"))["status"] == "survives"  # it goes on

    run(ask)


def test_only_files_of_the_folder_are_read(run: RUN, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "retry.storm").write_text(skill.example("retry")["right"])
    (tmp_path / "secret.storm").write_text(skill.example("retry")["right"])
    (tmp_path / "in" / "link.storm").symlink_to(tmp_path / "secret.storm")
    os.mkfifo(tmp_path / "in" / "fifo.storm")

    async def ask(client: Client) -> None:
        assert (await _ask(client, "check", file="retry.storm"))["status"] == "survives"
        outside = ("../secret.storm", "link.storm", str(tmp_path / "secret.storm"), "/etc/passwd")
        for file in outside:
            found = await _ask(client, "check", file=file)
            assert "outside" in found["problems"][0]["message"], file
        for file in ("fifo.storm", "none.storm", ".", "a\0b"):
            assert (await _ask(client, "check", file=file))["status"] == "wrong", file

    run(ask, "--folder", "in")


def test_no_file_is_read_without_a_folder(run: RUN, tmp_path: Path) -> None:
    (tmp_path / "retry.storm").write_text(skill.example("retry")["right"])

    async def ask(client: Client) -> Any:
        return await _ask(client, "check", file="retry.storm")

    assert "reads no files" in run(ask)["problems"][0]["message"]


PYTHON = """
import pathlib
import stormproof as sp
pathlib.Path({mark!r}).touch()
protocol = sp.protocol("two-buyer")
"""


@pytest.mark.parametrize("allowed", [False, True])
def test_python_runs_only_where_it_is_allowed(run: RUN, tmp_path: Path, allowed: bool) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "json.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n")
    (tmp_path / "roles.py").write_text(PYTHON.format(mark=str(mark)))

    async def ask(client: Client) -> list[Any]:
        return [await _ask(client, "check", file=f) for f in ("roles.py:protocol", "roles.py")]

    found = run(ask, "--folder", ".", *(["--allow-python"] if allowed else []))
    assert mark.exists() is allowed
    assert found[0]["status"] == ("survives" if allowed else "wrong")


def test_a_long_question_ends_and_the_server_goes_on(run: RUN) -> None:
    from stormproof import dumps, generate

    text = dumps(generate("dining-philosophers", philosophers=12), "storm")

    async def ask(client: Client) -> None:
        found = await _ask(client, "check", text=text, faults={"loss": True, "duplicate": True})
        assert found["status"] in ("undecided", "violated")
        assert (await _ask(client, "check", builtin="two-buyer"))["status"] == "survives"

    run(ask, "--timeout", "2")
