"""The pure parts of a design: refusals, special functions, pass rates, simulation, decisions, cost, rounds."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.special import gammaln, nctdtr

from kaiwa.comparison.allpairs import randomised_hsd
from kaiwa.errors import DesignError, InputError, KaiwaError
from kaiwa.stats.studentised_range import critical_range
from kaiwa.topicset.budget import Labelling, best_split, cheapest
from kaiwa.topicset.decisions import topics_for_decision
from kaiwa.topicset.pass_rates import PassRates, checked_rates, mid_p_power, pass_rate_design
from kaiwa.topicset.power_functions import mean_sd_ratio
from kaiwa.topicset.requirement import Requirement, completed
from kaiwa.topicset.rounds import p_values, planned_rounds, spent_levels
from kaiwa.topicset.simulation import VERDICTS, Simulated, f_test_two_way, simulated_power, simulated_size
from kaiwa.topicset.sizes import answer_to
from kaiwa.topicset.tests import TESTS

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = ({}, {"alpha": 0.05}, {"alpha": 0.2})
CELL = {"variance": 0.0643, "systems": 10, "min_diff": 0.15}


def pilot(seed: int = 1, topics: int = 60, runs: int = 6) -> np.ndarray:
    """Scores with topic effects and runs from 0.3 to 0.5."""
    rng = np.random.default_rng(seed)
    return rng.normal(0, 0.1, (topics, 1)) + rng.normal(np.linspace(0.5, 0.3, runs), 0.15, (topics, runs))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"min_diff": 0.0}, "min_diff: 0 is not a positive number"),
        ({"min_diff": 1.5}, "larger than the scale of the scores, 1"),
        ({"variance": -0.1}, "variance: -0.1 is not a positive number"),
        ({"variance": float("nan")}, "variance: nan"),
        ({"systems": 1}, "systems: 1 is not a whole number from 2"),
        ({"systems": 1_000_001}, "is not a whole number from 2 to 1,000,000"),
        ({"alpha": 0.0}, "alpha: 0 is not between"),
        ({"alpha": 1.0}, "alpha: 1 is not between"),
        ({"power": 1.0}, "power: 1 is not between"),
        ({"n": 1, "min_diff": None}, "topics: 1 is not a whole number from 2"),
        ({"n": 1_000_000_001, "min_diff": None}, "is not a whole number from 2 to 1,000,000,000"),
        ({"test": "anvoa"}, "did you mean 'anova'"),
        ({"method": "saki"}, "did you mean 'sakai'"),
        ({"method": "sakai", "test": "one-way-tukey"}, "sakai is published for anova"),
        ({"test": "paired-t"}, "compares two systems, not 10"),
        ({"correlation": 1.0}, "correlation: 1 is not in"),
        ({"systems": None}, "systems: is missing"),
        ({"n": 50, "power": 0.8, "alpha": 0.05}, "leave out the one to be found"),
        ({"solve": "topics"}, "unknown quantity to solve for"),
        ({"min_diff": 1e-7}, "the smallest difference they find is"),
    ],
)
def test_a_bad_requirement_is_refused_with_its_repair(change: dict[str, object], words: str) -> None:
    """One line that names the quantity and what to do."""
    with pytest.raises(KaiwaError, match=words.replace("(", r"\(")) as refusal:
        answer_to(**(CELL | change))  # type: ignore[arg-type]
    assert "\n" not in str(refusal.value)


def test_an_unreachable_difference_names_the_fewest_topics_that_reach_the_largest() -> None:
    """Two topics find nothing on a scale of 1 with three systems; three find the largest difference."""
    with pytest.raises(DesignError, match="the fewest that find the largest one are 3"):
        answer_to(variance=0.05, systems=3, n=2)


def test_too_few_topics_for_two_systems_names_the_fewest() -> None:
    """Solving for systems when even two are too many."""
    with pytest.raises(DesignError, match="the fewest for 2 are"):
        answer_to(variance=0.05, n=5, min_diff=0.01, power=0.9)


def test_the_table_says_what_each_test_compares() -> None:
    """Two systems only, the same topics for all, or the studentised range."""
    flags = {name: (test.pairs_only, test.shares_topics, test.by_range) for name, test in TESTS.items()}
    assert flags == {
        "anova": (False, False, False),
        "two-way": (False, True, False),
        "paired-t": (True, True, False),
        "two-sample-t": (True, False, False),
        "one-way-tukey": (False, False, True),
        "tukey": (False, True, True),
        "robust": (False, True, True),
        "hsd": (False, True, True),
    }


def test_systems_are_found_where_two_are_too_few_for_the_error() -> None:
    """Two shared topics leave two systems one degree of freedom: power .25, but .42 for four systems."""
    found = answer_to(variance=0.0625, min_diff=1.0, n=2, power=0.375, test="two-way", solve="systems")
    assert found.systems >= 4
    powers = [
        answer_to(variance=0.0625, min_diff=1.0, n=2, systems=found.systems + more, test="two-way").power
        for more in (0, 1)
    ]
    assert powers[0] >= 0.375 > powers[1]


def test_the_textbook_t_tests_need_34_and_64() -> None:
    """Effect .5, alpha .05, power .80 (Cohen 1988): 34 pairs, 64 a group."""
    assert answer_to(variance=0.5, min_diff=0.5, test="paired-t").n == 34
    assert answer_to(variance=1.0, min_diff=0.5, test="two-sample-t").n == 64


def test_the_published_number_stands_beside_the_exact_one() -> None:
    """90 published, 91 exact, for nERR@10 with 10 systems and minD .15."""
    answer = answer_to(**CELL)  # type: ignore[arg-type]
    assert (answer.n, answer.exact_n, answer.published_n) == (91, 91, 90)


def test_one_way_anova_of_two_systems_is_the_two_sample_t_test() -> None:
    """The same n and the same power."""
    anova = answer_to(variance=0.06, systems=2, min_diff=0.1)
    assert anova.power == pytest.approx(answer_to(variance=0.06, n=anova.n, min_diff=0.1, test="two-sample-t").power)


def test_tukey_with_two_systems_is_the_two_sample_t_test() -> None:
    """The studentised range of two is sqrt 2 |t|."""
    hsd = answer_to(variance=0.06, systems=2, min_diff=0.1, n=60, test="one-way-tukey")
    assert hsd.power == pytest.approx(answer_to(variance=0.06, n=60, min_diff=0.1, test="two-sample-t").power, abs=1e-8)


def test_tukey_with_two_systems_on_the_same_topics_is_the_paired_t_test() -> None:
    """V_E2 is half the variance of the differences, and the error has n - 1 degrees of freedom in both."""
    hsd = answer_to(variance=0.06, systems=2, min_diff=0.1, n=9, test="tukey")
    assert hsd.power == pytest.approx(answer_to(variance=0.06, n=9, min_diff=0.1, test="paired-t").power, abs=1e-8)


def test_the_power_of_tukey_on_the_same_topics_has_m_minus_1_times_n_minus_1_degrees_of_freedom() -> None:
    """P(|T| > q / sqrt 2), T noncentral t, from scipy's nctdtr."""
    df, q = 4 * 11, critical_range(0.05, 5, 44)
    shift = (12 / 2) ** 0.5 * 0.3 / 0.06**0.5
    expected = 1 - nctdtr(df, shift, q / 2**0.5) + nctdtr(df, shift, -q / 2**0.5)
    found = answer_to(variance=0.06, systems=5, min_diff=0.3, n=12, test="tukey")
    assert found.power == pytest.approx(expected, abs=1e-9)


