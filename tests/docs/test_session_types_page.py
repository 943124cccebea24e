"""What docs/session-types.md shows is so."""

from __future__ import annotations

import re

import pytest

from stormproof.errors import InputError
from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.languages import formats
from tests.support.paths import DOCS

PAGE = (DOCS / "session-types.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["ctx", "scribble"])
def test_examples_are_read_and_handle_crashes(language: str) -> None:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    system = formats.loads(text)
    assert len(system.unreliable) == 1
    found = crash_handling(system)
    assert found.holds and found.cleans_up


def test_the_error_that_is_shown() -> None:
    text = (
        "global protocol Buy(reliable role Buyer, role Shop) {\n"
        "  order from Buyer to Shop;\n"
        "  price(int) from Shop to Buyer;\n}"
    )
    with pytest.raises(InputError) as caught:
        formats.loads(text, "scribble", "shop.nuscr")
    shown = "\n".join(f"    {line}" for line in str(caught.value).splitlines())
    assert shown in PAGE
