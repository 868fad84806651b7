"""Small drawings of the lead's page as SVG text: an interval in a table row, estimates along an axis.

Colours come from the page's style sheet by class, so that dark and forced colours hold; no style attribute is used,
which the page's policy refuses.
"""

from __future__ import annotations

from html import escape
from math import isnan
from typing import TYPE_CHECKING

from kaiwa.show.text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.labelling.estimates import Estimate


_ROW_WIDTH, _ROW_HEIGHT = 100, 18
_WIDTH, _HEIGHT = 400, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 10, 12, 34
_TICKS = 4


def interval_svg(estimate: Estimate, *, low: float, high: float, name: str) -> str:
    """An estimate with its interval on an axis from ``low`` to ``high``; 0 has a line if it is inside.

    >>> from kaiwa.labelling.estimates import Estimate
    >>> interval_svg(Estimate(0.0, -1.0, 1.0), low=-2, high=2, name="ann").count("<line")
    2
    """

    def across(value: float) -> str:
        inside = min(max(value, low), high)
        return f"{4 + (_ROW_WIDTH - 8) * (inside - low) / (high - low):.1f}"

    middle = _ROW_HEIGHT // 2
    zero = (
        f'<line class="zero" x1="{across(0)}" x2="{across(0)}" y1="1" y2="{_ROW_HEIGHT - 1}"/>'
        if low < 0 < high
        else ""
    )
    span = "" if isnan(estimate.low) else _line("span", across(estimate.low), middle, across(estimate.high), middle)
    dot = "" if isnan(estimate.value) else f'<circle class="dot" cx="{across(estimate.value)}" cy="{middle}" r="4"/>'
    size = f'width="{_ROW_WIDTH}" height="{_ROW_HEIGHT}" viewBox="0 0 {_ROW_WIDTH} {_ROW_HEIGHT}"'
    return f'<svg class="interval" role="img" aria-label="{escape(visible(name))}" {size}>{zero}{span}{dot}</svg>'


def course_svg(points: Sequence[tuple[float, Estimate]], *, name: str, axis: str, low: float, high: float) -> str:
    """Estimates with their intervals along an axis, joined by a line; the vertical axis runs from ``low`` to ``high``.

    If an estimate or its interval is below ``low``, as agreement can be, the axis begins at minus ``high``.

    >>> from kaiwa.labelling.estimates import Estimate
    >>> course_svg([(10, Estimate(0.5, 0.3, 0.7)), (20, Estimate(0.6, 0.5, 0.7))], name="", axis="", low=0, high=1)[:4]
    '<svg'
    """
    first, last = points[0][0], points[-1][0]
    low = -high if any(end < low for _, one in points for end in (one.value, one.low)) else low
    across = _WIDTH - _LEFT - _RIGHT
    up = _HEIGHT - _TOP - _BOTTOM

    def x(place: float) -> float:
        return _LEFT + 8 + (across - 16) * ((place - first) / (last - first) if last > first else 0.5)

    def y(value: float) -> float:
        return _TOP + up * (1 - (min(max(value, low), high) - low) / (high - low))

    ticks = [low + (high - low) * part / _TICKS for part in range(_TICKS + 1)]
    parts = [
        _line("grid", _LEFT, y(tick), _WIDTH - _RIGHT, y(tick))
        + f'<text x="{_LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.2g}</text>'
        for tick in ticks
    ]
    anchors = {points[len(points) // 2][0]: "middle", points[0][0]: "middle", points[-1][0]: "end"}
    parts += [
        f'<text x="{x(place) + (8 if anchor == "end" else 0):.1f}" y="{_HEIGHT - _BOTTOM + 16}"'
        f' text-anchor="{anchor}">{place:,.0f}</text>'
        for place, anchor in sorted(anchors.items())
    ]
    parts.append(
        f'<text x="{_LEFT + across / 2}" y="{_HEIGHT - 3}" text-anchor="middle">{escape(visible(axis))}</text>'
    )
    path = " ".join(f"{x(place):.1f},{y(one.value):.1f}" for place, one in points)
    parts.append(f'<polyline class="course" points="{path}"/>')
    for place, one in points:
        if not isnan(one.low):
            parts.append(_line("span", x(place), y(one.low), x(place), y(one.high)))
        parts.append(f'<circle class="dot" cx="{x(place):.1f}" cy="{y(one.value):.1f}" r="4"/>')
    named = f'class="course-figure" role="img" aria-label="{escape(visible(name))}"'
    return f'<svg {named} viewBox="0 0 {_WIDTH} {_HEIGHT}">{"".join(parts)}</svg>'


def _line(kind: str, x1: float | str, y1: float, x2: float | str, y2: float) -> str:
    ends = (one if isinstance(one, str) else f"{one:.1f}" for one in (x1, y1, x2, y2))
    return '<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>'.format(kind, *ends)
