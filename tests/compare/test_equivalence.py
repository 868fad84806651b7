"""Verdicts within a margin: what an interval shows, the direction, and how often they are wrong at the margin."""

import numpy as np
import pytest

from kaiwa.comparison.ranks import verdict_of
from kaiwa.nouns.scores import Scores

TOPICS = tuple(map(str, range(40)))


@pytest.mark.parametrize(
    ("low", "high", "sign", "verdict"),
    [
        (-0.09, 0.09, 0, "equivalent"),
        (-0.1, 0.05, 0, "undecided"),  # the margin itself is not inside
        (-0.05, 0.1, 0, "not inferior"),
        (0.01, 0.2, 1, "better"),
        (-0.2, -0.01, -1, "worse"),
        (0.01, 0.05, 1, "equivalent"),  # significant, and too small to matter
        (-0.05, -0.01, -1, "equivalent"),
        (-float("inf"), float("inf"), 0, "undecided"),
    ],
)
def test_a_verdict_is_read_from_the_interval(low: float, high: float, sign: int, verdict: str) -> None:
    """Inside the margin is equivalent, whether significant or not."""
    assert verdict_of(low, high, margin=0.1, sign=sign) == verdict


def test_lower_is_better_turns_the_verdicts_round() -> None:
    """A loss that is 5 higher is worse; a loss that may be lower but not 1 higher is not inferior."""
    rng = np.random.default_rng(1)
    values = rng.normal(10, 1, (40, 1)) + np.column_stack([rng.normal(shift, 0.1, 40) for shift in (0, 5, -0.98)])
    loss = Scores.from_matrix("loss", TOPICS, ("base", "bad", "good"), values)
    found = {pair.a: pair.verdict for pair in loss.compare(baseline="base", margin=1, test="t").pairs}
    assert found == {"bad": "worse", "good": "better"}
    verdicts = {(pair.a, pair.b): pair.verdict for pair in loss.compare(margin=1, trials=199).pairs}
    assert verdicts["base", "bad"] == "better"
    assert verdicts["bad", "good"] == "worse"


def test_without_a_margin_there_is_no_verdict() -> None:
    """None, not a guess."""
    scores = Scores.from_matrix("nG@1", TOPICS, ("A", "B"), np.random.default_rng(1).random((40, 2)))
    assert scores.compare(trials=99).pairs[0].verdict is None
    assert scores.compare(baseline="A", trials=99).pairs[0].verdict is None


@pytest.mark.parametrize("test", ["robust", "baseline"])
def test_runs_that_differ_by_the_margin_are_seldom_called_equivalent(test: str) -> None:
    """400 draws in which four runs are exactly the margin worse than the first: at most 5% any false verdict."""
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(400):
        values = rng.normal(0.5, 0.2, (40, 1)) + np.array([0.1, 0, 0, 0, 0]) + rng.normal(0, 0.1, (40, 5))
        scores = Scores.from_matrix("x", TOPICS, tuple("abcde"), values)
        if test == "robust":
            pairs = [one for one in scores.compare(test=test, trials=199, margin=0.1).pairs if one.a == "a"]
            wrong += any(pair.verdict == "equivalent" for pair in pairs)
        else:
            runs = scores.compare(baseline="a", test="t", margin=0.1).pairs
            wrong += any(pair.verdict in {"equivalent", "not inferior", "better"} for pair in runs)
    assert wrong / 400 <= 0.05
