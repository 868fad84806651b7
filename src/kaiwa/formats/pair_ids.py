"""Ids without texts out of a repository or labels, and the texts put back by who has them.

Tweets may not be passed on, but their ids may. ``pair_ids_of`` gives the ids of pairs; ``texts_put_back`` gives the
pairs, or the labels, with the texts that files of tweets, pairs or topics have for the ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, option
from kaiwa.formats.pairs import clean_cell, read_pair_ids
from kaiwa.formats.readers import format_of, read
from kaiwa.formats.reading import path_list
from kaiwa.formats.recognition import PAIR_IDS, PAIRS, TOPICS, TWEETS, VOTES, Head
from kaiwa.formats.repository import open_repository
from kaiwa.nouns.ids import unpack
from kaiwa.nouns.pair_ids import PairIds, PairTexts
from kaiwa.nouns.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.nouns.pair_ids import PairId


_IDS_ON_A_LINE = 2


def pair_ids_of(given: Any) -> PairIds:  # Any: of a caller, looked at here
    """The ids of pairs or of the items of labels, each once: of a noun, a repository, or a file of one of these."""
    found = given if isinstance(given, PairIds | Votes) else _found_in(_one_path(given))
    return PairIds(_items(found)) if isinstance(found, Votes) else found


def texts_put_back(given: Any, sources: Sequence[Path]) -> PairTexts:  # Any: of a caller, looked at here
    """The pairs or the labels of ids, with the texts that are in the sources; an error if none is."""
    if isinstance(given, PairIds | Votes):
        place, found = "the ids", given
    else:
        path = _one_path(given)
        place, found = str(path), _bare_ids(path) or _found_in(path)
    votes = found if isinstance(found, Votes) else None
    pairs = pair_ids_of(found).pairs
    texts = _texts_of(pairs, sources)
    known = [
        (post, texts.posts[post], comment, texts.comments[comment])
        for post, comment in pairs
        if post in texts.posts and comment in texts.comments
    ]
    if not known:
        what = f"has no pair whose texts are in {', '.join(map(str, sources))}"
        raise InputError.at(place, what, f"give files with these ids with {option('texts')}")
    return PairTexts(known, len(pairs) - len(known), votes)


def _one_path(given: Any) -> Path:  # Any: as above
    paths = path_list("files", given)
    if len(paths) != 1:
        raise InputError.at(paths[1], "is a second file of ids of pairs", "convert one file at a time")
    return paths[0]


def _bare_ids(path: Path) -> PairIds | None:
    """The ids of a file of two columns, whose header may be missing; None if it has more."""
    if path.is_dir() or max(map(len, Head(path).fields), default=0) > _IDS_ON_A_LINE:
        return None
    return read_pair_ids(path)


def _found_in(path: Path) -> PairIds | Votes:
    if _is_repository(path):
        found = (pair for batch in open_repository(path).table("pairs") for pair in zip(*batch, strict=True))
        return PairIds([(post, comment) for post, comment in found])
    row = format_of(path, PAIR_IDS, PAIRS, VOTES)
    if row.noun is PAIRS:
        pairs = (pair for batch in row.read(path) for pair in batch)
        return PairIds(tuple(dict.fromkeys((pair.post_id, pair.comment_id) for pair in pairs)))
    made: PairIds | Votes = row.read(path)
    return made


def _items(votes: Votes) -> list[PairId]:
    return list(zip(unpack(votes.topics), unpack(votes.comments), strict=True))


@dataclass(frozen=True)
class _Texts:
    """The texts of posts and of comments by their ids; the first text of an id is kept."""

    posts: dict[str, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)


def _texts_of(pairs: Iterable[PairId], sources: Sequence[Path]) -> _Texts:
    """The texts of these ids in the sources."""
    wanted = [set(side) for side in zip(*pairs, strict=True)]
    texts = _Texts()
    for source in sources:
        for places, name, text in _named_texts(source):
            for place, known in enumerate((texts.posts, texts.comments)):
                if place in places and name in wanted[place] and text:
                    known.setdefault(name, clean_cell(text))
    return texts


_POST, _COMMENT, _BOTH = (0,), (1,), (0, 1)


def _named_texts(source: Path) -> Iterator[tuple[tuple[int, ...], str, str]]:
    """The ids and texts in a file, each with the sides that it is of: a tweet or topic may be of both."""
    if _is_repository(source):
        repository = open_repository(source)
        for side, batches in ((_POST, repository.posts()), (_COMMENT, repository.comments())):
            yield from ((side, name, text) for batch in batches for name, text in zip(*batch, strict=True))
        return
    row = format_of(source, TWEETS, PAIRS, TOPICS)
    if row.noun is TWEETS:
        yield from ((_BOTH, tweet.id, tweet.text) for tweet in row.read(source))
    elif row.noun is PAIRS:
        for batch in row.read(source):
            for pair in batch:
                yield _POST, pair.post_id, pair.post
                yield _COMMENT, pair.comment_id, pair.comment
    else:
        yield from ((_BOTH, name, text) for name, text in read(TOPICS, source).items())


def _is_repository(path: Path) -> bool:
    return (path / "pairs.parquet").exists()
