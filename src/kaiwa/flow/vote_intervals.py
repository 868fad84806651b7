"""Intervals of run files' scores over panels of assessors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.formats.readers import read_runs
from kaiwa.measure.chosen_measure import choose
from kaiwa.measure.judgements import Answers
from kaiwa.measure.vote_resampling import VoteIntervals, vote_intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.measure.scoring import Reading
    from kaiwa.studies.judging import Judged


def vote_intervals_of_files(
    paths: Sequence[Path],
    judged: Judged,
    measures: Sequence[str],
    *,
    reading: Reading,
    order: str | None,
    seed: int,
    samples: int,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> VoteIntervals:
    """95% intervals of the runs' mean scores over other panels of assessors."""
    if judged.weighing is None:
        what = f"{option('uncertainty', 'votes')} resamples votes, but qrels hold none"
        raise InputError(f"{what}; give the votes with {option('votes')}")
    judgements = judged.judgements
    answers = Answers.of(read_runs(paths, order=order), judgements.table, len(judgements.gains.topics))
    return vote_intervals(
        answers,
        judgements,
        [choose(name) for name in measures],
        reading,
        gain=judged.weighing.gain,
        rng=np.random.default_rng(seed),
        samples=samples,
        on_progress=on_progress,
    )
