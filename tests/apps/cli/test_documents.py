"""Every JSON document that a command writes has a schema, and follows it."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from stormproof.apps.cli import group
from tests.support.command_line import Run
from tests.support.paths import ROOT

SCHEMAS = resources.files("stormproof") / "schemas"

#: A schema and a command line; FOLDER is made for it.
DOCUMENTS = (
    ("report", "check alternating-bit --loss --certificate --examples"),
    ("report", "check two-buyer -k 1 --property k-mc --property rsc"),
    ("reports", "check two-buyer FOLDER/broken.storm"),
    ("explanation", "explain alternating-bit --loss"),
    ("explanation", "explain lock"),
    ("frontier", "frontier client-server --effort 1000"),
    ("frontier", "frontier client-server --count --effort 1000"),
    ("mutants", "mutate client-server --jobs 1"),
    ("reachability", "reach alternating-bit Sender@send1 --loss --certificate"),
    ("reachability", "reach two-buyer deadlock"),
    ("channel-bounds", "reach two-buyer --bounds"),
    ("channel-bounds", "reach alternating-bit-boigelot --bounds"),
    ("replays", "replay FOLDER/saved.json"),
    ("page", "report client-server --effort 1000 -o FOLDER/page.html"),
    ("page", "report two-buyer --loss"),
    ("classes", "classify two-buyer --survival"),
    ("table", "table two-buyer --models none,loss --max-k 1 --processes 1 --property k-exh"),
    ("campaign", "campaign FOLDER/one.storm --models none,loss -o FOLDER/rows.jsonl"),
    ("crash-handling", "crash two-phase-commit"),
    ("crash-handling", "crash two-buyer --reliable none --complete"),
    ("crash-sets", "crash client-server --sweep --max-size 1"),
    ("conformance", "trace two-buyer FOLDER/Buyer1.log"),
    ("conformance", "trace two-buyer FOLDER/wrong/Buyer1.log"),
    ("tests", "testgen two-buyer --role Seller"),
    ("tests", "testgen two-buyer --role Seller --vectors"),
    ("tests", "testgen two-buyer --role Seller --vectors -o FOLDER/vectors.json"),
    ("gate", "gate client-server --role Client --run true --no-mutants --effort 1000"),
    ("gate", "gate client-server --role Client --run true --jobs 1 --effort 1000 --operator skip"),
    ("projection", "project two-buyer"),
    ("problems", "lint FOLDER/broken.storm FOLDER/one.storm"),
    ("layout", "fmt FOLDER/one.storm"),
    ("layout", "fmt --diff FOLDER/one.storm"),
    ("drawing", "draw two-buyer"),
    ("drawing", "draw alternating-bit --what chart --property recovers --loss"),
    ("description", "show alternating-bit"),
    ("system", "show alternating-bit"),
    ("comparison", "compare two-buyer alternating-bit"),
    ("conversion", "convert two-buyer --to kmc"),
    ("conversion", "convert two-buyer --to kmc -o FOLDER/two-buyer.kmc"),
    ("conversion", "generate ring"),
    ("protocols", "list"),
    ("protocols", "list two-buyer"),
    ("completion", "completion bash"),
    ("refusal", "check FOLDER/broken.storm"),
)

ONE = "protocol one\nrole A {\n  s: B!m -> t\n  t:\n}\nrole B {\n  s: A?m -> t\n  t:\n}\n"
SENDS = {"role": "Buyer1", "do": "send", "peer": "Seller", "message": "title"}


@cache
def schemas() -> dict[str, Any]:
    files = [file for file in SCHEMAS.iterdir() if file.name.endswith(".schema.json")]
    return {file.name.removesuffix(".schema.json"): json.loads(file.read_text("utf-8")) for file in files}


@cache
def validator(name: str) -> Draft202012Validator:
    known = [(schema["$id"], Resource.from_contents(schema)) for schema in schemas().values()]
    registry: Registry[Any] = Registry().with_resources(known)
    return Draft202012Validator(schemas()[name], registry=registry)


@pytest.fixture
def folder(tmp_path: Path, run: Run) -> Path:
    (tmp_path / "one.storm").write_text(ONE, "utf-8")
    (tmp_path / "broken.storm").write_text("protocol broken\nrole A {", "utf-8")
    (tmp_path / "wrong").mkdir()
    for name, message in (("", "title"), ("wrong/", "wrong")):
        row = {**SENDS, "message": message}
        (tmp_path / f"{name}Buyer1.log").write_text(json.dumps(row) + "\n", "utf-8")
    saved = run("check", "two-buyer", "--json", "--certificate")
    (tmp_path / "saved.json").write_text(saved.out, "utf-8")
    return tmp_path


@pytest.mark.parametrize(("name", "line"), DOCUMENTS, ids=[line for _, line in DOCUMENTS])
def test_a_document_follows_its_schema(name: str, line: str, run: Run, folder: Path) -> None:
    done = run(*line.replace("FOLDER", str(folder)).split(), "--json")
    document = json.loads(done.out)
    assert document["stormproof"] == 1
    if name == "system":
        document = {key: value for key, value in document.items() if key not in ("classes", "alphabets")}
    problems = sorted(validator(name).iter_errors(document), key=lambda problem: len(problem.path))
    assert not problems, f"{problems[0].json_path}: {problems[0].message[:500]}"
    assert "error" not in document or name == "refusal", done.err


def test_every_schema_has_its_name_and_version() -> None:
    for name, schema in schemas().items():
        assert schema["$id"] == f"urn:stormproof:schema:{name}:1"
        assert schema["title"] and schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        Draft202012Validator.check_schema(schema)


def test_every_command_that_writes_json_is_tried_here() -> None:

    context = group.make_context("stormproof", [], resilient_parsing=True)
    named = {line.split()[0] for _, line in DOCUMENTS}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        has_json = any("--json" in parameter.opts for parameter in command.params)
        assert not has_json or name in named, name


def test_the_documentation_names_every_schema() -> None:
    page = (ROOT / "docs" / "json.md").read_text("utf-8")
    table = page[: page.index("## Without an answer")]
    assert set(schemas()) <= set(re.findall(r"`([a-z-]+)`", table))
