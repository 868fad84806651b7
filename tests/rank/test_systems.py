"""Systems are candidates, features and a combination: what each shows, and that a new combination fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.errors import InputError, UnknownName
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.table import FEATURES, feature_values, term_strengths
from kaiwa.ranking.system import ranked
from kaiwa.ranking.system_table import SYSTEMS, system_named
from kaiwa.retrieval.matching import Candidates, Matcher, query_of, search
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.system import Features
    from kaiwa.retrieval.inverted_index import InvertedIndex

QUERIES = ("考试顺利 紧张", "去青岛看海 海鲜", "今天天气真好", "Hawaii beaches", "zzzz", "")


def sum_of_features(rankings: Sequence[Candidates], features: Features) -> Candidates:
    """A combination of features: their sum, as a learned ranker with equal weights would have it."""
    candidates = rankings[0]
    scores = sum(features(candidates).values(), np.zeros(len(candidates)))
    order = np.lexsort((candidates.comments, -scores))
    return replace(candidates, scores=scores)[order]


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("name", ["run2", "bm25"])
def test_a_joint_search_ranks_by_the_sum_of_its_features_to_the_last_bit(
    opened: InvertedIndex, name: str, text: str
) -> None:
    """Candidates ordered anew by their features come out as the search found them."""
    query, system = query_of(opened, text), SYSTEMS[name]
    found = ranked(query, system, k=20)
    again = ranked(query, replace(system, combine=sum_of_features), k=20)
    assert again.comments.tolist() == found.comments.tolist()
    assert again.posts.tolist() == found.posts.tolist()
    assert again.scores.tolist() == found.scores.tolist()


@pytest.mark.parametrize(("name", "feature"), [("run0", "q2p"), ("run1", "q2c"), ("bm25-q2p", "bm25-q2p")])
def test_a_system_of_one_side_scores_by_that_feature(index: Path, name: str, feature: str) -> None:
    """The score of a reply is the value of the feature that ranks it."""
    replies = Bot(index).reply(QUERIES[0], system=name, unfiltered=True)
    assert replies
    assert [one.score for one in replies] == [one.features[feature] for one in replies]


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_a_reply_has_a_value_for_every_feature_of_its_system(index: Path, models_folder: Path, name: str) -> None:
    """``Reply.features`` is a mapping in the order of the system's features."""
    replies = Bot(index, models=models_folder).reply(QUERIES[0], system=name)
    assert {tuple(one.features) for one in replies} == {SYSTEMS[name].features}


@pytest.mark.parametrize("name", list(FEATURES))
def test_a_feature_is_one_number_for_each_pair_and_changes_nothing(
    opened: InvertedIndex, models: OpenModels, name: str
) -> None:
    """A batch gives the values of its pairs one by one; arrays that may not be written are enough."""
    query = query_of(opened, "考试 海 Hawaii")
    found = search(query, Matcher("tfidf", 1.0, 1.0), k=20)
    for array in (found.comments, found.posts, found.scores, query.terms, query.counts):
        array.flags.writeable = False
    values = FEATURES[name].values(Batch(query, found, models))
    pairs = [Batch(query, found[place : place + 1], models) for place in range(len(found))]
    assert len(found) > 3
    assert values.tolist() == pytest.approx([FEATURES[name].values(pair).item() for pair in pairs], rel=1e-6)


@pytest.mark.parametrize("name", [name for name, feature in FEATURES.items() if feature.by_term])
@pytest.mark.parametrize("text", [*QUERIES, "考试 考试 海 Hawaii zzzz"])
def test_what_the_terms_add_is_the_feature(opened: InvertedIndex, name: str, text: str) -> None:
    """A law: the reasons of a reply add up to its value, and a word that a pair does not have adds nothing."""
    query = query_of(opened, text)
    batch = search(query, Matcher("bm25", 1.0, 1.0), k=20)
    by_term = term_strengths(Batch(query, batch), [name])
    assert by_term.shape == (len(query.words), len(batch))
    assert by_term.sum(axis=0).tolist() == pytest.approx(FEATURES[name].values(Batch(query, batch)).tolist(), abs=1e-6)
    side = opened.comments if name.endswith("q2c") else opened.posts
    texts = [side.texts.text_of(at) for at in (batch.comments if side is opened.comments else batch.posts).tolist()]
    terms = tokeniser(opened.tokeniser).terms
    assert (by_term > 0).tolist() == [[word in terms(one) for one in texts] for word in query.words]


