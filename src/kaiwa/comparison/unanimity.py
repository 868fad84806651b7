"""The effect of unanimity-aware gains on the ranking: the study of Sakai (EVIA 2017) on any runs.

Runs are scored by the raw sum of ratings (RawG) and by unanimity-aware gains (UG), both with the gmax of UG: the study
changes the gains and nothing else. The rankings are compared by Kendall's tau, and the pairs of runs by the randomised
Tukey HSD test. ``unanimity`` reads what it is given and returns a ``Study``, which shows itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.errors import InputError, UnknownName, counted, in_python, option
from kaiwa.formats.reading import qrels_of, runs_of, votes_of
from kaiwa.labelling.gains import SCHEMES, UNANIMITY_WEIGHT, simulated_counts, voted_gains
from kaiwa.measures.judgements import judge
from kaiwa.measures.scoring import score
from kaiwa.measures.table import chosen_measures
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import CORRELATION, PValue
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.p_values import smallest_p, tied_means
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.formats.reading import QrelsInput, RunInput, VotesInput
    from kaiwa.nouns.ids import IntArray
    from kaiwa.nouns.qrels import Qrels
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.scores import Scores
    from kaiwa.show.text import Cell


PUBLISHED_TEST = "hsd"
"""The test of the paper."""
MEASURES = ("nDCG@10", "Q@10", "nERR@10")
LEVELS, SIZE = 3, 5
TRIALS = 5_000


@dataclass(frozen=True)
class Changed:
    """A pair of runs that differs significantly under one kind of gain only, with both p-values."""

    a: str
    b: str
    p_raw: float
    p_unanimity: float


@dataclass(frozen=True)
class MeasureStudy:
    """One measure under RawG and UG: tau between the two rankings, both comparisons, and the pairs that changed."""

    measure: str
    tau: TauResult
    raw: Leaderboard
    unanimity: Leaderboard
    gained: tuple[Changed, ...]
    lost: tuple[Changed, ...]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Judged items and the number of their ratings at each level, judged rows x levels."""

    gains: Qrels
    counts: IntArray


