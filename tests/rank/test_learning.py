"""Learning to rank: the learners are those of their papers, and nothing is learned from a topic that is scored."""

from __future__ import annotations

import builtins
import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import lightgbm
import numpy as np
import pytest

import kaiwa
from kaiwa.errors import InputError, MissingExtra, UnknownName
from kaiwa.files.inputs import seal_of
from kaiwa.formats.letor import read_letor
from kaiwa.measures.judgements import judge
from kaiwa.measures.scoring import score
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.ranking import ranker_folder
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.features.table import FEATURES
from kaiwa.ranking.ranker import LEARNERS, Pairs, fitted, rank_svm
from kaiwa.ranking.study import Setting, cross_validated, folds_of, learning_study
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.training_set import MEASURES, TrainingSet, training_set
from kaiwa.ranking.trees import _SETTINGS, lambda_mart
from kaiwa.retrieval.build import build_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]

TOPICS = {
    "q1": "考试好紧张",
    "q2": "天气真好啊",
    "q3": "A day in Hawaii",
    "q4": "去青岛吃海鲜",
    "q5": "いい天気",
    "q6": "明天考试",
}
GOOD = {
    "q1": ("c04", "c05"),
    "q2": ("c01", "c03"),
    "q3": ("c08", "c09"),
    "q4": ("c07",),
    "q5": ("c10",),
    "q6": ("c04",),
}
COMMENTS = ("c01", "c02", "c03", "c04", "c05", "c07", "c08", "c09", "c10", "c11")


def labelled(topics: int = 40, items: int = 6, features: int = 4, *, noise: float = 1.0) -> TrainingSet:
    """Candidates whose gain depends on the first two features."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(topics * items, features))
    levels = np.digitize(rows[:, 0] - rows[:, 1] + noise * rng.normal(size=len(rows)), [0.5, 2.0])
    gains = {
        f"q{topic}": {f"c{item}": (0, 1, 3)[levels[topic * items + item]] for item in range(items)}
        for topic in range(topics)
    }
    names = [f"f{place}" for place in range(features)]
    families = ["useful" if place < 2 else "noise" for place in range(features)]
    return training_set(Qrels.from_lists(gains, top=3), names, families, rows, rng=rng)


def problem() -> Pairs:
    """Ten topics of six candidates, as the program in the docstring below has them."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(60, 4)).astype(np.float32)
    gains = np.digitize(rows @ np.array([1.0, -0.5, 0.0, 0.2]) + rng.normal(size=60), [0.0, 1.5])
    topics = np.arange(60) // 6
    better, worse = np.nonzero((gains[:, None] > gains[None, :]) & (topics[:, None] == topics[None, :]))
    return Pairs(rows, better, worse, np.ones(len(better)))


@pytest.mark.parametrize(
    ("penalty", "weights"),
    [
        (0.001, [0.10815163964260753, -0.06958996764904786, 0.003665946591987616, 0.05597137163775981]),
        (0.1, [0.7074325835576638, -0.5268966217873327, -0.08750349554111979, 0.12186003754126343]),
        (10.0, [0.9953322156431187, -0.7766115761680872, -0.05733368710035689, 0.10257425350226285]),
    ],
)
def test_rank_svm_has_the_weights_of_linear_svc(penalty: float, weights: list[float]) -> None:
    """As scikit-learn 1.9.1 printed them: ``LinearSVC(C=penalty / 2, fit_intercept=False, tol=1e-12, dual=False)``.

    It was fitted to the differences with the label 1 and to the negated ones with -1, hence half the penalty.
    """
    assert rank_svm(problem(), penalty=penalty).tolist() == pytest.approx(weights, abs=1e-6)
    far = rank_svm(problem(), penalty=penalty, start=np.full(4, 9.0))
    assert far.tolist() == pytest.approx(weights, abs=1e-6)


def test_a_pair_of_weight_2_counts_as_two_pairs() -> None:
    """The weights of a problem in which some pairs are repeated."""
    once = problem()
    often = np.arange(len(once.better)) % 3
    repeated = [np.repeat(one, often) for one in (once.better, once.worse, once.weights)]
    assert rank_svm(once._replace(weights=often.astype(float)), penalty=0.1).tolist() == pytest.approx(
        rank_svm(Pairs(once.rows, *repeated), penalty=0.1).tolist(), abs=1e-8
    )


