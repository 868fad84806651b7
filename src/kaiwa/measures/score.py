"""Score runs: runs and judgements in, scores per topic out.

``score`` reads one run, scores it and drops it before it reads the next, so that a round of large runs needs the memory
of one. What the judgements are made of is in ``judging``, the scores of joined lists in ``scoring``, the intervals over
votes in ``vote_resampling``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.ambient import progress
from kaiwa.errors import InputError, option
from kaiwa.formats.readers import read_chances, read_grouped_qrels
from kaiwa.formats.reading import each_run_of, one_of, qrels_of, runs_of, votes_of
from kaiwa.labelling.gains import SCHEMES, UNANIMITY_WEIGHT, Weighing, voted_gains
from kaiwa.measures.judgements import Answers, Scale, combine, judge, scale_of
from kaiwa.measures.scoring import Reading, RunScores, gather, in_portions, score_together
from kaiwa.measures.table import chosen_measures
from kaiwa.measures.vote_resampling import SAMPLES, vote_intervals
from kaiwa.nouns.scores import Origin
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from kaiwa.formats.reading import QrelsInput, RunInput, VotesInput
    from kaiwa.measures.judgements import Judgements
    from kaiwa.measures.table import Chosen
    from kaiwa.nouns.measure_name import MeasuresInput
    from kaiwa.nouns.qrels import IntentChances, Qrels
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.scores import Scores
    from kaiwa.nouns.votes import Votes


# Judgements on a scale, from gains, from votes, or from the gains of several intents.


@dataclass(frozen=True)
class Judged:
    """Judgements, a text on gmax, and the scheme with its settings and the votes if there are any.

    The items of the votes are the judged rows.
    """

    judgements: Judgements
    gmax: str
    weighing: Weighing | None = None
    votes: Votes | None = None


def judged_of(
    qrels: QrelsInput | None,
    votes: VotesInput | None,
    intents: PathLike[str] | str | Mapping[str, Qrels] | None,
    scale: Scale,
    *,
    chances: PathLike[str] | str | IntentChances | None = None,
    scheme: str = "mean",
    p: float = UNANIMITY_WEIGHT,
    max_level: int | None = None,
) -> Judged:
    """Judgements from the one source that is given; ``max_level`` is the highest level of the votes."""
    if [qrels is None, votes is None, intents is None].count(False) != 1:
        sources = f"{option('qrels')}, {option('votes')} or {option('intents')}"
        raise InputError(f"runs are scored against one source of judgements; give {sources}")
    if chances is not None and intents is None:
        what = f"{option('chances')} gives the probabilities of intents, but no intents are given"
        raise InputError(f"{what}; give {option('intents')} too")
    if votes is not None:
        return judged_votes(votes_of(votes, max_level=max_level, call=_CALL), scale, scheme=scheme, p=p)
    if intents is not None:
        return _judged_by_intent(intents, scale, chances)
    return judged_gains(qrels_of(() if qrels is None else qrels, call=_CALL), scale)


_CALL = "score(runs, qrels)"


def _judged_by_intent(
    intents: PathLike[str] | str | Mapping[str, Qrels],
    scale: Scale,
    chances: PathLike[str] | str | IntentChances | None,
) -> Judged:
    """Judgements from qrels by intent, or from a file whose second column is the intent."""
    by_intent = intents if isinstance(intents, Mapping) else read_grouped_qrels(Path(intents))
    if not by_intent:
        raise InputError("no judgements; give those of at least one intent")
    if chances is None:
        return judged_intents(by_intent, scale, chances={}, navigational=frozenset())
    known = read_chances(Path(chances)) if isinstance(chances, str | PathLike) else chances
    topics = next(iter(by_intent.values())).topics
    if not any(topic in topics for topic, _ in known.chances):
        place = chances if isinstance(chances, str | PathLike) else option("chances")
        raise InputError.at(place, f"shares no topic with {_place(intents)}", "give the chances of the same topics")
    return judged_intents(by_intent, scale, chances=known.chances, navigational=known.navigational)


def _place(intents: object) -> str:
    return str(intents) if isinstance(intents, str | PathLike) else "the judgements"


def judged_gains(gains: Qrels, scale: Scale) -> Judged:
    """Judgements from gains."""
    judgements = judge(gains, scale)
    return Judged(judgements, scale.gmax_text(judgements.gains))


def judged_votes(votes: Votes, scale: Scale, *, scheme: str = "mean", p: float = UNANIMITY_WEIGHT) -> Judged:
    """Judgements from votes, by a scheme; the scale gives the value of each level."""
    made = voted_gains(votes, scheme, levels=scale.levels, p=p)
    only_top = Scale(top=scale.top, by_topic=scale.by_topic)
    judgements = judge(made.gains, only_top, votes=made.counts)
    return Judged(judgements, only_top.gmax_text(judgements.gains), made.how, made.votes)


def judged_intents(
    by_intent: Mapping[str, Qrels],
    scale: Scale,
    *,
    chances: Mapping[tuple[str, str], float],
    navigational: Container[tuple[str, str]],
) -> Judged:
    """Judgements from the gains of several intents."""
    mapped = {intent: Scale(levels=scale.levels).of(gains) for intent, gains in by_intent.items()}
    made = combine(mapped, chances=chances, navigational=navigational)
    only_top = Scale(top=scale.top, by_topic=scale.by_topic)
    judgements = judge(made.gains, only_top, intents=made.intents)
    return Judged(judgements, only_top.gmax_text(judgements.gains))


DEFAULT = ("nG@1", "nERR@10", "P+")
"""The measures of the STC overview, in its order."""
NO_RELEVANT = ("leave-out", "zero")
ORDERS = ("file", "score", "rank")
UNCERTAINTIES = ("votes",)
_BLOCK_ROWS = 64


@takes_task
def score(
    runs: RunInput,
    qrels: QrelsInput | None = None,
    measures: MeasuresInput = DEFAULT,
    *,
    votes: VotesInput | None = None,
    intents: PathLike[str] | str | Mapping[str, Qrels] | None = None,
    chances: PathLike[str] | str | IntentChances | None = None,
    levels: Mapping[int, float] | str | None = None,
    max_gain: float | Literal["topic"] | str | None = None,  # noqa: PYI051  the one word that it may be
    max_level: int | None = None,
    scheme: str = "mean",
    p: float = UNANIMITY_WEIGHT,
    order: str | None = None,
    depth: int | None = None,
    condensed: bool = False,
    no_relevant: str = "leave-out",
    uncertainty: str | None = None,
    trials: int = SAMPLES,
    seed: int = 1,
) -> Scores:
    """The scores of the runs by each measure, with what was left out: ``undefined``, ``unanswered``, ``unknown``.

    The runs are scored against ``qrels``; or ``votes``, combined by ``scheme`` and ``p`` (needed for Acc(L2)@5), whose
    highest level is ``max_level``; or judgements by intent (``intents``), with their ``chances``. ``levels`` maps
    grades to gains, as ``{1: 1, 2: 3}`` or ``"L1=1,L2=3"``; ``max_gain`` declares the scale's highest gain, or takes
    each topic's own (``"topic"``). ``order`` is what ranks a run: ``file``, ``score`` or ``rank``; by default its
    format decides. ``condensed`` removes unjudged items from every list, ``depth`` cuts it at a rank first. Topics
    without a relevant item are left out, or count 0 with ``no_relevant="zero"``. ``uncertainty="votes"`` adds 95%
    intervals of the means over panels of assessors, from ``trials`` resamples of the votes.

    >>> import kaiwa
    >>> qrels = kaiwa.Qrels.from_lists({"q1": {"a": 2, "b": 1}, "q2": {"c": 0}})
    >>> run = kaiwa.Run.from_dict({"q1": {"b": 2.0, "a": 1.0}}, name="R1")
    >>> scores = kaiwa.score(run, qrels, "nG@1", levels={1: 1, 2: 3})
    >>> scores.means()
    {'R1': {'nG@1': 0.3333333333333333}}
    >>> print(scores)
    run    nG@1   se
    ---  ------  ---
    R1   0.3333  n/a
    Means over 1 topic
    <BLANKLINE>
    gmax 3 (levels); runs ranked by score
    1 topic without a relevant item left out (no_relevant="zero" counts them 0): q2
    R1: no answer for 1 judged topic, scored 0: q2
    """
    _refuse_what_cannot_act(
        votes=votes is not None,
        scheme=scheme,
        p=p,
        max_level=max_level,
        no_relevant=no_relevant,
        order=order,
        uncertainty=uncertainty,
        trials=trials,
        seed=seed,
    )
    chosen = chosen_measures(measures)
    scale = scale_of(levels, max_gain)
    judged = judged_of(qrels, votes, intents, scale, chances=chances, scheme=scheme, p=p, max_level=max_level)
    reading = Reading(condensed=condensed, truncate=depth, zero=no_relevant == "zero")
    if uncertainty is not None:  # the runs are needed twice
        runs = runs_of(runs, order=order, call="score(runs, qrels)")
    scored = _each_scored(runs, judged.judgements, chosen, reading, order)
    origin = Origin(gmax=judged.gmax)
    if uncertainty is not None:
        origin = _with_intervals(origin, runs_of(runs), judged, chosen, reading, trials=trials, seed=seed)
    return gather(scored, judged.judgements, chosen, reading, origin)


def _refuse_what_cannot_act(
    *,
    votes: bool,
    scheme: str,
    p: float,
    max_level: int | None,
    no_relevant: str,
    order: str | None,
    uncertainty: str | None,
    trials: int,
    seed: int,
) -> None:
    """Refuse unknown words, and options that would do nothing, each with what works."""
    one_of("no_relevant", no_relevant, NO_RELEVANT)
    one_of("scheme", scheme, list(SCHEMES))
    for kind, given, known in (("order", order, ORDERS), ("uncertainty", uncertainty, UNCERTAINTIES)):
        if given is not None:
            one_of(kind, given, known)
    with_votes = f"give {option('votes')}, or leave it out"
    contradictions = (
        (not votes and scheme != "mean", f"{option('scheme', scheme)} combines votes; {with_votes}"),
        (not votes and max_level is not None, f"{option('max_level')} is the highest level of votes; {with_votes}"),
        (
            p != UNANIMITY_WEIGHT and scheme != "unanimity",
            f"{option('p')} is of the unanimity scheme; add {option('scheme', 'unanimity')}, or leave it out",
        ),
        (
            not votes and uncertainty is not None,
            f"{option('uncertainty', 'votes')} resamples votes; give the votes with {option('votes')}",
        ),
        (
            uncertainty is None and trials != SAMPLES,
            f"{option('trials')} resamples votes; add {option('uncertainty', 'votes')}, or leave it out",
        ),
        (
            uncertainty is None and seed != 1,
            f"{option('seed')} resamples votes; add {option('uncertainty', 'votes')}, or leave it out",
        ),
    )
    for is_so, line in contradictions:
        if is_so:
            raise InputError(line)


def _each_scored(
    runs: RunInput, judgements: Judgements, measures: Sequence[Chosen], reading: Reading, order: str | None
) -> list[RunScores]:
    """The scores of one run after the other."""
    topics = judgements.gains.topics
    block = np.empty((0, len(measures), len(topics)))
    scored: list[RunScores] = []
    with progress("scoring") as moved:
        for portion in in_portions(_judged_runs(runs, topics, order, moved)):
            for one in score_together(portion, judgements, measures, reading):
                if len(scored) % _BLOCK_ROWS == 0:  # scores kept run by run would fragment memory
                    block = np.empty((_BLOCK_ROWS, len(measures), len(topics)))
                place = len(scored) % _BLOCK_ROWS
                block[place] = one.values
                scored.append(replace(one, values=block[place]))
    return scored


def _judged_runs(
    runs: RunInput, judged: Sequence[str], order: str | None, moved: Callable[[int, int], None]
) -> Iterator[Run]:
    """The runs, each of a file checked to answer at least one judged topic."""
    known = frozenset(judged)
    for place, run in each_run_of(runs, order=order, call="score(runs, qrels)", moved=moved):
        if place and known.isdisjoint(run.topics):
            what = f"no topic of the run is judged (the run has {run.topics[0]!r}, the judgements {judged[0]!r})"
            raise InputError.at(place, what, "give the judgements of its topics")
        yield run


def _with_intervals(
    origin: Origin,
    runs: Sequence[Run],
    judged: Judged,
    measures: Sequence[Chosen],
    reading: Reading,
    *,
    trials: int,
    seed: int,
) -> Origin:
    """Intervals of the means over other panels of assessors."""
    if judged.weighing is None:
        raise ValueError("judgements without votes cannot be resampled")
    judgements = judged.judgements
    with progress("resampling votes") as moved:
        found = vote_intervals(
            Answers.of(runs, judgements.table, len(judgements.gains.topics)),
            judgements,
            measures,
            reading,
            gain=judged.weighing.gain,
            by_person=judged.votes,
            rng=np.random.default_rng(seed),
            samples=trials,
            on_progress=moved,
        )
    low, high, error = (limits.tolist() for limits in (found.low, found.high, found.error))
    intervals = {
        run.name: {
            measure.text: {"low": low[row][column], "high": high[row][column], "error": error[row][column]}
            for row, measure in enumerate(measures)
        }
        for column, run in enumerate(runs)
    }
    return replace(origin, intervals=intervals, resampled_assessors=found.assessors)
