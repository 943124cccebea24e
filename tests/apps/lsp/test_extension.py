"""The extension for Visual Studio Code: what it may do in workspaces that are not trusted, what it starts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from tests.support.paths import ROOT, STORMPROOF

EXTENSION = ROOT / "editors" / "vscode"
#: An editor with one open file, which reports what the extension starts.
EDITOR = """
const started = (what) => console.log(JSON.stringify(what));
exports.workspace = { getConfiguration: () => ({ get: () => "stormproof" }) };
exports.window = {
  activeTextEditor: { document: { languageId: "storm", fileName: process.env.OPEN, save: async () => true } },
  createTerminal: (given) => { started({ terminal: given }); return { show() {} }; },
  showInformationMessage: (said) => started({ said }),
  showErrorMessage: (said) => started({ said }),
};
exports.commands = { registerCommand: (name, run) => { exports[name] = run; } };
exports.ViewColumn = { Beside: -2 };
"""
CLIENT = """
exports.LanguageClient = class {
  constructor(id, name, server) { console.log(JSON.stringify({ server })); }
  async start() {}
};
"""
RUN = """
const extension = require(process.env.EXTENSION);
extension.activate({ subscriptions: [], extensionPath: "/extension" })
  .then(() => require("vscode")["stormproof.openInBrowser"]());
"""


def test_in_an_untrusted_workspace_no_setting_of_it_names_what_is_started() -> None:
    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    untrusted = package["capabilities"]["untrustedWorkspaces"]
    settings = package["contributes"]["configuration"]["properties"]
    # Visual Studio Code reads the restricted settings only where the support is limited.
    assert untrusted["supported"] == "limited" and untrusted["description"]
    assert set(untrusted["restrictedConfigurations"]) == set(settings) == {"stormproof.command"}
    assert all(setting["scope"] == "machine" for setting in settings.values())


def started(tmp_path: Path, file: str) -> list[dict[str, Any]]:
    """What the extension starts, and then what it does to open a file in the studio."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    socket = "exports.WebSocket = class {};"
    for name, text in (("vscode", EDITOR), ("vscode-languageclient/node", CLIENT), ("ws", socket)):
        module = tmp_path / "node_modules" / f"{name}.js"
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(text, encoding="utf-8")
    for source in (EXTENSION / "src").glob("*.js"):
        shutil.copy(source, tmp_path)
    variables = {
        "EXTENSION": str(tmp_path / "extension.js"),
        "OPEN": file,
        "NODE_PATH": str(tmp_path / "node_modules"),
    }
    done = subprocess.run(
        [node, "-e", RUN], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_is_started_is_not_started_in_the_folder_of_the_workspace(tmp_path: Path) -> None:
    server, terminal = started(tmp_path, "/workspace/shop.storm")
    assert server["server"] == {"command": "stormproof", "args": ["lsp"], "options": {"cwd": "/extension"}}
    assert terminal["terminal"]["shellArgs"] == ["studio", "/workspace/shop.storm"]
    assert terminal["terminal"]["cwd"] == "/extension"


def test_a_python_file_that_a_workspace_calls_a_protocol_is_not_opened_in_the_studio(tmp_path: Path) -> None:
    _, said = started(tmp_path, "/workspace/roles.py:protocol")
    assert said == {"said": "The name of the file must end in .storm."}


def test_the_panel_with_the_studio() -> None:
    """The extension's own tests, against this studio."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if not (EXTENSION / "node_modules/ws").exists():
        pytest.skip("ws is not installed: cd editors/vscode && npm ci")
    done = subprocess.run(
        [node, "--test", "test"],
        cwd=EXTENSION,
        env={**os.environ, "STORMPROOF": str(STORMPROOF)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_walkthrough_says_is_so() -> None:
    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    (walkthrough,) = package["contributes"]["walkthroughs"]
    pages = [(EXTENSION / step["media"]["markdown"]).read_text("utf-8") for step in walkthrough["steps"]]
    text = pages[0].split("```storm\n")[1].split("```")[0]
    said = sp.check(sp.loads(text)).answer
    assert said.removesuffix(".") in pages[1].replace("\n", " "), said
    assert (EXTENSION / package["icon"]).read_bytes().startswith(b"\x89PNG")
