"""Ids without texts out of a repository or labels, and the texts put back by who has them.

Tweets may not be passed on, but their ids may. ``ids_in`` gives the ids of pairs; ``texts_put_back`` gives the pairs,
or the labels, with the texts that files of tweets, pairs or topics have for the ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted, option
from kaiwa.formats.judging_sheets import voted_sheet_text
from kaiwa.formats.pairs import FIELDS, clean_cell, read_pair_ids
from kaiwa.formats.readers import format_of, read
from kaiwa.formats.recognition import PAIR_IDS, PAIRS, TOPICS, TWEETS, VOTES, Head
from kaiwa.formats.repository import open_repository
from kaiwa.nouns.ids import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.formats.pairs import PairId
    from kaiwa.nouns.votes import Votes


_IDS_ON_A_LINE = 2


def ids_in(path: Path) -> list[PairId]:
    """The ids of the pairs of a repository, of a file of pairs or of ids, or of the items of labels, each once."""
    if _is_repository(path):
        found = (pair for batch in open_repository(path).table("pairs") for pair in zip(*batch, strict=True))
        return [(post, comment) for post, comment in found]
    row = format_of(path, PAIR_IDS, PAIRS, VOTES)
    if row.noun is PAIR_IDS:
        return read_pair_ids(path)
    if row.noun is PAIRS:
        pairs = (pair for batch in row.read(path) for pair in batch)
        return list(dict.fromkeys((pair.post_id, pair.comment_id) for pair in pairs))
    return _items(row.read(path))


@dataclass(frozen=True)
class PutBack:
    """A file with texts again: its text, how many of its lines have both texts, and how many were left out.

    The text is that of a file of pairs (TSV with a header), or the sheet of labels.
    """

    text: str
    form: str
    found: int
    missing: int

    def __str__(self) -> str:
        left_out = f"; {self.missing:,} left out, whose texts are missing" if self.missing else ""
        return f"{counted(self.found, 'pair')} with texts, written as {self.form}{left_out}"


def texts_put_back(ids: Path, sources: Sequence[Path]) -> PutBack:
    """The pairs or the labels of a file of ids, with the texts that are in the sources; an error if none is."""
    votes = None if max(map(len, Head(ids).fields), default=0) <= _IDS_ON_A_LINE else read(VOTES, ids)
    pairs = read_pair_ids(ids) if votes is None else _items(votes)
    texts = _texts_of(pairs, sources)
    known = [(post, comment) for post, comment in pairs if post in texts.posts and comment in texts.comments]
    if not known:
        what = f"has no pair whose texts are in {', '.join(map(str, sources))}"
        raise InputError.at(ids, what, f"give files with these ids with {option('texts')}")
    missing = len(pairs) - len(known)
    if votes is not None:
        return PutBack(voted_sheet_text(votes, texts.posts, texts.comments), "sheet", len(known), missing)
    rows = ((post, texts.posts[post], comment, texts.comments[comment]) for post, comment in known)
    text = "".join("\t".join(cells) + "\n" for cells in (FIELDS, *rows))
    return PutBack(text, "pairs-tsv", len(known), missing)


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
