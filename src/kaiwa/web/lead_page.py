"""The HTML of the lead's page, from its data."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kaiwa.label.agreement import Estimate
from kaiwa.report.figures.judging_figures import course_svg, interval_svg
from kaiwa.web.pages import about, render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.web.languages import Words

    Data = Mapping[str, Any]  # Any: JSON values

_FEWEST = 2
_NARROWEST = 0.25
"""Levels on each side of 0 that the axis of severity shows at least."""


def lead_page(words: Words, data: Data) -> str:
    """The lead's page: every section drawn here; its script only takes newer copies of them."""
    figures = {
        "history": _course(data["history"], "votes", words("lead.history"), words("lead.history_axis"), (0.0, 1.0)),
        "order": _course(
            data["order"],
            "position",
            words("lead.order_figure"),
            words("lead.order_effect"),
            (0.0, float(len(data["levels"]) - 2)),
        ),
        "severity": _severities(data["by_assessor"], words),
    }
    before, _, after = words("lead.end_at", time="\0", rate=about(data["progress"]["rate"] or 0)).partition("\0")
    return render(
        "lead.html",
        words,
        script="lead.js",
        sheets=["lead.css"],
        sections=("lead",),
        data=data,
        figures=figures,
        end_text=(before, after),
    )


def _course(points: Sequence[Data], place: str, name: str, axis: str, bounds: tuple[float, float]) -> Markup | None:
    shown = [(float(one[place]), _estimate(one)) for one in points if one["value"] is not None]
    if len(shown) < _FEWEST:
        return None
    low, high = bounds
    return Markup(course_svg(shown, name=name, axis=axis, low=low, high=high))  # noqa: S704  its texts are escaped


def _severities(lines: Sequence[Data], words: Words) -> dict[str, Markup]:
    """The severity of each assessor on one axis, with 0 in its middle."""
    found = {one["name"]: _estimate(one["severity"]) for one in lines}
    reach = max([_NARROWEST, *(abs(end) for one in found.values() for end in (one.low, one.high) if not isnan(end))])
    return {
        name: Markup(interval_svg(one, low=-reach, high=reach, name=f"{words('lead.severity')} {name}"))  # noqa: S704
        for name, one in found.items()
    }


def _estimate(one: Data) -> Estimate:
    return Estimate(*(nan if one[name] is None else one[name] for name in ("value", "low", "high")))
