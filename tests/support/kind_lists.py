"""The files beside the code that list the kinds of faults, as they must be: JSON schemas and two grammars.

`scripts/refresh_kinds` writes them; `tests/kernel/model/test_faults.py` fails when one is out of date.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from stormproof.kernel.model.budget import BUDGET_KINDS
from stormproof.kernel.model.channel_faults import FAULT_STEPS
from stormproof.kernel.model.fault_steps import Fault
from stormproof.kernel.model.faults import CUT, KINDS, PLAIN_KINDS, PROCESS_KINDS
from stormproof.surveys.choices import FAULTS

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "src/stormproof/schemas"
#: Lines of a schema are no longer than this, where that is possible.
WIDTH = 110

KEYWORDS = [kind.keyword for kind in (*KINDS, CUT, *PROCESS_KINDS)]


def kind_lists() -> dict[Path, str]:
    """Each file with its text."""
    return {
        SCHEMAS / "system.schema.json": _schema("system", _in_systems),
        SCHEMAS / "report.schema.json": _schema("report", _in_reports),
        SCHEMAS / "frontier.schema.json": _schema("frontier", _in_frontiers),
        ROOT / "editors/vscode/syntaxes/storm.tmLanguage.json": _grammar(),
        ROOT / "studio/src/fault_kinds.json": _for_the_page(),
    }


def _schema(name: str, change: Callable[[Any], None]) -> str:
    data = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    change(data)
    return spread(data) + "\n"


def spread(data: Any, indent: int = 0, taken: int = 0) -> str:
    """JSON in which whatever fits into a line stands in one."""
    line = json.dumps(data, ensure_ascii=False)
    if not isinstance(data, dict | list) or not data or indent + taken + len(line) < WIDTH:
        return line
    inner = " " * (indent + 2)
    if isinstance(data, list):
        return "[\n" + ",\n".join(inner + spread(v, indent + 2) for v in data) + "\n" + " " * indent + "]"
    rows = [
        f"{inner}{json.dumps(k)}: {spread(v, indent + 2, len(json.dumps(k)) + 2)}" for k, v in data.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"


def _in_systems(schema: Any) -> None:
    at_most = schema["$defs"]["under"]["properties"]["at_most"]["items"]["properties"]
    at_most["kind"]["enum"] = [None, *BUDGET_KINDS]
    flags = {kind.keyword: {"type": "boolean", "default": False} for kind in PLAIN_KINDS}
    schema["$defs"]["fault"]["properties"].update(flags)


def _in_reports(schema: Any) -> None:
    failures = schema["properties"]["failures"]["properties"]
    failures.update({kind.keyword: {"$ref": "#/$defs/choice"} for kind in (*KINDS, CUT)})
    counted = {"type": "integer", "minimum": 0}
    failures["budget"]["properties"] = dict.fromkeys(("total", *BUDGET_KINDS), counted)
    schema["$defs"]["channel"]["properties"].update({k.keyword: {"type": "boolean"} for k in PLAIN_KINDS})
    steps = schema["$defs"]["step"]["oneOf"]
    own = [
        step
        for step in steps
        if step["properties"]["do"]["const"] in ("send", "receive", "internal", "pass", CUT.keyword)
    ]
    schema["$defs"]["step"]["oneOf"] = [*own, *(_step(step) for step in FAULT_STEPS.values())]


def _step(step: type[Fault]) -> dict[str, Any]:
    more = fields(step)[2:]
    numbers = {f.name: {"type": "integer", **f.metadata} for f in more if f.type == "int"}
    return {
        "required": ["from", "to", "position", *(f.name for f in more)],
        "properties": {"do": {"const": step.do}, **numbers},
    }


def _in_frontiers(schema: Any) -> None:
    rows = schema["$defs"]["counts"]["properties"]["counts"]["items"]["properties"]
    rows["fault"]["enum"] = [*FAULTS, "together"]
    schema["$defs"]["choice"]["properties"]["fault"]["enum"] = list(FAULTS)


def _grammar() -> str:
    text = (ROOT / "editors/vscode/syntaxes/storm.tmLanguage.json").read_text("utf-8")
    data = json.loads(text)
    rule = next(rule for rule in data["patterns"] if rule.get("name") == "constant.language.fault.storm")
    rule["match"] = rf"\b(?:{'|'.join([*KEYWORDS, 'crash'])})\b"
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _for_the_page() -> str:
    first = [step.do for step in FAULT_STEPS.values() if step.at_reception]
    return json.dumps({"keywords": KEYWORDS, "stepsOfReceptions": first}) + "\n"
