"""Raw pairs to a repository, by a rule set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.build.repository.cleaning import Cleaned, clean
from kaiwa.disk.protected_inputs import reading
from kaiwa.engine.opening import LOCAL
from kaiwa.formats.collection.rule_files import read_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEFAULT_RULES = "plain"


def clean_pairs(
    source: Path | Sequence[Path],
    target: Path,
    *,
    rules: str = DEFAULT_RULES,
    sample: int | None = None,
    seed: int = 1,
    keep_first: bool = False,
    takedown: frozenset[str] = frozenset(),
    engine: str = LOCAL,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Cleaned:
    """The repository made at ``target``, and what each rule removed; ``rules`` is a set's name or a TOML file.

    Several sources of one kind (pairs, dialogues, tweets) are cleaned as one file with all their rows; others are files
    of posts, of comments and perhaps of the pairs of their ids. A folder stands for its files. More than a few ids with
    several texts are an error; with ``keep_first`` the first text of each is kept. ``engine`` is where the work runs.
    """
    chosen = read_rules(rules)
    with reading([source] if isinstance(source, Path) else source):
        return clean(
            source,
            target,
            rules=chosen,
            sample=sample,
            seed=seed,
            progress=progress,
            keep_first=keep_first,
            takedown=takedown,
            engine=engine,
        )
