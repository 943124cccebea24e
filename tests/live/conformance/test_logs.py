"""Logs as files: what is read, what is refused, and what the command answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import InputError, UsageError
from stormproof.live.conformance.log import LogEvent, RoleLog
from stormproof.live.conformance.read_log import read_logs
from tests.support.command_line import Run
from tests.support.patterns import processor_time

PROTOCOL = """
protocol Ask
role A { start: B!ask -> wait
         wait: B?answer -> done
               timeout -> start
         done: }
role B { idle: A?ask -> busy
         busy: A!answer -> idle }
rest A@done, B@idle
"""
CALM = {"A": ["send ask", "receive answer"], "B": ["receive ask", "send answer"]}
RESENT = {"A": ["send ask", "timeout", "send ask", "receive answer"], "B": ["receive ask", "send answer"]}
TWICE = {
    "A": ["send ask", "receive answer"],
    "B": ["receive ask", "send answer", "receive ask", "send answer"],
}


def rows(role: str, events: list[str]) -> list[dict[str, Any]]:
    peer = {"A": "B", "B": "A"}[role]
    found = []
    for event in events:
        do, _, message = event.partition(" ")
        more = {"peer": peer, "message": message} if message else {}
        found.append({"role": role, "do": do, **more, "time": 1.5, "host": "somewhere"})
    return found


def written(folder: Path, logs: dict[str, list[str]]) -> list[str]:
    """One file per role, and the protocol beside them."""
    (folder / "ask.storm").write_text(PROTOCOL, encoding="utf-8")
    names = []
    for role, events in logs.items():
        path = folder / f"{role}.ndjson"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows(role, events)), encoding="utf-8")
        names.append(str(path))
    return names


def test_a_calm_run_needs_no_fault(tmp_path: Path, run: Run) -> None:
    names = written(tmp_path, CALM)
    assert sp.trace(sp.loads(PROTOCOL), names).faults == ()
    found = run("trace", str(tmp_path / "ask.storm"), *names)
    assert found.code == 0
    assert "conforms: 4 events of 2 roles, and no fault is needed" in found.out


def test_what_is_in_flight_is_not_lost(tmp_path: Path) -> None:
    names = written(tmp_path, RESENT)
    found = sp.trace(sp.loads(PROTOCOL), names, sp.Failures(loss=True))
    assert found.conforms and found.faults == () and found.run is not None


def test_a_loss_is_counted_only_where_it_is_needed() -> None:
    system = sp.loads("role A { s: B!x -> t\n t: B!y -> u\n u: }\nrole B { s: A?x -> s\n A?y -> s }")
    sent = [LogEvent("send", "B", message) for message in ("x", "y")]
    logs = [RoleLog.of("A", sent), RoleLog.of("B", [LogEvent("receive", "A", "y")])]
    assert sp.trace(system, logs).conforms is False
    found = sp.trace(system, logs, sp.Failures(loss=True))
    assert found.conforms and found.fewest
    assert [str(f) for f in found.faults] == ["loss: x from A to B, <log>:1"]


def test_a_duplicate_is_named_at_its_reception(tmp_path: Path) -> None:
    names = written(tmp_path, TWICE)
    refused = sp.trace(sp.loads(PROTOCOL), names)
    assert refused.conforms is False
    assert [(u.role, u.place.line) for u in refused.unexplained] == [("B", 3)]
    assert "B receives ask from A, but no such message can arrive" in str(refused)
    found = sp.trace(sp.loads(PROTOCOL), names, sp.Failures(duplicate=True))
    assert found.conforms and found.fewest
    assert [(f.kind, f.place and f.place.line) for f in found.faults] == [("duplication", 1)]


def test_what_was_possible_is_said(tmp_path: Path, run: Run) -> None:
    names = written(tmp_path, {**CALM, "A": ["send ask", "send ask"]})
    found = run("trace", str(tmp_path / "ask.storm"), *names)
    assert found.code == 1
    assert "A.ndjson:2: A sends ask to B; possible here: receives answer from B or times out" in found.out


def test_a_role_without_a_log_does_what_it_may(tmp_path: Path) -> None:
    names = written(tmp_path, CALM)
    found = sp.trace(sp.loads(PROTOCOL), names[:1])
    assert found.conforms and found.fewest and found.roles == ("A",)
    wrong = written(tmp_path, {"A": ["receive answer"]})
    assert sp.trace(sp.loads(PROTOCOL), wrong).conforms is False


def test_what_a_role_can_never_do_is_found_without_the_other_logs(tmp_path: Path) -> None:
    """However many runs the others have: here A may ask for ever."""
    names = written(tmp_path, {"B": ["receive ask", "send answer", "send answer"]})
    found = sp.trace(sp.loads(PROTOCOL), names, limits=sp.Limits(states=3))
    assert found.conforms is False and found.unexplained[0].place.line == 3
    assert found.unexplained[0].possible == ("receives ask from A",)


def test_a_log_may_begin_in_the_middle_or_be_cut_off(tmp_path: Path) -> None:
    middle = written(tmp_path, {"A": ["receive answer"], "B": ["send answer"]})
    assert sp.trace(sp.loads(PROTOCOL), middle).conforms is False
    assert sp.trace(sp.loads(PROTOCOL), middle, start_anywhere=True).conforms
    short = written(tmp_path, {"A": ["send ask"], "B": ["receive ask", "send answer", "receive ask"]})
    assert sp.trace(sp.loads(PROTOCOL), short).conforms is False
    assert sp.trace(sp.loads(PROTOCOL), short, cut_off=True).conforms


def test_logs_of_some_roles_may_begin_in_the_middle(tmp_path: Path) -> None:
    """What the others have sent may be in their channels from the beginning; a role still follows its
    automaton, and channels between roles with logs still explain what is received."""
    system = sp.loads(PROTOCOL)
    middle = written(tmp_path, {"A": ["receive answer"]})
    assert sp.trace(system, middle).conforms is False
    found = sp.trace(system, middle, start_anywhere=True)
    assert found.conforms and found.fewest and found.roles == ("A",)
    wrong = sp.trace(system, written(tmp_path, {"A": ["receive answer", "send ask"]}), start_anywhere=True)
    assert wrong.conforms is False
    assert "A sends ask to B; it had finished" in str(wrong)
    both = {
        "A": ["send ask"],
        "B": ["receive ask", "send answer", "receive ask", "send answer", "receive ask"],
    }
    assert sp.trace(system, written(tmp_path, both), start_anywhere=True).conforms
    late = written(
        tmp_path, {"A": ["timeout", "send ask"], "B": ["send answer", "receive ask", "send answer"]}
    )
    assert sp.trace(system, late, start_anywhere=True, cut_off=True).conforms
    end = sp.trace(
        system, written(tmp_path, {"A": ["receive answer", "send ask"]}), start_anywhere=True, cut_off=True
    )
    assert end.conforms is None and "begin in the middle" in end.reason


def test_a_torn_last_line_is_not_an_error(tmp_path: Path) -> None:
    names = written(tmp_path, CALM)
    whole = Path(names[0]).read_text(encoding="utf-8")
    Path(names[0]).write_text(whole + '{"role": "A", "do": "se', encoding="utf-8")
    assert sp.trace(sp.loads(PROTOCOL), names).conforms
    Path(names[0]).write_text('{"role": "A", "do": "se\n' + whole, encoding="utf-8")
    with pytest.raises(InputError, match=r"A\.ndjson:1: this is not an event"):
        sp.trace(sp.loads(PROTOCOL), names)


@pytest.mark.parametrize("line", ["[" * 100_000, '{"role":' * 100_000, "\x00", '"text"'])
def test_garbage_in_the_middle_is_refused_with_its_place(tmp_path: Path, line: str) -> None:
    names = written(tmp_path, CALM)
    first, *others = Path(names[0]).read_text(encoding="utf-8").splitlines(keepends=True)
    Path(names[0]).write_text("".join((first, f"{line}\n", *others)), encoding="utf-8")
    with pytest.raises(InputError, match=r"A\.ndjson:2: this is not an event"):
        sp.trace(sp.loads(PROTOCOL), names)


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    names = written(tmp_path, CALM)
    for name in names:
        data = Path(name).read_bytes().replace(b"\n", b"\r\n\r\n")
        Path(name).write_bytes(b"\xef\xbb\xbf" + data)
    found = sp.trace(sp.loads(PROTOCOL), names)
    assert found.conforms and found.events == 4


def test_an_empty_log_is_that_of_the_role_it_is_called_after(tmp_path: Path) -> None:
    """B has done nothing, so nobody can have answered; without its log, it may have."""
    names = written(tmp_path, {"A": ["send ask", "receive answer"], "B": []})
    assert sp.trace(sp.loads(PROTOCOL), names).conforms is False
    assert sp.trace(sp.loads(PROTOCOL), names[:1]).conforms
    assert sp.trace(sp.loads(PROTOCOL), names[1:]).conforms, "a role may do nothing"
    other = tmp_path / "other.ndjson"
    other.touch()
    assert sp.trace(sp.loads(PROTOCOL), [names[0], other]).conforms
    with pytest.raises(UsageError, match="no event in any log"):
        sp.trace(sp.loads(PROTOCOL), [other])


def test_which_role_a_log_is_of(tmp_path: Path) -> None:
    names = written(tmp_path, CALM)
    with pytest.raises(InputError, match=r"A\.ndjson: this log is given twice"):
        sp.trace(sp.loads(PROTOCOL), [names[0], Path(names[0])])
    with Path(names[0]).open("a", encoding="utf-8") as file:
        file.write('{"role": "Z", "do": "timeout"}\n')
    with pytest.raises(UsageError, match=r"A\.ndjson:3: the protocol has no role 'Z'"):
        sp.trace(sp.loads(PROTOCOL), names)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"role": "A"}, "'do' is missing"),
        ({"role": "A", "do": "sned", "peer": "B", "message": "x"}, "did you mean 'send'"),
        ({"role": "A", "do": "send", "peer": "B", "message": 3}, "'message' is 3, not a name"),
        ({"role": "A", "do": "send", "message": "ask"}, "'peer' is missing"),
        ({"role": "C", "do": "timeout"}, "no role 'C'"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(tmp_path: Path, row: dict[str, Any], why: str) -> None:
    path = tmp_path / "log.ndjson"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises((InputError, UsageError)) as refused:
        sp.trace(sp.loads(PROTOCOL), [path])
    assert why in str(refused.value) and "log.ndjson" in str(refused.value)


def test_fields_by_other_names(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "log.ndjson"
    lines = [
        {"who": r["role"], "event": r["do"], "peer": r.get("peer"), "message": r.get("message")}
        for role, events in CALM.items()
        for r in rows(role, events)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    system = sp.loads(PROTOCOL)
    assert sp.trace(system, [path], fields={"role": "who", "do": "event"}).conforms
    renamed = sp.trace(system, [path], fields=lambda r: {**r, "role": r["who"], "do": r["event"]})
    assert renamed.conforms
    (tmp_path / "ask.storm").write_text(PROTOCOL, encoding="utf-8")
    words = ("trace", str(tmp_path / "ask.storm"), str(path), "--field", "role=who", "--field")
    assert json.loads(run(*words, "do=event", "--json").out)["conforms"] is True
    wrong = run(*words, "do")
    assert wrong.code == 2
    assert "write role=host" in wrong.err


HAPPENED = [
    ("A", '{"A": 1}', "send ask to B"),
    ("B", '{"B": 1, "A": 1}', "receive ask from A"),
    ("B", '{"B": 2, "A": 1}', "sends answer to A"),
    ("A", '{"A": 2, "B": 2}', '{"do": "receive", "message": "answer", "peer": "B"}'),
]


@pytest.mark.parametrize(
    ("form", "expression"),
    [
        ("{host} {clock}\n{event}\n", None),
        ("{event}\n{host} {clock}\n", None),
        ("{host} {clock} {event}\n", None),
        ("{host} {event} {clock}\n", None),
        ("12:03 [{host}] {event} @{clock}\n", r"\d+:\d+ \[(?<host>\w+)\] (?<event>.*) @(?<clock>\{.*\})"),
    ],
)
def test_logs_of_shiviz(tmp_path: Path, run: Run, form: str, expression: str | None) -> None:
    """In the usual forms, with an expression, and as files that begin with theirs."""
    events = HAPPENED[:3] if form.startswith("{host} {event}") else HAPPENED
    text = "".join(form.format(host=h, clock=c, event=e) for h, c, e in events)
    path = tmp_path / "shiviz.log"
    path.write_text(text, encoding="utf-8")
    assert sum(len(log) for log in read_logs([path], shiviz=expression)) == len(events)
    (tmp_path / "ask.storm").write_text(PROTOCOL, encoding="utf-8")
    option = () if expression is None else ("--shiviz", expression)
    assert run("trace", str(tmp_path / "ask.storm"), str(path), *option).code == 0
    path.write_text(f"{expression or r'(?<event>.*)'}\n\n{text}", encoding="utf-8")
    if expression is not None:
        assert sp.trace(sp.loads(PROTOCOL), [path]).conforms
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert sp.trace(sp.loads(PROTOCOL), [path], shiviz=expression).conforms
    last = form.format(host=events[-1][0], clock=events[-1][1], event=events[-1][2])
    for size in range(len(text) - len(last), len(text)):
        path.write_text(text[:size], encoding="utf-8")
        found = sum(len(log) for log in read_logs([path], shiviz=expression))
        assert found >= len(events) - 1, f"the last is torn: {text[:size]}"


def test_a_wrong_log_of_shiviz_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "shiviz.log"
    path.write_text('A {"A": 1}\nsend ask to B\n\nwhat is this?\nand this?\nand this?\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"shiviz\.log:4: the expression .* does not fit here"):
        read_logs([path])
    with pytest.raises(InputError, match="has no group 'event'"):
        read_logs([path], shiviz=r"(?<host>\w+)")
    with pytest.raises(InputError, match="is wrong"):
        read_logs([path], shiviz=r"(?<host>\w+")


#: Expressions on which `re` takes exponential or cubic time, or more than the memory.
HOSTILE = (
    r"(?<host>(a+)+)b (?<event>.*)",
    r"(?<host>(?:a|a)*)b (?<event>.*)",
    r"(?<host>a?a?a?a?a?a?a?a?a?a?)(?<event>x)",
    "(?<host>a)(?<event>b)" + "(" * 20_000,
    "(?<host>a)(?<event>b)" + "(?:a){4294967294}" * 100,
)


@pytest.mark.parametrize("expression", HOSTILE)
def test_a_file_cannot_bring_an_expression_that_hangs(tmp_path: Path, run: Run, expression: str) -> None:
    """It is refused with the way to give it, and there the time limit holds."""
    log, protocol = tmp_path / "shiviz.log", tmp_path / "ask.storm"
    protocol.write_text(PROTOCOL, encoding="utf-8")
    log.write_text(f"{expression}\n\n{'a' * 60}\n{'a' * 60}\n", encoding="utf-8")
    done = run("trace", protocol, log)
    assert done.code == 2 and "--shiviz" in done.err and len(done.err) < 5_000
    assert run("trace", protocol, log, "--shiviz", expression, "--timeout", "1").code in (2, 3)


def test_a_file_may_bring_an_expression_that_searches_far(tmp_path: Path) -> None:
    """Where several repetitions compete `re` takes the cube of the length of a line."""
    log = tmp_path / "shiviz.log"
    log.write_text(f"(?<host>.*)b(?<event>.*)c(?<clock>.*)d\n\n{'bc' * 30_000}\nbc\nbc\n", encoding="utf-8")
    with processor_time(20), pytest.raises(InputError, match=r":3: the expression .* does not fit here"):
        read_logs([log])


def test_a_given_expression_replaces_that_of_the_file(tmp_path: Path) -> None:
    log = tmp_path / "shiviz.log"
    log.write_text("(?<host>(x|A)+): (?<event>.*)\n\nA: send ask to B\n", encoding="utf-8")
    (found,) = read_logs([log], shiviz=r"(?<host>(x|A)+): (?<event>.*)")
    assert found.role == "A" and list(found.lines) == [3]


def test_lines_that_differ_in_numbers_are_read_once(tmp_path: Path) -> None:
    """But not numbers in texts, however they are quoted."""
    path = tmp_path / "log.ndjson"
    said = ["ask", "ask", '": 1', '": 2', ": 3,", ": 4,"]
    rows = [{"role": "A", "do": "send", "peer": "B", "message": m, "time": i / 7} for i, m in enumerate(said)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (log,) = read_logs([path])
    assert [event.message for event in log] == said and list(log.lines) == [1, 2, 3, 4, 5, 6]
    path.write_text(
        path.read_text("utf-8") + json.dumps({**rows[0], "time": 3})[:-1] + "\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match=r":7: this is not an event"):
        read_logs([path])
