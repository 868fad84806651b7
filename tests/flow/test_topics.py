"""Topics: held out, balanced, and none like another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.formats.repository import Manifest, open_repository, writing_repository

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {f"p{at}": "".join(chr(0x4E00 + 37 * at + step) for step in range(4 + at % 20)) for at in range(60)}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Sixty posts of four to twenty-three characters, one comment each, and one comment under all."""
    with writing_repository(tmp_path / "repo") as writer:
        writer.add("posts", list(TEXTS), list(TEXTS.values()))
        writer.add("comments", [f"c{at}" for at in range(60)] + ["all"], ["说点什么"] * 61)
        writer.add("pairs", [*TEXTS, *TEXTS], [f"c{at}" for at in range(60)] + ["all"] * 60)
        writer.finish(Manifest(rules="plain"))
    return tmp_path / "repo"


def test_topics_are_balanced_by_length(repository: Path) -> None:
    """One topic of every fifth of the lengths, in turn."""
    drawn = kaiwa.topics(repository, n=20, seed=1)
    per_fifth = Counter((len(text) - 4) // 4 for text in drawn.topics.values())
    assert per_fifth == dict.fromkeys(range(5), 4)


def test_the_same_seed_draws_the_same_topics(repository: Path) -> None:
    """Chance is seeded."""
    draws = [kaiwa.topics(repository, n=5, seed=seed).topics for seed in (3, 3, 4)]
    assert draws[0] == draws[1] != draws[2]


def test_the_rest_is_without_the_topics_and_their_lonely_comments(repository: Path, tmp_path: Path) -> None:
    """A comment that also has another post stays."""
    drawn = kaiwa.topics(repository, n=10, rest=tmp_path / "rest", seed=1)
    left = open_repository(tmp_path / "rest")
    posts = {name for batch in left.posts() for name in batch[0]}
    comments = {name for batch in left.comments() for name in batch[0]}
    assert posts == set(TEXTS) - set(drawn.topics)
    assert comments == {f"c{name[1:]}" for name in posts} | {"all"}


def test_a_takedown_is_neither_a_topic_nor_in_the_rest(repository: Path, tmp_path: Path) -> None:
    """The list inside the repository is obeyed: posts and comments in it are exported no more."""
    (repository / "takedown.txt").write_text("p7 # asked by its author\nc8\n", encoding="utf-8")
    drawn = kaiwa.topics(repository, n=10, rest=tmp_path / "rest", seed=1)
    left = open_repository(tmp_path / "rest")
    posts = {name for batch in left.posts() for name in batch[0]}
    pairs = {pair for batch in left.table("pairs") for pair in zip(*batch, strict=True)}
    comments = {name for batch in left.comments() for name in batch[0]}
    assert "p7" not in {*drawn.topics, *posts, *(post for post, _ in pairs)}
    assert not {"c7", "c8"} & comments
    assert "c8" not in {comment for _, comment in pairs}
    assert posts == set(TEXTS) - set(drawn.topics) - {"p7"}


def test_a_pool_gives_no_topic_near_the_repository(repository: Path, tmp_path: Path) -> None:
    """Near-duplicates of old posts, empty posts and known ids are left out."""
    pool = tmp_path / "pool.tsv"
    old = TEXTS["p15"]
    pool.write_text(f"n1\t{old}！\nn2\t完全不同的新话题\nn3\t \np15\t{old}\n", encoding="utf-8")
    drawn = kaiwa.topics(repository, n=1, source=pool, seed=1)
    assert drawn.topics == {"n2": "完全不同的新话题"}
    with pytest.raises(InputError, match="only 1 of 3 posts can be topics, 2 wanted"):
        kaiwa.topics(repository, n=2, source=pool, seed=1)


def test_excluded_posts_and_their_near_duplicates_are_not_drawn(repository: Path, tmp_path: Path) -> None:
    """Test topics and training topics are disjoint, by id and by text; without it, two seeds share some."""
    test = kaiwa.topics(repository, n=20, seed=1)
    assert set(test) & set(kaiwa.topics(repository, n=20, seed=2))
    file = tmp_path / "test.tsv"
    file.write_text("".join(f"{name}\t{text}\n" for name, text in test.items()), encoding="utf-8")
    for given in (test, dict(test), file, [file, {"p0": TEXTS["p0"]}]):
        training = kaiwa.topics(repository, n=20, seed=2, exclude=given)
        assert not set(test) & set(training)
        assert training.removed["exclusion"] in {20, 21}
    renamed = {f"q{name}": f"{text}！" for name, text in test.items() if len(text) > 8}
    training = kaiwa.topics(repository, n=20, seed=2, exclude=renamed)
    assert training.removed["exclusion"] == len(renamed)
    assert not {name.removeprefix("q") for name in renamed} & set(training)


def test_posts_of_a_file_of_pairs_are_excluded(repository: Path, tmp_path: Path) -> None:
    """As with ``source``: a file of pairs stands for its posts."""
    names = [f"p{place}" for place in range(40)]
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{name}\t{TEXTS[name]}\tx{name}\t说 点什么\n" for name in names), encoding="utf-8")
    assert set(kaiwa.topics(repository, n=20, exclude=pairs)) == set(TEXTS) - set(names)
    with pytest.raises(InputError, match="only 20 of 60 posts can be topics, 21 wanted"):
        kaiwa.topics(repository, n=21, exclude=pairs)


def test_posts_that_are_held_out_are_not_in_the_rest(repository: Path, tmp_path: Path) -> None:
    """Nothing is drawn: the given posts and their near-duplicates go, with comments that have no other post."""
    given = {"p1": TEXTS["p1"], "new": f"{TEXTS['p19']}！", "other": "完全不同的新话题"}
    held = kaiwa.topics(repository, hold_out=given, rest=tmp_path / "rest")
    left = open_repository(tmp_path / "rest")
    posts = {name for batch in left.posts() for name in batch[0]}
    comments = {name for batch in left.comments() for name in batch[0]}
    assert posts == set(TEXTS) - {"p1", "p19"}
    assert comments == {f"c{name[1:]}" for name in posts} | {"all"}
    assert (dict(held), held.held_out, held.rest) == (given, 2, {"posts": 58, "comments": 59, "pairs": 116})
    assert list(left.manifest.held_out.values()) == [3]
    assert str(held).startswith("3 topics, 2 of 60 posts held out")


def test_what_cannot_act_with_hold_out_is_refused(repository: Path, tmp_path: Path) -> None:
    """Nothing is drawn, so what chooses topics has nothing to do; without rest nothing would be written."""
    given, rest = {"p1": TEXTS["p1"]}, tmp_path / "rest"
    for more in ({"n": 3}, {"seed": 2}, {"source": "posts.tsv"}, {"exclude": given}):
        with pytest.raises(InputError, match=f"{next(iter(more))}= chooses topics, but hold_out= draws none"):
            kaiwa.topics(repository, hold_out=given, rest=rest, **more)
    with pytest.raises(InputError, match="hold_out= writes the repository without these posts; add rest=FOLDER"):
        kaiwa.topics(repository, hold_out=given)
    assert not rest.exists()


def test_the_balance_of_the_lengths_is_stated(repository: Path) -> None:
    """Each fifth of the posts by length: shortest, longest, posts, topics; in print and as a table."""
    drawn = kaiwa.topics(repository, n=12, seed=1)
    found = [[one.shortest, one.longest, one.posts, one.topics] for one in drawn.balance]
    assert [row[:3] for row in found] == [[4, 7, 12], [8, 11, 12], [12, 15, 12], [16, 19, 12], [20, 23, 12]]
    lengths = [len(text) for text in drawn.values()]
    assert [row[3] for row in found] == [sum(low <= one <= high for one in lengths) for low, high, *_ in found]
    assert sorted(row[3] for row in found) == [2, 2, 2, 3, 3]
    assert drawn.to_csv("balance").splitlines()[1:] == [",".join(map(str, row)) for row in found]
    assert "Balanced by length: about as many topics from each fifth of the posts." in str(drawn)
