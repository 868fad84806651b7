from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import kaiwa
from kaiwa.cli.group import run_typed
from kaiwa.comparison.standardise import standardisation_factors, standardised, variance_bound
from kaiwa.errors import InputError
from kaiwa.formats.factors import write_factors
from kaiwa.formats.readers import read_factors
from kaiwa.nouns.factors import Factors, TopicFactors
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.anova import within_run_variance


def scores(values: list[list[float]]) -> Matrix:
    """Scores with topics q0, q1, ... and runs A, B, ..."""
    table = np.array(values)
    return Matrix("AP", tuple(f"q{row}" for row in range(len(table))), tuple("ABCDEFGH"[: table.shape[1]]), table)


def test_std_ab_gives_b_to_a_topic_where_every_run_ties() -> None:
    """Decimal ties are ties, though their mean is not exactly representable."""
    raw = scores([[0.1, 0.1, 0.1], [0.0, 0.5, 1.0]])
    assert standardised(raw, standardisation_factors(raw)).values[0].tolist() == [0.5, 0.5, 0.5]


def test_std_has_mean_zero_and_unit_variance_per_topic() -> None:
    """The definition: z-scores over the runs with m - 1."""
    raw = Matrix("AP", tuple("123456"), tuple("ABCD"), np.random.default_rng(1).random((6, 4)))
    z = standardised(raw, standardisation_factors(raw), method="std").values
    assert z.mean(axis=1) == pytest.approx(np.zeros(6), abs=1e-12)
    assert z.std(axis=1, ddof=1) == pytest.approx(np.ones(6))


def test_std_cdf_is_the_normal_cdf_of_std() -> None:
    """One standard deviation above the mean is .8413."""
    raw = scores([[0.1, 0.2, 0.3]])
    cdf = standardised(raw, standardisation_factors(raw), method="std-cdf").values
    assert cdf[0] == pytest.approx([0.158655, 0.5, 0.841345], abs=5e-7)


def test_a_later_run_is_standardised_by_the_earlier_round() -> None:
    """A single new run gets its place among the old ones; the old topics' factors are used."""
    old = scores([[0.1, 0.2, 0.3], [0.4, 0.6, 0.8]])
    new = Matrix("AP", ("q1", "q0"), ("new",), np.array([[0.8], [0.2]]))
    assert standardised(new, standardisation_factors(old)).values[:, 0] == pytest.approx([0.65, 0.5])


def test_a_constant_topic_of_the_earlier_round_says_nothing_about_a_new_run() -> None:
    """Without any spread to measure by, the new run gets B."""
    old = scores([[0.5, 0.5], [0.1, 0.9]])
    new = Matrix("AP", ("q0", "q1"), ("new",), np.array([[1.0], [0.5]]))
    assert standardised(new, standardisation_factors(old)).values[0, 0] == 0.5


def test_std_ab_is_clipped_to_the_unit_interval() -> None:
    """A score ten standard deviations up is 1, not 2."""
    old = scores([[0.10, 0.11, 0.12]])
    new = Matrix("AP", ("q0",), ("hit", "miss"), np.array([[1.0, 0.0]]))
    assert standardised(new, standardisation_factors(old)).values.tolist() == [[1.0, 0.0]]


def test_one_run_cannot_make_factors() -> None:
    """A single run has no spread; the message says what to do."""
    with pytest.raises(InputError, match="factors of an earlier round"):
        standardisation_factors(scores([[0.5], [0.6]]))


def test_an_unknown_topic_is_refused() -> None:
    """A topic of another round has no factor."""
    old = scores([[0.1, 0.2]])
    with pytest.raises(InputError, match="no factor for topic 'q9'"):
        standardised(Matrix("AP", ("q9",), ("new",), np.array([[0.5]])), standardisation_factors(old))


def test_variance_of_std_ab_stays_under_its_bound() -> None:
    """A^2 n(m-1)/(m(n-1)), on skewed scores with ties."""
    rng = np.random.default_rng(1)
    for topics, runs in ((2, 2), (5, 30), (60, 3)):
        values = np.round(rng.beta(0.3, 1.0, (topics, runs)), 1)
        raw = Matrix("AP", tuple(map(str, range(topics))), tuple(map(str, range(runs))), values)
        variance = within_run_variance(standardised(raw, standardisation_factors(raw)).values)
        assert variance <= variance_bound(topics, runs) * (1 + 1e-12)


def test_factors_survive_a_round_trip_through_their_file(tmp_path: Path) -> None:
    """Every digit is kept."""
    factors = standardisation_factors(scores([[1 / 3, 0.2, 0.1], [0.7, 0.6, 0.1]]))
    write_factors(tmp_path / "factors.csv", Factors([factors]))
    back = read_factors(tmp_path / "factors.csv")["AP"]
    assert back.topics == factors.topics
    assert np.array_equal(back.means, factors.means)
    assert np.array_equal(back.sds, factors.sds)


