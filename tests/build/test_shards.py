"""An index of several shards: the answers of one index, to the last bit."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import kaiwa
from kaiwa.cli.group import kaiwa as group
from kaiwa.errors import InputError
from kaiwa.files import array_folder
from kaiwa.formats.repository import Manifest, writing_repository
from kaiwa.nouns.normalise import fingerprint
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.documents import ShardedTexts
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import (
    Matcher,
    comment_similarities,
    post_similarities,
    query_of,
    search,
    similar_posts,
    term_similarities,
)
from kaiwa.retrieval.shard_build import shards_of
from kaiwa.retrieval.takedown_ids import takedown_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.retrieval.matching import Candidates

SHARDS = (1, 4, 16)
MATCHERS = [
    Matcher(similarity, q2p, q2c)
    for similarity in ("tfidf", "bm25")
    for q2p, q2c in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
]
WORDS = [f"w{at}x" for at in range(10)]
TEXT = st.lists(st.sampled_from(WORDS), min_size=0, max_size=6).map(" ".join)
Pairs = list[tuple[int, int]]


def written(folder: Path, posts: Sequence[str], comments: Sequence[str], pairs: Pairs) -> Path:
    """A repository of these texts; ids in an order other than that of the rows."""
    post_ids = [f"p{at * 7919 % 100_003}" for at in range(len(posts))]
    comment_ids = [f"c{at * 7919 % 100_003}" for at in range(len(comments))]
    with writing_repository(folder) as writer:
        writer.add("posts", post_ids, posts)
        writer.add("comments", comment_ids, comments)
        writer.add("pairs", [post_ids[post] for post, _ in pairs], [comment_ids[at] for _, at in pairs])
        writer.finish(Manifest())
    return folder


def built(repository: Path, target: Path, shards: int | None, language: str = "en") -> Path:
    """The repository indexed at the target."""
    build_index(repository, target, language=language, tokens=None, progress=lambda _done, _total: None, shards=shards)
    return target


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Texts with common and rare words."""
    rng = np.random.default_rng(4)
    chance = 1 / np.arange(1, 401)
    words = np.array([f"v{at}q" for at in range(400)])
    return [" ".join(rng.choice(words, size=size, p=chance / chance.sum())) for size in rng.integers(1, 8, size=3300)]


