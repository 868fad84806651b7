import re
from xml.etree import ElementTree as ET

import numpy as np

from kaiwa.comparison.figures import caterpillar_svg, heat_map_svg
from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.labelling.estimates import Estimate
from kaiwa.labelling.figures import course_svg
from kaiwa.nouns.matrix import Matrix


def compared(runs: tuple[str, ...], *, measure: str = "nERR@10") -> Leaderboard:
    """A comparison of runs with rising means."""
    rng = np.random.default_rng(1)
    values = rng.random((20, len(runs))) + np.linspace(0, 1, len(runs))
    return compare_runs(Matrix(measure, tuple(map(str, range(20))), runs, values), trials=199, rng=rng)


def texts(svg: str) -> list[str]:
    """The text in a drawing."""
    return [node.text or "" for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314  ours


def test_caterpillar_names_every_run_best_first() -> None:
    """Run names stay text, in any script."""
    shown = texts(caterpillar_svg(compared(("会話-J-R1", "B", "C"))))
    assert [name for name in shown if name in {"会話-J-R1", "B", "C"}] == ["C", "B", "会話-J-R1"]


def test_heat_map_names_every_run_on_both_sides() -> None:
    """Rows and columns."""
    shown = texts(heat_map_svg(compared(("A", "B", "C"))))
    assert sorted(name for name in shown if name in {"A", "B", "C"}) == ["A", "A", "B", "B", "C", "C"]


def test_names_are_shown_not_obeyed() -> None:
    """A run called $x$ is not a formula, and a tag in a name is not markup."""
    shown = texts(caterpillar_svg(compared(("$x_1$", "<b>", "C"), measure="$P$+")))
    assert {"$x_1$", "<b>", "mean $P$+"} <= set(shown)


def test_a_drawing_has_the_same_bytes_every_time() -> None:
    """No date, no random ids."""
    result = compared(("A", "B", "C"))
    assert caterpillar_svg(result) == caterpillar_svg(result)
    assert heat_map_svg(result) == heat_map_svg(result)


def test_agreement_below_zero_is_not_drawn_at_zero() -> None:
    """The axis then begins at -1; an interval of nan, which is unknown, changes nothing."""
    unknown = float("nan")
    points = [(1.0, Estimate(-0.4, unknown, unknown)), (2.0, Estimate(0.0, unknown, unknown))]
    drawn = course_svg(points, name="", axis="", low=0, high=1)
    below, zero = (float(height) for height in re.findall(r'cy="([\d.]+)"', drawn))
    assert below > zero
    assert ">-1<" in drawn
    above = course_svg([(1.0, points[1][1]), points[1]], name="", axis="", low=0, high=1)
    assert ">-" not in above
