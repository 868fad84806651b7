"""The words of the pages: complete in every language, and all of them used."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from kaiwa.web.pages import LANGUAGES, words_of

PLACES = re.compile(r"\{\w+\}")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_the_same_keys_and_places(lang: str) -> None:
    """A sentence has the same values in each language, and none is empty."""
    english, other = words_of("en").table, words_of(lang).table
    assert list(english) == list(other)
    assert {key: sorted(PLACES.findall(text)) for key, text in english.items()} == {
        key: sorted(PLACES.findall(text)) for key, text in other.items()
    }
    assert all(text.strip() == text != "" for text in other.values())


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_no_sentence_was_left_in_english(lang: str) -> None:
    """Every word has a letter of the language; NA, p and the name of a language are the same everywhere."""
    plain = [key for key, text in words_of(lang).table.items() if not re.search("[\u3040-\u9fff]", text)]
    assert set(plain) <= {"lead.na_votes", "lead.p_value", "lead.fleiss", "assess.done"}


def test_every_word_is_used() -> None:
    """The last part of each key is somewhere in a template, a script or a module."""
    folder = files("kaiwa.web")
    sources = [one for part in (folder, folder / "static", folder / "templates") for one in part.iterdir()]
    text = "\n".join(one.read_text(encoding="utf-8") for one in sources if one.is_file() and one.name[-3:] != "svg")
    known = f"{text} coherent topic context repeats"
    unused = [key for key in words_of("en").table if not re.search(rf"\b{key.split('.')[1]}\b", known)]
    composed = {"lead.role_assessor", "lead.role_lead", "lead.role_organiser", "lead.active"}
    composed |= {f"assess.do_{name}" for name in ("unsure", "note", "flag", "guidelines")}
    assert set(unused) <= composed
