"""design and its commands: the command and the function are one door; options that cannot act are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import kaiwa

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS: dict[str, Any] = {"variance": 0.0643, "systems": 10, "min_diff": 0.15}
FEW: dict[str, Any] = {"systems": 3, "min_diff": 0.2}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the scores of one measure, and of two."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    values = [
        rng.normal(0.4, 0.1, (20, 1)) + rng.normal([0.1, 0.05, 0, -0.05], spread, (20, 4)) for spread in (0.1, 0.15)
    ]
    tables = [kaiwa.Scores.from_matrix(name, range(20), "ABCD", one) for name, one in zip("MN", values, strict=True)]
    tables[0].write("one.csv")
    kaiwa.Scores(tables).write("two.csv")
    return tmp_path


@pytest.mark.usefixtures("here")
def test_every_test_of_compare_is_designed_for_under_its_name() -> None:
    """A step-down test as its first step; a name that neither has is refused."""
    found = {
        test: kaiwa.design("one.csv", **FEW, test=test).test
        for test in ("robust", "robust-step-down", "hsd", "step-down", "tukey", "crossed", "one-way-tukey")
    }
    assert found == {
        "robust": "robust",
        "robust-step-down": "robust",
        "hsd": "hsd",
        "step-down": "hsd",
        "tukey": "tukey",
        "crossed": "tukey",
        "one-way-tukey": "one-way-tukey",
    }
    with pytest.raises(kaiwa.InputError, match="unknown test 'hsd-paired'"):
        kaiwa.design("one.csv", **FEW, test="hsd-paired")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({**NUMBERS, "scores": "one.csv"}, "both scores and a variance are given"),
        ({**NUMBERS, "measures": "M"}, "measures= chooses among the measures of scores"),
        ({**NUMBERS, "lower_is_better": "M"}, "need scores"),
        ({**NUMBERS, "correlation": 0.5}, 'add test="two-way"'),
        ({**FEW, "scores": "one.csv", "correlation": 0.5}, "scores have their own correlation"),
        ({**FEW, "scores": "two.csv", "topics": 9}, "are all given|contains 2 measures"),
        ({"scores": "two.csv", "systems": 3, "topics": 40}, "contains 2 measures"),
        ({"scores": "two.csv", "systems": [2, 3], "min_diff": 0.2}, "contains 2 measures"),
        ({**FEW, "scores": "one.csv", "measures": "P+"}, "unknown measure 'P\\+'"),
        ({**FEW, "scores": "one.csv", "lower_is_better": "P+"}, "unknown measure 'P\\+'"),
    ],
)
def test_what_cannot_act_is_refused(options: dict[str, Any], message: str) -> None:
    """In the function, with what works."""
    with pytest.raises(kaiwa.InputError, match=message):
        kaiwa.design(**options)


def test_a_modelled_variance_is_taken_as_known() -> None:
    """The crossed model has no matrices behind its V_E and V_E2."""
    rng = np.random.default_rng(1)
    pilot = kaiwa.Scores.from_matrix("M", range(20), "ABC", rng.random((20, 3)))
    assert kaiwa.design(variance=kaiwa.variance(pilot), **FEW).df is not None
    found = kaiwa.variance(pilot, crossed=True)
    assert found.pilots == ()
    for test, own in (("robust", found.v_e2), ("anova", found.v_e)):
        known = kaiwa.design(variance=found, **FEW, test=test)
        assert (known.df, known.variance) == (None, own)
