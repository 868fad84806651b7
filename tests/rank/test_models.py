"""Models: trained as their papers say, kept with their index, refused when they do not fit."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kaiwa
from kaiwa.ambient import Silent, shown_by
from kaiwa.errors import InputError, UnknownName
from kaiwa.files import array_folder
from kaiwa.ranking import model_folder
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.model_folder import open_models
from kaiwa.ranking.models.table import MODELS
from kaiwa.ranking.models.topic_words import logistic_weights
from kaiwa.ranking.models.towers import Towers, batch_gradient, gated_means
from kaiwa.ranking.models.translation import train_translation
from kaiwa.ranking.models.word_vectors import mutual_information, reduced
from kaiwa.ranking.texts import Bitext, TokenLists, token_lists
from kaiwa.ranking.words import Phrases, frequent_phrases
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import open_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from kaiwa.nouns.ids import FloatArray

WORDS = 12
NO_PHRASES = Phrases(np.zeros(9, dtype=np.int64), np.zeros(0, dtype=np.int32))
Texts = list[tuple[list[int], list[int]]]


def plain_model_1(pairs: Texts, iterations: int) -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """IBM Model 1 with an empty word, as Brown et al. 1993 define it, in dictionaries."""
    table = {(source, target): 1.0 for sources, targets in pairs for source in sources for target in targets}
    empty = dict.fromkeys(range(WORDS), 1.0)
    for _ in range(iterations):
        counts, empty_counts = dict.fromkeys(table, 0.0), dict.fromkeys(range(WORDS), 0.0)
        for sources, targets in pairs:
            for target in targets:
                total = empty[target] + sum(table[source, target] for source in sources)
                empty_counts[target] += empty[target] / total
                for source in sources:
                    counts[source, target] += table[source, target] / total
        totals = {source: sum(count for key, count in counts.items() if key[0] == source) for source, _ in counts}
        table = {key: count / totals[key[0]] for key, count in counts.items()}
        whole = sum(empty_counts.values())
        empty = {word: count / whole if whole else 0.0 for word, count in empty_counts.items()}
    return table, empty


def bitext(pairs: Sequence[tuple[list[int], list[int]]]) -> Bitext:
    """The pairs as arrays."""
    both = np.arange(len(pairs), dtype=np.uint32)
    return Bitext(token_lists([one for one, _ in pairs]), token_lists([one for _, one in pairs]), both, both)


TEXT = st.lists(st.integers(0, WORDS - 1), max_size=6)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=30), st.integers(1, 4))
def test_the_translation_table_is_that_of_plain_em(pairs: Texts, iterations: int) -> None:
    """Every cell and the empty word, to 1e-9; repeated words and empty texts too."""
    trained = train_translation(bitext(pairs), words=WORDS, iterations=iterations)
    table, empty = plain_model_1(pairs, iterations)
    cells = zip(trained.sources.tolist(), trained.targets.tolist(), trained.probabilities.tolist(), strict=True)
    assert {(source, target): share for source, target, share in cells} == pytest.approx(table, abs=1e-9)
    assert trained.empty.tolist() == pytest.approx(list(empty.values()), abs=1e-9)


def test_the_likelihood_never_falls() -> None:
    """The law of EM, here from the second iteration on; the first starts from no probabilities."""
    rng = np.random.default_rng(3)
    pairs = [(rng.integers(0, WORDS, 5).tolist(), rng.integers(0, WORDS, 4).tolist()) for _ in range(100)]
    likelihoods = train_translation(bitext(pairs), words=WORDS, iterations=10).likelihoods[1:]
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(likelihoods))


def test_cells_of_one_pair_are_left_out_if_two_are_asked_for() -> None:
    """Words 0 and 1 meet twice, 2 and 3 once."""
    pairs = [([0], [1]), ([0], [1]), ([2], [3])]
    trained = train_translation(bitext(pairs), words=WORDS, fewest_pairs=2)
    assert list(zip(trained.sources.tolist(), trained.targets.tolist(), strict=True)) == [(0, 1)]


def test_rows_by_target_hold_the_same_cells() -> None:
    """Kept by source, then turned: every probability is found again."""
    rng = np.random.default_rng(5)
    pairs = [(rng.integers(0, WORDS, 5).tolist(), rng.integers(0, WORDS, 4).tolist()) for _ in range(50)]
    kept = train_translation(bitext(pairs), words=WORDS).kept(smallest=0.01)
    turned = kept.by_target()
    rows = [
        {
            (source, int(kept.targets[at])): kept.probabilities[at]
            for at in range(kept.starts[source], kept.starts[source + 1])
        }
        for source in range(WORDS)
    ]
    cells = {key: value for row in rows for key, value in row.items()}
    again = {
        (int(turned.targets[at]), target): turned.probabilities[at]
        for target in range(WORDS)
        for at in range(turned.starts[target], turned.starts[target + 1])
    }
    assert again == cells
    assert min(cells.values()) >= 0.01


def _loss(towers: Towers, texts: tuple[TokenLists, TokenLists], same: np.ndarray) -> float:
    return batch_gradient(towers, texts, same).loss


def test_the_gradient_of_the_towers_is_that_of_differences() -> None:
    """By the maps and by the texts' vectors, in double precision, to 1e-6."""
    rng = np.random.default_rng(7)
    texts = token_lists([[0, 1], [2], [3, 4, 4], []]), token_lists([[5], [6, 1], [2, 2], [0]])
    vectors, gates, maps = rng.standard_normal((8, 3)), rng.random((2, 8)), rng.standard_normal((2, 3, 3))
    towers = Towers(vectors, gates, maps, *NO_PHRASES)
    same = np.eye(4, dtype=bool)
    same[0, 2] = True
    gradient, step = batch_gradient(towers, texts, same), 1e-4
    for side in range(2):
        for row, column in np.ndindex(3, 3):
            moved = [maps.copy(), maps.copy()]
            for sign, changed in zip((1, -1), moved, strict=True):
                changed[side, row, column] += sign * step
            losses = [_loss(towers._replace(maps=changed), texts, same) for changed in moved]
            assert gradient.maps[side][row, column] == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=2e-3)


