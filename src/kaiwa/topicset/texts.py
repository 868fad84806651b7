"""The sentences of a topic set design: the answer, its assumptions, what a pilot leaves uncertain, a paragraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import counted, option
from kaiwa.show.result import Table
from kaiwa.topicset.power_functions import ENOUGH_RUNS, ENOUGH_TOPICS

if TYPE_CHECKING:
    from kaiwa.show.text import Cell
    from kaiwa.topicset.pilots import PilotDesign
    from kaiwa.topicset.sizes import Answer

NEARLY_SURE = 0.9995
VARIANCE_WORDS = {
    "V_E": "score variance within a system (V_E)",
    "V_E2": "residual variance after systems and {topic}s (V_E2)",
    "differences": "variance of the per-{topic} differences",
}


def headline(design: Answer, *, topic: str = "topic") -> str:
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
        f"if {compared} truly differ by {difference} (alpha {design.alpha:.4g}{_averaged(design)})."
    )


def _averaged(design: Answer) -> str:
    return "" if design.asked.df is None else "; averaged over what the pilot leaves uncertain about the variance"


def _interval_headline(design: Answer, topic: str) -> str:
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


def answer_notes(design: Answer, *, topic: str = "topic") -> list[str]:
    """What the answer takes for granted, and what it would be if the variance of a pilot were known exactly."""
    return [*design.notes, *_plug_in(design, topic)]


def _plug_in(design: Answer, topic: str) -> list[str]:
    if design.plug_in_power is None or design.plug_in_n is None:
        return []
    line = (
        f"{design.n:,} is the assured number of {topic}s: it counts what the pilot leaves uncertain about the "
        "variance. The plug-in number, which takes the pilot's variance for the true one, is "
        f"{design.plug_in_n:,}; its power is {percent(design.plug_in_power)} on average."
    )
    return [line]


def published_note(design: Answer, *, topic: str = "topic") -> list[str]:
    """How the published tables differ from exact computation; nothing if there are none for the test."""
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


def assumptions(design: Answer, *, topic: str = "topic") -> list[str]:
    """What the power depends on, a line each."""
    kind = design.asked.kind
    variance = VARIANCE_WORDS[kind.error].format(topic=topic)
    lines = [
        f"{variance} {design.asked.error_variance:.4g}, {_alike(design)}",
        (
            f"mean scores approximately normal: safe for dozens of {topic}s; for discrete or skewed measures simulate "
            "(design simulate)"
        ),
    ]
    if kind.others and design.systems > 2:  # noqa: PLR2004  two systems have no others
        midway = design.midway_power
        lines.append(kind.others + (f"; with the others midway the power is {percent(midway)}" if midway else ""))
    if design.asked.correlation:
        lines.append(f"the correlation of two systems' scores on a {topic} is {design.asked.correlation:g}")
    if not kind.shares_topics:
        other = f"use {option('test', 'robust')}, or give scores"
        lines.append(f"{topic}s are not treated as shared; if all systems answer the same {topic}s, {other}")
    return [f"It assumes: {line}." for line in lines]


def _alike(design: Answer) -> str:
    """Whether the systems are taken to vary alike."""
    ratio = design.asked.range_ratio
    if ratio > 1:
        return f"the mean of the systems, whose critical difference is {ratio:.3g} times that of equal ones"
    return "the same for every system"


def paragraph(design: Answer, *, topic: str = "topic") -> str:
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
        f"The {size} of n = {design.n:,} was chosen {claim}. It was computed with {how} from "
        f"{_variance_named(design, topic)}{_uncertain(design)}, using Kaiwa."
    )


def _variance_named(design: Answer, topic: str) -> str:
    words = VARIANCE_WORDS[design.asked.kind.error].format(topic=topic)
    return f"the {words}, {design.asked.error_variance:.4g}"


def _uncertain(design: Answer) -> str:
    """How well the variance is known, for the paper."""
    if design.asked.df is None:
        return ""
    return f", and averaged over its uncertainty ({design.asked.df:.3g} degrees of freedom)"


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


# What a pilot says.


def side_table(found: PilotDesign) -> Table:
    """The design from the scores as they are and from std-AB scores, each with its limits."""
    solved = found.answer.solved
    whole = solved in {"n", "systems"}
    rows: list[list[Cell]] = []
    printed: list[list[Cell]] = []
    for side in found.sides:
        answer = side.design
        plug_in = answer.plug_in_n if answer else None
        numbers = [answer.n, plug_in, answer.power, answer.min_diff] if answer else [None] * 4
        rows.append([side.scores, side.variance, *numbers, side.low, side.high])
        value = getattr(answer, solved) if answer else None
        ends = [None if end is None else int(end) if whole else end for end in (side.low, side.high)]
        printed.append([side.scores, side.variance, value, *([plug_in] if solved == "n" else []), *ends])
    plug_in_head = ["plug-in n"] if solved == "n" else []
    header = ["scores", found.answer.asked.kind.error, solved, *plug_in_head, "low", "high"]
    columns = ["scores", "variance", "n", "plug_in_n", "power", "min_diff", "low", "high"]
    return Table("scores", columns, rows, header, printed)


def pilot_notes(found: PilotDesign) -> list[str]:
    """The pilot's size, what it leaves uncertain, and the answer of one-way ANOVA."""
    topic, run = found.pilot.axes
    lines = [
        *pilot_warnings(found),
        f"Scores: {found.pilot.label}, {counted(found.topics, topic)}, {counted(found.runs, run)}.",
        (
            f"low and high: the plug-in answer at the 95% limits of the variance, if other {topic}s and {run}s had "
            f"been drawn. "
            f"A std-AB difference is in std-AB units: 0.15 is one standard deviation of the {run}s on a {topic}."
        ),
        *_range_ratio(found, run),
    ]
    lines += [f"std-AB: {side.refusal}" for side in found.sides if side.refusal]
    if found.worst_case:
        lines.append(
            f"By the bound on their variance, std-AB scores of {run}s that vary alike need at most "
            f"{found.worst_case.n:,} {topic}s, whatever the scores."
        )
    return [*lines, *_one_way(found, topic)]


def pilot_warnings(found: PilotDesign) -> list[str]:
    """One line if the pilot is small, and what the answer makes of it."""
    if not found.small:
        return []
    topic, run = found.pilot.axes
    size = f"{counted(found.topics, topic)} and {counted(found.runs, run)}"
    enough = f"{ENOUGH_TOPICS} {topic}s and {ENOUGH_RUNS} {run}s are enough"
    counts = "" if found.answer.asked.df is None else "; the answer counts this"
    return [f"Warning: {size} say little about the variance ({enough}){counts}."]


def _range_ratio(found: PilotDesign, run: str) -> list[str]:
    """How much more a difference must be among runs that do not vary alike."""
    ratio = found.answer.asked.range_ratio
    if ratio <= 1:
        return []
    return [f"The {run}s do not vary alike: the critical difference is {ratio:.3f} times that of equal {run}s."]


def _one_way(found: PilotDesign, topic: str) -> list[str]:
    """The answer of the published tables, for comparison with printed numbers."""
    one = found.one_way
    if one is None:
        return []
    value = {
        "n": f"{one.n:,} {topic}s",
        "power": f"a power of {percent(one.power)}",
        "min_diff": f"a difference of {one.min_diff:.4g}",
        "systems": f"{one.systems:,} systems",
        "alpha": f"alpha {one.alpha:.4g}",
    }[one.solved]
    source = f"from V_E {one.variance:.4g}, which includes the difficulty of {topic}s"
    return [f"One-way ANOVA, the test of the published tables, gives {value} {source}."]
