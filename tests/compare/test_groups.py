import re
from string import ascii_lowercase

import numpy as np
import pytest

from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.comparison.ranks import best_of_teams, group_letters, letter, letter_range, tied_ranks
from kaiwa.errors import InputError
from kaiwa.nouns.matrix import Matrix


def compared(by_topic: list[list[float]], runs: tuple[str, ...]) -> Leaderboard:
    """A comparison of small scores repeated over twelve topics."""
    values = np.array(by_topic * (12 // len(by_topic)))
    topics = tuple(map(str, range(len(values))))
    return compare_runs(Matrix("nG@1", topics, runs, values), trials=499, rng=np.random.default_rng(1))


def test_letters_are_shared_exactly_by_runs_that_do_not_differ() -> None:
    """On random means under one critical difference, sharing a letter and not differing are the same."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        means = rng.random(12)
        differs = np.abs(means[:, None] - means) > 0.3
        letters = [set(word) for word in group_letters(means, differs)]
        shared = np.array([[bool(a & b) for b in letters] for a in letters])
        assert np.array_equal(shared, ~differs)


def test_letters_after_z_stay_apart() -> None:
    """The 27th group is not mistaken for two groups a."""
    assert letter(25) == ascii_lowercase[-1]
    assert letter(26) == "(aa)"


def test_rank_counts_the_runs_significantly_better() -> None:
    """Two runs that tie behind a better one both rank second."""
    result = compared([[1.0, 0.0, 0.0], [1.0, 0.1, 0.1]], ("A", "B", "C"))
    assert result.ranks == {"A": 1, "B": 2, "C": 2}


def test_intervals_fail_to_overlap_exactly_where_runs_differ() -> None:
    """The intervals of the leaderboard agree with the pairs."""
    rng = np.random.default_rng(5)
    values = rng.random((30, 8)) + np.linspace(0, 0.6, 8)
    scores = Matrix("AP", tuple(map(str, range(30))), tuple("ABCDEFGH"), values)
    result = compare_runs(scores, trials=999, rng=rng)
    bounds = {standing.run: (standing.low, standing.high) for standing in result.standings}
    for pair in result.pairs:
        (low_a, high_a), (low_b, high_b) = bounds[pair.a], bounds[pair.b]
        assert (low_a > high_b or low_b > high_a) == pair.significant
        assert (pair.low > 0 or pair.high < 0) == pair.significant


def test_teams_are_shown_by_their_best_run() -> None:
    """NTCIR run names give the team; only best runs of other teams are listed as beaten."""
    result = compared(
        [[1.0, 0.9, 0.0, 0.0], [1.0, 0.9, 0.1, 0.0]], ("USTC-C-R1", "USTC-C-R2", "cyut-C-R1", "picl-C-R1")
    )
    teams = best_of_teams(result)
    assert [(team.team, team.run) for team in teams] == [
        ("USTC", "USTC-C-R1"),
        ("cyut", "cyut-C-R1"),
        ("picl", "picl-C-R1"),
    ]
    assert teams[0].beats == ("cyut-C-R1", "picl-C-R1")


def test_runs_not_named_by_team_have_no_teams() -> None:
    """Nothing is guessed from free names."""
    assert best_of_teams(compared([[1.0, 0.0]], ("gpt-4o", "llama-3-8b"))) == ()


def test_a_pattern_of_ones_own_finds_the_team() -> None:
    """The first group of the pattern is the team."""
    teams = best_of_teams(compared([[1.0, 0.0]], ("x/big", "y/small")), pattern=r"(\w+)/.*")
    assert [team.team for team in teams] == ["x", "y"]


def test_no_effect_size_without_residual_variance() -> None:
    """Runs a constant apart have no standardised difference."""
    assert compared([[1.0, 0.5]], ("A", "B")).pairs[0].effect_size is None


def test_all_equal_scores_rank_all_runs_first() -> None:
    """No difference, one group, p = 1, and no warning."""
    result = compared([[0.5, 0.5, 0.5]], ("A", "B", "C"))
    assert set(result.ranks.values()) == {1}
    assert {standing.groups for standing in result.standings} == {"a"}
    assert {pair.p for pair in result.pairs} == {1.0}
    assert result.discriminative_power == 0


def test_runs_of_equal_mean_share_a_rank_whatever_is_called_different() -> None:
    """Only a higher mean is better."""
    assert tied_ranks(np.array([0.5, 0.5]), ~np.eye(2, dtype=bool)) == [1, 1]


@pytest.mark.parametrize("pattern", [r"\w+/.*", r"(\w+)-.*"])
def test_a_pattern_that_finds_no_team_is_refused(pattern: str) -> None:
    """A pattern without a group, or one that does not match."""
    with pytest.raises(InputError, match="finds no team in run 'x/big'"):
        best_of_teams(compared([[1.0, 0.0]], ("x/big", "y/small")), pattern=pattern)


@pytest.mark.parametrize(
    ("letters", "read"),
    [("a", "a"), ("ab", "ab"), ("abc", "a-c"), ("bcdefghijklmnopqrst", "b-t"), ("z(aa)(ab)", "z-(ab)")],
)
def test_more_than_two_letters_are_read_as_a_range(letters: str, read: str) -> None:
    """The letters of a run follow each other, so the first and the last name them all."""
    assert letter_range(letters) == read


def test_a_range_means_exactly_its_letters() -> None:
    """The letters of every run are consecutive: none between the first and the last is missing."""
    rng = np.random.default_rng(3)
    means = np.sort(rng.random(110))[::-1]
    names = [letter(number) for number in range(200)]
    for word in group_letters(means, np.abs(means[:, None] - means) > 0.2):
        places = [names.index(one) for one in re.findall(r"\(\w+\)|\w", word)]
        assert places == list(range(places[0], places[-1] + 1))