def test_features_of_no_candidates_are_empty(opened: InvertedIndex, models: OpenModels) -> None:
    """A query without known words has no candidates."""
    query = query_of(opened, "zzzz")
    batch = Batch(query, search(query, Matcher("bm25", 1, 1), k=5), models)
    assert [len(column) for column in feature_values(batch, FEATURES).values()] == [0] * len(FEATURES)


@pytest.mark.parametrize("matcher", [Matcher("bm52", 1.0, 1.0), Matcher("cosine", 0.0, 1.0), Matcher("", 0.0, 0.0)])
def test_an_unknown_similarity_is_an_error(opened: InvertedIndex, matcher: Matcher) -> None:
    """Never another similarity in its place."""
    with pytest.raises(UnknownName, match=f"unknown similarity '{matcher.similarity}'"):
        search(query_of(opened, "考试"), matcher, k=3)


def test_an_unknown_similarity_offers_the_known_one(opened: InvertedIndex) -> None:
    """Did you mean."""
    with pytest.raises(UnknownName, match="did you mean 'bm25'"):
        search(query_of(opened, "考试"), Matcher("bm52", 1.0, 1.0), k=3)


@pytest.mark.parametrize("name", ["fusion", "run2"])
def test_an_unknown_fusion_is_an_error_of_every_system(name: str) -> None:
    """Also of one that fuses nothing: a typing error is never silent."""
    with pytest.raises(UnknownName, match="did you mean 'rrf'"):
        system_named(name, fusion="rff")
    assert system_named("run2", fusion="combsum") is SYSTEMS["run2"]


def test_the_page_lists_every_system_and_every_feature() -> None:
    """With its description and what it needs."""
    page = (Path(__file__).parents[2] / "docs" / "retrieve.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in SYSTEMS)
    for name, feature in FEATURES.items():
        assert f"| `{name}` | {feature.description} | {', '.join(feature.needs) or 'index'} |" in page


@pytest.mark.parametrize("name", [*SYSTEMS, "fusion:run3,towers"])
def test_a_longer_ranking_begins_with_the_shorter_one(opened: InvertedIndex, models: OpenModels, name: str) -> None:
    """Also where k is beyond the depth of the searches, which is 3 here: the candidates of deeper searches follow."""
    query, system = query_of(opened, " ".join(QUERIES)), system_named(name)
    small = replace(system, depth=3 if system.depth else 0)
    longest = ranked(query, small, k=1000, models=models)
    assert len(longest) == len(ranked(query, replace(system, depth=1000), k=1000, models=models)) > 3
    for k in (1, 3, 4, 10):
        shorter = ranked(query, small, k=k, models=models)
        assert shorter.comments.tolist() == longest.comments[:k].tolist()
        assert shorter.scores.tolist() == longest.scores[:k].tolist()
    assert (np.diff(longest.scores) <= 0).all()


def test_any_systems_can_be_fused(opened: InvertedIndex, models: OpenModels) -> None:
    """By reciprocal rank, as an independent sum over their rankings."""
    query = query_of(opened, QUERIES[0])
    names = ("run3", "towers", "random-walk")
    expected: dict[int, float] = {}
    for name in names:
        for rank, comment in enumerate(ranked(query, SYSTEMS[name], k=100, models=models).comments.tolist(), start=1):
            expected[comment] = expected.get(comment, 0.0) + 1 / (60 + rank)
    system = system_named(f"fusion:{','.join(names)}")
    found = ranked(query, system, k=10, models=models)
    assert dict(zip(found.comments.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(
        dict(sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))[:10])
    )
    assert system.description == "run3, towers and random-walk, fused (rrf)"


@pytest.mark.parametrize("names", ["run2", "run2,run2", "run2, run2"])
def test_a_fusion_needs_two_systems(names: str) -> None:
    """A fusion of one would be that one."""
    with pytest.raises(InputError, match="names fewer than two different systems; try fusion:run2,bm25"):
        system_named(f"fusion:{names}")


def test_an_unknown_system_in_a_fusion_is_named() -> None:
    """As alone."""
    with pytest.raises(UnknownName, match="did you mean 'run2'"):
        system_named("fusion:rnu2,bm25")