@given(st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=6), st.integers(1, 7), st.integers(1, 9))
def test_phrases_are_the_most_frequent_adjacent_words(texts: list[list[int]], words: int, most: int) -> None:
    """By a plain count; each text keeps its known words, and has its phrases after them, as often as they occur."""
    fewest = 2
    found = Counter(pair for text in texts for pair in pairwise(text) if max(pair) < words)
    phrases, counts = frequent_phrases([token_lists(texts)], words, most=most, fewest=fewest)
    first = np.repeat(np.arange(words), np.diff(phrases.starts))
    pairs = list(zip(first.tolist(), phrases.seconds.tolist(), strict=True))
    assert dict(zip(pairs, counts.tolist(), strict=True)).items() <= found.items()
    assert sorted(counts.tolist()) == sorted(count for count in sorted(found.values())[-most:] if count >= fewest)
    number_of = {pair: words + place for place, pair in enumerate(pairs)}
    added = phrases.added(token_lists(texts))
    for place, text in enumerate(texts):
        known = [word for word in text if word < words]
        assert added.list_of(place).tolist() == known + [number_of[p] for p in pairwise(text) if p in number_of]


def test_words_in_another_order_are_another_text() -> None:
    """The towers know which words stand together: a phrase has a vector of its own."""
    phrases = frequent_phrases([token_lists([[0, 1], [0, 1]])], 2, most=5, fewest=2)[0]
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    maps = np.stack([np.eye(2, dtype=np.float32)] * 2)
    towers = Towers(vectors, np.ones((2, 3), dtype=np.float32), maps, *phrases)
    texts = token_lists([[0, 1], [1, 0], [9]])
    assert towers.encoded(texts, 1) == pytest.approx(np.array([[2 / 5**0.5, 1 / 5**0.5], [1, 0], [0, 0]]))


def test_a_text_without_a_known_word_is_encoded_as_nothing() -> None:
    """Never a division by 0."""
    means = np.zeros((1, 2), dtype=np.float32)
    ones = np.ones((1, 2), dtype=np.float32)
    gated_means(np.array([0, 0]), np.zeros(0, dtype=np.int32), ones, ones[0], means)
    assert means.tolist() == [[0.0, 0.0]]


def test_logistic_weights_have_no_slope_left() -> None:
    """At the optimum the gradient of the penalised likelihood is 0."""
    rng = np.random.default_rng(2)
    rows = np.column_stack((np.ones(200), rng.standard_normal((200, 2))))
    labels = (rng.random(200) < 1 / (1 + np.exp(-rows @ np.array([-0.5, 1.0, 2.0])))).astype(float)
    theta = logistic_weights(rows, labels)
    slope: FloatArray = rows.T @ (labels - 1 / (1 + np.exp(-rows @ theta))) - np.array([0.0, 1.0, 1.0]) * theta
    assert np.abs(slope).max() < 1e-6


def test_reduced_vectors_have_the_products_of_the_svd() -> None:
    """Of a symmetric matrix of low rank, the vectors times their transpose give back the matrix's root form."""
    from scipy import sparse

    rng = np.random.default_rng(4)
    factor = rng.random((30, 3))
    matrix = factor @ factor.T
    vectors = reduced(sparse.csr_matrix(matrix), 3, np.random.default_rng(1))
    assert vectors @ vectors.T == pytest.approx(matrix, abs=1e-8)