def test_each_topic_weighs_the_same_and_each_pair_by_its_difference_of_gains() -> None:
    """A topic of one pair, and one of three pairs with differences 3, 2 and 1."""
    gains = Qrels.from_lists({"q1": {"c1": 1, "c2": 0}, "q2": {"c1": 3, "c2": 1, "c3": 0}}, top=3)
    known = training_set(gains, ["f"], ["f"], np.zeros((5, 1)), rng=np.random.default_rng(1))
    by_pair = dict(zip(zip(*(one.tolist() for one in known.pairs), strict=True), known.pair_weights, strict=True))
    assert by_pair == pytest.approx({(0, 1): 2.0, (2, 3): 2 / 3, (2, 4): 1.0, (3, 4): 1 / 3})


def test_our_trees_give_the_scores_of_lightgbm() -> None:
    """Its own prediction is the oracle; answering does not import it."""
    known = labelled(noise=0.3)
    rows, sizes = known.rows.astype(np.float32), np.diff(known.gains.starts)
    ours = lambda_mart(rows, known.gains.gains, sizes, rounds=20, seed=3)
    values, levels = np.unique(known.gains.gains, return_inverse=True)
    data = lightgbm.Dataset(rows, label=levels, group=sizes, params={"verbosity": -1})
    settings = {**_SETTINGS, "seed": 3, "label_gain": values.tolist()}
    theirs = lightgbm.train(settings, data, num_boost_round=20)
    assert np.ptp(ours.scores(rows)) > 0.1
    assert ours.scores(rows).tolist() == pytest.approx(theirs.predict(rows.astype(np.float64)).tolist(), abs=1e-12)
    assert ours.first(5).scores(rows).tolist() == pytest.approx(
        theirs.predict(rows.astype(np.float64), num_iteration=5).tolist(), abs=1e-12
    )


@pytest.mark.parametrize("learner", LEARNERS)
def test_labels_of_a_topic_never_change_its_own_scores(learner: str) -> None:
    """The law of cross-validation: other labels in one fold, the same scores of that fold."""
    known = labelled()
    fold_of = folds_of(known.has_pairs, 4, np.random.default_rng(1))
    own = (fold_of == 2)[known.topic_of]
    swapped = Qrels.from_lists(
        {
            topic: {
                comment: 3 - gain if fold_of[place] == 2 and gain in {0, 3} else gain
                for comment, gain in known.gains.of(topic).items()
            }
            for place, topic in enumerate(known.gains.topics)
        },
        top=3,
    )
    assert not np.array_equal(swapped.gains, known.gains.gains)
    other = TrainingSet(swapped, known.features, known.families, known.rows, known.ties)
    setting = Setting(learner, 4)
    before, after = (cross_validated(one, setting, fold_of).scores for one in (known, other))
    assert before[own].tolist() == after[own].tolist()
    assert before[~own].tolist() != after[~own].tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_seed_gives_the_same_study(learner: str) -> None:
    """Bit by bit, weights too."""
    first, second = (learning_study(labelled(), Setting(learner, 3)) for _ in range(2))
    assert first.means == second.means
    assert first.ranker.weights == second.ranker.weights
    assert first.ablations == second.ablations


def test_the_scores_are_those_of_kaiwa_score() -> None:
    """The fast path over rows is the public one."""
    known = labelled()
    values = known.measured([known.rows[:, 0]])[:, 0]
    lists = {
        topic: sorted(
            zip(known.gains.comments_of(topic), known.rows[known.gains.span(topic), 0].tolist(), strict=True),
            key=lambda pair: -pair[1],
        )
        for topic in known.gains.topics
    }
    scored = score([Run.from_lists("R", lists)], judge(known.gains), MEASURES)
    for measure, own in zip(MEASURES, values, strict=True):
        assert own.tolist() == pytest.approx(scored[measure].values[:, 0].tolist())


