from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from kaiwa.reporting.reproduce import published as published_table
from kaiwa.stats.studentised_range import critical_range
from kaiwa.topicset.power_functions import f_power
from kaiwa.topicset.power_functions import one_way_anova_power as power
from kaiwa.topicset.sizes import topics_needed

DATA = Path(__file__).parent / "data"


def columns(name: str) -> dict[str, list[str]]:
    """A golden table by column, its provenance line left out."""
    with (DATA / name).open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return {key: [row[key] for row in rows] for key in rows[0]}


def published() -> dict[str, np.ndarray]:
    """Table 4 of Sakai (2015): variance, m, minD and n."""
    table = published_table("topic_set_size_stc")
    return {key: np.array([row[key] for row in table], dtype=float) for key in ("variance", "m", "minD", "n")}


def test_every_published_cell_is_reproduced_by_the_sakai_method() -> None:
    """Sakai (2015), Table 4: all 60 sizes, exactly."""
    cells = published()
    sizes = topics_needed(
        systems=cells["m"], min_diff=cells["minD"], variance=cells["variance"], method="sakai", alpha=0.05, power=0.8
    )
    assert sizes.tolist() == cells["n"].tolist()


def test_most_published_sizes_fall_short_of_the_promised_power() -> None:
    """57 of the 60 published sizes are below 80% exact power, as statsmodels confirms."""
    cells = published()
    reached = power(
        n=cells["n"],
        systems=cells["m"],
        min_diff=cells["minD"],
        variance=cells["variance"],
        alpha=np.array(0.05),
    )
    assert int((reached < 0.8).sum()) == 57
    assert reached.min() > 0.78


def test_exact_anova_power_equals_statsmodels_over_the_stress_grid() -> None:
    """441 cells up to m = 1000 and n = 10^8; statsmodels' FTestAnovaPower, total nobs = m n, f = sqrt(Delta/m)."""
    grid = {key: np.array(column, dtype=float) for key, column in columns("design_anova_power.csv").items()}
    m, n = grid["m"], grid["n"]
    ours = f_power(m - 1, m * (n - 1), n * grid["delta"], grid["alpha"])
    assert len(ours) == 441
    np.testing.assert_allclose(ours, grid["power"], rtol=0, atol=2e-9)


@pytest.mark.parametrize("row", range(48))
def test_t_test_sizes_equal_statsmodels(row: int) -> None:
    """By statsmodels' TTestPower and TTestIndPower, solved for n and rounded up."""
    cell = {key: column[row] for key, column in columns("design_t_sizes.csv").items()}
    size = topics_needed(
        systems=np.array(2),
        min_diff=np.array(float(cell["effect"])),
        variance=np.array(1.0),
        alpha=float(cell["alpha"]),
        power=float(cell["power"]),
        test=cell["test"],
    )
    assert int(size) == int(cell["n"])


@pytest.mark.parametrize("row", range(40))
def test_critical_ranges_equal_scipy_stats(row: int) -> None:
    """scipy.stats.studentized_range.ppf."""
    cell = {key: column[row] for key, column in columns("design_studentised_range.csv").items()}
    ours = critical_range(float(cell["alpha"]), int(cell["m"]), float(cell["df"]))
    assert ours == pytest.approx(float(cell["q"]), rel=2e-6)
