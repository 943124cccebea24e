"""What npm installs is pinned with hashes, and without addresses, so that any registry may serve it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.paths import ROOT

FOLDERS = [ROOT / "studio", ROOT / "editors" / "vscode"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_package_has_a_hash_and_no_address(folder: Path) -> None:
    package = json.loads((folder / "package.json").read_text("utf-8"))
    locked = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    asked = [package.get(key, {}) for key in ("dependencies", "devDependencies")]
    assert [locked[""].get(key, {}) for key in ("dependencies", "devDependencies")] == asked
    for name, version in {**asked[0], **asked[1]}.items():
        assert locked[f"node_modules/{name}"]["version"] == version
    for path, row in locked.items():
        if path:
            assert row["integrity"].startswith("sha512-") and "resolved" not in row, path
    assert "omit-lockfile-registry-resolved=true" in (folder / ".npmrc").read_text("utf-8").splitlines()


def test_they_are_installed_from_the_lock() -> None:
    for where in ("CONTRIBUTING.md", "studio/build.mjs", "editors/vscode/pack"):
        text = (ROOT / where).read_text("utf-8")
        assert "npm ci" in text and "no-package-lock" not in text, where