def test_the_random_order_is_the_mean_over_all_orders() -> None:
    """By hand: of two candidates with the gains 1 and 0, the first is right half of the time."""
    gains = Qrels.from_lists({"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}})
    known = training_set(gains, ["f"], ["f"], np.zeros((4, 1)), rng=np.random.default_rng(1))
    assert known.measured_at_random(np.random.default_rng(1))[2].mean() == pytest.approx(0.5, abs=0.1)


def test_equal_scores_tell_nothing_about_the_order_of_the_file() -> None:
    """A constant feature ranks as a random order, although the file has the best candidates first."""
    gains = Qrels.from_lists({f"q{topic}": {"a": 1, "b": 0, "c": 0, "d": 0} for topic in range(200)})
    known = training_set(gains, ["f"], ["f"], np.ones((800, 1)), rng=np.random.default_rng(1))
    assert known.measured([known.rows[:, 0]])[2].mean() == pytest.approx(0.25, abs=0.1)


def test_a_family_that_matters_is_found_and_noise_is_not() -> None:
    """The ablation of the useful features is significant."""
    study = learning_study(labelled(80), Setting(folds=4))
    by_name = {one.name: one for one in study.ablations}
    assert by_name["useful"].significant
    assert by_name["useful"].diff < -0.05
    assert not by_name["noise"].significant
    assert study.means["nERR@10"] > study.random["nERR@10"] + 0.1
    low, high = study.intervals["nERR@10"]
    assert low < study.means["nERR@10"] < high
    assert sum(one.topics for one in study.folds) == study.topics
    assert set(study.single) == {"f0", "f1", "f2", "f3"}


def test_noise_is_said_to_be_noise() -> None:
    """A ranker that is not better than a random order, and labels that are too few."""
    study = learning_study(labelled(20, noise=50.0), Setting(folds=4))
    assert any("not better than a random order" in line for line in study.warnings)
    assert any("20 topics with different labels for 4 features: too few" in line for line in study.warnings)
    assert any("would need about" in line for line in study.warnings)


def test_a_standardised_row_does_not_depend_on_the_unit() -> None:
    """Features in other units give the same scores."""
    known = labelled()
    scaled = TrainingSet(known.gains, known.features, known.families, known.rows * 1024 + 4096, known.ties)
    everything = np.ones(known.topics, dtype=bool)
    one, other = (
        fitted(each, "linear", everything, [0.01], seed=1)[0].scores(dict(zip(each.features, each.rows.T, strict=True)))
        for each in (known, scaled)
    )
    assert one.tolist() == pytest.approx(other.tolist(), abs=1e-4)


def test_a_topic_without_a_positive_label_is_left_out_and_named() -> None:
    """No measure is defined for it, and it has no pairs; the rows of the others stay theirs."""
    gains = Qrels.from_lists({"q1": {"a": 0, "b": 0}, "q2": {"a": 1, "b": 0}})
    known = training_set(gains, ["f"], ["f"], np.array([[1.0], [2.0], [3.0], [4.0]]), rng=np.random.default_rng(1))
    assert (known.gains.topics, known.left_out) == (("q2",), ("q1",))
    assert known.rows.tolist() == [[3.0], [4.0]]
    assert known.gains.of("q2") == {"a": 1.0, "b": 0.0}


def test_one_class_of_labels_is_an_error() -> None:
    """Nothing is better than anything."""
    gains = Qrels.from_lists({"q1": {"a": 1, "b": 1}, "q2": {"a": 0, "b": 0}})
    with pytest.raises(InputError, match="one class of labels only"):
        training_set(gains, ["f"], ["f"], np.zeros((4, 1)), rng=np.random.default_rng(1))


def test_more_folds_than_topics_is_an_error() -> None:
    """With the number that works."""
    with pytest.raises(
        InputError, match="folds=5, but only 2 topics with different labels; label more topics, or give 2 folds"
    ):
        learning_study(labelled(3, noise=0.0), Setting(folds=5))


LETOR = "".join(
    f"{label} qid:{topic} 1:{label + topic % 3} 2:0.5 # text\n" for topic in range(1, 13) for label in (1, 2, 3)
)


def test_a_letor_file_has_levels_from_its_lowest_label(made: Made) -> None:
    """The labels 1, 2, 3 are the levels 0, 1, 2, with the gains 0, 1, 3; a missing feature is 0."""
    given = read_letor(made("train.dat", "# query 1\n1 qid:7 1:2.5\n3 qid:7 2:-1e1\n2 qid:8 1:1 2:2\n"))
    assert given.gains.of("7") == {"2": 0.0, "3": 3.0}
    assert (given.gains.topics, given.gains.top, given.features) == (("7", "8"), 3.0, ("1", "2"))
    assert given.rows.tolist() == [[2.5, 0.0], [0.0, -10.0], [1.0, 2.0]]


def test_a_letor_file_is_studied_without_an_index(made: Made) -> None:
    """A feature that is the label ranks perfectly, with the variances beside it."""
    study = kaiwa.train(letor=made("train.dat", LETOR), folds=3)
    assert study.means == {"nERR@10": 1.0, "P+": 1.0, "nG@1": 1.0}
    assert set(study.v_e) == set(MEASURES)
    assert study.best_single is not None
    assert study.best_single.name == "1"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1 qid:1 1:0\nx qid:1 1:0\n", ":2: not a labelled candidate; a line reads"),
        ("1 qid:1 1:0 1:1\n", ":1: a feature occurs twice"),
        ("1.5 qid:1 1:0\n", ":1: label 1.5 is not a whole number"),
        ("1 qid:1 1:0 2:-1e300\n", ":1: feature 2 is -1e300; give values from -1e[+]100 to 1e[+]100"),
        ("1 qid:1\n", "no line has a feature"),
        ("# nothing\n", "contains no labelled candidate"),
    ],
)
def test_a_bad_letor_line_is_named(made: Made, text: str, what: str) -> None:
    """Place, what is wrong, what to do."""
    with pytest.raises(InputError, match=what):
        read_letor(made("train.dat", text))


