"""A check as JUnit XML: a test suite per file, a test case per verdict that the exit code depends on."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ...errors import StormproofError, visible
from ...search.checks.report import Report, Verdict
from .checked_file import CheckedFile
from .failure_text import details, sentence_of


def junit(files: Sequence[CheckedFile]) -> str:
    """Violated is a failure, undecided an error, as is a file that cannot be read."""
    root = Element("testsuites", name="stormproof")
    suites = [_suite(root, file) for file in files]
    for counter in ("tests", "failures", "errors"):
        root.set(counter, str(sum(int(suite.get(counter, "0")) for suite in suites)))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(root: Element, file: CheckedFile) -> Element:
    suite = SubElement(root, "testsuite", name=_text(file.name))
    for error in file.errors:
        _unread(suite, file, error)
    for verdict in file.verdicts:
        _case(suite, file, verdict)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for counter, tag in (("failures", "failure"), ("errors", "error")):
        suite.set(counter, str(len(suite.findall(f"testcase/{tag}"))))
    seconds = file.answer.seconds if isinstance(file.answer, Report) else 0.0
    suite.set("time", f"{seconds:.3f}")
    said = [*map(str, file.warnings), *(f"{place}: warning: {what}" for what, place in file.vacuous)]
    if said:
        SubElement(suite, "system-err").text = _text("\n".join(said))
    return suite


def _unread(suite: Element, file: CheckedFile, error: StormproofError) -> None:
    line = error.place.line if error.place is not None else None
    name = "read" if line is None else f"read, line {line}"
    case = SubElement(suite, "testcase", classname=_text(file.name), name=name, time="0")
    SubElement(case, "error", message=_text(error.message)).text = _text(error.drawn())


def _case(suite: Element, file: CheckedFile, verdict: Verdict) -> None:
    case = SubElement(suite, "testcase", classname=_text(file.name), name=_text(verdict.property))
    case.set("time", f"{verdict.seconds:.3f}")
    case.set("file", _text(file.name))
    line = file.place(verdict).line
    if line is not None:
        case.set("line", str(line))
    status, sentence = verdict.status, sentence_of(verdict)
    properties = SubElement(case, "properties")
    SubElement(properties, "property", name="status", value=status.value)
    passed = status.passed
    if passed:
        SubElement(case, "system-out").text = _text(f"{status.sign} {sentence}")
        return
    message = sentence if passed is False else f"undecided: {sentence}"
    found = SubElement(case, "failure" if passed is False else "error", message=_text(message))
    found.text = _text("\n".join([message, *details(file.report(verdict), verdict)]))


def _text(text: str) -> str:
    """Without control characters, which XML cannot hold."""
    return visible(text)
