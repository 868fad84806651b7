"""The effect of pool depth and of the number of assessors on the variance of scores, from runs and judgements."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import comb, log
from statistics import fmean
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.labelling.gains import votes_of_fewer, votes_of_fewer_people
from kaiwa.measures.judgements import Scale, judge
from kaiwa.measures.scoring import score
from kaiwa.nouns.qrels import Qrels
from kaiwa.stats.anova import two_way_anova, within_run_variance
from kaiwa.stats.kendall import tau_b
from kaiwa.stats.p_values import tied_means
from kaiwa.topicset.budget import Labelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from kaiwa.labelling.gains import VotedGains
    from kaiwa.nouns.ids import IntArray
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.run import Run


Panels = dict[int, list[Qrels]]
"""By the number of assessors per item, the gains of panels of that size."""
DRAWN_PANELS = 20


def drawn_panels(made: VotedGains, assessors: Sequence[int], *, rng: np.random.Generator) -> Panels:
    """The gains of panels drawn from the votes, by person if the assessors are known; the largest has all votes."""
    most = int(made.counts.sum(axis=1).max())
    panels: Panels = {}
    for people in sorted({*assessors, most}):
        drawn = [_fewer(made, people, rng) for _ in range(DRAWN_PANELS)] if people < most else [made.counts]
        panels[people] = [replace(made.gains, gains=made.how.gain(counts)) for counts in drawn]
    return panels


def _fewer(made: VotedGains, people: int, rng: np.random.Generator) -> IntArray:
    if made.votes.anonymous:
        return votes_of_fewer(made.counts, people, rng=rng)
    return votes_of_fewer_people(made.votes, people, rng=rng)


def measured_labellings(
    runs: Sequence[Run],
    panels: Panels,
    *,
    measure: str,
    depths: Sequence[int],
    seconds: float,
    shared_topics: bool,
    pooled: int,
    by_panel: bool,
) -> list[Labelling]:
    """Ways of judging with their pool sizes and variances, from these runs and judgements.

    At each depth only items that are in a pool of that depth keep their gain; the runs are scored on those.
    tau is with the order of the runs under the deepest pools and the largest panel. Pool sizes are those of
    ``pooled`` runs like these; ``by_panel`` says whether the panels of different sizes were drawn from votes.
    """
    scored = {
        (depth, people): [_scores(runs, judged_to_depth(runs, gains, depth), measure) for gains in panel]
        for depth in sorted(set(depths))
        for people, panel in panels.items()
    }
    best = tied_means(scored[max(scored)][0].values)
    ways = []
    for (depth, people), tables in scored.items():
        variance = fmean(_variance(table, shared_topics) for table in tables)
        agreement = fmean(tau_b(tied_means(table.values), best) for table in tables)
        items = measured_pool(runs, depth=depth, pooled=pooled)
        ways.append(Labelling(depth, items, people, seconds, variance, agreement, by_panel))
    return ways


def measured_pool(runs: Sequence[Run], *, depth: int, pooled: int) -> float:
    """The mean items of a topic's pool when ``pooled`` runs like these are pooled.

    Of fewer runs it is the mean over all choices of them; of more, the growth from half of the runs to all goes on.
    """
    by_topic: dict[str, Counter[str]] = {}
    for run in runs:
        for topic in run.topics:
            by_topic.setdefault(topic, Counter()).update(run.comments_of(topic)[:depth])
    shared = Counter(times for found in by_topic.values() for times in found.values())

    def size(few: int) -> float:
        missed = {times: comb(len(runs) - times, few) / comb(len(runs), few) for times in shared}
        return sum(items * (1 - missed[times]) for times, items in shared.items()) / len(by_topic)

    if pooled <= len(runs):
        return size(pooled)
    half = max(1, len(runs) // 2)
    growth = log(size(len(runs)) / size(half)) / log(len(runs) / half) if half < len(runs) else 1.0
    return float(size(len(runs)) * (pooled / len(runs)) ** growth)


def judged_to_depth(runs: Sequence[Run], gains: Qrels, depth: int) -> Qrels:
    """The judgements of the items in pools of this depth; a topic without a relevant one is left out."""
    kept: dict[str, dict[str, float]] = {}
    for topic in gains.topics:
        seen = {comment for run in runs if topic in run.topics for comment in run.comments_of(topic)[:depth]}
        judged = {comment: gain for comment, gain in gains.of(topic).items() if comment in seen}
        if any(judged.values()):
            kept[topic] = judged
    if not kept:
        raise InputError.at("depth", f"at depth {depth} no topic has a relevant item", "give deeper pools")
    return Qrels.from_lists(kept, top=gains.top)


def _scores(runs: Sequence[Run], gains: Qrels, measure: str) -> Matrix:
    return score(runs, judge(gains, Scale()), [measure]).matrix()


def _variance(table: Matrix, shared_topics: bool) -> float:  # noqa: FBT001  a property of the design
    value = two_way_anova(table.values).v_e2 if shared_topics else within_run_variance(table.values)
    if not value:
        raise InputError("the runs' scores do not vary; give runs that differ")
    return value
