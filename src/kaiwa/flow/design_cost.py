"""What pool depth does to a score's variance, measured on runs and judgements at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.compare.anova import two_way_anova, within_run_variance
from kaiwa.compare.tau import tau_b
from kaiwa.errors import InputError
from kaiwa.files.qrels import read_qrels
from kaiwa.files.runs import read_runs
from kaiwa.measure.scale import Scale, judge
from kaiwa.measure.score import score
from kaiwa.model import Gains
from kaiwa.pool.depth import depth_pool
from kaiwa.topicset.budget import Labelling, pool_items

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.model import Run, Scores


def assumed_labellings(
    depths: Sequence[int], *, runs: int, overlap: float, assessors: int, seconds: float, variance: float
) -> list[Labelling]:
    """Ways of judging when nothing is known about depth: the pool grows by the overlap, the variance stays."""
    return [Labelling(depth, pool_items(depth, runs, overlap), assessors, seconds, variance) for depth in depths]


def measured_labellings(
    run_files: Sequence[Path],
    qrels: Path,
    *,
    measure: str,
    depths: Sequence[int],
    assessors: int,
    seconds: float,
    shared_topics: bool,
) -> list[Labelling]:
    """Ways of judging with pool sizes and variances as these runs and judgements show them.

    At each depth only items that a pool of that depth would hold keep their gain; the runs are scored on those.
    """
    runs, gains = read_runs(list(run_files)), read_qrels(qrels)
    scored = {depth: _scores(runs, judged_to_depth(runs, gains, depth), measure) for depth in sorted(set(depths))}
    deepest = scored[max(scored)].values.mean(axis=0)
    ways = []
    for depth, table in scored.items():
        pooled = depth_pool(runs, depth=depth)
        items = len(pooled.comments) / len(pooled.topics)
        agreement = tau_b(table.values.mean(axis=0), deepest)
        ways.append(Labelling(depth, items, assessors, seconds, _variance(table, shared_topics), agreement))
    return ways


def judged_to_depth(runs: Sequence[Run], gains: Gains, depth: int) -> Gains:
    """The judgements that pools of this depth would have led to; a topic left without any is left out."""
    kept: dict[str, dict[str, float]] = {}
    for topic in gains.topics:
        seen = {comment for run in runs if topic in run.topics for comment in run.comments_of(topic)[:depth]}
        judged = {comment: gain for comment, gain in gains.of(topic).items() if comment in seen}
        if any(judged.values()):
            kept[topic] = judged
    if not kept:
        raise InputError.at("pool-depth", f"at depth {depth} no topic has a relevant item", "give deeper pools")
    return Gains.from_lists(kept, top=gains.top)


def _scores(runs: Sequence[Run], gains: Gains, measure: str) -> Scores:
    return next(iter(score(runs, judge(gains, Scale()), [measure]).values()))


def _variance(table: Scores, shared_topics: bool) -> float:  # noqa: FBT001  a property of the design
    value = two_way_anova(table.values).v_e2 if shared_topics else within_run_variance(table.values)
    if not value:
        raise InputError("the runs' scores do not vary; give runs that differ")
    return value