@pytest.fixture
def labels(made: Made) -> dict[str, Path]:
    """Judgements of the small index's comments for six topics."""
    lines = [f"{topic} 0 {comment} {int(comment in GOOD[topic])}\n" for topic in TOPICS for comment in COMMENTS]
    topics = made("topics.tsv", "".join(f"{topic}\t{text}\n" for topic, text in TOPICS.items()))
    return {"labels": made("qrels.txt", "".join(lines)), "topics": topics}


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_ranker_answers_with_values_and_weights(
    index: Path, models_folder: Path, labels: dict[str, Path], tmp_path: Path, learner: str
) -> None:
    """Trained, written, opened and used; a reply has every feature, and its score follows from them."""
    target = tmp_path / "ranker"
    study = kaiwa.train(index, **labels, models=models_folder, output=target, learner=learner, folds=3)
    assert study.features == list(FEATURES)
    bot = Bot(index, models=models_folder, ranker=target)
    assert bot.weights == study.weights
    replies = bot.reply("考试顺利")
    assert replies
    columns = {name: np.array([one.features[name] for one in replies]) for name in FEATURES}
    assert [one.score for one in replies] == pytest.approx(study.study.ranker.scores(columns).tolist(), abs=1e-4)
    assert (
        bot.retrieve({"t": "考试顺利"}, name="R").description
        == f"{LEARNERS[learner].description} over {len(FEATURES)} features"
    )
    assert bot.reply("考试顺利", system="run2")[0].features.keys() == {"q2p", "q2c"}
    assert bot.system_names() == (*SYSTEMS, "ranker")


def test_a_ranker_without_models_needs_the_index_only(index: Path, labels: dict[str, Path], tmp_path: Path) -> None:
    """Features that need no model."""
    study = kaiwa.train(index, **labels, output=tmp_path / "ranker", features=["similarity", "length"])
    assert study.features == ["q2p", "q2c", "bm25-q2p", "bm25-q2c", "length"]
    assert Bot(index, ranker=tmp_path / "ranker").reply("考试")
    with pytest.raises(InputError, match="'translm' needs the model 'translation'"):
        kaiwa.train(index, **labels, features=["translm"])
    with pytest.raises(UnknownName, match="did you mean 'translm'"):
        kaiwa.train(index, **labels, features=["transml"])


