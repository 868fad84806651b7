"""Raw pairs to a repository, by a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.build.repository.cleaning import Cleaned, clean
from kaiwa.formats.collection.rule_files import read_rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DEFAULT_RULES = "plain"


def clean_pairs(
    source: Path,
    target: Path,
    *,
    rules: str = DEFAULT_RULES,
    sample: int | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Cleaned:
    """The repository made at ``target``, and what each rule removed; ``rules`` is a set's name or a TOML file."""
    return clean(source, target, rules=read_rules(rules), sample=sample, seed=seed, progress=progress)
