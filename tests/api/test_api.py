"""The Python API reads as the design promises: nouns with verbs, named results."""

from __future__ import annotations

import numpy as np
import pytest

import kaiwa
from kaiwa.api import with_verbs


@pytest.fixture
def scores() -> kaiwa.Scores:
    """Three runs on twelve topics, the first clearly best."""
    rng = np.random.default_rng(3)
    values = np.clip(np.array([0.8, 0.4, 0.35]) + rng.normal(0, 0.1, size=(12, 3)), 0, 1)
    return kaiwa.Scores("P+", tuple(f"q{n}" for n in range(12)), ("A", "B", "C"), values)


def test_scores_compare_themselves(scores: kaiwa.Scores) -> None:
    """The same seed gives the same result; ranks tie where nothing differs."""
    result = scores.compare(trials=999, seed=1)
    assert result == scores.compare(trials=999, seed=1)
    assert result.ranks == {"A": 1, "B": 2, "C": 2}
    assert result.to_latex().startswith(r"\begin{tabular}")
    assert "<table>" in result._repr_html_()
    assert str(result).splitlines()[2].split()[:2] == ["1", "A"]
    assert "12 topics" in result.methods()


def test_standardised_scores_keep_the_verbs(scores: kaiwa.Scores) -> None:
    """std-AB scores lie around one half, and compare as scores do."""
    std_ab = scores.standardise()
    assert std_ab.values.mean() == pytest.approx(0.5)
    assert std_ab.compare(trials=99).measure == std_ab.measure


def test_votes_become_gains_and_scores_in_one_line_each() -> None:
    """The promise of the README: read, gain, score, compare."""
    votes = kaiwa.Votes(
        topics=np.array([b"q", b"q"]),
        comments=np.array([b"a", b"b"]),
        assessors=("x", "y"),
        item=np.array([0, 0, 1, 1]),
        assessor=np.array([0, 1, 0, 1]),
        level=np.array([2, 2, 0, 1]),
        top=2,
    )
    gains = votes.gains(scheme="mean")
    run = kaiwa.Run.from_lists("R", {"q": [("b", 2.0), ("a", 1.0)]})
    table = kaiwa.score([run], gains, ["nG@1"])["nG@1"]
    assert table.means() == {"R": pytest.approx(0.5 / 3)}
    assert votes.agree().items == 2


def test_plain_nouns_gain_verbs_without_changing(scores: kaiwa.Scores) -> None:
    """The wrapped table holds the same numbers."""
    assert with_verbs(scores) == scores


def test_a_variance_can_be_designed_from(scores: kaiwa.Scores) -> None:
    """``kaiwa.design`` takes a number or what ``variance()`` gave, whatever was imported before."""
    by_object = kaiwa.design(variance=scores.variance(), systems=3, min_diff=0.2)
    assert by_object.n == kaiwa.design(variance=scores.variance().v_e, systems=3, min_diff=0.2).n > 1


def test_a_vanishing_variance_is_designed_for_without_a_warning() -> None:
    """Two topics are enough, by both methods' arithmetic."""
    assert kaiwa.design(variance=1e-300, systems=3, min_diff=0.1).n == 2
    assert kaiwa.design(variance=1e-300, systems=3, min_diff=0.1).published_n is not None