def test_a_ranker_orders_the_candidates_of_any_system(
    index: Path, models_folder: Path, labels: dict[str, Path], tmp_path: Path
) -> None:
    """Hybrid finds comments that share no word with the query; the ranker gives each its score."""
    target = tmp_path / "ranker"
    kaiwa.train(index, **labels, models=models_folder, output=target, features=["similarity"], candidates="hybrid")
    bot = Bot(index, models=models_folder, ranker=target)
    found = {one.comment: one.score for one in bot.reply("考试顺利", k=20)}
    assert set(found) == {one.comment for one in bot.reply("考试顺利", k=20, system="hybrid")}
    assert set(found) > {one.comment for one in bot.reply("考试顺利", k=20, system="run2")}
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert bot.retrieve({"t": "考试"}, name="R").description == "RankSVM over 4 features, candidates of hybrid"
    with pytest.raises(InputError, match=r"needs the model 'dense'; give the folder of models"):
        Bot(index, ranker=target)


def test_candidates_without_their_models_are_refused_before_any_work(
    index: Path, models_folder: Path, labels: dict[str, Path], tmp_path: Path
) -> None:
    """No models, models without the one that is needed, and an unknown system."""
    with pytest.raises(InputError, match="the candidates of 'hybrid' need the model 'towers'"):
        kaiwa.train(index, **labels, candidates="hybrid")
    shutil.copytree(models_folder, tmp_path / "models")
    shutil.rmtree(tmp_path / "models" / "dense")
    with pytest.raises(InputError, match="no model 'dense' here; make it with kaiwa models"):
        kaiwa.train(index, **labels, models=tmp_path / "models", candidates="hybrid")
    with pytest.raises(UnknownName, match="unknown system 'hybird'; did you mean 'hybrid'"):
        kaiwa.train(index, **labels, candidates="hybird")


def test_a_ranker_of_another_index_or_model_is_refused(
    index: Path, models_folder: Path, repository: Path, labels: dict[str, Path], tmp_path: Path
) -> None:
    """Another tokeniser, other texts, no models, other models, another version: each one line."""
    target = tmp_path / "ranker"
    kaiwa.train(index, **labels, models=models_folder, output=target, features=["q2p", "topicword"])
    build_index(repository, tmp_path / "words", language="zh", tokens="zh", progress=lambda _done, _total: None)
    with pytest.raises(InputError, match=r"trained on an index of 'zh\+bigrams' tokens, and this one has 'zh'"):
        Bot(tmp_path / "words", ranker=target)
    with pytest.raises(InputError, match="needs the model 'topicword'; give the folder of models"):
        Bot(index, ranker=target)
    shutil.copytree(models_folder, tmp_path / "models")

    kaiwa.models(index, tmp_path / "models", names=["topicword"], seed=9, again=True)
    with pytest.raises(InputError, match="was trained with another model 'topicword'"):
        Bot(index, models=tmp_path / "models", ranker=target)
    with pytest.raises(InputError, match="no ranker was given"):
        Bot(index).reply("考试", system="ranker")


def test_a_ranker_that_names_an_unknown_model_is_refused(
    index: Path, models_folder: Path, labels: dict[str, Path], tmp_path: Path
) -> None:
    """Also a name that no file could have; the line does not repeat all of it."""
    target = tmp_path / "ranker"
    kaiwa.train(index, **labels, models=models_folder, output=target, features=["popularity"])
    manifest = target / "manifest.json"
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    facts["facts"]["models"]["x" * 5000] = ""
    manifest.write_text(json.dumps({**facts, "seal": seal_of(facts)}), encoding="utf-8")
    with pytest.raises(InputError, match=r"was trained with the unknown model 'x{40}'; train the ranker again"):
        Bot(index, models=models_folder, ranker=target)


