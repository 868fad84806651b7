"""The crossed model: what it estimates, what it compares, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.comparison.crossed import better_probability
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from kaiwa.nouns.matrix import Observations, Row


def observed(
    topics: int = 20, runs: int = 4, *, missing: float = 0.1, assessors: int = 0, repeats: int = 1
) -> kaiwa.Scores:
    """Simulated scores: run k has the mean k / 10; assessor k gives k / 5 more than the first."""
    rng = np.random.default_rng(3)
    by_topic, by_cell = rng.normal(0, 0.3, topics), rng.normal(0, 0.15, (topics, runs))
    rows = []
    for topic, run in np.argwhere(rng.random((topics, runs)) >= missing).tolist():
        for repeat in range(repeats):
            for assessor in rng.choice(assessors, 2, replace=False).tolist() if assessors else [None]:
                score = run / 10 + by_topic[topic] + by_cell[topic, run] + rng.normal(0, 0.1)
                name = "" if assessor is None else f"a{assessor}"
                again = str(repeat) if repeats > 1 else ""
                rows.append((f"t{topic}", f"r{run}", name, again, score + (assessor or 0) / 5))
    return kaiwa.Scores.from_rows(rows, "quality")


def test_every_topic_is_kept_where_dropping_keeps_an_eighth() -> None:
    """10% missing over 20 runs leave 12% of the topics complete; the model's intervals are three times narrower."""
    scores = observed(topics=100, runs=20)
    table = np.full((100, 20), np.nan)
    cells = scores.observations()
    table[cells.topic, cells.run] = cells.values
    complete = table[~np.isnan(table).any(axis=1)]
    assert len(complete) <= 20
    result = scores.compare(test="crossed")
    dropped = kaiwa.Scores.from_matrix("quality", tuple(map(str, range(len(complete)))), scores.runs, complete).compare(
        test="tukey"
    )
    widths = [pair.high - pair.low for pair in result.pairs]
    assert np.mean(widths) * 2 < 2 * dropped.critical_difference
    assert result.topics == 100


def test_complete_scores_give_tukeys_test() -> None:
    """Without missing scores the model is the two-way analysis of variance."""
    values = np.random.default_rng(1).normal(0, 1, (15, 4)) + np.arange(15)[:, None] / 3 + np.arange(4) / 2
    names = tuple(f"t{place}" for place in range(15))
    rows = [(names[t], f"r{r}", "", "", float(values[t, r])) for t in range(15) for r in range(4)]
    ours = kaiwa.Scores.from_rows(rows, "AP").compare(test="crossed")
    theirs = kaiwa.Scores.from_matrix("AP", names, ("r0", "r1", "r2", "r3"), values).compare(test="tukey")
    assert ours.ranks == theirs.ranks
    for one, other in zip(ours.pairs, theirs.pairs, strict=True):
        assert (one.diff, one.low, one.p) == pytest.approx((other.diff, other.low, other.p), rel=1e-3, abs=1e-6)


def test_lenient_assessors_are_found_and_their_leniency_removed() -> None:
    """Four assessors, each .2 more lenient than the one before."""
    found = observed(topics=40, assessors=4).variance(crossed=True)
    assert [one.assessor for one in found.leniency] == ["a3", "a2", "a1", "a0"]
    assert found.leniency[0].effect - found.leniency[-1].effect == pytest.approx(0.6, abs=0.06)


def test_a_run_with_lenient_assessors_gains_nothing() -> None:
    """Run B is as good as A, but has the lenient assessor three times as often."""
    rng = np.random.default_rng(8)
    rows = []
    for topic in range(60):
        level = rng.normal(0, 0.2)
        for run, chance in (("A", 0.25), ("B", 0.75)):
            lenient = rng.random() < chance
            names = ("kind", "fair") if topic % 3 == 0 else ("kind",) if lenient else ("fair",)
            rows += [
                (f"t{topic}", run, name, "", level + (name == "kind") * 0.6 + rng.normal(0, 0.15)) for name in names
            ]
    means = {run: np.mean([row[4] for row in rows if row[1] == run]) for run in "AB"}
    pair = kaiwa.Scores.from_rows(rows, "quality").compare(test="crossed").pairs[0]
    assert means["B"] - means["A"] > 0.15
    assert abs(pair.diff) < 0.1
    assert not pair.significant