def test_alternatives_are_half_to_twice_the_answer() -> None:
    """Fewest first, each with its power and the difference it finds."""
    near = answer_to(**CELL).alternatives  # type: ignore[arg-type]
    assert [one.n for one in near] == [46, 68, 82, 100, 114, 136, 182]
    assert [one.power for one in near] == sorted(one.power or 0.0 for one in near)
    assert near[0].min_diff == pytest.approx(0.211133, abs=1e-6)


def test_sharing_topics_saves_what_the_correlation_promises() -> None:
    """At correlation .5 a two-way design needs about half the topics."""
    apart = answer_to(variance=0.06, systems=5, min_diff=0.1, test="two-way").n
    shared = answer_to(variance=0.06, systems=5, min_diff=0.1, test="two-way", correlation=0.5).n
    assert shared == pytest.approx(apart / 2, rel=0.03)


def test_the_mean_standard_deviation_ratio_holds_far_beyond_343() -> None:
    """1 - 1/(4 df) to first order, where a spreadsheet's GAMMA overflows at 343."""
    df = np.array([342.0, 1e4, 1e8])
    np.testing.assert_allclose(mean_sd_ratio(df), 1 - 1 / (4 * df) + 1 / (32 * df**2), rtol=0, atol=1e-9)


def enumerated_mid_p_power(n: int, rates: PassRates, alpha: float) -> float:
    """The same power by going through every count of gains and losses."""
    total = 0.0
    neither = 1 - rates.gains - rates.losses
    for gains in range(n + 1):
        for losses in range(n + 1 - gains):
            d, least = gains + losses, min(gains, losses)
            tail = sum(comb(d, k) for k in range(least)) / 2**d + comb(d, least) / 2**d / 2
            if min(1.0, 2 * tail) <= alpha:
                ways = comb(n, gains) * comb(n - gains, losses)
                total += ways * rates.gains**gains * rates.losses**losses * neither ** (n - d)
    return total


