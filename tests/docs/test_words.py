"""The words that the glossary gives up do not come back: not in the code, its messages and names, nor in the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GIVEN_UP = {
    r"mend(s|ed|ing|able)?": "fix, fixed, fixable",
    r"stands? (twice|alone)|stood": "duplicate; occurs, is",
    r"(tells?|told|telling) (\w+ )?apart": "distinguish, differ",
    r"passed over": "ignored",
    r"heed(s|ed|ing)?": "follow, use, catch",
    r"withdrawn|banned": "takedown",
    r"gravity": "severity",
    r"put right": "fix",
    r"give or take": "plus or minus, ±",
    r"to be had|at hand": "available",
    r"hopeless": "impossible",
}
"""A pattern of words, and what to write instead."""
PAGES = ("CONTRIBUTING.md", "README.md", "SECURITY.md", *(f"docs/{name}" for name in ("*.md", "decisions/*.md")))


def _texts() -> list[Path]:
    """The modules of the package and the pages; the glossary lists the words itself."""
    found = [path for suffix in ("py", "js", "toml") for path in (ROOT / "src" / "kaiwa").rglob(f"*.{suffix}")]
    found += [path for pattern in PAGES for path in ROOT.glob(pattern)]
    return [path for path in found if path.name != "glossary.md"]


@pytest.mark.parametrize("words", GIVEN_UP)
def test_a_word_that_was_given_up_does_not_come_back(words: str) -> None:
    """In names too, where underscores separate the words."""
    pattern = re.compile(rf"\b({words})\b", re.IGNORECASE)
    places = [
        f"{path.relative_to(ROOT)}:{number}: {found[0]!r}; write {GIVEN_UP[words]}"
        for path in _texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (found := pattern.search(line.replace("_", " ")))
    ]
    assert places == []