def test_mutual_information_is_0_or_more_and_0_where_words_never_meet() -> None:
    """Two pairs of words that meet only each other."""
    from scipy import sparse

    found = mutual_information(sparse.csr_matrix(np.array([[0, 4, 0, 0], [4, 0, 0, 0], [0, 0, 0, 4], [0, 0, 4, 0.0]])))
    assert found.toarray() == pytest.approx(np.log(4) * (found.toarray() > 0))
    assert found.nnz == 4


def test_without_names_every_model_of_an_index_alone_is_trained(models_folder: Path) -> None:
    """An encoder is given as a file."""
    trained = {entry.name for entry in models_folder.iterdir() if entry.is_dir()}
    assert {name for name, kind in MODELS.items() if not kind.must_be_given} <= trained


def test_models_are_kept_until_they_are_asked_for_again(index: Path, tmp_path: Path) -> None:
    """So a stopped build continues."""
    target = tmp_path / "models"
    assert kaiwa.models(index, target, names=["topicword"]).trained == ("tokens", "topicword")
    assert kaiwa.models(index, target, names=["topicword", "vectors"]).kept == ("tokens", "topicword")
    assert kaiwa.models(index, target, names=["vectors"], again=True).trained == ("tokens", "vectors")


def test_a_model_of_another_seed_is_kept_and_named(index: Path, tmp_path: Path) -> None:
    """So nobody believes that it was trained with the seed that was given."""
    target = tmp_path / "models"
    kaiwa.models(index, target, names=["vectors"], seed=1)
    assert kaiwa.models(index, target, names=["vectors", "forest"], seed=2).other_seed == ("vectors",)
    assert kaiwa.models(index, target, names=["forest"], seed=2).other_seed == ()


def test_models_of_another_index_are_replaced_and_named(repository: Path, index: Path, tmp_path: Path) -> None:
    """The folder may have been meant for another index."""
    target = tmp_path / "models"
    assert kaiwa.models(index, target, names=["topicword"]).replaced == ()
    build_index(repository, tmp_path / "other", language="zh", tokens="bigrams", progress=lambda _done, _total: None)
    assert kaiwa.models(tmp_path / "other", target, names=["topicword"]).replaced == ("tokens", "topicword")


def test_models_that_no_longer_fit_their_tokens_are_named_and_refused(index: Path, tmp_path: Path) -> None:
    """Words have other numbers after a takedown: a model of the old ones would give other values, without an error."""
    target = tmp_path / "models"
    kaiwa.models(index, target, names=["translation", "topicword"])
    opened = open_index(index)
    hidden = frozenset({opened.comments.texts.id_of(0)})
    assert kaiwa.models(index, target, names=["translation"], takedown=hidden).outdated == ("topicword",)
    models = open_models(target, opened)
    models.opened("translation")
    with pytest.raises(InputError, match="topicword: was trained with other tokens than those here; train it again"):
        models.opened("topicword")
    assert kaiwa.models(index, target, names=["topicword"], takedown=hidden).outdated == ()
    open_models(target, opened).opened("topicword")


def test_vectors_of_other_towers_are_outdated(index: Path, tmp_path: Path) -> None:
    """Not those of equal towers."""
    target = tmp_path / "models"
    kaiwa.models(index, target, names=["dense"])
    assert kaiwa.models(index, target, names=["towers"], again=True).outdated == ()
    assert kaiwa.models(index, target, names=["towers"], again=True, seed=2).outdated == ("dense",)
    assert kaiwa.models(index, target, names=["dense"], seed=2).trained == ("dense",)


class _Shares(Silent):
    """Keeps the shares of the work that are shown."""

    def __init__(self, seen: list[float]) -> None:
        self._seen = seen

    def progress(self, label: str) -> AbstractContextManager[Callable[[int, int], None]]:  # noqa: ARG002  the protocol's
        """Keep each share."""
        return nullcontext(lambda done, total: self._seen.append(done / total))


def test_progress_counts_only_models_that_are_trained(index: Path, tmp_path: Path) -> None:
    """It begins at 0 and rises to all, also if most models are kept."""
    kaiwa.models(index, tmp_path / "models", names=["towers", "translation"])
    seen: list[float] = []
    with shown_by(_Shares(seen)):
        kaiwa.models(index, tmp_path / "models", names=["towers", "translation", "topics"])
    assert seen == sorted(seen)
    assert seen[0] < 0.1
    assert seen[-1] == 1.0


