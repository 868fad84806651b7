"""Topics for a task: posts that pass the repository's rules, and are held out from it with ``rest``.

``topics`` is the public function; its result is the noun ``Topics``, with what was left out.
"""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import progress
from kaiwa.corpus.duplicates import near_pairs
from kaiwa.corpus.rules import known_rules
from kaiwa.corpus.samples import DEFAULT_TOPICS, balance_of, balanced_order, distinct
from kaiwa.errors import InputError, counted, option
from kaiwa.files.atomic import reading
from kaiwa.formats.readers import format_of, read_pairs, read_topics
from kaiwa.formats.reading import matched, maybe_path, path_of, seed_of, topics_of
from kaiwa.formats.recognition import PAIRS, TOPICS
from kaiwa.formats.repository import OpenRepository, open_repository, writing_repository
from kaiwa.formats.takedown import add_to_list, given_ids, listed_in
from kaiwa.formats.topics import topics_digest
from kaiwa.nouns.topics import Topics

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from kaiwa.formats.reading import AnyPath, TopicsInput

    PostsInput = AnyPath | Sequence[AnyPath] | TopicsInput


_SHORTLIST = 4  # candidates drawn per topic, because near-duplicates are removed


def topics(
    repository: AnyPath,
    *,
    n: int = DEFAULT_TOPICS,
    source: AnyPath | None = None,
    rest: AnyPath | None = None,
    exclude: PostsInput = (),
    hold_out: PostsInput = (),
    seed: int = 1,
    takedown: AnyPath | Collection[str] | None = None,
) -> Topics:
    r"""Topics that pass the repository's rules, balanced by length, without near-duplicates.

    With ``source``, a file of pairs or of topics, ``n`` of its posts are drawn, without near-duplicates of the
    repository's posts. Without it they are posts of the repository, and the repository without them and their
    near-duplicates is written to ``rest``. Posts of ``exclude`` and their near-duplicates are not drawn, so that test
    topics are not those of the training. With ``hold_out`` nothing is drawn: these posts are the topics, and the
    repository without them is written to ``rest``. Both are topics, or files of topics or pairs. Ids of ``takedown``, a
    collection or a file, and of the repository's list are left out.

    >>> import kaiwa
    >>> dict(kaiwa.topics("repository", n=1))
    {'p2': 'It rains'}
    >>> kaiwa.topics("repository", hold_out={"q1": "It rains!"}, rest="rest")
    Topics(1 topic, 1 of 2 posts held out)
    """
    folder, posts_of, target = path_of("repository", repository), maybe_path("source", source), maybe_path("rest", rest)
    with progress("choosing topics"):
        if _is_given(hold_out):
            refused = {"n": n != DEFAULT_TOPICS, "source": source, "exclude": _is_given(exclude), "seed": seed != 1}
            _refuse_with_hold_out([name for name, given in refused.items() if given], target)
            return _held_out(folder, _given_posts(hold_out), target or folder, given_ids(takedown))
        return _drawn(
            folder,
            n=n,
            source=posts_of,
            rest=target,
            exclude=_given_posts(exclude),
            rng=np.random.default_rng(seed_of(seed)),
            takedown=given_ids(takedown),
        )


def _is_given(posts: PostsInput) -> bool:
    return not (isinstance(posts, tuple) and not posts)


def _refuse_with_hold_out(others: list[str], rest: Path | None) -> None:
    if others:
        what = f"{option(others[0])} chooses topics, but {option('hold_out')} draws none"
        raise InputError(f"{what}; leave one of them out")
    if rest is None:
        what = f"{option('hold_out')} writes the repository without these posts"
        raise InputError(f"{what}; add {option('rest', 'FOLDER')}")


def _given_posts(given: PostsInput) -> dict[str, str]:
    """The posts of topics, or of files of topics or pairs, by their ids; an id with two texts has the last."""
    found = dict[str, str]()
    for one in given if isinstance(given, list | tuple) else [given]:
        paths = matched(os.fspath(one)) if isinstance(one, str | os.PathLike) else []
        for path in paths:
            found |= _posts_in(path)
        if not isinstance(one, str | os.PathLike):
            found |= topics_of(one)
    return found


def _held_out(repository: Path, topics: dict[str, str], rest: Path, takedown: frozenset[str]) -> Topics:
    """The topics that are given, and the rest of the repository without them."""
    opened = open_repository(repository, takedown=takedown | listed_in(rest))
    shown = {name: text for name, text in topics.items() if name not in opened.takedown}
    with reading(list(repository.glob("*.parquet"))):
        left = _write_rest(opened, shown, rest)
    posts = opened.manifest.posts
    return Topics(shown, posts, {"takedown": len(topics) - len(shown)}, left, held_out=posts - left["posts"])


