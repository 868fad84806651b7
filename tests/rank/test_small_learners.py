"""The families that learn from pairs: encoder-decoder, pattern pairs, random forest, and the bridge of dialogues."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.table import FEATURES
from kaiwa.ranking.model_folder import open_models
from kaiwa.ranking.models.decoder import NOISE, Decoder, descend, initial_decoder, mean_log_scores
from kaiwa.ranking.models.pair_forest import TFIDF_FEATURES, tfidf_rows
from kaiwa.ranking.models.pattern_pairs import PENALTY, RATE, frequent_keys, learn_pairs, patterns_of
from kaiwa.ranking.system import Asked, bridged_search
from kaiwa.ranking.texts import token_lists
from kaiwa.ranking.trees import DEPTH, best_split, grow, grown_forest
from kaiwa.retrieval.matching import Matcher, query_of, search

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex

SOURCES, TARGETS = [[0, 1], [7], []], [[2, 8, 2], [], [9, 3]]
WORDS = 6


def decoder() -> Decoder:
    """Six words and four others, in double precision, with random arrays."""
    rng = np.random.default_rng(4)
    made = initial_decoder(np.array([9, 8, 7, 5, 4, 3, 2, 1, 1, 1, 6]), WORDS, rng, hidden=3)
    trained = [rng.standard_normal(part.shape) for part in made.trained]
    return Decoder(*trained, made.noise.astype(np.float64), made.rest.astype(np.float64))


def plain_loss(model: Decoder, drawn: np.ndarray) -> float:
    """Noise-contrastive estimation (Mnih and Teh 2012, Eq. 8), word by word."""
    total, step, other, edge = 0.0, 0, WORDS, WORDS + 1
    for source, target in zip(SOURCES, TARGETS, strict=True):
        rows = [min(word, other) for word in source]
        encoding = model.source[rows].mean(axis=0) if rows else np.zeros(3)
        words = [edge, edge, *(min(word, other) for word in target), edge]
        for second, before, word in zip(words, words[1:], words[2:], strict=False):
            hidden = np.tanh(encoding + model.before[before] + model.second[second] + model.bias)
            scores = model.output @ hidden + model.shift
            odds = scores - np.log(len(drawn[step])) - model.noise
            chances = 1 / (1 + np.exp(-odds))
            total -= np.log(chances[word]) + np.log(1 - chances[drawn[step]]).sum()
            step += 1
    return float(total)


@pytest.mark.parametrize("part", range(6))
def test_the_decoder_goes_down_the_slope_of_differences(part: int) -> None:
    """A very small step of training is minus the gradient, for every number of every array."""
    model, small = decoder(), 1e-7
    drawn = np.random.default_rng(5).integers(0, WORDS + 2, (8, 4)).astype(np.int32)
    values = model.trained[part]
    slopes = np.zeros_like(values)
    for place in np.ndindex(values.shape):
        sides = []
        for change in (1e-6, -1e-6):
            moved = values.copy()
            moved[place] += change
            sides.append(plain_loss(Decoder(*model[:part], moved, *model[part + 1 :]), drawn))
        slopes[place] = (sides[0] - sides[1]) / 2e-6
    before = values.copy()
    squares = tuple(np.full(len(one), 1e12) for one in model.trained)
    loss = descend(
        *token_lists(SOURCES), *token_lists(TARGETS), drawn, model.trained, model.noise, squares, small * 1e6
    )
    assert loss == pytest.approx(plain_loss(decoder(), drawn), rel=1e-4)
    assert ((before - values) / small).ravel().tolist() == pytest.approx(slopes.ravel().tolist(), abs=2e-4)


def test_the_decoder_scores_every_word_and_the_end() -> None:
    """In plain numbers; a word beyond the known ones has its share of all others."""
    model = decoder()
    hidden = np.tanh(model.source[[0, 1]].mean(axis=0) + model.before[7] + model.second[7] + model.bias)
    first = model.output[6] @ hidden + model.shift[6] + model.rest[2]
    hidden = np.tanh(model.source[[0, 1]].mean(axis=0) + model.before[6] + model.second[7] + model.bias)
    end = model.output[7] @ hidden + model.shift[7]
    found = mean_log_scores(token_lists([[0, 1]]), token_lists([[8], [8]]), model)
    assert found.tolist() == pytest.approx([(first + end) / 2] * 2)
    again = mean_log_scores(token_lists([[0, 1], [0, 1]]), token_lists([[8]]), model)
    assert again.tolist() == pytest.approx(found.tolist(), rel=1e-12)
    assert len(mean_log_scores(token_lists([[0]]), token_lists([]), model)) == 0


def test_a_trained_decoder_knows_its_answers_and_is_nearly_normalised() -> None:
    """Two posts with two answers: each is likelier given its own, and the chances of the first word sum to about 1."""
    rng = np.random.default_rng(6)
    model = initial_decoder(np.array([0, 0, 40, 40, 0, 0, 80]), WORDS, rng, hidden=8)
    squares = tuple(np.full(len(one), 1e-4, dtype=np.float32) for one in model.trained)
    sources, targets = token_lists([[0], [1]] * 20), token_lists([[2], [3]] * 20)
    shares = np.exp(model.noise.astype(float))
    for _ in range(60):
        drawn = rng.choice(len(shares), (80, NOISE), p=shares / shares.sum()).astype(np.int32)
        descend(*sources, *targets, drawn, model.trained, model.noise, squares, 0.1)
    own, other = (mean_log_scores(token_lists([[0]]), token_lists([[word]]), model)[0] for word in (2, 3))
    assert own > -0.2
    assert other < own - 1
    hidden = np.tanh(model.source[0] + model.before[-1] + model.second[-1] + model.bias)
    assert np.exp(model.output @ hidden + model.shift).sum() == pytest.approx(1.0, abs=0.25)


def test_patterns_are_neighbouring_words_and_edges() -> None:
    """Pattern 0 is in every text; keys that are not frequent have no pattern."""
    texts, words = token_lists([[0, 1], [], [5]]), 6
    keys = np.array([6 * 7 + 0, 0 * 7 + 1, 6 * 7 + 6])  # the edge then 0; 0 then 1; an empty text
    found = patterns_of(texts, np.sort(keys), words)
    assert [found.tokens[low:high].tolist() for low, high in zip(found.starts, found.starts[1:], strict=False)] == [
        [0, 2, 1],
        [0, 3],
        [0],
    ]
    assert frequent_keys(np.zeros(0, dtype=np.int64)).tolist() == []
    assert patterns_of(texts, np.zeros(0, dtype=np.int64), words).tokens.tolist() == [0, 0, 0]


def test_pattern_weights_are_those_of_plain_logistic_regression() -> None:
    """One round in dictionaries: the true pair first, then the post with the other comment."""
    posts, comments = token_lists([[0, 1], [0, 2]]), token_lists([[0, 1], [0]])
    weights, squares = np.zeros((3, 2), dtype=np.float32), np.full((3, 2), 0.01, dtype=np.float32)
    order, others = np.array([1, 0]), np.array([0, 1])
    learn_pairs(*posts, *comments, order, others, weights, squares, RATE, PENALTY)
    plain, sums = np.zeros((3, 2)), np.full((3, 2), 0.01)
    lists = ([[0, 1], [0, 2]], [[0, 1], [0]])
    for own, other in zip(order.tolist(), others.tolist(), strict=True):
        for truth, number in ((1, own), (0, other)):
            cells = [(one, two) for one in lists[0][own] for two in lists[1][number]]
            error = 1 / (1 + np.exp(-sum(plain[cell] for cell in cells))) - truth
            for cell in cells:
                slope = error + PENALTY * plain[cell]
                sums[cell] += slope**2
                plain[cell] -= RATE * slope / np.sqrt(sums[cell])
    assert weights.ravel().tolist() == pytest.approx(plain.ravel().tolist(), abs=1e-6)


def test_a_split_is_the_best_of_all_splits() -> None:
    """Against every cut, by the squared error of the two means; no side is smaller than a leaf."""
    rng = np.random.default_rng(2)
    bins = rng.integers(0, 6, (40, 1)).astype(np.uint8)
    labels = (bins[:, 0] > 2).astype(float) * 0.5 + rng.random(40)
    whole = ((labels - labels.mean()) ** 2).sum()
    falls = {}
    for cut in range(5):
        sides = labels[bins[:, 0] <= cut], labels[bins[:, 0] > cut]
        if min(map(len, sides)) >= 5:
            falls[cut] = whole - sum(((side - side.mean()) ** 2).sum() for side in sides)
    place, gain = best_split(bins, labels, np.arange(40), 0, 5)
    assert place == max(falls, key=falls.__getitem__)
    assert gain == pytest.approx(max(falls.values()))
    assert best_split(bins, np.ones(40), np.arange(40), 0, 5) == (-1, 0.0)


def test_a_tree_sends_every_row_to_the_mean_of_its_leaf() -> None:
    """The forest of one tree, evaluated as all our trees are, gives the means of its leaves."""
    rng = np.random.default_rng(3)
    rows = rng.random((300, 3)).astype(np.float32)
    labels = (rows[:, 0] + rows[:, 1] > 1).astype(float)
    made = grow((rows * 31).astype(np.uint8), labels, np.arange(300), np.tile(np.arange(3), (2 << DEPTH, 1)), 20)
    assert made.feature[0] >= 0
    assert made.gains[:2].min() > made.gains[2]
    forest = grown_forest(rows, labels, rng, trees=30)
    scores = forest.scores(rows)
    assert scores.min() >= 0
    assert scores.max() <= 1
    assert scores[labels == 1].mean() > scores[labels == 0].mean() + 0.5


def test_tfidf_features_are_those_of_dictionaries() -> None:
    """Words 0 to 3 with their idf; a repeated word counts by its frequency; empty texts have zeros."""
    rarity = np.array([0.5, 1.0, 2.0, 4.0], dtype=np.float32)
    row = tfidf_rows(token_lists([[0, 0, 2]]), token_lists([[2, 3, 0], []]), rarity)
    post, comment = np.array([1.0, 0, 2, 0]), np.array([0.5, 0, 2, 4])
    cosine = post @ comment / np.sqrt((post @ post) * (comment @ comment))
    expected = [cosine, 1.0, 2.5 / 6.5, 2.0, 2, np.log(4), np.log(4), 6.5 / 3, 4.0]
    assert row[0].tolist() == pytest.approx(expected, rel=1e-6)
    assert row[1].tolist() == pytest.approx([0, 0, 0, 0, 0, np.log(4), 0, 0, 0], rel=1e-6)
    assert len(TFIDF_FEATURES) == row.shape[1]


DIALOGUES = "a1\t考试好难\tb1\t一起去爬山\na2\tHawaii\tb2\t海鲜很好吃\n"


def test_a_bridge_leads_through_the_dialogues_of_another_repository(
    index: Path, opened: InvertedIndex, tmp_path: Path
) -> None:
    """There an exam was answered with a mountain; the comments of this index about mountains are found."""
    (tmp_path / "pairs.tsv").write_text(DIALOGUES, encoding="utf-8")
    kaiwa.clean([tmp_path / "pairs.tsv"], tmp_path / "dialogues", rules="none")
    target = tmp_path / "models"
    made = kaiwa.models(index, target, bridge_from=tmp_path / "dialogues")
    assert made.trained == ("tokens", "bridge")
    found = bridged_search(Asked(query_of(opened, "考试"), 3, given=open_models(target, opened)))
    assert opened.comments.texts.id_of(int(found.comments[0])) == "c01"
    assert "c01" in [one.comment for one in Bot(index, models=target).reply("考试", system="bridge")]
    assert kaiwa.models(index, target, bridge_from=tmp_path / "dialogues").kept == ("tokens", "bridge")
    kept = kaiwa.models(index, target, names=["bridge"])
    assert (kept.kept, kept.made_of_more) == (("tokens", "bridge"), ("bridge",))
    with pytest.raises(
        InputError, match="made of more than the index, and must be made again; give bridge_from= again"
    ):
        kaiwa.models(index, target, names=["bridge"], takedown=frozenset({"c04"}))


def test_without_another_repository_the_index_is_its_own_bridge(opened: InvertedIndex, models: OpenModels) -> None:
    """The replies to similar posts, and comments like them; no word, no bridge."""
    found = bridged_search(Asked(query_of(opened, "考试紧张"), 5, given=models))
    assert {"c04", "c05"} <= {opened.comments.texts.id_of(one) for one in found.comments.tolist()}
    assert not len(bridged_search(Asked(query_of(opened, "zzzz"), 5, given=models)))


@pytest.mark.parametrize("name", list(FEATURES))
def test_ten_thousand_candidates_have_the_values_of_one(opened: InvertedIndex, models: OpenModels, name: str) -> None:
    """Blocks of a batch change nothing."""
    query = query_of(opened, "考试 海")
    found = search(query, Matcher("tfidf", 1.0, 1.0), k=4)
    places = np.arange(10_000) % len(found)
    few, many = (FEATURES[name].values(Batch(query, one, models)) for one in (found, replace(found[places])))
    assert many.tolist() == pytest.approx(few[places].tolist(), rel=1e-6)