@pytest.mark.parametrize(
    ("n", "worse", "apart", "correlation"), [(12, 0.5, 0.4, 0.0), (30, 0.62, 0.2, 0.4), (9, 0.6, 0.4, 0.0)]
)
def test_the_power_of_mcnemar_equals_enumeration(n: int, worse: float, apart: float, correlation: float) -> None:
    """Every table of agreements counted once; also for a system that passes every prompt."""
    rates = checked_rates(worse, apart, correlation)
    assert mid_p_power(n, rates, alpha=0.05) == pytest.approx(enumerated_mid_p_power(n, rates, 0.05), abs=1e-9)


def test_the_power_of_mcnemar_equals_a_sum_over_every_count_of_many_prompts() -> None:
    """Beyond 200 disagreements only the likely ones are summed; the rest is below 1e-12."""
    n, alpha, rates = 900, 0.05, checked_rates(0.5, 0.06, 0.2)
    differ, power = rates.gains + rates.losses, 0.0
    for d in range(n + 1):
        wins = np.arange(d + 1.0)
        fair, real = (np.exp(log_binomial(wins, d, share)) for share in (0.5, rates.gains / differ))
        below = np.cumsum(fair) - fair / 2
        rejected = 2 * np.minimum(below, 1 - below) <= alpha
        power += float(np.exp(log_binomial(np.array(d), n, differ)) * real[rejected].sum())
    assert mid_p_power(n, rates, alpha=alpha) == pytest.approx(power, abs=1e-9)


def log_binomial(k: np.ndarray, n: int, p: float) -> np.ndarray:
    """Log chances of k successes of n."""
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * np.log(p) + (n - k) * np.log1p(-p)


def test_prompts_for_a_pass_rate_are_enough_and_one_less_is_not() -> None:
    """power(n) >= .8 > power(n - 1) for 62% against 65% at correlation .5."""
    found = pass_rate_design(pass_rate=0.62, min_diff=0.03, correlation=0.5)
    assert found.power >= 0.8 > mid_p_power(found.n - 1, found.rates, alpha=0.05)
    assert found.n == pytest.approx(found.normal_n, rel=0.02)


def test_an_impossible_correlation_of_pass_rates_names_the_nearest() -> None:
    """62% and 92% cannot correlate by .99."""
    with pytest.raises(DesignError, match=r"the nearest possible is 0\.3767"):
        pass_rate_design(pass_rate=0.62, min_diff=0.3, correlation=0.99)


def test_more_correlated_verdicts_need_fewer_prompts() -> None:
    """Pairing pays."""
    sizes = [pass_rate_design(pass_rate=0.6, min_diff=0.1, correlation=r).n for r in (0.0, 0.4, 0.8)]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("test", list(VERDICTS))
def test_simulated_power_agrees_with_theory_on_normal_scores(test: str) -> None:
    """Within four Monte-Carlo errors and what a finite pilot adds."""
    scores = np.random.default_rng(5).normal(0.5, 0.2, (4000, 4))
    systems = 2 if test.endswith("-t") else 4
    answer = answer_to(variance=0.04, systems=systems, n=40, min_diff=0.12, test=test)
    found = simulated_power(scores, VERDICTS[test], n=40, systems=systems, min_diff=0.12, rng=np.random.default_rng(1))
    assert answer.power is not None
    assert found.power == pytest.approx(answer.power, abs=4 * found.error + 0.01)


def test_simulation_keeps_the_values_of_a_three_valued_measure() -> None:
    """Best and worst are moved apart within 0, 1/3 and 1."""
    scores = np.random.default_rng(2).choice([0.0, 1 / 3, 1.0], (80, 5))
    seen: set[float] = set()

    def rejects(sets: np.ndarray, *, alpha: float) -> np.ndarray:
        seen.update(np.unique(sets).tolist())
        return f_test_two_way(sets, alpha=alpha)

    found = simulated_power(scores, rejects, n=30, systems=3, min_diff=0.3, rng=np.random.default_rng(1))
    assert seen == {0.0, 1 / 3, 1.0}
    assert found.power > 0.5


