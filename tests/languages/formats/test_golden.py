"""Every language, letter by letter: two systems as each language has them, checked by eye once and kept."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

import stormproof
from stormproof.languages import formats
from tests.support.equality import same_traces, same_up_to_states

GOLDEN = Path(__file__).with_name("golden")
WRITTEN = [
    *(("ring", name) for name in ("json", "kmc", "fsa", "scm", "dot", "promela")),
    *(("shop", name) for name in ("json", "scm", "dot", "promela")),
]


def golden(system: str, language: str) -> Path:
    return GOLDEN / (system + formats.FORMATS[language].suffixes[0])


@pytest.mark.parametrize(("system", "language"), WRITTEN)
def test_writing(system: str, language: str) -> None:
    options = {"k": 2} if language == "promela" else {}
    text = formats.dumps(formats.load(golden(system, "storm")), language, **options)
    assert text == golden(system, language).read_text(encoding="utf-8")


@pytest.mark.parametrize(("system", "language"), [w for w in WRITTEN if w[1] != "promela"])
def test_reading(system: str, language: str) -> None:
    equal = same_traces if language == "kmc" else same_up_to_states
    found = formats.load(golden(system, language))
    assert equal(found, formats.load(golden(system, "storm")))
    assert found.name == {"ring": "ring", "shop": "Shop"}[system]


@pytest.mark.parametrize("system", ["ring", "shop"])
def test_the_own_language_is_written_as_it_is_laid_out(system: str) -> None:
    text = golden(system, "storm").read_text(encoding="utf-8")
    assert formats.fmt(text) == text
    assert formats.dumps(formats.loads(text), "storm") == text


def test_the_formatter() -> None:
    messy = (GOLDEN / "messy.storm").read_text(encoding="utf-8")
    laid_out = (GOLDEN / "messy.formatted.storm").read_text(encoding="utf-8")
    assert formats.fmt(messy) == laid_out
    assert formats.fmt(laid_out) == laid_out
    assert same_up_to_states(formats.loads(messy), formats.loads(laid_out))


@pytest.mark.parametrize("system", ["ring", "shop"])
def test_the_exchange_format_follows_its_schema(system: str) -> None:
    import json

    schema = json.loads((Path(stormproof.__file__).parent / "schemas" / "system.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(golden(system, "json").read_text(encoding="utf-8")), schema)
