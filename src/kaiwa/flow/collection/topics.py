"""Topics for a task: posts that pass the repository's rules and are held out from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.corpus.near_duplicates import near_pairs
from kaiwa.corpus.topic_sample import balanced_order, distinct
from kaiwa.disk.protected_inputs import reading
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.collection.repository import Repository, open_repository
from kaiwa.formats.collection.repository_writer import writing_repository
from kaiwa.formats.collection.rule_files import known_rules
from kaiwa.formats.collection.takedown import add_to_list, listed_in
from kaiwa.formats.format import PAIRS, TOPICS
from kaiwa.formats.readers import format_of, read_pairs, read_topics
from kaiwa.model.shown import Shown

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

_SHORTLIST = 4  # candidates drawn per topic, because near-duplicates are removed


@dataclass(frozen=True)
class Topics(Shown):
    """The topics, id to text, and what was left out.

    >>> Topics({"q1": "Hello"}, candidates=3, removed={"rules": 2})
    Topics(1 topic of 3 posts)
    """

    topics: dict[str, str]
    candidates: int
    removed: dict[str, int]
    rest: dict[str, int] | None = None

    def __repr__(self) -> str:
        return f"Topics({counted(len(self.topics), 'topic')} of {counted(self.candidates, 'post')})"


def sample_topics(
    source: Path,
    *,
    count: int,
    pool: Path | None,
    rest: Path | None,
    rng: np.random.Generator,
    takedown: frozenset[str] = frozenset(),
) -> Topics:
    """Posts balanced by length, from ``pool`` (no near-duplicates of the repository's posts) or from the repository.

    Drawn from the repository, they are held out only if ``rest`` is given: a new repository without
    them and their near-duplicates. Ids of a takedown list are neither topics nor in the rest.
    """
    repository = open_repository(source, takedown=takedown | (listed_in(rest) if rest else frozenset()))
    candidates = _from_pool(repository, pool) if pool else _all_posts(repository)
    offered = len(candidates)
    candidates, refused = _by_rules(candidates, repository.manifest.rules)
    order = balanced_order([len(text) for text in candidates.values()], rng=rng)[: _SHORTLIST * count + 50]
    names = list(candidates)
    short = {names[place]: candidates[names[place]] for place in order.tolist()}
    kept, near = _without_near_duplicates(repository, short, outside=pool is not None)
    if len(kept) < count:
        what = f"only {len(kept):,} of {counted(offered, 'post')} can be topics, {count:,} wanted"
        raise InputError.at(pool or source, what, f"give more posts, or a smaller {option('count')}")
    topics = dict(list(kept.items())[:count])
    with reading([*source.glob("*.parquet"), *([pool] if pool else [])]):
        left = _write_rest(repository, topics, rest) if rest else None
    return Topics(topics, offered, {"rules": refused, "near-duplicates": near}, left)


def _all_posts(repository: Repository) -> dict[str, str]:
    return {name: text for batch in repository.posts() for name, text in zip(*batch, strict=True)}


def _from_pool(repository: Repository, pool: Path) -> dict[str, str]:
    found = read_topics(pool) if format_of(pool, TOPICS, PAIRS).noun is TOPICS else _posts_of(pool)
    known = {name for batch in repository.with_takedown("posts") for name in batch[0]} | repository.takedown
    return {name: text for name, text in found.items() if name not in known}


def _posts_of(pool: Path) -> dict[str, str]:
    return {pair.post_id: pair.post for batch in read_pairs(pool) for pair in batch}


def _by_rules(candidates: dict[str, str], rules: str) -> tuple[dict[str, str], int]:
    sets = known_rules()
    if rules not in sets:
        return candidates, 0
    kept = {name: text for name, text in candidates.items() if sets[rules].against("post", text) is None}
    return kept, len(candidates) - len(kept)


def _without_near_duplicates(
    repository: Repository, short: dict[str, str], *, outside: bool
) -> tuple[dict[str, str], int]:
    """The candidates without near-duplicates among them or, for those from outside, in the repository."""
    names, texts = list(short), list(short.values())
    kept = set(distinct(texts))
    if outside:
        posts = (text for batch in repository.with_takedown("posts") for text in batch[1])
        kept -= {candidate for _, candidate in near_pairs(posts, texts)}
    return {names[place]: texts[place] for place in sorted(kept)}, len(texts) - len(kept)


def _write_rest(repository: Repository, topics: dict[str, str], target: Path) -> dict[str, int]:
    """The repository without the topics, their near-duplicates, takedowns, and comments without a post."""
    ids, texts = list(topics), list(topics.values())
    removed = set(ids)
    for batch in repository.posts():
        removed |= {batch[0][place] for place, _ in near_pairs(batch[1], texts)}
    held_out = len(removed)
    used: set[str] = set()
    with writing_repository(target) as writer:
        for batch in repository.posts():
            kept = [place for place, name in enumerate(batch[0]) if name not in removed]
            writer.add("posts", [batch[0][place] for place in kept], [batch[1][place] for place in kept])
        for batch in repository.table("pairs"):
            pairs = enumerate(zip(*batch, strict=True))
            kept = [place for place, (post, _) in pairs if post not in removed]
            writer.add("pairs", [batch[0][place] for place in kept], [batch[1][place] for place in kept])
            used.update(batch[1][place] for place in kept)
        for batch in repository.comments():
            kept = [place for place, name in enumerate(batch[0]) if name in used]
            writer.add("comments", [batch[0][place] for place in kept], [batch[1][place] for place in kept])
        merged = {name: kept for name, kept in repository.merged().items() if kept in used}
        writer.add("merged", list(merged), list(merged.values()))
        made = writer.finish(replace(repository.manifest, removed={"held out": held_out}))
        add_to_list(target, repository.takedown, target=writer.folder)
    return {"posts": made.posts, "comments": made.comments, "pairs": made.pairs}