def _drawn(
    repository: Path,
    *,
    n: int,
    source: Path | None,
    rest: Path | None,
    exclude: dict[str, str],
    rng: np.random.Generator,
    takedown: frozenset[str],
) -> Topics:
    """Posts balanced by length, from ``source`` or from the repository."""
    opened = open_repository(repository, takedown=takedown | (listed_in(rest) if rest else frozenset()))
    candidates = _from_source(opened, source) if source else _all_posts(opened)
    offered = len(candidates)
    candidates, refused = _by_rules(candidates, opened.manifest.rules)
    candidates, excluded = _without(candidates, exclude)
    lengths = [len(text) for text in candidates.values()]
    order = balanced_order(lengths, rng=rng)[: _SHORTLIST * n + 50]
    names = list(candidates)
    short = {names[place]: candidates[names[place]] for place in order.tolist()}
    kept, near = _without_near_duplicates(opened, short, outside=source is not None)
    if len(kept) < n:
        what = f"only {len(kept):,} of {counted(offered, 'post')} can be topics, {n:,} wanted"
        raise InputError.at(source or repository, what, f"give more posts, or a smaller {option('n')}")
    found = dict(list(kept.items())[:n])
    with reading([*repository.glob("*.parquet"), *([source] if source else [])]):
        left = _write_rest(opened, found, rest) if rest else None
    removed = {"rules": refused, "exclusion": excluded, "near-duplicates": near}
    drawn = {place for place, name in enumerate(names) if name in found}
    balance = balance_of(lengths, drawn)
    return Topics(found, offered, removed, left, still_there=source is None and rest is None, balance=balance)


def _without(candidates: dict[str, str], exclude: dict[str, str]) -> tuple[dict[str, str], int]:
    """The candidates that are neither among these posts nor near-duplicates of them, and how many go."""
    others = {name: text for name, text in candidates.items() if name not in exclude}
    names = list(others)
    near = {names[place] for place, _ in near_pairs(others.values(), list(exclude.values()))} if exclude else set()
    kept = {name: text for name, text in others.items() if name not in near}
    return kept, len(candidates) - len(kept)


def _all_posts(repository: OpenRepository) -> dict[str, str]:
    return {name: text for batch in repository.posts() for name, text in zip(*batch, strict=True)}


def _from_source(repository: OpenRepository, source: Path) -> dict[str, str]:
    found = _posts_in(source)
    known = {name for batch in repository.with_takedown("posts") for name in batch[0]} | repository.takedown
    return {name: text for name, text in found.items() if name not in known}


def _posts_in(source: Path) -> dict[str, str]:
    """The topics, or the posts of the pairs, in a file."""
    if format_of(source, TOPICS, PAIRS).noun is TOPICS:
        return read_topics(source)
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


def _rows(batch: list[list[str]], chosen: list[bool]) -> list[list[str]]:
    """The chosen rows of columns."""
    return [list(compress(column, chosen)) for column in batch]


def _write_rest(repository: OpenRepository, topics: dict[str, str], target: Path) -> dict[str, int]:
    """The repository without the topics, their near-duplicates, takedowns, and comments without a post."""
    ids, texts = list(topics), list(topics.values())
    removed = set(ids)
    for batch in repository.posts():
        removed |= {batch[0][place] for place, _ in near_pairs(batch[1], texts)}
    held_out = len(removed)
    used: set[str] = set()
    with writing_repository(target, translations=repository.manifest.translations) as writer:
        for batch in repository.whole_table("posts"):
            columns = _rows(batch, [name not in removed for name in batch[0]])
            writer.add("posts", *columns)
            if repository.manifest.candidates == "both":
                used.update(columns[0])
        for batch in repository.table("pairs"):
            columns = _rows(batch, [post not in removed for post in batch[0]])
            writer.add("pairs", *columns)
            used.update(columns[1])
        for batch in repository.whole_table("comments"):
            writer.add("comments", *_rows(batch, [name in used for name in batch[0]]))
        merged = {name: kept for name, kept in repository.merged().items() if kept in used}
        writer.add("merged", list(merged), list(merged.values()))
        known = repository.manifest.held_out | {topics_digest(topics): len(topics)}
        made = writer.finish(replace(repository.manifest, removed={"held out": held_out}, held_out=known))
        add_to_list(target, repository.takedown, target=writer.folder)
    return {"posts": made.posts, "comments": made.comments, "pairs": made.pairs}
