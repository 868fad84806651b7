"""kaiwa.toml: defaults, and refusals that name the setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]


def test_a_setting_left_out_keeps_its_default(made: Made) -> None:
    """A whole number does for a real one."""
    folder = made(
        "kaiwa.toml", '[comparing]\nalpha = 1e-2\n[design]\nmin_diff = 1\n[scoring]\nmeasures = ["AP"]\n'
    ).parent
    settings = read_task(folder).settings
    assert (settings.alpha, settings.min_diff, settings.measures, settings.trials) == (0.01, 1.0, ("AP",), 5000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[comparing]\nalfa = 0.05\n", r"\[comparing\] unknown setting 'alfa'; did you mean 'alpha'"),
        ("[compare]\n", "unknown section 'compare'; did you mean 'comparing'"),
        ('[comparing]\nalpha = "small"\n', "alpha = 'small'; write a number"),
        ("[comparing]\ntrials = 1.5\n", "trials = 1.5; write a whole number"),
        ("[comparing]\ntrials = true\n", "trials = True; write a whole number"),
        ("[scoring]\nmeasures = []\n", "write a list of texts"),
        ("[comparing]\nalpha = 5\n", "alpha = 5.0; write a number between 0 and 1"),
        ("[judging]\ndepth = 0\n", "depth = 0; write a whole number from 1"),
        ("[comparing]\nmargin = 0\n", "margin = 0.0; write a number above 0"),
        ("[design]\nmin_diff = 0\n", "min_diff = 0.0; write a number above 0"),
        ("[design]\nsystems = 1\n", "systems = 1; write a whole number from 2"),
        ('[judging]\nscheme = "men"\n', "kaiwa.toml: unknown scheme 'men'; did you mean 'mean'"),
        ('[task]\nlanguages = ["de"]\n', 'write some of "zh", "ja", "en"'),
        ("title = 3\n", "unknown section 'title'"),
        ("[task\n", "is not TOML"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(made: Made, text: str, message: str) -> None:
    """Every refusal says what to write."""
    with pytest.raises(InputError, match=message):
        read_task(made("kaiwa.toml", text).parent)
