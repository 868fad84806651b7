"""The comparisons against published tables and worked examples."""

import csv
from pathlib import Path

import numpy as np
import pytest

from kaiwa.comparison.allpairs import randomised_hsd, tukey_hsd
from kaiwa.comparison.baseline import Draws, paired_randomisation, paired_t
from kaiwa.nouns.ids import FloatArray
from kaiwa.reporting import reproduce as published_tables
from kaiwa.stats.anova import two_way_anova
from kaiwa.stats.kendall import kendall_tau, null_error

DATA = Path(__file__).parent / "data"
PUBLISHED = Path(published_tables.__file__).parent / "published_tables"


def golden(name: str) -> list[dict[str, str]]:
    """The rows of one table under its provenance line."""
    folder = DATA if (DATA / name).exists() else PUBLISHED
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def column(name: str, heading: str) -> FloatArray:
    """One column of one table."""
    return np.array([float(row[heading]) for row in golden(name)])


def printed(value: float, digits: str) -> bool:
    """Whether the value, rounded as printed, is what is printed."""
    places = len(digits.partition(".")[2])
    return abs(value - float(digits)) <= 0.5 * 10 ** -max(places, 3) + 1e-9


TABLE_5_1 = np.array([[float(row[f"system{run}"]) for run in (1, 2, 3)] for row in golden("sakai_book_table_5_1.csv")])
PAIRS = ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize(
    "row", golden("kendall_stc_runs.csv"), ids=lambda row: f"{row['measure_a']}-{row['measure_b']}"
)
def test_tau_between_the_official_stc_measures(row: dict[str, str]) -> None:
    """STC overview 2016, Tables 6 (listed order, null error) and 9 (tau-b, Hollander-Wolfe-Chicken)."""
    table = f"stc_{row['subtask']}_means.csv"
    chinese = row["subtask"] == "chinese"
    result = kendall_tau(
        column(table, row["measure_a"]),
        column(table, row["measure_b"]),
        ties="listed" if chinese else "tau-b",
        interval="null" if chinese else "hwc",
    )
    assert printed(result.tau, row["tau"])
    assert printed(result.low, row["ci_low"])
    assert printed(result.high, row["ci_high"])


@pytest.mark.parametrize("row", golden("ntcir12_variances.csv"), ids=lambda row: f"{row['task']}-{row['measure']}")
def test_null_limits_around_published_taus(row: dict[str, str]) -> None:
    """Sakai 2016, Table 1: tau give or take 1.96 null standard errors."""
    reach = 1.959964 * null_error(int(row["runs"]))
    assert printed(float(row["tau"]) - reach, row["ci_low"])
    assert printed(float(row["tau"]) + reach, row["ci_high"])


def test_tau_of_the_textbook_example() -> None:
    """Hollander, Wolfe & Chicken 2014, example 8.1 (tuna lightness and panel score): .4444, [-.053, .941]."""
    lightness = np.array([44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1])
    panel = np.array([2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8])
    result = kendall_tau(lightness, panel)
    assert [round(value, 3) for value in (result.tau, result.low, result.high)] == [0.444, -0.053, 0.941]


def test_anova_of_the_textbook_table() -> None:
    """Sakai 2018, Table 5.1: V_E2 .0218860, F 2.47495, p .097635."""
    anova = two_way_anova(TABLE_5_1)
    assert anova.v_e2 == pytest.approx(0.0218860, abs=5e-8)
    assert anova.runs.f == pytest.approx(2.47495, abs=5e-6)
    assert anova.runs.p == pytest.approx(0.097635, abs=5e-7)


def test_effect_sizes_of_the_textbook_table() -> None:
    """Sakai 2018, Table 5.1: ES_HSD .506966, .675954, .168989."""
    means = TABLE_5_1.mean(axis=0)
    sizes = [(means[a] - means[b]) / two_way_anova(TABLE_5_1).v_e2 ** 0.5 for a, b in PAIRS]
    assert sizes == pytest.approx([0.506966, 0.675954, 0.168989], abs=5e-7)


def test_analytic_hsd_of_the_textbook_table() -> None:
    """Sakai 2018, Table 5.1: Tukey HSD p .256698, .095687, .854963."""
    p = tukey_hsd(TABLE_5_1).p
    assert [p[pair] for pair in PAIRS] == pytest.approx([0.256698, 0.095687, 0.854963], abs=5e-7)


def test_randomised_hsd_of_the_textbook_table() -> None:
    """Sakai 2018, Table 5.1: randomised HSD p .302, .107, .891 with exact ties counted, give or take .002."""
    p = randomised_hsd(TABLE_5_1, trials=300_000, rng=np.random.default_rng(1), p_rule="share").p_values()
    assert [p[pair] for pair in PAIRS] == pytest.approx([0.302, 0.107, 0.891], abs=0.003)


def test_pilot_effect_sizes_of_p_plus() -> None:
    """Sakai et al. 2015, Table 3: the P+ differences of Table 2 over .1763, to the rounding of both tables."""
    means = {row["run"]: float(row["P+"]) for row in golden("stc_pilot_means.csv")}
    for row in golden("stc_pilot_tukey.csv"):
        if row["measure"] == "P+":
            size = abs(means[row["run_a"]] - means[row["run_b"]]) / 0.1763
            assert size == pytest.approx(float(row["effect_size"]), abs=1e-3)


def test_paired_t_of_two_trec_runs() -> None:
    """Urbano et al. 2019, README: adhoc8_ap runs 125 and 126, two-tailed p = 0.0013193972 (R's t.test)."""
    table = "adhoc8_ap_125_126.csv"
    differences = (column(table, "run125") - column(table, "run126"))[:, None]
    assert paired_t(differences, Draws(1, np.random.default_rng(1))).p[0] == pytest.approx(0.0013193972, abs=5e-11)


def test_paired_randomisation_of_two_trec_runs() -> None:
    """Urbano et al. 2019, README: the same runs' permutation test over a million trials, p = 0.001188."""
    table = "adhoc8_ap_125_126.csv"
    differences = (column(table, "run125") - column(table, "run126"))[:, None]
    p = paired_randomisation(differences, Draws(200_000, np.random.default_rng(1))).p[0]
    assert p == pytest.approx(0.001188, abs=4 * (0.0012 / 200_000) ** 0.5)
