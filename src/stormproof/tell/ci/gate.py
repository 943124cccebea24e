"""What came of a gate: JUnit XML, and a summary for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ...errors import visible
from ...kernel.model.phrases import listed
from ...live.testing.run_vectors import FAILED, NOT_RUN, PASSED, CodeReport, VectorResult
from ...surveys.gate import GateAnswer
from .checked_file import CheckedFile
from .failure_text import explained_run
from .github import cell, fenced, summary
from .junit import junit
from .mutants import mutants_junit

_SIGNS = {0: "✔", 1: "✘", 3: "?"}


def gate_junit(answer: GateAnswer, file: CheckedFile) -> str:
    """The suites of the check, of the mutants and of the code in one document."""
    root = Element("testsuites", name="stormproof")
    texts = [junit([file])]
    if answer.mutants is not None:
        texts.append(mutants_junit(answer.mutants, file.name))
    for text in texts:
        root.extend(ElementTree.fromstring(text.encode()))
    if answer.code is not None:
        root.append(_code_suite(answer.code))
    for counter in ("tests", "failures", "errors"):
        root.set(counter, str(sum(int(suite.get(counter, "0")) for suite in root)))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _code_suite(code: CodeReport) -> Element:
    suite = Element("testsuite", name=visible(f"implementation of {code.role}"), time="0")
    for result in code.results:
        _case(suite, code.role, result)
    for what in (*code.problems, *([code.stopped] if code.stopped else [])):
        case = SubElement(suite, "testcase", classname=visible(code.role), name="the command", time="0")
        SubElement(case, "error" if code.stopped else "failure", message=visible(what)).text = visible(what)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for counter, tag in (("failures", "failure"), ("errors", "error")):
        suite.set(counter, str(len(suite.findall(f"testcase/{tag}"))))
    SubElement(suite, "system-out").text = visible("\n".join(coverage_lines(code)))
    return suite


def _case(suite: Element, role: str, result: VectorResult) -> None:
    case = SubElement(suite, "testcase", classname=visible(role), name=visible(result.name), time="0")
    if result.verdict == PASSED:
        return
    tag = "failure" if result.verdict in (FAILED, NOT_RUN) else "error"
    message = f"{result.verdict}: {result.why}" if result.why else result.verdict
    SubElement(case, tag, message=visible(message)).text = visible("\n".join(failed_lines(result)))


def failed_lines(result: VectorResult) -> Iterator[str]:
    """What an implementation does wrong in a vector, and the chart of what led there."""
    yield result.about
    if result.why:
        yield result.why
    if result.answer is not None:
        shown = "\n".join(explained_run(result.answer))  # the sentence says already what is wrong
        yield from shown.splitlines()


def coverage_lines(code: CodeReport) -> Iterator[str]:
    """Every transition of the role: the handlers that did it, or never."""
    width = max((len(row.words) for row in code.coverage), default=0)
    for row in code.coverage:
        yield f"{row.words:<{width}}  {', '.join(row.handlers) or 'never'}"


def gate_summary(answer: GateAnswer, file: CheckedFile) -> str:
    """Markdown: the answer, then each part."""
    return "\n".join(
        [f"# {cell(answer.headline)}", "", summary([file]), *_mutants(answer), *_code(answer), ""]
    )


def _mutants(answer: GateAnswer) -> Iterator[str]:
    found = answer.mutants
    if found is None:
        return
    yield from (f"\n### {_SIGNS[answer.mutants_code]} mutants", "", cell(found.summary))
    for result in (*found.survivors, *found.undecided):
        hint = "" if result.suggestion is None else f"; would notice it: {cell(result.suggestion.line)}"
        yield f"- {cell(str(result))}{hint}"


def _code(answer: GateAnswer) -> Iterator[str]:
    code = answer.code
    if code is None:
        return
    yield from (f"\n### {_SIGNS[code.exit_code]} implementation of {cell(code.role)}", "", cell(code.summary))
    yield from (f"- {cell(what)}" for what in code.problems)
    for result in code.results:
        if result.verdict != PASSED:
            yield f"\n<details><summary>{cell(result.name)}: {cell(result.verdict)}</summary>\n"
            yield from fenced("\n".join(failed_lines(result)))
            yield "\n</details>"
    yield from ("", "| transition | handlers |", "| --- | --- |")
    for row in code.coverage:
        yield f"| {cell(row.words)} | {cell(listed(row.handlers) or 'never')} |"
