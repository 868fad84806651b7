"""The HTML of the pages, from templates and words; every text of others is escaped and its control characters shown."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from kaiwa.report.text_tables import visible
from kaiwa.web.languages import HTML_LANG, LANGUAGES, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.web.languages import Words

_NONE = "–"


@cache
def static_files() -> Mapping[str, bytes]:
    """The style sheets, scripts and the icon by name."""
    folder = files("kaiwa.web") / "static"
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir(), key=lambda one: one.name) if one.is_file()}


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

    >>> from kaiwa.web.languages import words_of
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

    >>> from kaiwa.web.languages import words_of
    >>> "does not exist" in message_page(words_of("en"), "errors.not_found")
    True
    """
    return render("message.html", words, said=words(key))