def test_extra_topic_assessor_and_repeat_lower_the_error() -> None:
    """With three repeats and two of four assessors, each of the three has a known value."""
    extras = observed(topics=30, assessors=4, repeats=3).variance(crossed=True).extras
    found = {one.change: one.error or 0.0 for one in extras}
    now = found["now"]
    assert list(found) == ["now", "one more topic", "twice the topics", "one more assessor", "one more repeat"]
    assert found["twice the topics"] / now == pytest.approx(0.5**0.5, abs=0.02)
    assert all(0 < error < now for change, error in found.items() if change != "now")


def test_what_was_never_repeated_has_no_known_value() -> None:
    """Scores without repeats and assessors do not show what these would buy."""
    found = {one.change: one.error for one in observed().variance(crossed=True).extras}
    assert found["one more repeat"] is None
    assert "one more assessor" not in found


def test_identical_repeats_are_averaged() -> None:
    """A model at temperature 0 answers alike each time: three such repeats count once."""
    rows = [(*row[:3], str(again), row[4]) for row in _rows(observed().observations()) for again in range(3)]
    thrice, once = kaiwa.Scores.from_rows(rows, "quality").compare(test="crossed"), observed().compare(test="crossed")
    assert thrice.identical == "repeats"
    assert [pair.p for pair in thrice.pairs] == pytest.approx([pair.p for pair in once.pairs])


def _rows(scores: Observations) -> list[Row]:
    return [
        (scores.topics[topic], scores.runs[run], scores.assessors[assessor], scores.repeats[repeat], score)
        for topic, run, assessor, repeat, score in zip(
            *(code.tolist() for code in (scores.topic, scores.run, scores.assessor, scores.repeat, scores.values)),
            strict=True,
        )
    ]


def test_lower_is_better_turns_ranks_and_probabilities() -> None:
    """The best run is then the one with the lowest mean."""
    rows = _rows(observed().observations())
    lower = kaiwa.Scores.from_rows(rows, "quality", direction="lower").compare(test="crossed")
    higher = kaiwa.Scores.from_rows(rows, "quality").compare(test="crossed")
    assert lower.leaderboard[0].run == higher.leaderboard[-1].run
    assert lower.probability("r0", "r3") == pytest.approx(higher.probability("r3", "r0"))


def test_probability_is_drawn_to_a_half_where_errors_explain_the_differences() -> None:
    """With equal true means the flat prior would state .98; runs that hardly differ say that none is better."""
    noise, means = 0.01 * np.eye(8), np.array([0.3, 0, 0.02, -0.03, 0.05, 0.01, -0.04, 0.02])
    near = better_probability(means, noise, np.full((8, 8), 60.0))[0, 1]
    apart = better_probability(means * 10, noise, np.full((8, 8), 60.0))[0, 1]
    assert 0.5 < near < 0.95
    assert apart > 0.99
    flat = better_probability(means[:2], noise[:2, :2], np.full((2, 2), 1e6))[0, 1]
    assert flat == pytest.approx(0.98305, abs=1e-4)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("t1", "A", "", "", 1.0), ("t1", "B", "", "", 0.5)], "two topics and two runs"),
        ([("t1", "A", "", "", 1.0), ("t2", "B", "", "", 0.5)], "too few scores"),
        (
            [(f"t{t}", r, f"by {r}", "", t % 3 + len(r)) for t in range(9) for r in ("A", "BB")],
            "each run has one assessor",
        ),
        ([(f"t{t}", r, "", "", 1.0) for t in range(9) for r in "AB"], "no variance"),
    ],
)
def test_scores_that_tell_nothing_about_runs_are_refused(rows: list[Row], message: str) -> None:
    """One line says what is wrong and what to do."""
    with pytest.raises(InputError, match=message):
        kaiwa.Scores.from_rows(rows, "quality").compare(test="crossed")


def test_duplicate_score_is_refused() -> None:
    """Two scores of one run, topic, assessor and repeat are an error."""
    with pytest.raises(InputError, match="duplicate score"):
        kaiwa.Scores.from_rows([("t1", "A", "", "", 1.0)] * 2, "quality")


def test_a_pilot_of_five_topics_gives_wide_intervals_not_a_failure() -> None:
    """Five topics, three runs, three assessors."""
    result = observed(topics=5, runs=3, missing=0.0, assessors=3).compare(test="crossed")
    assert all(pair.df >= 1 and np.isfinite(pair.high) for pair in result.pairs)


def test_results_are_shown() -> None:
    """Results print their tables and become data frames."""
    scores = observed(assessors=3)
    assert "leniency" in str(scores.variance(crossed=True))
    assert "adjusted mean" in str(scores.compare(test="crossed"))
    assert "REML" in scores.compare(test="crossed").methods()
    assert scores.compare(test="crossed").to_pandas().shape == (4, 7)
