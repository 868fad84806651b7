"""The language of a text among those of the task, by its script: for fonts, and for readers of screens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
