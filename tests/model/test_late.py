"""The verbs of the nouns: each leads to a function, and each is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kaiwa
from kaiwa.model.late import VERBS, verb

SOURCE = Path(kaiwa.__file__).parent


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_leads_to_a_function(name: str) -> None:
    """A module that moved takes its row with it."""
    assert callable(verb(name))


def test_every_verb_is_used_and_every_use_is_a_verb() -> None:
    """No row without a method, no method without a row."""
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py") if path.name != "late.py"]
    used = {name for text in texts for name in re.findall(r'verb\("([^"]+)"\)', text)}
    assert used == set(VERBS)
