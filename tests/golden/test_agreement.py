"""Agreement statistics against published and textbook values."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.labelling.agreement import agreement
from kaiwa.labelling.coefficients import METRICS, cohen_kappa, fleiss_kappa, krippendorff_alpha, merged, parse_merge
from kaiwa.nouns.ids import IntArray, pack
from kaiwa.nouns.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.labelling.estimates import Estimate

DATA = Path(__file__).parent / "data" / "stc_japanese_vote_patterns.csv"

FLEISS_1971_STYLE = [
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
    *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
]
"""The classic ten items by fourteen raters in five classes; kappa .210."""

KRIPPENDORFF = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff's twelve units by four coders with missing values; nominal .743, ordinal .815, interval .849."""


def stc_counts() -> IntArray:
    """The votes of the 18,543 pairs of the NTCIR-12 STC Japanese test collection, items x levels."""
    lines = [line for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = np.array([[int(cell) for cell in row] for row in list(csv.reader(lines))[1:]])
    return np.repeat(rows[:, :3], rows[:, 3], axis=0)


def krippendorff_counts() -> IntArray:
    """Krippendorff's example as items x levels."""
    counts = np.zeros((12, 5), dtype=np.int64)
    for coder in KRIPPENDORFF:
        for unit, value in enumerate(coder.split()):
            if value != ".":
                counts[unit, int(value) - 1] += 1
    return counts


def test_fleiss_kappa_of_the_classic_table() -> None:
    """.210, as every textbook prints it."""
    assert fleiss_kappa(np.array(FLEISS_1971_STYLE)) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(("metric", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_example(metric: str, expected: float) -> None:
    """Missing values included."""
    assert krippendorff_alpha(krippendorff_counts(), metric) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(("merge", "expected"), [(None, 0.317), ("L1+L2", 0.421)])
def test_fleiss_kappa_of_the_stc_labels(merge: str | None, expected: float) -> None:
    """STC overview 2016, section 3.4: 0.317 with three classes, 0.421 with L1 and L2 merged."""
    counts = stc_counts() if merge is None else merged(stc_counts(), parse_merge(merge, 2))
    assert len(counts) == 18543
    assert fleiss_kappa(counts) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(("metric", "expected"), [("nominal", 0.317), ("ordinal", 0.454), ("interval", 0.463)])
def test_alpha_of_the_stc_labels(metric: str, expected: float) -> None:
    """Computed once more by an independent program."""
    assert krippendorff_alpha(stc_counts(), metric) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(
    ("weights", "expected"), [("none", 0.3659682081), ("linear", 0.4357026587), ("quadratic", 0.5056139080)]
)
def test_cohens_kappa_of_a_worked_table(weights: str, expected: float) -> None:
    """A 3 x 3 table; values printed by statsmodels 0.15.0, cohens_kappa(table, wt=None | linear | quadratic)."""
    table = np.array([[20, 5, 2], [4, 10, 6], [3, 7, 8]])
    first, second = (np.repeat(place.ravel(), table.ravel()) for place in np.indices(table.shape))
    assert cohen_kappa(first, second, 3, weights=weights) == pytest.approx(expected, abs=1e-9)


def random_votes(rng: np.random.Generator, topics: int, items: int, assessors: int) -> Votes:
    """Votes whose items differ in how good they are."""
    total = topics * items
    quality = rng.random(total)[:, None]
    levels = (rng.random((total, assessors)) < quality).astype(np.int64) + (
        rng.random((total, assessors)) < quality / 2
    )
    return Votes(
        topics=np.repeat(pack([f"q{topic}" for topic in range(topics)]), items),
        comments=pack([f"c{item}" for item in range(total)]),
        assessors=tuple(f"a{place}" for place in range(assessors)),
        item=np.repeat(np.arange(total), assessors),
        assessor=np.tile(np.arange(assessors), total),
        level=levels.ravel(),
        top=2,
    )


def test_intervals_hold_the_estimate_and_shrink_with_topics() -> None:
    """Four times the topics, about half the width."""
    rng = np.random.default_rng(3)
    few, many = (agreement(random_votes(rng, topics, 10, 5), rng=rng, trials=400) for topics in (25, 100))
    for metric in METRICS:
        assert few.alpha[metric].low < few.alpha[metric].value < few.alpha[metric].high
        width = [one.alpha[metric].high - one.alpha[metric].low for one in (few, many)]
        assert 1.4 < width[0] / width[1] < 2.9


def test_nominal_alpha_comes_to_fleiss_kappa_with_many_votes() -> None:
    """They differ by the small-sample correction 1/(all votes) only."""
    counts = stc_counts()
    gap = krippendorff_alpha(counts, "nominal") - fleiss_kappa(counts)
    assert 0 < gap < 1e-5


@pytest.mark.parametrize("seed", range(5))
def test_the_kappa_of_an_assessor_is_cohens_with_one_other(seed: int) -> None:
    """Cohen's kappa of the items that both voted on, for both of them."""
    levels = np.random.default_rng(seed).integers(-1, 3, size=(40, 2))
    rows = [
        ("q", f"c{item}", name, None if level < 0 else level)
        for item, pair in enumerate(levels.tolist())
        for name, level in zip(("ann", "bob"), pair, strict=True)
    ]
    both = levels[(levels >= 0).all(axis=1)]
    expected = cohen_kappa(both[:, 0], both[:, 1], 3)
    assert [one.kappa for one in Votes.from_rows(rows).agree().assessors] == pytest.approx([expected, expected])


def test_raw_agreement_is_the_share_of_agreeing_pairs_of_votes() -> None:
    """One item with 2 votes that agree, one with 4 votes of which 2 of 6 pairs agree: 3 of 7 pairs."""
    rows = [("q", "c1", "a", 1), ("q", "c1", "b", 1)]
    rows += [("q", "c2", name, level) for name, level in zip("abcd", (0, 0, 1, 1), strict=True)]
    found = agreement(Votes.from_rows(rows), rng=np.random.default_rng(1))
    assert found.raw.value == pytest.approx(3 / 7)


def test_fleiss_gives_items_the_same_weight_whatever_their_number_of_votes() -> None:
    """Votes counted twice on one item change nothing in the shares of the levels, and kappa by its agreement only."""
    counts = np.array([[2, 0], [0, 2], [1, 1]])
    more = np.array([[2, 0], [0, 8], [1, 1]])
    assert fleiss_kappa(more) == pytest.approx(fleiss_kappa(counts)) == pytest.approx((2 / 3 - 0.5) / 0.5)


POSTS = (
    ([3, 0, 1], [0, 2, 2], [4, 0, 0]),
    ([1, 2, 1], [0, 4, 0]),
    ([0, 1, 3], [2, 2, 0], [1, 0, 3], [0, 0, 4]),
    ([4, 0, 0], [3, 1, 0], [2, 1, 1]),
    ([0, 3, 1], [1, 1, 2]),
    ([2, 0, 2], [0, 0, 4], [1, 3, 0]),
)
"""Six posts, their comments, and how many of four people chose each of three levels."""


def votes_on(posts: Sequence[Sequence[Sequence[int]]]) -> Votes:
    """The votes of so many people on each comment of each post."""
    return Votes.from_rows(
        (f"q{post}", f"c{post}-{comment}", f"a{person}", level)
        for post, comments in enumerate(posts)
        for comment, counts in enumerate(comments)
        for person, level in enumerate(np.repeat(np.arange(len(counts)), counts).tolist())
    )


def kappa_of_posts(posts: Sequence[Sequence[Sequence[int]]], **options: int) -> Estimate:
    """Fleiss' kappa with its interval."""
    return agreement(votes_on(posts), rng=np.random.default_rng(1), **options).fleiss  # type: ignore[arg-type]  # samples


def test_the_interval_of_kappa_of_few_topics_is_the_jackknife_t_interval_over_posts() -> None:
    """The numbers that ``covered`` of benchmarks/calibration/audit_agreement.py, written apart from Kaiwa, computes.

    Its kappas without each post are .318604, .317988, .317585, .328798, .376580 and .318604.
    """
    found = kappa_of_posts(POSTS)
    assert (found.value, found.low, found.high) == pytest.approx((0.335938, 0.213358, 0.458517), abs=1e-6)
    assert found.interval == "jackknife t"
    assert found == kappa_of_posts(POSTS, trials=2)


def test_a_topic_without_a_pair_of_votes_is_no_topic_of_the_interval() -> None:
    """It adds nothing to kappa, and must add no degree of freedom."""
    assert kappa_of_posts([*POSTS, ([1, 0, 0],)]) == kappa_of_posts(POSTS)


@pytest.mark.parametrize(
    ("posts", "interval"), [(2, "none"), (4, "none"), (5, "jackknife t"), (49, "jackknife t"), (50, "percentile")]
)
def test_the_number_of_topics_chooses_the_interval_and_a_note_says_which(posts: int, interval: str) -> None:
    """None below 5, jackknife t below 50, percentile from there on."""
    found = agreement(votes_on((POSTS * 9)[:posts]), rng=np.random.default_rng(1))
    assert found.fleiss.interval == interval
    assert np.isnan(found.fleiss.low) == np.isnan(found.fleiss.high) == (interval == "none")
    (note,) = found.notes
    assert note.startswith(
        {
            "none": "Fleiss' kappa: no interval, which needs 5 topics with items of two votes or more; ",
            "jackknife t": "Fleiss' kappa: jackknife t interval over topics (fewer than 50); ",
            "percentile": "Fleiss' kappa: percentile interval over topics (50 or more); ",
        }[interval]
    )


def test_an_interval_of_kappa_is_within_its_range() -> None:
    """People who nearly always agree: kappa cannot be larger than 1."""
    posts = [([4, 0], [0, 4]), ([4, 0], [1, 3]), ([0, 4], [4, 0]), ([4, 0], [0, 4]), ([4, 0], [0, 4])]
    found = kappa_of_posts(posts)
    assert found.low < found.value < found.high == 1
    assert np.isnan(kappa_of_posts([([4, 0], [0, 4])] * 6).high)


def test_the_interval_of_kappa_of_ten_topics_covers_as_often_as_the_jackknife_does() -> None:
    """Of 300 draws of ten topics from 400: about .92, where percentile intervals have .85."""
    rng = np.random.default_rng(4)
    population = [rng.multinomial(5, share, size=3) for share in rng.dirichlet((0.5, 0.4, 0.3), size=400)]
    truth = fleiss_kappa(np.concatenate(population))
    covered = []
    for _ in range(300):
        found = kappa_of_posts([population[place].tolist() for place in rng.integers(400, size=10)])
        covered.append(found.low <= truth <= found.high)
    assert np.mean(covered) > 0.89
