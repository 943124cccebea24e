"""What the documents and the help show can be done as it is shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from stormproof.apps.cli import COMMANDS, group, main
from stormproof.languages import formats
from tests.support.document_blocks import PAGES

LANGUAGES = ("storm", "json", "ctx", "scribble")


def blocks() -> list[tuple[str, str, str]]:
    found = []
    for page in PAGES:
        texts = re.findall(r"^```(\w+)\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        found += [(page.name, language, text) for language, text in texts if language in LANGUAGES]
    return found


@pytest.mark.parametrize(("page", "language", "text"), blocks())
def test_a_protocol_in_the_documents_is_read(page: str, language: str, text: str) -> None:
    assert formats.loads(text, language, page).processes


def test_there_are_protocols_in_the_documents() -> None:
    assert {language for _, language, _ in blocks()} == set(LANGUAGES)


def examples() -> list[str]:
    """The examples in the help that name built-in protocols only, and take seconds; a server does not end."""
    found = []
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None and command.help is not None
        found += re.findall(r"^ *(stormproof .*)$", command.help, re.MULTILINE)
    elsewhere = re.compile(
        r"\||[*<>]|\.(storm|scm|nuscr|toml|py|txt|kmc|dot)\b|--compare|dask|\bprotocols/|\bshop\b|\bstudio\b|\blsp\b|\bmcp\b"
    )
    return [line for line in found if not elsewhere.search(line.replace("-o window.storm", ""))]


@pytest.mark.parametrize("line", examples())
def test_an_example_in_the_help_works(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as leaving:
        main(shlex.split(line)[1:])
    assert leaving.value.code in (0, 1), capsys.readouterr().err


def test_the_help_has_examples_of_most_commands() -> None:
    assert len({line.split()[1] for line in examples()}) >= 10