def test_simulation_stops_early_once_the_error_is_small() -> None:
    """A looser tolerance takes fewer data sets."""
    loose, tight = (
        simulated_power(
            pilot(), f_test_two_way, n=20, systems=3, min_diff=0.1, tolerance=tolerance, rng=np.random.default_rng(1)
        ).trials
        for tolerance in (0.04, 0.01)
    )
    assert loose < tight < 20_000


def test_the_simulated_size_reaches_its_target() -> None:
    """From a start three times too small."""
    rng = np.random.default_rng(1)
    seen = simulated_size(
        lambda n: simulated_power(pilot(), f_test_two_way, n=n, systems=3, min_diff=0.1, rng=rng), start=10, target=0.8
    )
    assert seen[-1].power == pytest.approx(0.8, abs=0.02)


def test_a_size_that_simulation_cannot_reach_is_refused() -> None:
    """More than .05 short of the target after all rounds; within .05 the last size is the answer."""

    def stuck(power: float) -> Callable[[int], Simulated]:
        return lambda n: Simulated(n, power, 0.001, 1000)

    with pytest.raises(DesignError, match="does not reach the power asked for"):
        simulated_size(stuck(0.74), start=10, target=0.8)
    assert simulated_size(stuck(0.76), start=10, target=0.8)[-1].power == 0.76
    assert len(simulated_size(stuck(0.799), start=10, target=0.8)) == 1


@pytest.mark.parametrize("target", [0.0, 1.0])
def test_a_decision_that_is_never_or_always_right_is_refused(target: float) -> None:
    """A share between 0 and 1."""
    with pytest.raises(InputError, match="not between 0 and 1"):
        topics_for_decision(pilot(), goal="top", target=target, rng=np.random.default_rng(1))


def test_decisions_are_made_at_alpha_05_unless_told() -> None:
    """The level of Tukey's HSD in the share of pairs that differ."""
    asked = {"goal": "discriminative", "target": 0.3}
    sizes = [topics_for_decision(pilot(), **asked, **level, rng=np.random.default_rng(1)).n for level in LEVELS]  # type: ignore[arg-type]
    assert sizes[0] == sizes[1] > sizes[2]


@pytest.mark.parametrize(("goal", "target"), [("top", 0.8), ("tau", 0.7), ("discriminative", 0.3)])
def test_a_decision_is_right_at_its_n_and_not_at_half_of_it(goal: str, target: float) -> None:
    """The curve that was looked at rises through the target."""
    found = topics_for_decision(pilot(), goal=goal, target=target, rng=np.random.default_rng(1))
    assert found.reached >= target
    assert all(reached < target for n, reached in found.curve if n <= found.n / 2)


def test_a_pilot_whose_runs_do_not_differ_has_no_right_decision() -> None:
    """Nothing to design for."""
    flat = np.tile(np.random.default_rng(1).random((30, 1)), 3) + np.eye(30, 3) * 1e-3
    with pytest.raises(DesignError, match="do not differ beyond chance"):
        topics_for_decision(flat, goal="top", target=0.9, rng=np.random.default_rng(1))


def test_the_cheapest_way_of_judging_is_enough_and_the_budget_is_kept() -> None:
    """Hours of the cheapest design buy a design at least as strong."""
    asked = completed(Requirement(variance=0.06, systems=5, min_diff=0.1))
    ways = [Labelling(depth, 3.0 * depth, 3, 12.0, 0.05 + 0.05 / depth) for depth in (1, 5, 20)]
    cheap = cheapest(asked, ways)[0]
    assert cheap.power >= 0.8
    split = best_split(asked, ways, hours=cheap.hours * 1.0001)[0]
    assert split.hours <= cheap.hours * 1.0001
    assert split.power >= cheap.power - 1e-12


def test_one_item_a_topic_can_be_judged_and_less_cannot() -> None:
    """A pool holds at least one item, seen by at least one assessor."""
    asked = completed(Requirement(variance=0.06, systems=5, min_diff=0.1))
    least = Labelling(1, 1.0, 1, 12.0, 0.06)
    assert cheapest(asked, [least])[0].labelling == least
    for change in ({"items": 0.5}, {"depth": 0}, {"assessors": 0}, {"seconds": 0.0}, {"variance": 0.0}):
        with pytest.raises(InputError, match="are positive"):
            cheapest(asked, [replace(least, **change)])  # type: ignore[arg-type]