def unanimity_studies(
    runs: Sequence[Run],
    ratings: Ratings,
    measures: Sequence[str],
    *,
    p: float,
    seed: int,
    alpha: float = 0.05,
    trials: int = TRIALS,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[MeasureStudy]:
    """Each measure's study on the runs; both comparisons of a measure start from the same ``seed``."""
    raw, aware = (_scored(runs, ratings, scheme, measures, p) for scheme in ("sum", "unanimity"))
    studies = []
    for done, measure in enumerate(measures):
        on_progress(done, len(measures))
        one, two = (
            compare_runs(
                scored.matrix(measure),
                test=PUBLISHED_TEST,
                alpha=alpha,
                trials=trials,
                rng=np.random.default_rng(seed),
            )
            for scored in (raw, aware)
        )
        means = (tied_means(scored[measure].values) for scored in (raw, aware))
        studies.append(MeasureStudy(measure, kendall_tau(*means), one, two, *_changes(one, two)))
    return studies


def _scored(runs: Sequence[Run], ratings: Ratings, scheme: str, measures: Sequence[str], p: float) -> Scores:
    values = np.arange(ratings.counts.shape[1], dtype=np.float64)
    most = int(ratings.counts.sum(axis=1).max())
    gains = SCHEMES[scheme].gain(ratings.counts, values, p)
    top = SCHEMES["unanimity"].top(float(values.max()), most, p)  # one gmax, so that equal gains give equal scores
    return score(runs, judge(replace(ratings.gains, gains=gains, top=top, how=scheme)), measures)


def _changes(raw: Leaderboard, aware: Leaderboard) -> tuple[tuple[Changed, ...], tuple[Changed, ...]]:
    """The pairs significant under unanimity-aware gains only, and under raw gains only."""
    before = {frozenset((pair.a, pair.b)): pair for pair in raw.pairs}
    both = [(before[frozenset((pair.a, pair.b))], pair) for pair in aware.pairs]
    changed = [
        (after.significant, Changed(after.a, after.b, was.p, after.p))
        for was, after in both
        if was.significant != after.significant
    ]
    return tuple(one for gained, one in changed if gained), tuple(one for gained, one in changed if not gained)


@takes_task
def unanimity(
    votes: VotesInput | None = None,
    runs: RunInput = (),
    *,
    qrels: QrelsInput | None = None,
    levels: int | None = None,
    sizes: int | None = None,
    p: float = UNANIMITY_WEIGHT,
    measures: str | Sequence[str] = MEASURES,
    max_level: int | None = None,
    order: str | None = None,
    alpha: float = 0.05,
    trials: int = TRIALS,
    seed: int = 1,
) -> Study:
    """The runs scored by raw sums of ratings and by unanimity-aware gains, and what changes.

    The study of Sakai (EVIA 2017): Kendall's tau between the two rankings of the runs, and the pairs of runs whose
    difference is significant (randomised Tukey HSD) under one kind of gain and not the other. The ratings are
    ``votes``, whose highest level is ``max_level``; or, with ``qrels``, ``sizes`` ratings (default: 5) from 0 to
    ``levels`` (default: 3) are drawn for each relevant item. ``p`` is the weight of agreement.

    >>> import kaiwa
    >>> rows = [("q", name, who, level) for name in "ab" for who, level in (("x", 2), ("y", ord(name) % 2))]
    >>> runs = [kaiwa.Run.from_dict({"q": {name: 1.0}}, name=name) for name in "ab"]
    >>> try:
    ...     kaiwa.unanimity(kaiwa.Votes.from_rows(rows), runs, qrels={"q": {"a": 1}})
    ... except kaiwa.InputError as error:
    ...     print(error)
    ratings come from one source; give qrels= to draw them, or votes= to read them
    """
    if (votes is None) == (qrels is None):
        what = "ratings come from one source"
        raise InputError(f"{what}; give {option('qrels')} to draw them, or {option('votes')} to read them")
    if qrels is None:
        for name, given in (("levels", levels), ("sizes", sizes)):
            if given is not None:
                raise InputError(f"{option(name, str(given))} draws ratings; leave it out, or give {option('qrels')}")
        made = voted_gains(votes_of(() if votes is None else votes, max_level=max_level), "sum")
        ratings, drawn = Ratings(made.gains, made.counts), None
    else:
        if max_level is not None:
            raise InputError(f"{option('max_level')} is of votes; leave it out, or give {option('levels')}")
        drawn = Drawn(SIZE if sizes is None else sizes, LEVELS if levels is None else levels, seed)
        ratings = simulated_ratings(qrels_of(qrels), drawn)
    listed = runs_of(runs, order=order, call="unanimity(votes, runs)")
    with progress("comparing") as moved:
        studies = unanimity_studies(
            listed,
            ratings,
            list(dict.fromkeys(one.text for one in chosen_measures(measures))),
            p=p,
            seed=seed,
            alpha=alpha,
            trials=trials,
            on_progress=moved,
        )
    return Study(studies, p=p, alpha=alpha, drawn=drawn)


@dataclass(frozen=True)
class Drawn:
    """How ratings are drawn: so many for each relevant item, from 0 to the highest level, by the seed."""

    sizes: int
    levels: int
    seed: int

    def __post_init__(self) -> None:
        for name, given, most in (("sizes", self.sizes, 1_000), ("levels", self.levels, 100)):
            if not 1 <= given <= most:
                raise InputError(f"{option(name, str(given))} is not in 1..{most:,}; give such a number")


def simulated_ratings(gains: Qrels, drawn: Drawn) -> Ratings:
    """Ratings drawn for the relevant items of qrels."""
    rng = np.random.default_rng(drawn.seed)
    return Ratings(gains, simulated_counts(gains.gains > 0, assessors=drawn.sizes, top=drawn.levels, rng=rng))


class Study(Result):
    """What rewarding agreement between assessors changes, measure by measure; ``p`` is the weight of agreement.

    ``measures`` has for each measure ``tau`` between the two rankings with its limits, how many pairs there are and how
    many are significant by raw sums and by unanimity-aware gains, and the pairs ``gained`` and ``lost``.
    ``study["nDCG@10"]`` has both comparisons. ``sizes`` and ``levels`` are None if the ratings were read.

    >>> import kaiwa
    >>> runs = [kaiwa.Run.from_dict({"q": {name: 1.0}, "r": {"b": 1.0}}, name=name) for name in "ab"]
    >>> kaiwa.unanimity(None, runs, qrels={"q": {"a": 1}, "r": {"b": 1}}, measures="nDCG@10", trials=100).sizes
    5
    """

    def __init__(
        self, studies: Sequence[MeasureStudy], *, p: float, alpha: float = 0.05, drawn: Drawn | None = None
    ) -> None:
        self._studies = {study.measure: study for study in studies}
        self.p = p
        self.alpha = alpha
        self.sizes = drawn and drawn.sizes
        self.levels = drawn and drawn.levels
        self.seed = drawn and drawn.seed

    def __repr__(self) -> str:
        return f"Study({', '.join(map(repr, self._studies))}, p {self.p:g})"

    def __getitem__(self, measure: str) -> MeasureStudy:
        if measure not in self._studies:
            raise UnknownName.among("measure", measure, self._studies)
        return self._studies[measure]

    @property
    def measures(self) -> dict[str, dict[str, Any]]:  # Any: numbers and pairs
        """The figures of each measure."""
        return {measure: _figures(study) for measure, study in self._studies.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """How ratings were drawn, and limits that are cut in print."""
        drawn = []
        if self.sizes:
            ratings = f"{counted(self.sizes, 'rating')} in 0..{self.levels}"
            drawn = [f"{ratings} drawn for each relevant item, seed {self.seed}"]
        limits = [limit for study in self._studies.values() for limit in (study.tau.low, study.tau.high)]
        return (*drawn, *CORRELATION.note(limits, uncut="JSON has"))

    def describe(self) -> Description:
        """A row per measure, then the pairs whose significance changes."""
        studies = list(self._studies.values())
        changed = [
            (study, kind, pair)
            for study in studies
            for kind, pairs in (("gained", study.gained), ("lost", study.lost))
            for pair in pairs
        ]
        columns = ["measure", "tau", "low", "high", "pairs", "significant_raw", "significant_unanimity"]
        header = ["measure", "tau", "95% low", "high", "pairs", "sig RawG", "sig UG", "gained", "lost"]
        return Description(
            tables=(
                Table(
                    "measures",
                    [*columns, "gained", "lost"],
                    [_study_row(study, study.tau.low, study.tau.high) for study in studies],
                    header,
                    [_study_row(study, *map(CORRELATION.cut, (study.tau.low, study.tau.high))) for study in studies],
                ),
                Table(
                    "changed",
                    ["measure", "change", "a", "b", "p_raw", "p_unanimity"],
                    [
                        [study.measure, kind, pair.a, pair.b, pair.p_raw, pair.p_unanimity]
                        for study, kind, pair in changed
                    ],
                    ["measure", "pair whose significance changes", "p RawG", "p UG"],
                    [
                        [
                            study.measure,
                            f"{pair.a} - {pair.b}",
                            *(PValue(p, smallest=_smallest(study)) for p in (pair.p_raw, pair.p_unanimity)),
                        ]
                        for study, _, pair in changed
                    ],
                ),
            ),
            shown=("measures", "changed") if changed else ("measures",),
            notes=self.notes,
            fields={
                **{name: getattr(self, name) for name in ("p", "alpha", "sizes", "levels", "measures")},
                "notes": [in_python(note) for note in self.notes],
            },
        )


def _smallest(study: MeasureStudy) -> float:
    return smallest_p(study.raw.trials, study.raw.p_rule)


def _study_row(study: MeasureStudy, low: float, high: float) -> list[Cell]:
    significant = (study.raw.significant_pairs, study.unanimity.significant_pairs)
    changed = (len(study.gained), len(study.lost))
    return [study.measure, study.tau.tau, low, high, len(study.raw.pairs), *significant, *changed]


def _figures(study: MeasureStudy) -> dict[str, Any]:  # Any: JSON values
    return {
        "tau": study.tau.tau,
        "low": study.tau.low,
        "high": study.tau.high,
        "pairs": len(study.raw.pairs),
        "significant_raw": study.raw.significant_pairs,
        "significant_unanimity": study.unanimity.significant_pairs,
        "gained": [vars(pair) for pair in study.gained],
        "lost": [vars(pair) for pair in study.lost],
    }
