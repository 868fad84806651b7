"""Ids without texts, and the texts put back: the methods of ``kaiwa convert`` for repositories, pairs and labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.formats.pairs import read_pair_ids
from kaiwa.formats.readers import read_votes

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [
    ("p1", "a walk today", "c1", "take an umbrella"),
    ("p1", "a walk today", "c2", "with me"),
    ("p2", "x", "p1", "y"),
]
IDS = [("p1", "c1"), ("p1", "c2"), ("p2", "p1")]
TEXT = "post_id\tcomment_id\np1\tc1\np1\tc2\np2\tp1\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of pairs."""
    path = tmp_path / "pairs.tsv"
    path.write_text("".join("\t".join(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    return path


def ids_of(path: Path) -> list[tuple[str, str]]:
    """The ids that convert gives."""
    found = kaiwa.convert(path, format="pair-ids")
    assert isinstance(found, kaiwa.PairIds)
    return list(found.pairs)


def ids_file(folder: Path, text: str = TEXT) -> Path:
    """A file of ids."""
    path = folder / "ids.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_repository_and_a_file_of_pairs_give_their_ids(pairs: Path, tmp_path: Path) -> None:
    """In the order of the pairs, with a header."""
    kaiwa.clean(pairs, tmp_path / "repository", rules="none")
    assert ids_of(pairs) == ids_of(tmp_path / "repository") == IDS
    assert kaiwa.PairIds(IDS).own_form() == TEXT
    assert ids_of(ids_file(tmp_path)) == IDS


def test_labels_give_the_ids_of_their_items(tmp_path: Path) -> None:
    """A line for each item that was judged."""
    (tmp_path / "labels.txt").write_text("p1\tc1\t0\t1\tNA\np1\tc2\t2\t2\t1\n", encoding="utf-8")
    assert ids_of(tmp_path / "labels.txt") == IDS[:2]


@pytest.mark.parametrize("text", [TEXT, TEXT.partition("\n")[2], TEXT.replace("\t", " ").replace("\n", "\r\n")])
def test_ids_are_read_with_and_without_a_header(tmp_path: Path, text: str) -> None:
    """Between tabs or spaces, as the task published them."""
    assert list(read_pair_ids(ids_file(tmp_path, text)).pairs) == IDS


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("post_id\tcomment_id\n", "contains no pair; write: post_id TAB comment_id"),
        ("p1\tc1\np2\n", "2: expected the ids of a post and of a comment, found 1 fields"),
        ("p1\tc1\np1\tc1\n", r"2: duplicate pair \('p1', 'c1'\) \(first on line 1\); keep one"),
    ],
)
def test_wrong_lines_of_ids_are_named(tmp_path: Path, text: str, fault: str) -> None:
    """One line with its place."""
    with pytest.raises(InputError, match=fault):
        read_pair_ids(ids_file(tmp_path, text))


def tweet_file(folder: Path) -> Path:
    """The tweets of the pairs, but one that was deleted."""
    texts = {"p1": "a walk\ttoday", "c1": "take an umbrella", "p2": "x"}
    path = folder / "tweets.jsonl"
    path.write_text("".join(json.dumps({"id": one, "text": text}) + "\n" for one, text in texts.items()))
    return path


def test_the_texts_are_put_back_and_deleted_ones_counted(tmp_path: Path) -> None:
    """A tweet may be post and comment; a pair of which a text is missing is left out."""
    done = kaiwa.convert(ids_file(tmp_path), texts=[tweet_file(tmp_path)])
    assert (
        done.own_form()
        == "post_id\tpost\tcomment_id\tcomment\np1\ta walk today\tc1\ttake an umbrella\np2\tx\tp1\ta walk today\n"
    )
    assert isinstance(done, kaiwa.PairTexts)
    assert (len(done.pairs), done.missing) == (2, 1)
    assert str(done) == "2 pairs with texts\n\n1 pair left out, whose texts are missing."


def test_several_sources_complete_each_other(pairs: Path, tmp_path: Path) -> None:
    """Topics, pairs, a repository; the first text of an id is kept, and posts and comments have ids of their own."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("p2\tthe other text\nc2\tfrom the topics\n", encoding="utf-8")
    kaiwa.clean(pairs, tmp_path / "repository", rules="none")
    for source in (pairs, tmp_path / "repository"):
        lines = kaiwa.convert(ids_file(tmp_path), texts=[topics, source]).own_form().splitlines()[1:]
        assert lines == [
            "p1\ta walk today\tc1\ttake an umbrella",
            "p1\ta walk today\tc2\tfrom the topics",
            "p2\tthe other text\tp1\ty",
        ]


def test_labels_get_their_texts_as_a_sheet_that_is_read_as_the_same_votes(tmp_path: Path) -> None:
    """NA and every label survive; an item without a text is left out."""
    labels = tmp_path / "labels.txt"
    labels.write_text("p1\tc1\t0\t1\tNA\np1\tc2\t2\t2\t1\np2\tp1\t2\t0\t1\n", encoding="utf-8")
    done = kaiwa.convert(labels, texts=[tweet_file(tmp_path)])
    assert isinstance(done, kaiwa.PairTexts)
    assert (len(done.pairs), done.missing) == (2, 1)
    sheet = tmp_path / "sheet.csv"
    done.write(sheet)
    votes, given = read_votes(sheet, top=2), read_votes(labels)
    assert votes.by_assessor().tolist() == given.by_assessor()[[0, 2]].tolist()
    assert done.own_form().splitlines()[1] == "p1,a walk today,c1,take an umbrella,0,1,NA"


def test_ids_without_any_text_are_refused(pairs: Path, tmp_path: Path) -> None:
    """Nothing is written."""
    with pytest.raises(InputError, match=r"ids.tsv: has no pair whose texts are in .*pairs.tsv; give files with these"):
        kaiwa.convert(ids_file(tmp_path, "a\tb\n"), texts=[pairs])
