"""Which scores are better: by name, by file, by option; and what follows from it everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.measures.table import MEASURES
from kaiwa.nouns.matrix import known_direction

RUNS = ("worse", "better", "middle")


def perplexities(name: str = "ppl", **more: object) -> kaiwa.Scores:
    """Three runs with mean perplexities of about 15.5, 10.5 and 13 on thirty topics."""
    values = np.array([15.5, 10.5, 13.0]) + np.random.default_rng(1).normal(size=(30, 3))
    return kaiwa.Scores.from_matrix(name, tuple(map(str, range(30))), RUNS, values, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        *("perplexity", "ppl", "wikitext:word_perplexity", "log_perplexity", "bits_per_byte", "NLL", "eval_loss"),
        *("WER", "cer,none", "TER", "val/loss", "kl_divergence", "JSD", "NMD", "RNOD", "brier_score", "edit_distance"),
    ],
)
def test_measures_of_loss_are_known_to_be_lower(name: str) -> None:
    """With their task, their filter and any case."""
    assert known_direction(name) == "lower"


@pytest.mark.parametrize(
    "name", [*MEASURES, "nERR@10", "acc", "exact_match,strict-match", "bleu", "chrf", "f1", "score"]
)
def test_measures_of_gain_are_higher(name: str) -> None:
    """Every measure that Kaiwa computes, and those of logs; so is an unknown name."""
    assert known_direction(name) == "higher"


def test_a_lower_perplexity_is_ranked_above_a_higher_one() -> None:
    """The best run, the ranks, the groups, the better run of a pair; a difference stays a - b."""
    result = perplexities().compare(trials=999)
    assert result.direction == "lower"
    assert [standing.run for standing in result.leaderboard] == ["better", "middle", "worse"]
    assert result.ranks == {"better": 1, "middle": 2, "worse": 3}
    assert [standing.groups for standing in result.leaderboard] == ["a", "b", "c"]
    first = result.pairs[0]
    assert (first.a, first.b, first.better) == ("worse", "better", "better")
    assert first.diff > 0
    assert "by mean ppl (lower is better) over" in result.methods()
    assert "lower ppl is better" in result.methods()


def test_a_direction_turns_ranks_around_and_leaves_p_values() -> None:
    """What is tested is the difference, whichever way is up."""
    low, high = (perplexities(direction=way).compare(trials=999) for way in ("lower", "higher"))
    assert [pair.p for pair in low.pairs] == [pair.p for pair in high.pairs]
    assert [one.run for one in low.leaderboard] == [one.run for one in reversed(high.leaderboard)]


def test_a_baseline_is_beaten_by_a_lower_perplexity() -> None:
    """The table has the word, because the sign of the difference does not say it."""
    result = perplexities().compare(baseline="middle", test="t")
    assert {pair.a: pair.better for pair in result.pairs} == {"worse": "middle", "better": "better"}
    assert {row.split()[0]: row.split()[-1] for row in str(result).splitlines()[2:4]} == {
        "better": "better",
        "worse": "worse",
    }


def test_tau_between_a_loss_and_a_gain_compares_rankings_not_numbers() -> None:
    """The negated scores rank the runs the same way, so tau is 1."""
    loss = perplexities()
    gain = kaiwa.Scores.from_matrix("acc", loss.topics, loss.runs, -loss.values)
    found = kaiwa.tau(loss, gain)
    assert (found.tau, found.overlap[1]) == (1.0, 1.0)
    assert "ppl (lower is better) against acc, 3 runs" in str(found)


@pytest.mark.parametrize("method", ["std", "std-cdf", "std-ab"])
def test_standardised_scores_keep_their_direction_and_their_order(method: str) -> None:
    """Lower is still better, and the ranks are the same."""
    made = perplexities().standardise(method=method)
    assert made.direction == "lower"
    assert list(made.compare(trials=999).ranks) == ["better", "middle", "worse"]


def test_the_best_systems_of_a_pilot_are_those_with_the_lowest_loss() -> None:
    """Two equal best systems by loss need more topics than the one clear worst by gain."""
    values = np.array([1.0, 1.02, 3.0]) + 0.3 * np.random.default_rng(1).normal(size=(40, 3))
    topics = tuple(map(str, range(40)))
    sizes = {
        way: kaiwa.design_decide(kaiwa.Scores.from_matrix("m", topics, RUNS, values, direction=way), target=0.6).n
        for way in ("lower", "higher")
    }
    assert sizes["lower"] > sizes["higher"]


def test_printed_scores_are_best_first_with_the_direction() -> None:
    """In text, in a notebook and in LaTeX; the columns of a data frame keep their names."""
    scores = perplexities()
    assert str(scores).splitlines()[0].split() == ["run", "ppl", "(lower", "is", "better)", "se"]
    assert str(scores).splitlines()[2].startswith("better")
    assert "lower is better" in repr(scores)
    result = scores.compare(trials=999)
    assert "mean (lower is better)" in str(result)
    assert "mean (lower is better)" in result._repr_html_()
    assert "mean (lower is better)" in result.to_latex().replace(r"\\", " ")  # a narrow heading is stacked
    assert list(result.columns()) == ["rank", "run", "mean", "low", "high", "groups", "rank_low", "rank_high"]


def test_an_unknown_direction_is_refused() -> None:
    """The two words are offered."""
    with pytest.raises(InputError, match="unknown direction 'down'; known: higher, lower"):
        perplexities(direction="down")
