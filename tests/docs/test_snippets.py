"""Every snippet of the documents does what the document says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.document_blocks import (
    COLUMNS,
    PAGES,
    Block,
    Reader,
    blocks,
    console_commands,
    pictures,
    same_output,
    shell_lines,
)

#: Exit codes of commands that did their work: holds, violated, undecided.
ANSWERED = (0, 1, 3)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run_and_show_what_is_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", COLUMNS)
    reader = Reader(tmp_path)
    for block in blocks(page.read_text("utf-8")):
        wrong = follow(reader, block, page.name)
        assert not wrong, "\n".join(wrong)
    for picture in pictures(page):
        drawn = tmp_path / picture.name
        assert drawn.read_bytes() == picture.read_bytes(), (
            f"{picture} is not what is drawn now: scripts/refresh_docs"
        )


def follow(reader: Reader, block: Block, page: str) -> list[str]:
    """Do what a block says; what turned out otherwise."""
    if block.save_as is not None:
        reader.save(block)
        return []
    if block.language == "python":
        return list(reader.execute(block, page))
    if block.language == "sh":
        return [problem for line in shell_lines(block.text) for problem in _runs(reader, line, block, page)]
    if block.language == "console":
        return [
            problem for c in console_commands(block.text) for problem in _shows(reader, c.text, c.shown, page)
        ]
    return []


def _runs(reader: Reader, line: str, block: Block, page: str) -> list[str]:
    output = reader.run(line)
    if reader.exit_code in ANSWERED and "Traceback" not in output:
        return []
    return [f"{page}:{block.line}: {line}: exit code {reader.exit_code}\n{output}"]


def _shows(reader: Reader, command: str, shown: str, page: str) -> list[str]:
    output = reader.run(command)
    if same_output(shown, output):
        return []
    return [f"{page}: {command}\n--- shown\n{shown}\n--- printed (scripts/refresh_docs writes it)\n{output}"]


def test_there_are_snippets_of_every_kind() -> None:
    found = {block.language for page in PAGES for block in blocks(page.read_text("utf-8"))}
    assert {"python", "sh", "console", "storm"} <= found
    assert any(pictures(page) for page in PAGES)


def test_an_output_that_differs_is_noticed() -> None:
    assert same_output("a\n...\nin 3 ms.\n", "a  \nb\nc\nin 12.5 ms.\n")
    assert not same_output("a\n...\nin 3 ms.\n", "a\nb\nout 12.5 ms.\n")
    assert not same_output("a\n", "a\nb\n")


def test_a_comment_that_is_false_is_noticed(tmp_path: Path) -> None:
    block = Block(1, "python", "x = 2\nx  # 2\nx + 1  # 2\nx  # a number\n", None)
    assert list(Reader(tmp_path).execute(block, "page")) == ["page:3: the comment says 2, but it is 3"]
