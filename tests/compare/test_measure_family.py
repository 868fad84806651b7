"""One family over several measures: the error over all of them, their scales, their topics."""

import numpy as np
import pytest

from kaiwa.comparison.family import compare_family
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.errors import InputError
from kaiwa.nouns.matrix import Matrix

TOPICS, RUNS = tuple(map(str, range(40))), tuple("abcde")


def family(seed: int, *scales: float) -> list[Matrix]:
    """Measures of the same runs, correlated, each on its own scale; no run is better."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(0, 0.1, (40, 5))
    return [
        Matrix(f"m{place}", TOPICS, RUNS, scale * (shared + rng.normal(0, 0.1, (40, 5))))
        for place, scale in enumerate(scales)
    ]


def test_the_familywise_error_is_over_all_measures() -> None:
    """400 draws of three measures without a difference: each alone has more errors than the family (nominal .05)."""
    rng = np.random.default_rng(1)
    together, alone = [], []
    for seed in range(400):
        measures = family(seed, 1, 1, 100)
        found = compare_family(measures, trials=199, rng=rng)
        together.append(any(one.significant_pairs for one in found.values()))
        single = [compare_runs(one, test="robust", trials=199, rng=rng).significant_pairs for one in measures]
        alone.append(any(single))
    assert 0.02 <= np.mean(together) <= 0.08
    assert np.mean(alone) > np.mean(together) + 0.03


def test_the_scale_of_a_measure_does_not_matter() -> None:
    """A measure times 1,000 has the same p-values, and intervals 1,000 times as wide."""
    made = [compare_family(family(3, 1, scale), trials=199, rng=np.random.default_rng(2)) for scale in (1, 1000)]
    assert [pair.p for pair in made[0]["m1"].pairs] == [pair.p for pair in made[1]["m1"].pairs]
    assert made[1]["m1"].critical_difference == pytest.approx(1000 * made[0]["m1"].critical_difference)


def test_topics_and_runs_are_joined_by_name() -> None:
    """Another order of the second measure changes nothing; other topics are an error."""
    first, second = family(4, 1, 1)
    turned = Matrix("m1", TOPICS[::-1], RUNS[::-1], second.values[::-1, ::-1])
    made = [compare_family([first, one], trials=99, rng=np.random.default_rng(2))["m1"] for one in (second, turned)]
    assert made[0] == made[1]
    fewer = Matrix("m1", TOPICS[1:], RUNS, second.values[1:])
    with pytest.raises(InputError, match=r"m1 and m0 have different topics \('0'\)"):
        compare_family([first, fewer], rng=np.random.default_rng(2))


def test_a_measure_without_variance_and_a_margin() -> None:
    """Equal scores are equivalent, a constant difference is significant; rank sets are those of the family."""
    flat = Matrix("flat", TOPICS, RUNS, np.full((40, 5), 0.5) + np.array([0.3, 0, 0, 0, 0]))
    found = compare_family([family(5, 1)[0], flat], trials=199, margin=0.2, rng=np.random.default_rng(2))
    assert [pair.verdict for pair in found["flat"].pairs] == ["better"] * 4 + ["equivalent"] * 6
    assert found["flat"].rank_sets["a"] == (1, 1)
    assert found["m0"].family == found["flat"].family == ("m0", "flat")
    low = {run: sets[0] for run, sets in found["m0"].rank_sets.items()}
    assert low == found["m0"].ranks