def test_factors_name_the_scores_that_were_written_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill between the two leaves a hash that is not that of the scores."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("measure,topic,run,score\nAP,q1,A,0.5\nAP,q1,B,0.25\nAP,q2,A,0.1\nAP,q2,B,0.3\n")
    run_typed("kaiwa standardise scores.csv --save-factors f.csv -o s.csv")
    header, *rows = Path("f.csv").read_text(encoding="utf-8").splitlines()
    assert header == "measure,topic,mean,sd,scores_sha256"
    of_scores = sha256(Path("s.csv").read_bytes()).hexdigest()[:16]
    assert {row.rpartition(",")[2] for row in rows} == {of_scores}
    assert kaiwa.read_factors("f.csv")["AP"].topics == ("q1", "q2")
    run_typed("kaiwa standardise scores.csv --factors f.csv -o again.csv")
    assert Path("again.csv").read_bytes() == Path("s.csv").read_bytes()


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "measure,topic,mean,sd\nAP,q1,x,1\n", "measure,topic,mean,sd\nAP,q1,1,-1\n"]
)
def test_a_broken_factor_file_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    """Wrong heading, a word for a number, a negative spread."""
    path = tmp_path / "factors.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"factors\.csv"):
        read_factors(path)


def test_the_first_unknown_topic_is_named() -> None:
    """Of several, the first in the scores."""
    three = Matrix("AP", ("q0", "q8", "q9"), ("new",), np.array([[0.4], [0.5], [0.6]]))
    with pytest.raises(InputError, match="no factor for topic 'q8'"):
        standardised(three, standardisation_factors(scores([[0.1, 0.2]])))


@pytest.mark.parametrize(
    ("a", "b"), [(0.0, 0.5), (float("inf"), 0.5), (0.15, -0.1), (10, float("inf")), (10, float("nan"))]
)
def test_a_scale_without_a_slope_or_a_middle_is_refused(a: float, b: float) -> None:
    """A is positive, B from 0."""
    raw = scores([[0.1, 0.2]])
    with pytest.raises(InputError, match="give a positive A"):
        standardised(raw, standardisation_factors(raw), a=a, b=b)


@pytest.mark.parametrize(("mean", "sd"), [(np.nan, 0.1), (0.5, np.nan), (0.5, np.inf), (0.5, -0.1)])
def test_a_factor_that_is_no_number_is_refused(mean: float, sd: float) -> None:
    """The mean and the standard deviation each, whatever the other is."""
    with pytest.raises(InputError, match="mean or sd is not a number, or the sd is below 0"):
        TopicFactors("AP", ("q1",), np.array([mean]), np.array([sd]))


@pytest.mark.parametrize(("b", "expected"), [(0.0, [0.0, 0.0, 0.15]), (1.0, [0.85, 1.0, 1.0])])
def test_b_may_be_at_either_end_of_the_scale(b: float, expected: list[float]) -> None:
    """Standard scores of -1, 0 and 1 with A = .15."""
    raw = scores([[0.1, 0.2, 0.3]])
    assert standardised(raw, standardisation_factors(raw), b=b).values[0] == pytest.approx(expected)


@pytest.mark.parametrize(("a", "b", "top"), [(10, 50, 100), (100, 500, 1000)])
def test_hensachi_and_sat_have_their_own_scale_and_bound(a: float, b: float, top: float) -> None:
    """Z of -1, 0 and 1 are B - A, B and B + A; the ends are 0 and 2B; the bound is that of A = .15 by (A / .15)^2."""
    raw = kaiwa.Scores.from_matrix("AP", ["q0", "q1"], "ABC", [[0.1, 0.2, 0.3], [0.9, 0.5, 0.1]])
    made = kaiwa.standardise(raw, a=a, b=b)
    assert made.values == pytest.approx(np.array([[b - a, b, b + a], [b + a, b, b - a]]))
    assert (made.a, made.b) == (a, b)
    assert made.variance_bound == {"AP": pytest.approx(variance_bound(2, 3) * (a / 0.15) ** 2)}
    # A^2 n (m-1) / (m (n-1)) = A^2 * 2 * 2 / 3; here V_E = (2 A^2 + 0 + 2 A^2) / 3, which is the bound.
    assert within_run_variance(made.values) == pytest.approx(made.variance_bound["AP"])
    far = kaiwa.standardise(kaiwa.Scores.from_matrix("AP", ["q0"], "XY", [[9.0, -9.0]]), factors=made, a=a, b=b)
    assert far.values.tolist() == [[top, 0.0]]
    assert far.variance_bound == {}
