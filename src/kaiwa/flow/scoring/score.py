"""Score run files against qrels, votes, or qrels by intent: read one run, score it, drop it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.formats.readers import each_run, read_chances, read_grouped_qrels, read_qrels, read_runs, votes_with_top
from kaiwa.formats.scores.score_tables import write_matrix, write_scores
from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT
from kaiwa.measure.chosen_measure import choose
from kaiwa.measure.judgements import Answers
from kaiwa.measure.scoring import Reading, RunScores, Scored, gather, in_portions, score_together
from kaiwa.measure.vote_resampling import VoteIntervals, vote_intervals
from kaiwa.studies.judging import Judged, judged_gains, judged_intents, judged_votes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.measure.gain_scale import Scale
    from kaiwa.measure.judgements import Judgements
    from kaiwa.model.run import Run

OFFICIAL = ("nG@1", "nERR@10", "P+")
"""The measures of the STC overview, in its order."""
_BLOCK_ROWS = 64


def judgements_from(
    qrels: Path | None,
    votes: Path | None,
    intents: Path | None,
    *,
    scale: Scale,
    chances: Path | None = None,
    scheme: str = "mean",
    p: float = UNANIMITY_WEIGHT,
    votes_top: int | None = None,
) -> Judged:
    """Judgements from the one source that was given; ``votes_top`` is the highest level of the votes."""
    given = [source for source in (qrels, votes, intents) if source is not None]
    if len(given) != 1:
        sources = f"{option('qrels')}, {option('votes')} or {option('intents')}"
        raise InputError(f"runs are scored against one source of judgements; give {sources}")
    if chances is not None and intents is None:
        what = f"{option('chances')} gives the probabilities of intents, but no intents are given"
        raise InputError(f"{what}; give {option('intents')} too")
    if votes is not None:
        return judged_votes(votes_with_top(votes, votes_top), scale, scheme=scheme, p=p)
    if intents is not None:
        return _judged_by_intent(intents, scale, chances)
    return judged_gains(read_qrels(given[0]), scale)


def _judged_by_intent(path: Path, scale: Scale, chances: Path | None) -> Judged:
    """Judgements from a qrels file whose second column is the intent."""
    by_intent = read_grouped_qrels(path)
    if chances is None:
        return judged_intents(by_intent, scale, chances={}, navigational=frozenset())
    known = read_chances(chances)
    topics = next(iter(by_intent.values())).topics
    if not any(topic in topics for topic, _ in known.chances):
        raise InputError.at(chances, f"shares no topic with {path}", "give the chances of the same topics")
    return judged_intents(by_intent, scale, chances=known.chances, navigational=known.navigational)


def score_files(
    paths: Sequence[Path],
    judgements: Judgements,
    measures: Sequence[str] = OFFICIAL,
    *,
    reading: Reading | None = None,
    order: str | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Scored:
    """The scores of run files, one table per measure."""
    chosen = [choose(name) for name in measures]
    reading = reading or Reading()
    topics = judgements.gains.topics
    rows = max(len(paths), _BLOCK_ROWS)  # scores kept run by run would fragment memory
    scored: list[RunScores] = []
    for portion in in_portions(_judged_runs(paths, order, topics, on_progress)):
        for one in score_together(portion, judgements, chosen, reading):
            if len(scored) % rows == 0:
                block = np.empty((rows, len(chosen), len(topics)))
            block[len(scored) % rows] = one.values
            scored.append(replace(one, values=block[len(scored) % rows]))
    return gather(scored, judgements, chosen, reading)


def _judged_runs(
    paths: Sequence[Path], order: str | None, judged: Sequence[str], on_progress: Callable[[int, int], None]
) -> Iterator[Run]:
    """The runs of all files, each checked to answer at least one judged topic."""
    known = frozenset(judged)
    for path, run in each_run(_watched(paths, on_progress), order=order):
        if known.isdisjoint(run.topics):
            what = f"no topic of the run is judged (the run has {run.topics[0]!r}, the judgements {judged[0]!r})"
            raise InputError.at(path, what, "give the judgements of its topics")
        yield run


def _watched(paths: Sequence[Path], on_progress: Callable[[int, int], None]) -> Iterator[Path]:
    for done, path in enumerate(paths):
        on_progress(done, len(paths))
        yield path


def write_scored(path: Path, scored: Scored, *, matrix: bool = False) -> None:
    """Write the scores as tidy CSV, or the one measure's as a topics x runs matrix."""
    if not matrix:
        write_scores(path, scored)
        return
    if len(scored) != 1:
        raise InputError(
            f"{option('matrix')} writes one measure, but {len(scored)} are given; give one {option('measure')}"
        )
    write_matrix(path, next(iter(scored.values())))


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
        by_person=judged.votes,
        rng=np.random.default_rng(seed),
        samples=samples,
        on_progress=on_progress,
    )
