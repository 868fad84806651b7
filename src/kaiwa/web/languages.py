"""The languages of the pages: which one a reader gets, and its words."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LANGUAGES = ("en", "zh", "ja")
HTML_LANG = {"en": "en", "zh": "zh-Hans", "ja": "ja"}


@dataclass(frozen=True)
class Words:
    """The words of one language by key; a call fills in the values of a sentence.

    >>> Words("en", {"assess.done": "{done} of {total}"})("assess.done", done=2, total=9)
    '2 of 9'
    """

    lang: str
    table: Mapping[str, str]

    def __call__(self, key: str, /, **values: object) -> str:
        """The words of a key, with values in the places of their names."""
        return self.table[key].format(**values)

    @property
    def html_lang(self) -> str:
        """The value of the page's ``lang`` attribute."""
        return HTML_LANG.get(self.lang, self.lang)

    def part(self, *sections: str) -> dict[str, str]:
        """The words of some sections, for the scripts of a page."""
        return {key: text for key, text in self.table.items() if key.split(".", 1)[0] in sections}


@cache
def words_of(lang: str) -> Words:
    """The words of a language.

    >>> words_of("ja")("lead.agreement")
    '一致度'
    """
    text = (files("kaiwa.web") / "words" / f"{lang}.toml").read_text(encoding="utf-8")
    return Words(lang, dict(_flat(tomllib.loads(text))))


def _flat(sections: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for section, entries in sections.items():
        for name, text in entries.items():
            yield f"{section}.{name}", text


def chosen_language(query: str | None, cookie: str | None, accept: str, default: str) -> str:
    """The language of a page: what the reader chose, else what the browser prefers, else the default.

    >>> chosen_language(None, None, "fr, ja;q=0.9, en;q=0.8", "zh"), chosen_language("zh", "en", "ja", "en")
    ('ja', 'zh')
    """
    for chosen in (query, cookie):
        if chosen in LANGUAGES:
            return chosen
    preferred = (one for one in _accepted(accept) if one in LANGUAGES)
    return next(preferred, default if default in LANGUAGES else "en")


def _accepted(header: str) -> list[str]:
    """The languages of an ``Accept-Language`` header without their regions, best first."""
    weighed = list[tuple[float, str]]()
    for part in header.split(","):
        name, _, rest = part.strip().partition(";")
        try:
            weight = float(rest.strip().removeprefix("q=") or 1)
        except ValueError:
            weight = 0.0
        weighed.append((-weight, name.split("-", 1)[0].lower()))
    return [name for weight, name in sorted(weighed, key=lambda one: one[0]) if weight < 0]
