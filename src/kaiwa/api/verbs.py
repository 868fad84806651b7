"""The verbs that start from values: score runs, design the next topic set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaiwa.api.nouns import ScoreSet, dressed
from kaiwa.api.results import Design
from kaiwa.compare.variance_components import Variance
from kaiwa.measure.gain_scale import Scale, judge
from kaiwa.measure.scoring import Reading
from kaiwa.measure.scoring import score as score_runs
from kaiwa.model.run import Run
from kaiwa.topicset import design as design_topics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kaiwa.api.bot import Bot
    from kaiwa.model.gains import Gains

OFFICIAL = ("nG@1", "nERR@10", "P+")


def score(
    runs: Run | Iterable[Run],
    gains: Gains,
    measures: Sequence[str] = OFFICIAL,
    *,
    levels: Mapping[int, float] | None = None,
    top: float | None = None,
    condensed: bool = False,
    no_relevant: str = "leave-out",
) -> ScoreSet:
    """The scores of the runs by each measure.

    ``levels`` maps grades to gains, ``top`` declares the scale's highest gain; topics without a relevant item are
    left out, or count 0 with ``no_relevant="zero"``.

    >>> import kaiwa
    >>> gains = kaiwa.Gains.from_lists({"q1": {"a": 2, "b": 1}})
    >>> run = kaiwa.Run.from_lists("R1", {"q1": [("b", 2.0), ("a", 1.0)]})
    >>> kaiwa.score(run, gains, ["nG@1"], levels={1: 1, 2: 3})["nG@1"].means()
    {'R1': 0.3333333333333333}
    """
    scale = Scale(levels=None if levels is None else {float(level): gain for level, gain in levels.items()}, top=top)
    reading = Reading(condensed=condensed, zero=no_relevant == "zero")
    listed = [runs] if isinstance(runs, Run) else runs
    return ScoreSet(score_runs(listed, judge(gains, scale), list(measures), reading=reading).values())


def design(*, variance: float | Variance, **requirement: Any) -> Design:  # Any: the options of kaiwa.topicset.design
    """The topic set that meets a requirement: whichever of n, min_diff, power, systems, alpha is left out is found.

    ``variance`` is V_E, or what ``scores.variance()`` gave.

    >>> import kaiwa
    >>> kaiwa.design(variance=0.0643, systems=10, min_diff=0.15).n
    91
    """
    v_e = variance.v_e if isinstance(variance, Variance) else variance
    return dressed(Design, design_topics(variance=v_e, **requirement))


def open_index(path: Path | str) -> Bot:
    """A conversation system over an index that ``kaiwa index`` made: ``kaiwa.open("index/").reply("Hello", k=10)``."""
    from kaiwa.api.bot import Bot  # needs numba

    return Bot(Path(path))
