"""The ranking without each team: the team's unique items are taken as unjudged, one team after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.measure.gain_scale import judge
from kaiwa.measure.scoring import Reading, score
from kaiwa.model.ids import IdTable, codes_of
from kaiwa.model.topic_lists import starts_of
from kaiwa.pool import Pool, team_of, without_team
from kaiwa.stats.kendall import tau_b
from kaiwa.stats.ties import tied_means

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.model.gains import Gains
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.run import Run


@dataclass(frozen=True)
class LeftOut:
    """One team left out of the pool: the items lost, tau with the full ranking, and the largest fall of its runs.

    ``tau`` is None if all runs tie in either ranking.
    """

    team: str
    items_lost: int
    tau: float | None
    largest_fall: int


def leave_teams_out(
    runs: Sequence[Run],
    gains: Gains,
    pool: Pool,
    *,
    depth: int,
    measure: str,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[LeftOut]:
    """The ranking by mean score with each team's unique contributions taken as unjudged."""
    full = _means(runs, gains, measure)
    teams = dict.fromkeys(map(team_of, pool.runs))
    found = []
    for done, team in enumerate(teams):
        on_progress(done, len(teams))
        found.append(_left_out(team, runs, gains, pool, full=full, depth=depth, measure=measure))
    return found


def _left_out(
    team: str, runs: Sequence[Run], gains: Gains, pool: Pool, *, full: FloatArray, depth: int, measure: str
) -> LeftOut:
    lost = pool.taken(~without_team(pool, team, depth=depth))
    fewer = without_items(gains, lost)
    means = _means(runs, fewer, measure)
    own = np.array([team_of(run.name) == team for run in runs])
    falls = _ranks(means)[own] - _ranks(full)[own]
    tau = tau_b(full, means) if np.ptp(full) and np.ptp(means) else None
    return LeftOut(team, len(gains) - len(fewer), tau, int(max(falls.max(initial=0), 0)))


def without_items(gains: Gains, lost: Pool) -> Gains:
    """The gains without the judgements of these items; the topics stay.

    On a topic without any judgement left, all runs score 0.
    """
    topic = codes_of(lost.topics, gains.topics)[lost.topic]
    dropped = IdTable(topic, lost.comments).find(gains.codes(), gains.comments) >= 0
    sizes = np.bincount(gains.codes()[~dropped], minlength=len(gains.topics))
    return replace(
        gains,
        starts=starts_of(sizes.tolist()),
        comments=gains.comments[~dropped],
        gains=gains.gains[~dropped],
        lines=None if gains.lines is None else gains.lines[~dropped],
    )


def _means(runs: Sequence[Run], gains: Gains, measure: str) -> FloatArray:
    if not (gains.gains > 0).any():
        return np.zeros(len(runs))
    scores = score(runs, judge(gains), [measure], reading=Reading(zero=True))
    return tied_means(next(iter(scores.values())).values)


def _ranks(means: FloatArray) -> IntArray:
    """The rank of each run by mean score; equal means share the better rank."""
    ranks: IntArray = (means[None, :] > means[:, None]).sum(axis=1)
    return ranks