@pytest.fixture(scope="module")
def folder(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 posts and 3,000 comments, a sixth of them of several posts, as one index and as 1, 4, 16 shards."""
    rng = np.random.default_rng(5)
    pairs = {(int(rng.integers(300)), at) for at in range(3000)}
    pairs |= {(int(rng.integers(300)), int(rng.integers(3000))) for _ in range(600)}
    made = tmp_path_factory.mktemp("shards")
    repository = written(made / "repository", texts[:300], texts[300:], sorted(pairs))
    for shards in (None, *SHARDS):
        built(repository, made / f"index-{shards}", shards)
    return made


def rows(found: Candidates) -> list[list[float]]:
    """Comments, posts and scores, which are compared with ==."""
    return [found.comments.tolist(), found.posts.tolist(), found.scores.tolist()]


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("shards", SHARDS)
def test_shards_find_what_one_index_finds_to_the_last_bit(
    folder: Path, texts: list[str], shards: int, *, listed: bool
) -> None:
    """200 posts, 70 with a takedown of posts: Q2P, Q2C and joint, tf-idf and BM25, k = 10 and 1000."""
    one, several = open_index(folder / "index-None"), open_index(folder / f"index-{shards}")
    assert len(several.shards) == shards
    hidden = np.arange(0, 300, 7) if listed else None
    for text in texts[100 : 170 if listed else 300]:
        first, second = query_of(one, f"{text} v3q"), query_of(several, f"{text} v3q")
        for matcher in MATCHERS:
            for k in (10, 1000):
                expected = search(first, matcher, k=k, takedown_posts=hidden)
                assert rows(search(second, matcher, k=k, takedown_posts=hidden)) == rows(expected)


@pytest.mark.parametrize("shards", SHARDS)
def test_similarities_and_texts_are_those_of_one_index(folder: Path, texts: list[str], shards: int) -> None:
    """By the numbers of the whole index: posts, comments, terms, ids, texts in any order, links."""
    one, several = open_index(folder / "index-None"), open_index(folder / f"index-{shards}")
    numbers = np.random.default_rng(6).permutation(300)
    for similarity in ("tfidf", "bm25"):
        first, second = query_of(one, texts[7]), query_of(several, texts[7])
        assert similar_posts(first, similarity, k=50).tolist() == similar_posts(second, similarity, k=50).tolist()
        for scores in (post_similarities, comment_similarities):
            assert scores(first, similarity, numbers).tolist() == scores(second, similarity, numbers).tolist()
        by_term = [term_similarities(query, query.index.comments, similarity, numbers) for query in (first, second)]
        assert by_term[0].tolist() == by_term[1].tolist()
    for own, other in ((one.posts.texts, several.posts.texts), (one.comments.texts, several.comments.texts)):
        assert [own.id_of(at) for at in range(len(own))] == [other.id_of(at) for at in range(len(other))]
        assert own.rows(0, len(own)) == other.rows(0, len(other))
        assert [part.tolist() for part in own.joined(numbers)] == [part.tolist() for part in other.joined(numbers)]
        assert own.find(["p0", "c0", "none"]).tolist() == other.find(["p0", "c0", "none"]).tolist()
    assert all(np.array_equal(own, other) for own, other in zip(one.links, several.links, strict=True))


@settings(max_examples=20)
@given(
    st.lists(TEXT, min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 7), TEXT), min_size=1, max_size=20),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 19)), max_size=15),
    st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), st.sets(st.integers(0, 7))),
    st.tuples(st.integers(2, 3), st.integers(1, 8)),
)
def test_ties_and_copies_are_merged_as_one_index_orders_them(
    posts: list[str], under: list[tuple[int, str]], more: Pairs, asked: tuple[str, set[int]], sizes: tuple[int, int]
) -> None:
    """Small collections full of ties; many comments are in several shards, and some posts are hidden."""
    (query, listed), (shards, k) = asked, sizes
    comments = [text for _, text in under]
    pairs = [(post % len(posts), at) for at, (post, _) in enumerate(under)]
    pairs += [(post % len(posts), at % len(comments)) for post, at in more]
    hidden = np.array(sorted(post for post in listed if post < len(posts)), dtype=np.int64)
    with tempfile.TemporaryDirectory() as name:
        repository = written(Path(name) / "repository", posts, comments, pairs)
        one = open_index(built(repository, Path(name) / "one", None))
        several = open_index(built(repository, Path(name) / "several", shards))
        for matcher in MATCHERS:
            expected = search(query_of(one, query), matcher, k=k, takedown_posts=hidden)
            found = search(query_of(several, query), matcher, k=k, takedown_posts=hidden)
            assert rows(found) == rows(expected)


def test_a_shard_has_the_posts_of_a_remainder_and_all_their_comments(folder: Path) -> None:
    """By the fingerprint of the post's id; numbers of the index ascend in every shard."""
    index = open_index(folder / "index-4")
    for number, shard in enumerate(index.shards):
        posts, comments = (shard.posts.numbers, shard.comments.numbers)
        assert posts is not None
        assert comments is not None
        assert {fingerprint(index.posts.texts.id_of(post)) % 4 for post in posts.tolist()} == {number}
        starts = index.links.post_starts
        their = {one for post in posts for one in index.links.post_comments[starts[post] : starts[post + 1]].tolist()}
        assert comments.tolist() == sorted(their)
    assert shards_of(["a", "b"], 4).tolist() == [fingerprint("a") % 4, fingerprint("b") % 4]


@pytest.fixture(scope="module")
def sharded(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small index in three languages, in three shards."""
    return built(repository, tmp_path_factory.mktemp("sharded") / "index", 3, language="zh")


@pytest.fixture(scope="module")
def sharded_models(sharded: Path, encoder_files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All models of this index."""
    target = tmp_path_factory.mktemp("trained") / "models"
    network, tokenizer = encoder_files
    kaiwa.models(sharded, target)
    kaiwa.models(sharded, target, encoder=network, tokenizer=tokenizer)
    return target


@pytest.mark.parametrize("system", list(SYSTEMS))
def test_every_system_replies_as_with_one_index(
    system: str, index: Path, models_folder: Path, sharded: Path, sharded_models: Path
) -> None:
    """Comments, posts, scores, features and words; models trained from shards are those of one index."""
    one, several = Bot(index, models=models_folder), Bot(sharded, models=sharded_models)
    for text in ("明天要考试了，好紧张", "The first day in Hawaii", "考试 海 Hawaii", "zzzz"):
        assert several.reply(text, system=system) == one.reply(text, system=system)
    assert several.retrieve({"q1": "考试"}, name="r", system=system) == one.retrieve(
        {"q1": "考试"}, name="r", system=system
    )


def test_a_ranker_learned_from_shards_is_that_of_one_index(index: Path, sharded: Path, tmp_path: Path) -> None:
    """The same weights and scores, and the same replies; one of another index is refused."""
    (tmp_path / "topics.tsv").write_text("q1\t考试好紧张\nq2\tA day in Hawaii\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 c04 1\nq1 0 c08 0\nq2 0 c08 1\nq2 0 c04 0\n", encoding="utf-8")
    studies = [
        kaiwa.train(path, tmp_path / "qrels.txt", topics=tmp_path / "topics.tsv", folds=2, output=tmp_path / name)
        for path, name in ((index, "one"), (sharded, "several"))
    ]
    assert studies[0].means == studies[1].means
    one, several = Bot(index, ranker=tmp_path / "one"), Bot(sharded, ranker=tmp_path / "several")
    assert one.weights == several.weights
    assert one.reply("考试") == several.reply("考试")
    with pytest.raises(InputError, match="another index"):
        Bot(sharded, ranker=tmp_path / "one")


def test_takedown_lists_act_on_shards_as_on_one_index(folder: Path, texts: list[str], tmp_path: Path) -> None:
    """Given, and written beside the open index; comments of listed posts alone follow from them."""
    one = shutil.copytree(folder / "index-None", tmp_path / "one")
    several = shutil.copytree(folder / "index-4", tmp_path / "several")
    listed = frozenset({"p0", "p7919", "c0", "c15838", "unknown"})
    found = [takedown_of(open_index(path), listed) for path in (one, several)]
    assert found[0].posts.tolist() == found[1].posts.tolist()
    assert found[0].comments.tolist() == found[1].comments.tolist()
    assert len(found[0].comments) > 2
    bots = Bot(one), Bot(several)
    for system in ("run0", "run1", "run2", "bm25", "post-then-comment"):
        before, given = ([bot.reply(text, system=system, unfiltered=True) for bot in bots] for text in texts[:2])
        assert before[0] == before[1]
        assert given[0] == given[1]
    shown = bots[1].reply(texts[0], k=3)
    for path in (one, several):
        (path / "takedown.txt").write_text(f"{shown[0].comment}\n{shown[1].post}\n", encoding="utf-8")
    after = [bot.reply(texts[0], k=10) for bot in bots]
    assert after[0] == after[1]
    assert shown[0].comment not in {reply.comment for reply in after[1]}
    assert shown[1].post not in {reply.post for reply in after[1]}


def test_a_takedown_is_in_no_shard(repository: Path, index: Path, tmp_path: Path) -> None:
    """Building without the listed ids gives the answers of one index without them; the list names them."""
    listed = frozenset({open_index(index).posts.texts.id_of(0), open_index(index).comments.texts.id_of(1)})
    for shards in (None, 3):
        target = tmp_path / f"index-{shards}"
        build_index(
            repository,
            target,
            language="zh",
            tokens=None,
            progress=lambda _done, _total: None,
            takedown=listed,
            shards=shards,
        )
    one, several = Bot(tmp_path / "index-None"), Bot(tmp_path / "index-3")
    assert several.reply("考试", unfiltered=True) == one.reply("考试", unfiltered=True)
    assert (tmp_path / "index-None/takedown.txt").read_bytes() == (tmp_path / "index-3/takedown.txt").read_bytes()


def test_any_flipped_byte_of_a_shard_is_detected(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused when the index is opened or the part is read."""
    monkeypatch.setattr(array_folder, "CHUNK", 256)
    target = built(repository, tmp_path / "index", 2, language="zh")
    for name in sorted(target.glob("data-*/*.npy")):
        whole = name.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 1):
            name.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
            with pytest.raises(InputError):
                _use_all(open_index(target))
        name.write_bytes(whole)
    _use_all(open_index(target))


def _use_all(index: InvertedIndex) -> None:
    for shard in index.shards:
        for side in (shard.posts, shard.comments):
            side.slices(np.arange(len(side.postings.starts) - 1))
    for whole in (index.posts.texts, index.comments.texts):
        assert isinstance(whole, ShardedTexts)
        whole.rows(0, len(whole))
        for texts in whole.shards:
            for number in range(len(texts)):
                texts.id_of(number)
                texts.text_of(number)
    takedown_of(index, frozenset({"none"}))


def test_an_index_of_one_kind_replaces_the_other(folder: Path, tmp_path: Path) -> None:
    """Nothing of the old one stays."""
    target, repository = tmp_path / "index", folder / "repository"
    for shards in (None, 4, 2, None):
        built(repository, target, shards)
        assert len(open_index(target).shards) == (shards or 1)
        names = json.loads((target / "manifest.json").read_text(encoding="utf-8"))["files"]
        (data,) = target.glob("data-*")
        assert {entry.stem for entry in data.iterdir()} == set(names)


def test_more_shards_than_posts_leave_some_empty(tmp_path: Path) -> None:
    """An empty shard answers nothing, and the others answer."""
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n", encoding="utf-8")
    kaiwa.clean(pairs, tmp_path / "repository")
    facts = kaiwa.index(tmp_path / "repository", tmp_path / "index", language="en", shards=5)
    assert sorted(facts.shard_posts) == sorted(facts.shard_comments) == [0, 0, 0, 0, 1]
    assert [reply.comment for reply in kaiwa.open(tmp_path / "index").reply("Hawaii")] == ["c1"]


@pytest.mark.parametrize(("hard", "found"), [(4000, "16"), (300, "raise the limit (ulimit -n), or build fewer shards")])
def test_many_shards_open_where_few_files_may_be_open(folder: Path, hard: int, found: str) -> None:
    """The limit is raised as far as the system allows; beyond that, one line."""
    program = (
        "import pathlib, resource, sys\n"
        "from kaiwa.errors import InputError\n"
        "from kaiwa.retrieval.inverted_index import open_index\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, int(sys.argv[2])))\n"
        "try:\n    print(len(open_index(pathlib.Path(sys.argv[1])).shards))\n"
        "except InputError as fault:\n    print(fault)"
    )
    given = [sys.executable, "-c", program, str(folder / "index-16"), str(hard)]
    done = subprocess.run(given, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(found)
    assert done.stdout.count("\n") == 1


def test_the_command_makes_shards_and_says_so(repository: Path, tmp_path: Path) -> None:
    """The text has the copies of a comment, the JSON the documents of each shard."""
    runner, target = CliRunner(), str(tmp_path / "index")
    done = runner.invoke(group, ["index", str(repository), "-o", target, "--language", "zh", "--shards", "2"])
    assert " in 2 shards, 1." in done.stdout
    done = runner.invoke(group, ["index", str(repository), "-o", target, "--language", "zh", "--shards", "2", "--json"])
    facts = json.loads(done.stdout)
    assert facts["shards"] == 2
    assert sum(facts["shard_posts"]) == facts["posts"]
    assert sum(facts["shard_comments"]) >= facts["comments"]


@pytest.mark.parametrize("shards", [0, -1, 257])
def test_an_impossible_number_of_shards_is_one_line(repository: Path, tmp_path: Path, shards: int) -> None:
    """Nothing is written."""
    with pytest.raises(InputError, match=f"shards= is {shards}; give 1 to 256"):
        kaiwa.index(repository, tmp_path / "index", shards=shards)
    assert not (tmp_path / "index").exists()
