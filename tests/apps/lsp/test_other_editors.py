"""Editors that are installed here, set up as docs/editors.md says: the mistake in a text reaches them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps.lsp.editor import SHOP
from tests.support.paths import ROOT

MISTAKE = "unknown state 'wiat'"


def lines_for(language: str) -> list[str]:
    """The settings in the page, which the reader copies."""
    page = (ROOT / "docs/editors.md").read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def run_editor(folder: Path, *command: str) -> str:
    """What an editor prints that opens a text with a mistake, with `stormproof` on its path."""
    (folder / "shop.storm").write_text(SHOP.replace("-> wait", "-> wiat"), "utf-8")
    (folder / "home").mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(folder / "home")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout + done.stderr


WAIT_IN_NEOVIM = """
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, found in ipairs(vim.diagnostic.get(0)) do print(found.lnum + 1, found.message) end
"""


def test_neovim(tmp_path: Path) -> None:
    if shutil.which("nvim") is None:
        pytest.skip("Neovim is not installed")
    said = subprocess.run(["nvim", "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.findall(r"\d+", said)[:2]))
    new, old = lines_for("lua")
    (tmp_path / "init.lua").write_text(new if version >= (0, 11) else old, "utf-8")
    (tmp_path / "wait.lua").write_text(WAIT_IN_NEOVIM, "utf-8")
    options = ("--headless", "-n", "-u", "init.lua", "shop.storm", "-c", "luafile wait.lua", "-c", "qa!")
    assert f"6 {MISTAKE}" in run_editor(tmp_path, "nvim", *options)


#: Without a person: `M-x eglot`, the connection awaited, then the problems.
WAIT_IN_EMACS = """
(package-initialize)
(unless (require 'eglot nil t) (princ "no eglot") (kill-emacs))
(find-file "shop.storm")
(setq eglot-sync-connect t)
(apply #'eglot (eglot--guess-contact))
(let ((end (+ (float-time) 60)))
  (while (and (< (float-time) end) (null (flymake-diagnostics)))
    (accept-process-output nil 0.05)
    (flymake-start)))
(dolist (found (flymake-diagnostics))
  (princ (format "%d %s\n" (line-number-at-pos (flymake-diagnostic-beg found))
                          (flymake-diagnostic-text found))))
"""


def test_emacs(tmp_path: Path) -> None:
    if shutil.which("emacs") is None:
        pytest.skip("Emacs is not installed")
    (tmp_path / "init.el").write_text("".join(lines_for("elisp")), "utf-8")
    (tmp_path / "wait.el").write_text(WAIT_IN_EMACS, "utf-8")
    said = run_editor(tmp_path, "emacs", "--batch", "-l", "init.el", "-l", "wait.el")
    if said.endswith("no eglot"):
        pytest.skip("Emacs has no eglot")
    assert re.search(rf"^6 .*{MISTAKE}", said, re.MULTILINE)
