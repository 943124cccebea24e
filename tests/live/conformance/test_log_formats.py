"""Logs of other tools: the recipes of examples/logs with the real libraries, maps, and OpenTelemetry."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stormproof.errors import InputError, ParseError
from stormproof.live.conformance.log_map import load_log_map
from stormproof.live.conformance.read_log import read_logs
from tests.support.command_line import Run, run  # noqa: F401
from tests.support.paths import ROOT

LOGS = ROOT / "examples" / "logs"


@pytest.mark.parametrize(
    ("script", "needs", "options"),
    [
        ("with_structlog.py", "structlog", ("--field", "do=event")),
        ("with_logging.py", "logging", ("--map", str(LOGS / "logging.toml"))),
        (
            "with_opentelemetry.py",
            "opentelemetry.exporter.otlp.proto.common",
            ("--map", str(LOGS / "spans.toml")),
        ),
    ],
)
def test_a_recipe_runs_on_the_real_library(
    script: str,
    needs: str,
    options: tuple[str, ...],
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    pytest.importorskip(needs)
    done = subprocess.run([sys.executable, str(LOGS / script)], capture_output=True, text=True, check=True)
    log = tmp_path / "a.log"
    log.write_text(done.stdout)
    found = run("trace", LOGS / "ask.storm", log, *options, "--no-chart")
    assert found.code == 0, found.out + found.err
    assert "of 1 role, and no fault is needed" in found.out
    log.write_text(done.stdout.replace("answer", "answers"))
    assert run("trace", LOGS / "ask.storm", log, *options, "--no-chart").code == 1


def attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def span(name: str, kind: int | str, start: int, identity: str = "0a") -> dict[str, Any]:
    times = {"startTimeUnixNano": str(start), "endTimeUnixNano": str(start + 5)}
    return {"name": name, "kind": kind, "spanId": identity, **times, "attributes": [attribute("peer", "B")]}


def spans(*found: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": [attribute("service.name", "A")]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(found)}]}]}


MAP = """\
role = "service.name"
do = { field = "kind", values = { PRODUCER = "send", CONSUMER = "receive" } }
message = "name"
"""


def events(text: str, tmp_path: Path, mapping: str = MAP) -> list[str]:
    (tmp_path / "map.toml").write_text(mapping)
    (tmp_path / "log.json").write_text(text)
    (log,) = read_logs([tmp_path / "log.json"], load_log_map(tmp_path / "map.toml"))
    assert log.role == "A"
    return [f"{log.place(i).line}: {event}" for i, event in enumerate(log)]


def test_spans_are_in_the_order_of_their_starts(tmp_path: Path) -> None:
    """A span is written when it ends, numbers stand for kinds, and others than the map says are no events."""
    outer, inner = span("ask", 4, 10), span("answer", "SPAN_KIND_CONSUMER", 20)
    other = span("serve", 1, 1)
    expected = ["1: sends ask to B", "1: receives answer from B"]
    assert events(json.dumps(spans(inner, other, outer)), tmp_path) == expected
    lines = "".join(json.dumps(spans(one)) + "\n" for one in (inner, other, outer))
    assert events(lines, tmp_path) == ["3: sends ask to B", "1: receives answer from B"]
    assert events(lines[:-20], tmp_path) == ["1: receives answer from B"]
    pretty = json.dumps(spans(span("ask", 4, 10, "77")), indent=1)
    (line,) = (i for i, row in enumerate(pretty.splitlines(), 1) if '"77"' in row)
    assert events(pretty, tmp_path) == [f"{line}: sends ask to B"]


def test_log_records_have_bodies_and_attributes(tmp_path: Path) -> None:
    record: dict[str, Any] = {
        "timeUnixNano": "5",
        "body": {"stringValue": "send"},
        "attributes": [attribute("peer", "B")],
    }
    record["attributes"] += [
        {"key": "message", "value": {"kvlistValue": {"values": [attribute("name", "ask")]}}}
    ]
    resource = {"attributes": [attribute("service.name", "A")]}
    document = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [record]}]}]}
    mapping = 'role = "service.name"\ndo = "body"\nmessage = "message.name"\n'
    assert events(json.dumps(document), tmp_path, mapping) == ["1: sends ask to B"]


def test_what_is_no_otlp_has_its_line(tmp_path: Path) -> None:
    wrong = json.dumps(spans(span("ask", 4, 10))) + "\n" + "{]\n" + "{}\n"
    with pytest.raises(ParseError, match="no JSON of OpenTelemetry") as caught:
        events(wrong, tmp_path)
    assert caught.value.place is not None and caught.value.place.line == 2
    late = spans({**span("ask", 4, 10), "startTimeUnixNano": "now"})
    with pytest.raises(ParseError, match="no JSON of OpenTelemetry"):
        events(json.dumps(late), tmp_path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("role = ", "not TOML"),
        ('roles = "a"', "no field 'roles'"),
        ("role = 3", "'role' does not say"),
        ('role = { field = "a", value = "b" }', "'role' does not say"),
        ('do = { field = "a", values = 1 }', "'do' does not say"),
        ('where = "a"', "where is a table"),
    ],
)
def test_maps_that_say_nothing_are_refused(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(InputError, match=problem):
        load_log_map(tmp_path / "map.toml")


def test_two_ways_to_say_the_fields(run: Run, tmp_path: Path) -> None:  # noqa: F811
    refused = run("trace", LOGS / "ask.storm", "a", "--map", "m", "--field", "do=event")
    assert refused.code == 2 and "give only one of them" in refused.err
    refused = run("trace", LOGS / "ask.storm", "a", "--map", tmp_path / "none.toml")
    assert refused.code == 2 and "cannot be read" in refused.err
