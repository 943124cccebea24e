"""What became of mutants as JUnit XML: a test suite for the file, a test case for each mutant."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ...errors import visible
from ...surveys.mutants.judge import MutantFate
from ...surveys.mutants.result import MutantResult, Mutants


def mutants_junit(found: Mutants, file: str) -> str:
    """A mutant that survives is a failure, an undecided one an error."""
    root = Element("testsuites", name="stormproof")
    suite = SubElement(root, "testsuite", name=visible(file), time=f"{found.seconds:.3f}")
    for result in found:
        _case(suite, file, result)
    counts = {"tests": len(found), "failures": len(found.survivors), "errors": len(found.undecided)}
    for element in (root, suite):
        for name, number in counts.items():
            element.set(name, str(number))
    if found.notes:
        SubElement(suite, "system-err").text = visible("\n".join(found.notes))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _case(suite: Element, file: str, result: MutantResult) -> None:
    name = visible(f"{result.mutant.number}. {result.words}")
    case = SubElement(suite, "testcase", classname=visible(file), name=name, time="0")
    case.set("file", visible(file))
    if result.line is not None:
        case.set("line", str(result.line))
    properties = SubElement(case, "properties")
    SubElement(properties, "property", name="status", value=result.status.value)
    if result.status in (MutantFate.NOTICED, MutantFate.EQUAL):
        by = f" by {result.by}" if result.by else ""
        SubElement(case, "system-out").text = visible(f"{result.status.value}{by}")
        return
    lines = list(_details(result))
    tag = "failure" if result.status is MutantFate.SURVIVES else "error"
    SubElement(case, tag, message=visible(lines[0])).text = visible("\n".join(lines))


def _details(result: MutantResult) -> Iterator[str]:
    if result.status is MutantFate.UNDECIDED:
        yield f"undecided: {result.reason}"
        return
    yield f"{result.words}: no requirement notices it"
    if result.suggestion is not None:
        yield f"would notice it: {result.suggestion.line}"
