"""The HTML of the pages, from templates and words; every text of others is escaped and its control characters shown."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from kaiwa.show.page import style
from kaiwa.show.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


# The languages of the pages: which one a reader gets, and its words.


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


_NONE = "–"


@cache
def static_files() -> Mapping[str, bytes]:
    """The style sheets, scripts and the icon by name; one sheet is shared with the report."""
    folder = files("kaiwa.web") / "static"
    own = {one.name: one.read_bytes() for one in sorted(folder.iterdir(), key=lambda one: one.name) if one.is_file()}
    return {"base.css": style().encode(), **own}


@cache
def static_version() -> str:
    """A hash of all static files, part of their addresses: a browser may keep a file as long as it likes."""
    digest = sha256()
    for name, content in static_files().items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def asset(name: str) -> str:
    """The address of a static file.

    >>> asset("page.css").split("/")[1], asset("page.css").split("/")[3]
    ('static', 'page.css')
    """
    if name not in static_files():
        raise KeyError(name)
    return f"/static/{static_version()}/{name}"


@cache
def _environment() -> Environment:
    made = Environment(loader=PackageLoader("kaiwa.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.filters |= {"visible": visible, "number": number, "signed": signed, "percent": percent}
    made.filters |= {"interval": interval, "shade": shade, "about": about}
    made.globals["asset"] = asset
    made.globals["languages"] = [(one, HTML_LANG[one], words_of(one)("page.language")) for one in LANGUAGES]
    return made


def number(value: float | None, digits: int = 2) -> str:
    """A number to so many places; a dash for none.

    >>> number(0.125), number(-0.001), number(None)
    ('0.12', '0.00', '–')
    """
    return _NONE if value is None else f"{round(value, digits) + 0.0:.{digits}f}"  # -0.0 + 0.0 is 0.0


def signed(value: float | None) -> str:
    """A number with its sign; none for 0.

    >>> signed(0.5), signed(-0.25), signed(-0.001)
    ('+0.50', '−0.25', '0.00')
    """
    if value is None:
        return _NONE
    return f"{value:+.2f}".replace("-", "−") if round(value, 2) else "0.00"


def percent(share: float | None) -> str:
    """A share in percent; never 0% or 100% unless it is.

    >>> percent(0.25), percent(0.001), percent(0.999)
    ('25%', '<1%', '>99%')
    """
    if share is None:
        return _NONE
    if 0 < share < 0.01:  # noqa: PLR2004  one percent
        return "<1%"
    return ">99%" if 0.99 < share < 1 else f"{share:.0%}"  # noqa: PLR2004  as above


def interval(one: Mapping[str, float | None]) -> str:
    """The limits of an estimate.

    >>> interval({"low": 0.25, "high": 0.5}), interval({"low": None, "high": None})
    ('[0.25, 0.50]', '–')
    """
    return _NONE if one["low"] is None else f"[{number(one['low'])}, {number(one['high'])}]".replace("-", "−")


def shade(share: float | None) -> int:
    """The shade of a cell, 0 to 4.

    >>> shade(0.0), shade(1.0), shade(None)
    (0, 4, 0)
    """
    return 0 if share is None else round(4 * share)


def about(count: int) -> str:
    """A whole number to two significant digits.

    >>> about(2433), about(46)
    ('2,400', '46')
    """
    digits = max(len(str(count)) - 2, 0)
    return f"{round(count, -digits):,}"


def render(
    template: str,
    words: Words,
    *,
    script: str = "",
    sheets: Sequence[str] = (),
    sections: Sequence[str] = (),
    **values: object,
) -> str:
    """The HTML of a template; ``sections`` of the words go to the page's script."""
    return (
        _environment()
        .get_template(template)
        .render(
            words=words,
            say=words,
            script=script,
            sheets=sheets,
            script_words=json.dumps(words.part(*sections), ensure_ascii=False),
            **values,
        )
    )


def sign_in_page(words: Words) -> str:
    """The page that exchanges the private link's token for a session.

    >>> from kaiwa.web.pages import words_of
    >>> "sign_in.js" in sign_in_page(words_of("en"))
    True
    """
    return render("sign_in.html", words, script="sign_in.js", sections=("sign_in",))


def assessor_page(words: Words, *, title: str, name: str) -> str:
    """The assessor's page of a task, before its script asks for work."""
    parts = ("assess", "answers", "keys")
    return render(
        "assess.html", words, script="assess.js", sheets=["assess.css"], sections=parts, title=title, name=name
    )


def message_page(words: Words, key: str) -> str:
    """A page of one sentence.

    >>> from kaiwa.web.pages import words_of
    >>> "does not exist" in message_page(words_of("en"), "errors.not_found")
    True
    """
    return render("message.html", words, said=words(key))


# The language of a text among those of the task, by its script: for fonts, and for readers of screens.


_KANA = re.compile("[\u3040-\u30ff\uff66-\uff9f]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")


def language_of(text: str, languages: Sequence[str]) -> str:
    """The only language of the task, or the one whose script the text has.

    >>> language_of("今日は", ["zh", "ja"]), language_of("今天", ["zh", "ja"]), language_of("hello", ["zh", "en"])
    ('ja', 'zh', 'en')
    """
    if len(languages) == 1:
        return languages[0]
    found = "ja" if _KANA.search(text) else "zh" if _HAN.search(text) else "en"
    if found == "zh" and "zh" not in languages and "ja" in languages:
        return "ja"
    return found if found in languages else languages[0]
