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
