"""What pool depth does to a score's variance, measured on runs and judgements at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.components import pooled_variance
from kaiwa.design.budget import Labelling, pool_items
from kaiwa.errors import InputError
from kaiwa.files.qrels import read_qrels
from kaiwa.files.runs import read_runs
from kaiwa.measure.scale import Scale, judge
from kaiwa.measure.score import score
from kaiwa.model import Gains
from kaiwa.pool.depth import depth_pool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.model import Run


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
    ways = []
    for depth in depths:
        pooled = depth_pool(runs, depth=depth)
        variance = _variance(runs, judged_to_depth(runs, gains, depth), measure, shared_topics=shared_topics)
        ways.append(Labelling(depth, len(pooled.comments) / len(pooled.topics), assessors, seconds, variance))
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


def _variance(runs: Sequence[Run], gains: Gains, measure: str, *, shared_topics: bool) -> float:
    scored = score(runs, judge(gains, Scale()), [measure])
    found = pooled_variance([next(iter(scored.values())).values], trials=100, rng=np.random.default_rng(1))
    value = found.v_e2 if shared_topics else found.v_e
    if not value:
        raise InputError("the runs' scores do not vary; give runs that differ")
    return value
