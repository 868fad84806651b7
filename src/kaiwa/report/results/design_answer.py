"""A topic set design as text: the answer, its assumptions, nearby designs, and a paragraph for a paper.

``topic`` is the word for a topic: in LLM evaluations it is a sample or a prompt.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kaiwa.errors import option
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from kaiwa.topicset import Design

NEARLY_SURE = 0.9995
NORMAL_WHEN = "safe for dozens of {topic}s; for discrete or skewed measures check with"
VARIANCE_WORDS = {
    "V_E": "score variance within a system (V_E)",
    "V_E2": "residual variance after systems and {topic}s (V_E2)",
    "differences": "variance of the per-{topic} differences",
}


def answer_text(design: Design, *, pilot: str | None = None, topic: str = "topic") -> str:
    """The whole answer as text; ``pilot`` comes after the first sentence."""
    shown = [pilot] if pilot else []
    detail = [_assumptions(design, topic), _alternatives(design, topic), paragraph(design, topic=topic)]
    return "\n\n".join([headline(design, topic=topic), *shown, *_published(design, topic), *detail])


def design_fields(design: Design) -> dict[str, Any]:  # Any: JSON values
    """The answer as JSON fields; ``n``, ``power``, ``method`` and ``alternatives`` are stable for scripts."""
    return {
        "n": design.n,
        "power": design.power,
        "method": design.method,
        "test": design.test,
        "solved": design.solved,
        "systems": design.systems,
        "min_diff": design.min_diff,
        "alpha": design.alpha,
        "variance": design.variance,
        "error_variance": design.asked.error_variance,
        "range_ratio": design.asked.range_ratio,
        "exact_n": design.exact_n,
        "exact_power": design.exact_power,
        "midway_power": design.midway_power,
        "published_n": design.published_n,
        "width": design.width,
        "alternatives": [asdict(near) for near in design.alternatives],
    }


def headline(design: Design, *, topic: str = "topic") -> str:
    """The answer in one sentence, starting with the quantity that was solved for."""
    if design.width is not None:
        return _interval_headline(design, topic)
    probability, difference = f"{percent(design.power)}", f"{design.min_diff:.4g}"
    lead = {
        "n": f"{verb_for(topic)} {design.n:,} {topic}s",
        "power": f"The power is {probability}",
        "min_diff": f"The smallest difference found is {difference}",
        "systems": f"Compare up to {design.systems:,} systems",
        "alpha": f"Test at alpha {design.alpha:.4g}",
    }[design.solved]
    compared = "two systems" if design.systems == 2 else f"the best and the worst of {design.systems:,} systems"  # noqa: PLR2004
    promise = design.asked.kind.promise.format(topic=topic)
    return (
        f"{lead}: with {design.n:,} {topic}s {promise} with a probability of {probability} "
        f"if {compared} truly differ by {difference} (alpha {design.alpha:.4g})."
    )


def _interval_headline(design: Design, topic: str) -> str:
    lead = (
        f"{verb_for(topic)} {design.n:,} {topic}s"
        if design.solved == "n"
        else f"The interval is {design.width:.4g} wide"
    )
    if design.solved == "alpha":
        lead = f"Use a {percent(1 - design.alpha)} interval"
    return (
        f"{lead}: with {design.n:,} {topic}s the {percent(1 - design.alpha)} confidence interval on a difference "
        f"of two systems is expected to be {design.width:.4g} wide."
    )


def _published(design: Design, topic: str) -> list[str]:
    if design.published_n is None or design.exact_n is None:
        return []
    if design.published_n == design.exact_n:
        return [f"The published tables give {design.published_n:,} as well."]
    more = design.exact_n > design.published_n
    why = "fewer" if more else "more"
    verdict = (
        f"The published tables give {design.published_n:,}, exact computation {design.exact_n:,}: the tables "
        f"use a normal approximation with a sign error, which gives {why} {topic}s than the required power needs."
    )
    return [verdict]


def _assumptions(design: Design, topic: str) -> str:
    kind = design.asked.kind
    variance = VARIANCE_WORDS[kind.error].format(topic=topic)
    lines = [
        f"{variance} {design.asked.error_variance:.4g}, {_alike(design)}",
        f"mean scores approximately normal: {NORMAL_WHEN.format(topic=topic)} {option('simulate')}",
    ]
    if kind.others and design.systems > 2:  # noqa: PLR2004  two systems have no others
        midway = design.midway_power
        lines.append(kind.others + (f"; with the others midway the power is {percent(midway)}" if midway else ""))
    if design.asked.correlation:
        lines.append(f"the correlation of two systems' scores on a {topic} is {design.asked.correlation:g}")
    if not kind.shares_topics:
        other = f"{option('test', 'robust')} or {option('pilots', 'SCORES')}"
        lines.append(f"{topic}s are not treated as shared; if all systems answer the same {topic}s, use {other}")
    return "It assumes\n" + "\n".join(f"  - {line}" for line in lines)


def _alike(design: Design) -> str:
    """Whether the systems are taken to vary alike."""
    ratio = design.asked.range_ratio
    if ratio > 1:
        return f"the mean of the systems, whose critical difference is {ratio:.3g} times that of equal ones"
    return "the same for every system"


def _alternatives(design: Design, topic: str) -> str:
    if design.width is not None:
        widths = [(near.n, near.min_diff) for near in design.alternatives]
        return "Nearby\n" + table([f"{topic}s", "expected width"], widths)
    goal = percent(design.asked.power or 0.8)
    rows = [(near.n, near.power, near.min_diff) for near in design.alternatives]
    return "Nearby\n" + table([f"{topic}s", "power", f"smallest difference at {goal}"], rows)


def paragraph(design: Design, *, topic: str = "topic") -> str:
    """A paragraph for the organisers' overview paper."""
    if design.width is not None:
        claim = (
            f"so that the expected width of the {percent(1 - design.alpha)} confidence interval for the difference "
            f"between two systems is {design.width:.3g}"
        )
    else:
        promise = design.asked.kind.promise.format(topic=topic)
        claim = (
            f"so that {promise} with {percent(design.exact_power)} power (alpha = "
            f"{design.alpha:.3g}) when {design.systems:,} systems are compared and the best and worst differ by "
            f"{design.min_diff:.3g}"
        )
    how = "noncentral distributions" if design.method == "exact" else "the approximation of Sakai (2015)"
    size = "topic set size" if topic == "topic" else f"number of {topic}s"
    return (
        "For the overview paper\n"
        f'  "The {size} of n = {design.n:,} was chosen {claim}. It was computed with {how} from '
        f'{_variance_named(design, topic)}, using Kaiwa."'
    )


def _variance_named(design: Design, topic: str) -> str:
    words = VARIANCE_WORDS[design.asked.kind.error].format(topic=topic)
    return f"the {words}, {design.asked.error_variance:.4g}"


def verb_for(topic: str) -> str:
    """What is done to get topics; samples of an LLM evaluation are mostly there already.

    >>> verb_for("topic"), verb_for("sample")
    ('Create', 'Use')
    """
    return "Use" if topic == "sample" else "Create"


def percent(probability: float | None) -> str:
    """A probability as a percentage: 80% or 80.4%."""
    if probability is not None and probability > NEARLY_SURE:
        return ">99.9%"
    shown = f"{100 * (probability or 0.0):.1f}"
    return f"{shown.removesuffix('.0')}%"