def test_a_shallow_pool_that_turns_the_order_round_is_ranked_last() -> None:
    """Cheap but not trusted."""
    asked = completed(Requirement(variance=0.06, systems=5, min_diff=0.1))
    deep = Labelling(10, 30.0, 3, 12.0, 0.06, agreement=1.0)
    shallow = replace(deep, depth=1, items=3.0, agreement=0.5)
    assert cheapest(asked, [shallow, deep])[0].labelling == deep


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("shared", [False, True])
def test_rounds_keep_alpha_where_naive_looks_do_not(spending: str, shared: bool) -> None:  # noqa: FBT001
    """Three looks at .05 err about 11% of the time; the planned levels err 5%, on fresh data too."""
    plan = planned_rounds(
        [30, 60, 90],
        systems=4,
        min_diff=0.15,
        variance=0.06,
        shared_topics=shared,
        spending=spending,
        rng=np.random.default_rng(1),
    )
    assert plan.naive == pytest.approx(0.11, abs=0.012)
    assert plan.kept == pytest.approx(0.05, abs=0.0015)
    assert plan.looks[-1].n == 90
    assert plan.expected_n < 90


@pytest.mark.parametrize("shared", [False, True])
def test_a_look_at_a_few_topics_has_the_power_of_its_design(shared: bool) -> None:  # noqa: FBT001
    """20,000 simulated looks after 2 and after 5 topics, against the exact power, within four standard errors."""
    ends = np.array([1.0, 0.0, -1.0])
    looks = p_values([2, 5], 3, shared, means=ends, trials=20_000, rng=np.random.default_rng(1))
    for n, p in zip((2, 5), looks.T, strict=True):
        exact = answer_to(variance=1.0, systems=3, min_diff=2.0, n=n, test="two-way" if shared else "anova", scale=9.0)
        assert (p <= 0.05).mean() == pytest.approx(exact.power, abs=4 * (0.25 / 20_000) ** 0.5)


def test_levels_spend_exactly_what_may_be_spent() -> None:
    """Of 100 trials the first look may stop 5 and both together 8; one trial that stopped is out of the second look."""
    first = np.arange(1, 101) / 100
    second = np.roll(first, 2)  # the trials with the two smallest p at the second look did not stop at the first
    levels = spent_levels(np.stack([first, second], axis=1), [0.05, 0.08])
    assert levels[0] == 0.05
    stopped = (first <= levels[0]) | (second <= levels[1])
    assert stopped.sum() == 8
    assert spent_levels(first[:, None], [0.0]).tolist() == [0.0]


@pytest.mark.parametrize("looks", [[50], [60, 30], [1, 5]])
def test_rounds_that_do_not_grow_are_refused(looks: list[int]) -> None:
    """Two looks or more, growing."""
    with pytest.raises(InputError, match="not a growing list"):
        planned_rounds(looks, systems=3, min_diff=0.1, variance=0.05, shared_topics=True, rng=np.random.default_rng(1))


@pytest.mark.parametrize(("clusters", "test"), [(True, "hsd"), (False, "midway")])
def test_the_randomised_test_has_its_power_where_the_other_means_lie_worst(
    clusters: bool,  # noqa: FBT001
    test: str,
) -> None:
    """Ten systems, 30 topics: .69 in two clusters and .81 midway, where Tukey's test has .80 in both."""
    answer = answer_to(variance=0.02, systems=10, min_diff=0.15, n=30, test="hsd")
    promised = answer.power if clusters else answer.midway_power
    rng = np.random.default_rng(1)
    means = np.repeat([0.075, -0.075], 5) if clusters else np.array([0.075, *[0.0] * 8, -0.075])
    sets = means + rng.normal(0, 0.15, (400, 30, 1)) + rng.normal(0, 0.02**0.5, (400, 30, 10))
    found = [randomised_hsd(one, trials=399, rng=rng).p_values()[0, -1] <= 0.05 for one in sets]
    assert np.mean(found) == pytest.approx(promised, abs=3 * (0.25 / 400) ** 0.5), test


def test_a_design_for_the_randomised_test_holds_for_the_worst_means() -> None:
    """More topics than Tukey's test needs; of two systems there are no others, so about as many."""
    cell = {"variance": 0.02, "min_diff": 0.15}
    tukey, randomised = (answer_to(**cell, systems=10, test=test).n for test in ("tukey", "hsd"))  # type: ignore[arg-type]
    assert (tukey, randomised) == (30, 36)
    pair = [answer_to(**cell, systems=2, test=test).n for test in ("tukey", "hsd")]  # type: ignore[arg-type]
    assert abs(pair[0] - pair[1]) <= 1


def test_a_few_topics_cannot_show_any_difference_to_a_test_that_shuffles_it() -> None:
    """Ten systems in two clusters: below six topics shuffled scores differ as much as the true ones."""
    with pytest.raises(DesignError, match="the fewest that find the largest one are"):
        answer_to(variance=0.0001, systems=10, n=4, test="hsd")
