"""The table of sizes: its grid, and each cell as the design for that cell."""

from __future__ import annotations

import pytest

from kaiwa.errors import InputError
from kaiwa.topicset.requirement import Requirement
from kaiwa.topicset.sizes import answer_to, size_table


def test_the_grid_is_that_of_the_papers() -> None:
    """2 to 100 systems and differences of .05 to .20 (Sakai 2016), one row per difference."""
    found = size_table(Requirement(0.0643))
    assert found.systems == (2, 5, 10, 50, 100)
    assert found.min_diffs == (0.05, 0.1, 0.15, 0.2)
    assert [len(row) for row in found.sizes] == [5] * 4
    assert (found.asked.alpha, found.asked.power) == (0.05, 0.8)


@pytest.mark.parametrize(("test", "correlation"), [("anova", 0.0), ("two-way", 0.5), ("one-way-tukey", 0.0)])
def test_every_cell_is_the_design_for_its_systems_and_difference(test: str, correlation: float) -> None:
    """Also at another level and power, and for topics that are shared."""
    asked = Requirement(0.06, alpha=0.01, power=0.9, test=test, correlation=correlation)
    found = size_table(asked, systems=(3, 20), min_diffs=(0.1, 0.25))
    for min_diff, row in zip(found.min_diffs, found.sizes, strict=True):
        for systems, n in zip(found.systems, row, strict=True):
            cell = answer_to(
                variance=0.06,
                systems=systems,
                min_diff=min_diff,
                alpha=0.01,
                power=0.9,
                test=test,
                correlation=correlation,
            )
            assert n == cell.n


def test_a_size_above_a_thousand_million_is_left_out_and_a_bad_cell_is_refused() -> None:
    """None in the table; a single system has no difference."""
    assert size_table(Requirement(0.06), systems=(2,), min_diffs=(1e-6, 0.1)).sizes[0] == (None,)
    with pytest.raises(InputError, match="systems: 1 is not a whole number"):
        size_table(Requirement(0.06), systems=(2, 1), min_diffs=(0.1,))


def test_a_table_may_have_one_cell() -> None:
    """Sakai 2015: 10 systems and a difference of .15."""
    assert size_table(Requirement(0.0643), systems=(10,), min_diffs=(0.15,)).sizes == ((91,),)
