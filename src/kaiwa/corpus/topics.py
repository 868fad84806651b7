"""Topics for a task: posts that pass the repository's rules, and are held out from it with ``rest``.

``topics`` is the public function; its result is the noun ``Topics``, with what was left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import progress
from kaiwa.corpus.duplicates import near_pairs
from kaiwa.corpus.rules import known_rules
from kaiwa.corpus.samples import DEFAULT_TOPICS, balanced_order, distinct
from kaiwa.errors import InputError, counted, option
from kaiwa.files.atomic import reading
from kaiwa.formats.readers import format_of, read_pairs, read_topics
from kaiwa.formats.reading import maybe_path, path_of, seed_of
from kaiwa.formats.recognition import PAIRS, TOPICS
from kaiwa.formats.repository import OpenRepository, open_repository, writing_repository
from kaiwa.formats.takedown import add_to_list, given_ids, listed_in
from kaiwa.formats.topics import topics_digest
from kaiwa.nouns.topics import Topics

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from kaiwa.formats.reading import AnyPath


_SHORTLIST = 4  # candidates drawn per topic, because near-duplicates are removed


def topics(
    repository: AnyPath,
    *,
    n: int = DEFAULT_TOPICS,
    source: AnyPath | None = None,
    rest: AnyPath | None = None,
    seed: int = 1,
    takedown: AnyPath | Collection[str] | None = None,
) -> Topics:
    r"""Topics that pass the repository's rules, balanced by length, without near-duplicates.

    With ``source``, a file of pairs or of topics, ``n`` of its posts are drawn, without near-duplicates of the
    repository's posts. Without it they are posts of the repository, and the repository without them and their
    near-duplicates is written to ``rest``. Ids of ``takedown``, a collection or a file, and of the repository's list
    are left out.

    >>> import kaiwa
    >>> dict(kaiwa.topics("repository", n=1))
    {'p2': 'It rains'}
    """
    folder, posts_of, target = path_of("repository", repository), maybe_path("source", source), maybe_path("rest", rest)
    with progress("choosing topics"):
        return _drawn(
            folder,
            n=n,
            source=posts_of,
            rest=target,
            rng=np.random.default_rng(seed_of(seed)),
            takedown=given_ids(takedown),
        )


def _drawn(
    repository: Path,
    *,
    n: int,
    source: Path | None,
    rest: Path | None,
    rng: np.random.Generator,
    takedown: frozenset[str],
) -> Topics:
    """Posts balanced by length, from ``source`` or from the repository."""
    opened = open_repository(repository, takedown=takedown | (listed_in(rest) if rest else frozenset()))
    candidates = _from_source(opened, source) if source else _all_posts(opened)
    offered = len(candidates)
    candidates, refused = _by_rules(candidates, opened.manifest.rules)
    order = balanced_order([len(text) for text in candidates.values()], rng=rng)[: _SHORTLIST * n + 50]
    names = list(candidates)
    short = {names[place]: candidates[names[place]] for place in order.tolist()}
    kept, near = _without_near_duplicates(opened, short, outside=source is not None)
    if len(kept) < n:
        what = f"only {len(kept):,} of {counted(offered, 'post')} can be topics, {n:,} wanted"
        raise InputError.at(source or repository, what, f"give more posts, or a smaller {option('n')}")
    found = dict(list(kept.items())[:n])
    with reading([*repository.glob("*.parquet"), *([source] if source else [])]):
        left = _write_rest(opened, found, rest) if rest else None
    removed = {"rules": refused, "near-duplicates": near}
    return Topics(found, offered, removed, left, still_there=source is None and rest is None)


def _all_posts(repository: OpenRepository) -> dict[str, str]:
    return {name: text for batch in repository.posts() for name, text in zip(*batch, strict=True)}


def _from_source(repository: OpenRepository, source: Path) -> dict[str, str]:
    found = read_topics(source) if format_of(source, TOPICS, PAIRS).noun is TOPICS else _posts_of(source)
    known = {name for batch in repository.with_takedown("posts") for name in batch[0]} | repository.takedown
    return {name: text for name, text in found.items() if name not in known}


def _posts_of(source: Path) -> dict[str, str]:
    return {pair.post_id: pair.post for batch in read_pairs(source) for pair in batch}


def _by_rules(candidates: dict[str, str], rules: str) -> tuple[dict[str, str], int]:
    sets = known_rules()
    if rules not in sets:
        return candidates, 0
    kept = {name: text for name, text in candidates.items() if sets[rules].against("post", text) is None}
    return kept, len(candidates) - len(kept)


def _without_near_duplicates(
    repository: OpenRepository, short: dict[str, str], *, outside: bool
) -> tuple[dict[str, str], int]:
    """The candidates without near-duplicates among them or, for those from outside, in the repository."""
    names, texts = list(short), list(short.values())
    kept = set(distinct(texts))
    if outside:
        posts = (text for batch in repository.with_takedown("posts") for text in batch[1])
        kept -= {candidate for _, candidate in near_pairs(posts, texts)}
    return {names[place]: texts[place] for place in sorted(kept)}, len(texts) - len(kept)


def _write_rest(repository: OpenRepository, topics: dict[str, str], target: Path) -> dict[str, int]:
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
        known = repository.manifest.held_out | {topics_digest(topics): len(topics)}
        made = writer.finish(replace(repository.manifest, removed={"held out": held_out}, held_out=known))
        add_to_list(target, repository.takedown, target=writer.folder)
    return {"posts": made.posts, "comments": made.comments, "pairs": made.pairs}
