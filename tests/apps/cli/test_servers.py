"""The servers for editors and agents without the package that they need; tests/apps talk to them."""

from __future__ import annotations

import importlib.util

import pytest

from stormproof.apps.cli import main


@pytest.mark.parametrize(("command", "package"), [("lsp", "pygls"), ("mcp", "mcp")])
def test_without_its_package_one_sentence_says_what_to_install(
    command: str, package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as leaving:
        main([command])
    said = capsys.readouterr().err
    assert leaving.value.code == 2
    assert f"needs {package}" in said and f"pip install 'stormproof[{command}]'" in said