@pytest.mark.parametrize("name", sorted(name for name, kind in MODELS.items() if not kind.must_be_given))
def test_the_same_seed_gives_the_same_bits(index: Path, models_folder: Path, tmp_path: Path, name: str) -> None:
    """Every array of every model."""
    kaiwa.models(index, tmp_path / "again", names=[name])
    first, second = (
        {one.name: one.read_bytes() for one in (at / name).glob("data-*/*.npy")}
        for at in (models_folder, tmp_path / "again")
    )
    assert first == second


def test_an_unknown_model_is_named_before_anything_is_trained(index: Path, tmp_path: Path) -> None:
    """With the one that was meant."""
    with pytest.raises(UnknownName, match="did you mean 'towers'"):
        kaiwa.models(index, tmp_path / "models", names=["tower"])
    assert not (tmp_path / "models").exists()


def test_a_model_of_another_index_is_refused(repository: Path, models_folder: Path, tmp_path: Path) -> None:
    """Its numbers would be those of other texts."""
    build_index(repository, tmp_path / "other", language="zh", tokens="bigrams", progress=lambda _done, _total: None)
    with pytest.raises(InputError, match="was trained on another index; train it again with kaiwa models"):
        Bot(tmp_path / "other", models=models_folder)


def test_a_model_of_another_version_is_refused(
    index: Path, models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its arrays may mean something else."""
    own = model_folder.MODEL
    monkeypatch.setattr(model_folder, "MODEL", replace(own, version=own.version + 1))
    with pytest.raises(
        InputError, match=rf"has model version {own.version}; this Kaiwa reads version {own.version + 1}"
    ):
        Bot(index, models=models_folder)


def test_an_index_that_is_built_again_unchanged_keeps_its_models(
    repository: Path, models_folder: Path, tmp_path: Path
) -> None:
    """The models belong to what the index holds, not to its folder."""
    build_index(repository, tmp_path / "index", language="zh", tokens=None, progress=lambda _done, _total: None)
    assert Bot(tmp_path / "index", models=models_folder).reply("考试顺利", system="run5")


@pytest.mark.parametrize("damage", ["missing", "cut", "flipped"])
def test_a_damaged_model_is_refused_in_one_line(index: Path, models_folder: Path, tmp_path: Path, damage: str) -> None:
    """Never a silent zero."""
    copy = shutil.copytree(models_folder, tmp_path / "models")
    array = max(copy.glob("translation/data-*/*.npy"), key=lambda one: one.stat().st_size)
    content = bytearray(array.read_bytes())
    if damage == "missing":
        array.unlink()
    elif damage == "cut":
        array.write_bytes(content[:-1])
    else:
        content[-1] ^= 1
        array.write_bytes(content)
    with pytest.raises(InputError, match=r"is missing or truncated|is damaged"):
        open_models(copy, open_index(index)).opened("translation")


def test_a_folder_without_the_model_names_the_command(index: Path, tmp_path: Path) -> None:
    """One line with what to do."""
    with pytest.raises(InputError, match="no such folder of models; make it with kaiwa models INDEX -o models"):
        Bot(index, models=tmp_path / "models")


@pytest.fixture
def small_chunks(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """An index and models whose files have many checksums."""
    monkeypatch.setattr(array_folder, "CHUNK", 128)
    index, models = tmp_path / "index", tmp_path / "models"
    build_index(repository, index, language="zh", tokens=None, progress=lambda _done, _total: None)
    kaiwa.models(index, models, names=["translation", "topicword"])
    return index, models


def test_damaged_tokens_are_refused_when_they_are_read(small_chunks: tuple[Path, Path]) -> None:
    """Opening reads none of them; no feature is made of wrong ones."""
    opened, models = open_index(small_chunks[0]), small_chunks[1]
    [array] = models.glob("tokens/data-*/comments.tokens.npy")
    content = bytearray(array.read_bytes())
    content[-1] ^= 1
    array.write_bytes(content)
    corpus = open_models(models, opened).corpus
    first, last = (np.array([place]) for place in (0, len(corpus.comments) - 1))
    assert corpus.tokens_of_comments(first).tokens.tolist() == corpus.comments.of(first).tokens.tolist()
    with pytest.raises(InputError, match=r"comments\.tokens is damaged"):
        corpus.tokens_of_comments(last)


def test_opening_models_reads_no_array_of_a_model(small_chunks: tuple[Path, Path]) -> None:
    """A model is checked when it is first used, in one line."""
    opened, models = open_index(small_chunks[0]), small_chunks[1]
    array = next(models.glob("topicword/data-*/*.npy"))
    array.write_bytes(array.read_bytes()[:-1])
    made = open_models(models, opened)
    assert made.opened("translation")
    with pytest.raises(InputError, match="is missing or truncated"):
        made.opened("topicword")
