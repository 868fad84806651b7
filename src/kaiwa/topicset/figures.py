"""Power against topics, and the smallest difference found against topics, as SVG text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.show.figures import ACCENT, FAINT, INK, canvas, svg_text
from kaiwa.topicset.requirement import INTERVAL
from kaiwa.topicset.sizes import difference_found
from kaiwa.topicset.tests import power_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.topicset.requirement import Requirement
    from kaiwa.topicset.sizes import Answer


POINTS = 60


def power_curve_svg(design: Answer) -> str:
    """The power curve as SVG."""
    return svg_text(power_figure(design))


def power_figure(design: Answer) -> Figure:
    """The probability of finding the difference for the numbers of topics around the answer."""
    n, power = power_curve(design)
    figure, axes = canvas(5.2, 3.4)
    axes.plot(n, power, color=ACCENT)
    axes.axhline(design.asked.power or 0.8, color=FAINT, linewidth=0.8, linestyle=":")
    axes.plot([design.n], [design.power or 0.0], "o", color=INK)
    axes.set_ylim(0, 1.02)
    _label(axes, "topics", f"power to find {design.min_diff:.3g}", f"{design.n:,} topics, {design.systems} systems")
    return figure


def difference_curve_svg(design: Answer) -> str:
    """The smallest difference found with the required power, for the numbers of topics around the answer."""
    n, difference = difference_curve(design)
    figure, axes = canvas(5.2, 3.4)
    axes.plot(n, difference, color=ACCENT)
    axes.plot([design.n], [np.interp(design.n, n, difference)], "o", color=INK)
    axes.set_ylim(bottom=0)
    goal = f"smallest difference found ({100 * (design.asked.power or 0.8):.3g}% power)"
    _label(axes, "topics", goal, f"{design.systems} systems, alpha {design.alpha:.3g}")
    return svg_text(figure)


def power_curve(design: Answer) -> tuple[FloatArray, FloatArray]:
    """Topics and the power they give."""
    known, n = _curved(design), _around(design.n)
    power = power_of(known.test, known.method, range_ratio=known.range_ratio, df=known.df)(
        n=n,
        systems=np.array(known.systems),
        min_diff=np.array(known.min_diff),
        variance=np.array(known.error_variance),
        alpha=np.array(known.alpha),
    )
    return n, power


def difference_curve(design: Answer) -> tuple[FloatArray, FloatArray]:
    """Topics and the smallest difference they find."""
    known, n = _curved(design), _around(design.n)
    found = difference_found(
        n=n,
        systems=np.array(known.systems),
        variance=np.array(known.error_variance),
        alpha=known.alpha or 0.05,
        power=design.asked.power or 0.8,
        test=known.test,
        method=known.method,
        range_ratio=known.range_ratio,
        df=known.df,
    )
    return n[np.isfinite(found)], found[np.isfinite(found)]


def _curved(design: Answer) -> Requirement:
    if design.test == INTERVAL:
        raise InputError.at("curve", "an interval has no power to draw", f"choose another {option('test')}")
    return design.known


def _around(n: int) -> FloatArray:
    points = np.unique(np.round(np.geomspace(max(2, n / 6), max(12, 3 * n), POINTS)))
    return np.union1d(points, [float(n)])


def _label(axes: Axes, across: str, up: str, title: str) -> None:
    axes.set_xlabel(across, color=INK)
    axes.set_ylabel(up, color=INK, parse_math=False)
    axes.set_title(title, fontsize=10, color=INK, parse_math=False)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
