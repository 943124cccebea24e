"""`stormproof lsp` without the package that it needs; tests/apps/lsp talks to a server."""

from __future__ import annotations

import importlib.util

import pytest

from stormproof.apps.cli import main


def test_without_pygls_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as leaving:
        main(["lsp"])
    said = capsys.readouterr().err
    assert leaving.value.code == 2
    assert "needs pygls" in said and "pip install 'stormproof[lsp]'" in said
