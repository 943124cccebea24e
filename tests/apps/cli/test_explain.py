"""What `explain` says where no repair is searched, and what `check` promises of it."""

from __future__ import annotations

from pathlib import Path

from tests.support.command_line import Run

#: Only the requirement is violated, by a timer.
NEVER = """\
role A {
  a: B!m -> b
  b: timeout -> c
  c:
}
role B {
  a: A?m -> b
  b:
}
require r: never A@c
"""


def test_what_must_never_be_reached_is_not_mended_by_added_lines(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "never.storm"
    path.write_text(NEVER)
    checked, explained = run("check", path), run("explain", path)
    assert checked.code == explained.code == 1
    assert "see why: stormproof explain" in checked.out and "mend it" not in checked.out
    assert "lines that are added take no run away" in " ".join(explained.out.split())
    quiet = run("explain", path, "--suggest", "0")
    assert "take no run away" not in " ".join(quiet.out.split())


def test_a_loss_may_be_mended(run: Run) -> None:
    assert "mend it: stormproof explain client-server --loss" in run("check", "client-server", "--loss").out


def test_the_size_of_a_run_is_said_once(run: Run, tmp_path: Path) -> None:
    """Also of one that is too long to be told."""
    steps = "".join(f"  s{i}: timeout -> s{i + 1}\n" for i in range(40))
    path = tmp_path / "long.storm"
    path.write_text(f"role A {{\n{steps}  s40:\n}}\nrole B {{\n  b:\n}}\nrequire r: never A@s40\n")
    told = " ".join(run("explain", path).out.split())
    assert told.count("The run has 40 actions") == 1
