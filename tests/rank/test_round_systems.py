"""Systems that stand for single runs of NTCIR-12 STC: each on a small repository whose order is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.table import feature_values
from kaiwa.ranking.model_folder import open_models
from kaiwa.ranking.system import Asked, further_terms, like_words, ranked, standardised
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.word_rules import AGREEMENTS, TIMES, agreements_of, conflicts, is_short_agreement, times_of
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import Matcher, query_of, search
from kaiwa.retrieval.takedown_ids import takedown_of

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex


def indexed(folder: Path, pairs: list[tuple[str, str]], language: str) -> InvertedIndex:
    """The index of some pairs, p0 with c0 and so on; equal posts are one."""
    posts: dict[str, int] = {}
    lines = [f"p{posts.setdefault(post, len(posts))}\t{post}\tc{at}\t{text}\n" for at, (post, text) in enumerate(pairs)]
    (folder / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    kaiwa.clean(folder / "pairs.tsv", folder / "repo", rules="none")
    kaiwa.index(folder / "repo", folder / "index", language=language)
    return open_index(folder / "index")


def comments_of(index: InvertedIndex, system: str, text: str) -> list[str]:
    """The ids of the comments that a system without models finds."""
    found = ranked(query_of(index, text), SYSTEMS[system], k=100)
    return [index.comments.texts.id_of(one) for one in found.comments.tolist()]


# Word vectors alone and topics alone.


@pytest.mark.parametrize(("system", "model"), [("word-vectors", "vectors"), ("lda-alone", "topics")])
@pytest.mark.parametrize("text", ["考试顺利 紧张", "去青岛看海 海鲜"])
def test_a_system_of_vectors_alone_ranks_all_pairs_by_both_cosines(
    opened: InvertedIndex, models: OpenModels, system: str, model: str, text: str
) -> None:
    """Against a sort of all pairs by cosines of plain sums of vectors; each comment with its best post."""
    arrays, corpus, links = models.opened(model), models.corpus, opened.links

    def vector(words: list[int]) -> np.ndarray:
        own = [
            arrays["rarity"][word] * arrays["vectors"][word].astype(float)
            for word in words
            if word < len(arrays["vectors"])
        ]
        total = np.sum(own, axis=0) if own else np.zeros(arrays["vectors"].shape[1])
        return total / (np.linalg.norm(total) or 1.0)

    query = vector(corpus.numbers(text).tolist())
    posts, comments = (
        [float(vector(side.list_of(one).tolist()) @ query) for one in range(len(side))]
        for side in (corpus.posts, corpus.comments)
    )
    expected = {}
    for comment, own in enumerate(comments):
        linked = links.comment_posts[links.comment_starts[comment] : links.comment_starts[comment + 1]].tolist()
        expected[comment] = max(posts[post] for post in linked) + own
    found = ranked(query_of(opened, text), SYSTEMS[system], k=1000, models=models)
    assert dict(zip(found.comments.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(
        {comment: score for comment, score in expected.items() if score > 1e-6}, abs=1e-5
    )
    assert len(found) > 1
    assert (np.diff(found.scores) <= 0).all()
    assert [posts[post] for post in found.posts.tolist()] == pytest.approx(
        [
            max(posts[post] for post in links.comment_posts[slice(*links.comment_starts[one : one + 2])].tolist())
            for one in found.comments.tolist()
        ],
        abs=1e-5,
    )


def test_word_vectors_find_comments_that_share_no_word_with_the_query(tmp_path: Path) -> None:
    """Cats and kittens are asked about in the same words; trains are not."""
    animals = [(f"my {one} likes {food} and {toy}", f"how sweet, {food}") for one in ("cat", "kitten")
               for food in ("fish", "milk", "cream") for toy in ("yarn", "mice")]  # fmt: skip
    trains = [(f"the {one} to {city} was late", f"{city} station again") for one in ("train", "tram")
              for city in ("oslo", "bern", "kyoto") for _ in range(2)]  # fmt: skip
    index = indexed(tmp_path, [*animals, *trains], "en")
    kaiwa.models(tmp_path / "index", tmp_path / "models", names=["vectors"])
    made = open_models(tmp_path / "models", index)
    found = ranked(query_of(index, "yarn"), SYSTEMS["word-vectors"], k=3, models=made)
    texts = [index.comments.texts.text_of(one) for one in found.comments.tolist()]
    assert all(text.startswith("how sweet") for text in texts)
    assert not any("yarn" in text for text in texts)


@pytest.mark.parametrize("system", ["word-vectors", "lda-alone"])
def test_a_system_of_vectors_alone_finds_nothing_through_a_post_of_the_takedown_list(
    opened: InvertedIndex, models: OpenModels, system: str
) -> None:
    """A comment of two posts is found through the other one."""
    hidden = takedown_of(opened, frozenset({"p1"}))
    found = ranked(query_of(opened, "今天天气真好"), SYSTEMS[system], k=100, models=models, takedown_posts=hidden.posts)
    posts = {opened.posts.texts.id_of(one) for one in found.posts.tolist()}
    assert posts
    assert "p1" not in posts


# LDA mixed 6:4.


def test_topics_are_mixed_six_to_four(opened: InvertedIndex, models: OpenModels) -> None:
    """Against the sum by hand, over the standardised features of the candidates of run2."""
    query = query_of(opened, "考试顺利 紧张")
    system = SYSTEMS["lda-mixed"]
    found = search(query, Matcher("tfidf", 1.0, 1.0), k=200)
    own = {
        name: standardised(values)
        for name, values in feature_values(Batch(query, found, models), system.features).items()
    }
    expected = 0.6 * (own["q2p"] + own["q2c"]) + 0.4 * (own["lda-q2p"] + own["lda-q2c"])
    mixed = ranked(query, system, k=100, models=models)
    assert dict(zip(mixed.comments.tolist(), mixed.scores.tolist(), strict=True)) == pytest.approx(
        dict(zip(found.comments.tolist(), expected.tolist(), strict=True)), abs=1e-9
    )


# Clusters of comments.


def test_the_largest_cluster_of_like_comments_comes_before_a_single_better_one(tmp_path: Path) -> None:
    """Three answers are alike, one is not, and all answer the same post: c3 alone also has a word of the query."""
    post = "rain in bergen today"
    alike = ["take umbrella along", "umbrella along please", "please take umbrella"]
    index = indexed(tmp_path, [*((post, one) for one in (*alike, "bergen")), ("apples", "pears")], "en")
    assert comments_of(index, "run2", post)[0] == "c3"
    assert sorted(comments_of(index, "comment-clusters", post)[:3]) == ["c0", "c1", "c2"]
    assert comments_of(index, "comment-clusters", post)[3] == "c3"


# The rule of time.


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("早安", "晚安，好梦", 1),
        ("早上好", "清晨的空气真好", 0),
        ("早安", "你好", 0),
        ("周末去哪里", "星期天见", 0),
        ("周末去哪里", "周一见", 1),
        ("おはよう、月曜日", "おやすみ、金曜", 2),
        ("Good MORNING", "see you tonight", 1),
        ("mornings in summer", "a winter morning", 1),
        ("nightmare", "this morning", 0),
    ],
)
def test_texts_conflict_in_the_kinds_of_time_of_which_they_name_different_ones(
    one: str, other: str, expected: int
) -> None:
    """Also the other way round."""
    assert conflicts(times_of(one), times_of(other)) == conflicts(times_of(other), times_of(one)) == expected


def test_every_word_of_time_is_read_as_its_time() -> None:
    """As the only word of a text; a weekend is both of its days."""
    for kind, times in TIMES.items():
        for time, words in times.items():
            for word in words.split():
                assert time in times_of(word)[kind], word


def test_a_comment_of_another_time_comes_after_the_others(tmp_path: Path) -> None:
    """The walk prefers the comment that has most words of the query; it says good night."""
    post = "good morning all friends"
    pairs = [(post, "good night all friends"), (post, "hello friends"), ("apples", "pears")]
    index = indexed(tmp_path, pairs, "en")
    assert comments_of(index, "random-walk", post)[:2] == ["c0", "c1"]
    assert comments_of(index, "time-rule", post)[:2] == ["c1", "c0"]
    assert comments_of(index, "time-rule", "good friends") == comments_of(index, "random-walk", "good friends")


# Short comments of agreement.


def test_short_agreements_come_first_those_of_similar_posts_before_others(tmp_path: Path) -> None:
    """Then the comments of run2; a long comment that begins with agreement is none."""
    pairs = [
        ("今日は雨がひどい", "そうだね！"),
        ("映画を見ました", "うん、そうだね"),
        ("今日は雨がひどい", "雨は嫌いです"),
        ("今日は雨がひどい", "そうだね、でも昨日の雨はもっとひどかったと思うよ"),
        ("りんごを食べた", "みかん"),
    ]
    found = comments_of(indexed(tmp_path, pairs, "ja"), "short-agreements", "雨がひどい")
    assert found[:2] == ["c0", "c1"]
    assert sorted(found[2:]) == ["c2", "c3"]


@pytest.mark.parametrize("language", list(AGREEMENTS))
def test_every_phrase_of_agreement_is_a_short_agreement(language: str) -> None:
    """With a mark before and after it."""
    for phrase in agreements_of(language):
        assert is_short_agreement(f"…{phrase.capitalize()}!", language), phrase


@pytest.mark.parametrize(
    ("text", "language"), [("yesterday", "en"), ("no, exactly not", "en"), ("雨だね", "ja"), ("同意", "ko")]
)
def test_other_short_comments_are_no_agreement(text: str, language: str) -> None:
    """A word that begins like a phrase, a phrase in the middle, and a language without a list."""
    assert not is_short_agreement(text, language)


# The second expansion.


def test_the_second_expansion_adds_the_words_whose_vectors_are_nearest(
    opened: InvertedIndex, models: OpenModels
) -> None:
    """Against cosines of plain vectors; none of the query's own words."""
    asked = Asked(query_of(opened, "考试顺利 紧张"), 10, given=models)
    vectors, rarity = (models.opened("vectors")[part].astype(float) for part in ("vectors", "rarity"))
    own = models.corpus.numbers(asked.query.text).tolist()
    centre = sum(rarity[word] * vectors[word] for word in own)
    cosines = vectors @ centre / np.maximum(np.linalg.norm(vectors, axis=1) * np.linalg.norm(centre), 1e-300)
    assert like_words(asked)[: len(cosines)].tolist() == pytest.approx(np.maximum(cosines, 0).tolist(), abs=1e-6)
    further = further_terms(asked, like_words)
    assert 0 < len(further) <= 5
    assert not set(further) & set(asked.query.words)


# Learned weights of the pilot's runs.


def test_a_list_of_features_may_name_a_run_of_the_pilot(index: Path, models_folder: Path, tmp_path: Path) -> None:
    """The ranker of run3 has its three features, with weights from labels, and answers by them."""
    topics = {"q1": "考试好紧张", "q2": "A day in Hawaii"}
    labels = kaiwa.Qrels.from_lists({"q1": {"c04": 1, "c08": 0}, "q2": {"c08": 1, "c04": 0}})
    training = kaiwa.train(
        index, labels, topics=topics, models=models_folder, features="run3", folds=2, output=tmp_path / "ranker"
    )
    assert training.features == ["q2p", "q2c", "translm"]
    bot = Bot(index, models=models_folder, ranker=tmp_path / "ranker")
    assert set(bot.weights or {}) == set(SYSTEMS["run3"].features)
    assert bot.reply("考试", k=1)[0].features.keys() == set(SYSTEMS["run3"].features)
