"""The commands of docs/cluster.md on TLS, and that nobody without a certificate is served."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.dask_cluster import Cluster
from tests.support.paths import DOCS, STORMPROOF

pytest.importorskip("distributed", reason="the optional package 'distributed' is not installed")


def commands(beginning: str) -> str:
    text = (DOCS / "cluster.md").read_text("utf-8")
    (found,) = (b for b in re.findall(r"```text\n(.*?)```", text, re.DOTALL) if b.startswith(beginning))
    return str(found)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_only_who_has_a_certificate_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"set -e\n{commands('openssl')}\n{commands('export').partition('dask scheduler')[0]}\nenv"
    shell = ["bash", "-c", script]
    said = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    variables = dict(line.split("=", 1) for line in said.splitlines() if line.startswith("DASK_"))
    assert len(variables) == 8
    with monkeypatch.context() as patched:
        for name, value in variables.items():
            patched.setenv(name, value)
        cluster = Cluster(tmp_path, 1, protocol="tls")
    try:
        assert cluster.address.startswith("tls://")
        asked = [str(STORMPROOF), "campaign", "alternating-bit", "--models", "loss", "--on"]
        served = _run(tmp_path, [*asked, cluster.address, "-o", "a.jsonl"], variables)
        assert served.returncode == 1 and "0 died" in served.stdout, served.stderr
        for address in (cluster.address, cluster.address.replace("tls:", "tcp:")):
            refused = _run(tmp_path, [*asked, address, "-o", "b.jsonl"], {})
            assert refused.returncode == 2 and "no Dask scheduler answers" in refused.stderr, refused.stderr
    finally:
        cluster.end()


def _run(folder: Path, command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, timeout=90
    )


@pytest.mark.parametrize(("command", "option"), [("check", "--dask"), ("campaign", "--on")])
def test_the_help_says_what_dask_does(command: str, option: str) -> None:
    said = subprocess.run([STORMPROOF, command, "--help"], capture_output=True, text=True).stdout
    about = " ".join(said.partition("Options:")[2].partition(f"{option} ")[2][:700].split())
    assert "Dask uses pickle and no authentication" in about