def test_a_ranker_of_another_repository_is_refused(index: Path, labels: dict[str, Path], tmp_path: Path) -> None:
    """The same tokeniser, other texts."""
    kaiwa.train(index, **labels, output=tmp_path / "ranker", features=["q2p"])
    (tmp_path / "pairs.tsv").write_text("p1\t考试好难\tc1\t祝你顺利\n", encoding="utf-8")
    kaiwa.clean([tmp_path / "pairs.tsv"], tmp_path / "repo")
    build_index(tmp_path / "repo", tmp_path / "other", language="zh", tokens=None, progress=lambda _done, _total: None)
    with pytest.raises(InputError, match="was trained on another index; train the ranker again"):
        Bot(tmp_path / "other", ranker=tmp_path / "ranker")


def test_a_damaged_ranker_is_refused(
    index: Path, labels: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Truncated, changed, of another version, or missing: never a wrong weight."""
    target = tmp_path / "ranker"
    kaiwa.train(index, **labels, output=target, features=["q2p", "q2c"])
    file = next(target.glob("data-*/weights.npy"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    with pytest.raises(InputError, match="weights is missing or truncated"):
        Bot(index, ranker=target)
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InputError, match="weights is damaged"):
        Bot(index, ranker=target)
    file.write_bytes(whole)
    with pytest.raises(InputError, match="no such ranker; build it with kaiwa train"):
        Bot(index, ranker=tmp_path / "absent")
    newer = ranker_folder.ArrayFolder("ranker", "a", version=3, verb="train")
    monkeypatch.setattr(ranker_folder, "RANKER", newer)
    with pytest.raises(InputError, match="has ranker version 2; this Kaiwa reads version 3"):
        Bot(index, ranker=target)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("q1 0 c99 1\n", "qrels.txt:61: comment 'c99' is not in the index"),
        ("q9 0 c01 1\n", "qrels.txt:61: topic 'q9' has labels but no text in the topics"),
    ],
)
def test_labels_that_do_not_fit_are_named(
    index: Path, labels: dict[str, Path], made: Made, line: str, what: str
) -> None:
    """With their line."""
    made("qrels.txt", labels["labels"].read_text(encoding="utf-8") + line)
    with pytest.raises(InputError, match=what):
        kaiwa.train(index, **labels)


def test_a_comment_that_cleaning_merged_is_known(index: Path, labels: dict[str, Path], made: Made) -> None:
    """c06 is a near-duplicate of c04, and has its features."""
    made("qrels.txt", labels["labels"].read_text(encoding="utf-8") + "q1 0 c06 1\n")
    assert kaiwa.train(index, **labels, features=["q2p"], folds=2).labels == 61


def test_topics_that_are_posts_are_remarked(index: Path, labels: dict[str, Path], made: Made) -> None:
    """A topic that was not held out knows its own comments."""
    lines = [f"{topic}\t{text}\n" for topic, text in {**TOPICS, "q1": "明天要考试了，好紧张"}.items()]
    made("topics.tsv", "".join(lines))
    found = kaiwa.train(index, **labels, features=["q2p"], folds=2)
    expected = "1 of 6 topics are posts of labelled comments, so their features know the answer"
    assert found.remarks == (f"{expected}; use an index without them (kaiwa topics --rest)",)


def test_a_missing_extra_is_one_line(index: Path, labels: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any work, with the command that installs it."""
    real = builtins.__import__

    def without(name: str, *rest: object, **named: object) -> object:
        if name == "lightgbm":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"lightgbm is not installed; type: pip install 'kaiwa\[learn\]'"):
        kaiwa.train(index, **labels, learner="lambdamart")


def test_answering_by_trees_does_not_import_the_learner(index: Path, labels: dict[str, Path], tmp_path: Path) -> None:
    """A machine that answers needs no training framework."""
    target = tmp_path / "ranker"
    kaiwa.train(index, **labels, output=target, features=["similarity"], learner="lambdamart", folds=3)
    program = (
        "import sys; sys.modules['lightgbm'] = None\n"
        "import kaiwa; print(kaiwa.open(sys.argv[1], ranker=sys.argv[2]).reply('考试')[0].text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(index), str(target)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip()
