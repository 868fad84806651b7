"""The effect of unanimity-aware gains on the ranking: the study of Sakai (EVIA 2017) on any runs.

Runs are scored by the raw sum of ratings (RawG) and by unanimity-aware gains (UG): the study changes the gains and
nothing else. The rankings are compared by Kendall's tau, and the pairs of runs by the randomised Tukey HSD test, under
every condition: a highest level Dmax, a number of ratings N and a weight p. ``unanimity`` reads what it is given and
returns a ``Study``, which shows itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.comparison.ranks import team_of
from kaiwa.errors import InputError, UnknownName, counted, in_python, option
from kaiwa.formats.reading import one_of, qrels_of, runs_of, votes_of
from kaiwa.labelling.gains import (
    CONFUSABILITY,
    SCHEMES,
    UNANIMITY_WEIGHT,
    simulated_counts,
    unanimity_gains,
    voted_gains,
)
from kaiwa.measures.judgements import Scale, judge
from kaiwa.measures.scoring import score
from kaiwa.measures.table import chosen_measures
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import PValue
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.p_values import smallest_p, tied_means
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.comparison.leaderboard import PairResult
    from kaiwa.formats.reading import QrelsInput, RunInput, VotesInput
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.qrels import Qrels
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.scores import Scores
    from kaiwa.show.text import Cell


PUBLISHED_TEST = "hsd"
"""The test of the paper."""
MEASURES = ("nDCG@10", "Q@10", "nERR@10")
LEVELS, SIZE = 3, 5
TRIALS = 5_000
OWN_TOP = "topic"
"""The word for the highest gain of each topic as its gmax."""


@dataclass(frozen=True)
class Condition:
    """The highest level Dmax of the ratings, their number N for each item, and the weight p of agreement."""

    levels: int
    sizes: int
    p: float


@dataclass(frozen=True)
class Changed:
    """A pair of runs that differs significantly under one kind of gain only; by unanimity-aware gains a is better.

    ``diff_raw`` and ``diff_unanimity`` are the differences a - b of the means, the effect sizes are ES_HSD.
    """

    a: str
    b: str
    p_raw: float
    p_unanimity: float
    diff_raw: float
    diff_unanimity: float
    effect_size_raw: float | None
    effect_size_unanimity: float | None


@dataclass(frozen=True)
class MeasureStudy:
    """One measure under RawG and UG: tau between the two rankings, both comparisons, and the pairs that changed.

    ``moved`` counts the runs whose place in the ranking changes.
    """

    measure: str
    tau: TauResult
    raw: Leaderboard
    unanimity: Leaderboard
    gained: tuple[Changed, ...]
    lost: tuple[Changed, ...]
    moved: int


@dataclass(frozen=True, eq=False)
class Ratings:
    """Judged items and the number of their ratings at each level, judged rows x levels."""

    gains: Qrels
    counts: IntArray

    @property
    def levels(self) -> int:
        """Dmax, the highest level."""
        levels: int = self.counts.shape[1]
        return levels - 1

    @property
    def size(self) -> int:
        """N, the number of ratings of an item; the largest if they differ."""
        return int(self.counts.sum(axis=1).max())


@dataclass(frozen=True)
class Weighed:
    """How ratings become unanimity-aware gains: the weight, the confusability, and whose gmax scores are divided by.

    With ``own_tops`` each topic's highest gain is its gmax, as in NTCIREVAL with direct gains; else both kinds of gain
    have the gmax of UG, (1+p) N Dmax, so that equal gains give equal scores.
    """

    p: float
    confusability: str = "range"
    own_tops: bool = False


def unanimity_studies(
    runs: Sequence[Run],
    ratings: Ratings,
    measures: Sequence[str],
    *,
    how: Weighed,
    seed: int,
    alpha: float = 0.05,
    trials: int = TRIALS,
    only: Mapping[str, Sequence[str]] | None = None,
) -> list[MeasureStudy]:
    """Each measure's study on the runs; both comparisons of a measure start from the same ``seed``.

    ``only`` names the runs of each measure that are compared; by default all.
    """
    raw, aware = (_scored(runs, ratings, scheme, measures, how) for scheme in ("sum", "unanimity"))
    studies = []
    for measure in measures:
        sides = [_of_runs(scored.matrix(measure), only[measure] if only else None) for scored in (raw, aware)]
        one, two = (
            compare_runs(side, test=PUBLISHED_TEST, alpha=alpha, trials=trials, rng=np.random.default_rng(seed))
            for side in sides
        )
        means = [tied_means(side.values) for side in sides]
        places = [(side < side[:, None]).sum(axis=0) for side in means]
        moved = int((places[0] != places[1]).sum())
        studies.append(MeasureStudy(measure, kendall_tau(*means), one, two, *_changes(one, two), moved))
    return studies


def _scored(runs: Sequence[Run], ratings: Ratings, scheme: str, measures: Sequence[str], how: Weighed) -> Scores:
    values = np.arange(ratings.levels + 1.0)
    if scheme == "sum":
        gains = SCHEMES["sum"].gain(ratings.counts, values, how.p)
    else:
        gains = unanimity_gains(ratings.counts, values, how.p, confusability=how.confusability)
    top = SCHEMES["unanimity"].top(float(ratings.levels), ratings.size, how.p)
    judged = replace(ratings.gains, gains=gains, top=top, how=scheme)
    return score(runs, judge(judged, Scale(by_topic=how.own_tops)), measures)


def _of_runs(scores: Matrix, names: Sequence[str] | None) -> Matrix:
    if names is None:
        return scores
    places = [scores.runs.index(name) for name in names]
    return replace(scores, runs=tuple(names), values=scores.values[:, places])


def _changes(raw: Leaderboard, aware: Leaderboard) -> tuple[tuple[Changed, ...], tuple[Changed, ...]]:
    """The pairs significant under unanimity-aware gains only, and under raw gains only."""
    before = {frozenset((pair.a, pair.b)): pair for pair in raw.pairs}
    both = [(before[frozenset((pair.a, pair.b))], pair) for pair in aware.pairs]
    changed = [(after.significant, _changed(was, after)) for was, after in both if was.significant != after.significant]
    return tuple(one for gained, one in changed if gained), tuple(one for gained, one in changed if not gained)


def _changed(raw: PairResult, aware: PairResult) -> Changed:
    a, b = (aware.a, aware.b) if aware.diff >= 0 else (aware.b, aware.a)
    (diff_raw, effect_raw), (diff_aware, effect_aware) = (_seen_from(a, pair) for pair in (raw, aware))
    return Changed(a, b, raw.p, aware.p, diff_raw, diff_aware, effect_raw, effect_aware)


def _seen_from(a: str, pair: PairResult) -> tuple[float, float | None]:
    """The difference of run a to the other run of the pair, and its effect size."""
    sign = 1.0 if pair.a == a else -1.0
    return sign * pair.diff, None if pair.effect_size is None else sign * pair.effect_size


def best_runs(scores: Scores, *, pattern: str | None = None) -> dict[str, tuple[str, ...]]:
    """The run of each team with the highest mean, by measure, in the order of the runs.

    >>> from kaiwa.nouns.scores import Scores
    >>> best_runs(Scores.from_matrix("nG@1", ["q"], ["T1-C-R1", "T1-C-R2", "T2-C-R1"], [[0.2, 0.5, 0.1]]))
    {'nG@1': ('T1-C-R2', 'T2-C-R1')}
    """
    teams = [team_of(run, pattern) for run in scores.runs]
    if unnamed := [run for run, team in zip(scores.runs, teams, strict=True) if team is None]:
        what = f"run {unnamed[0]!r} is not named by team, as T1-C-R1"
        raise InputError(f"{what}; give {option('team_pattern')}, or leave out {option('best_of_teams')}")
    return {
        matrix.measure: tuple(
            run for run, place in zip(scores.runs, _best_places(matrix.values, teams), strict=True) if place
        )
        for matrix in scores.matrices()
    }


def _best_places(by_topic: FloatArray, teams: Sequence[str | None]) -> list[bool]:
    """Whether each run is the first with the highest mean of its team."""
    best: dict[str | None, int] = {}
    means = tied_means(by_topic)
    for place, team in enumerate(teams):
        if team not in best or means[place] > means[best[team]]:
            best[team] = place
    return [best[team] == place for place, team in enumerate(teams)]


@takes_task
def unanimity(
    votes: VotesInput | None = None,
    runs: RunInput = (),
    *,
    qrels: QrelsInput | None = None,
    levels: int | Sequence[int] | None = None,
    sizes: int | Sequence[int] | None = None,
    p: float | Sequence[float] = UNANIMITY_WEIGHT,
    confusability: str = "range",
    max_gain: str | None = None,
    measures: str | Sequence[str] = MEASURES,
    best_of_teams: bool = False,
    team_pattern: str | None = None,
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
    ``levels`` (default: 3) are drawn for each relevant item. ``p`` is the weight of agreement. Lists of levels, sizes
    and weights are studied under every combination; the ratings do not depend on the weight.

    ``confusability`` is how disagreement is measured: the ``range`` D of the paper; ``trimmed-range``, D without the
    highest and the lowest tenth of the ratings, one each at least; twice the standard ``deviation``; or ``entropy``,
    scaled to Dmax. Both kinds of gain have the gmax (1+p) N Dmax; with ``max_gain="topic"`` each has the highest gain
    of the topic, as in NTCIREVAL with direct gains. ``best_of_teams`` compares the run of each team with the highest
    mean only, by ``qrels`` or by raw sums; ``team_pattern`` finds the team in a run's name.

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
    if team_pattern is not None and not best_of_teams:
        raise InputError(f"{option('team_pattern')} finds the teams of {option('best_of_teams')}; add it")
    if max_gain not in {None, OWN_TOP}:
        given = option("max_gain", repr(max_gain), python=repr(max_gain))
        raise InputError(f"{given} is not 'topic'; leave it out for the gmax of the gains, (1+p) N Dmax")
    one_of("confusability", confusability, list(CONFUSABILITY))
    hows = [Weighed(weight, confusability, max_gain == OWN_TOP) for weight in _weights(p)]
    if qrels is None:
        _refuse_drawing(levels=levels, sizes=sizes)
        made = voted_gains(votes_of(() if votes is None else votes, max_level=max_level), "sum")
        judged, rated = made.gains, [Ratings(made.gains, made.counts)]
    elif max_level is not None:
        raise InputError(f"{option('max_level')} is of votes; leave it out, or give {option('levels')}")
    else:
        judged = qrels_of(qrels)
        grid = product(_listed(levels, default=LEVELS), _listed(sizes, default=SIZE))
        rated = [simulated_ratings(judged, Drawn(size, level, seed)) for level, size in grid]
    listed = runs_of(runs, order=order, call="unanimity(votes, runs)")
    chosen = list(dict.fromkeys(one.text for one in chosen_measures(measures)))
    only = best_runs(score(listed, judge(judged), chosen), pattern=team_pattern) if best_of_teams else None
    studies = list[tuple[Condition, MeasureStudy]]()
    with progress("comparing") as moved:
        for done, (ratings, how) in enumerate(product(rated, hows)):
            moved(done, len(rated) * len(hows))
            condition = Condition(ratings.levels, ratings.size, how.p)
            found = unanimity_studies(
                listed, ratings, chosen, how=how, seed=seed, alpha=alpha, trials=trials, only=only
            )
            studies += [(condition, one) for one in found]
    return Study(
        studies,
        alpha=alpha,
        confusability=confusability,
        max_gain=max_gain,
        seed=None if qrels is None else seed,
        teams=only,
    )


def _refuse_drawing(**given: int | Sequence[int] | None) -> None:
    for name, numbers in given.items():
        if numbers is not None:
            shown = ",".join(map(str, _listed(numbers)))
            raise InputError(f"{option(name, shown)} draws ratings; leave it out, or give {option('qrels')}")


def _listed(given: Any, *, default: int = 0) -> list[Any]:  # Any: a number or several
    """The numbers, each once."""
    numbers = [default] if given is None else list(given) if isinstance(given, Sequence) else [given]
    if not numbers:
        raise InputError("an empty list of numbers; give one or more")
    return list(dict.fromkeys(numbers))


def _weights(given: float | Sequence[float]) -> list[float]:
    weights = [float(weight) for weight in _listed(given)]
    for weight in weights:
        if not 0 <= weight <= 100:  # noqa: PLR2004  far above any bonus that leaves the ratings a say
            raise InputError(f"{option('p', f'{weight:g}')} is not in 0..100; give a weight such as 0.2")
    return weights


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
    """What rewarding agreement between assessors changes, by measure and condition.

    ``conditions`` has for each ``tau`` between the two rankings with its limits as computed (they may pass 1), how many
    pairs there are, how many are significant by raw sums and by unanimity-aware gains, how many of them are ``gained``
    and ``lost``, and how many runs ``moved`` in the ranking. ``changed`` has the pairs gained and lost. ``at`` has both
    comparisons of a condition. ``levels`` (Dmax), ``sizes`` (N) and ``p`` are those studied; ``seed`` is None if the
    ratings were read. ``teams`` are the best runs by measure, None if all runs were compared.

    >>> import kaiwa
    >>> runs = [kaiwa.Run.from_dict({"q": {name: 1.0}, "r": {"b": 1.0}}, name=name) for name in "ab"]
    >>> qrels = {"q": {"a": 1}, "r": {"b": 1}}
    >>> study = kaiwa.unanimity(None, runs, qrels=qrels, measures="nDCG@10", p=[0.2, 0.5], trials=100)
    >>> study.levels, study.sizes, study.p, study.at("nDCG@10", p=0.5).moved
    ((3,), (5,), (0.2, 0.5), 0)
    """

    def __init__(
        self,
        studies: Sequence[tuple[Condition, MeasureStudy]],
        *,
        alpha: float = 0.05,
        confusability: str = "range",
        max_gain: str | None = None,
        seed: int | None = None,
        teams: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._studies = list(studies)
        self.measures = tuple(dict.fromkeys(study.measure for _, study in studies))
        self.levels = tuple(dict.fromkeys(condition.levels for condition, _ in studies))
        self.sizes = tuple(dict.fromkeys(condition.sizes for condition, _ in studies))
        self.p = tuple(dict.fromkeys(condition.p for condition, _ in studies))
        self.alpha = alpha
        self.confusability = confusability
        self.max_gain = max_gain
        self.seed = seed
        self.teams = None if teams is None else {measure: list(runs) for measure, runs in teams.items()}

    def __repr__(self) -> str:
        conditions = counted(len(self._studies) // len(self.measures), "condition")
        return f"Study({', '.join(map(repr, self.measures))}, {conditions})"

    def at(
        self, measure: str, *, levels: int | None = None, sizes: int | None = None, p: float | None = None
    ) -> MeasureStudy:
        """The study of a measure under one condition; what is given must leave one only.

        >>> import kaiwa
        >>> runs = [kaiwa.Run.from_dict({"q": {name: 1.0}, "r": {"b": 1.0}}, name=name) for name in "ab"]
        >>> qrels = {"q": {"a": 1}, "r": {"b": 1}}
        >>> kaiwa.unanimity(None, runs, qrels=qrels, measures="nDCG@10", trials=100).at("nDCG@10").raw.test
        'hsd'
        """
        if measure not in self.measures:
            raise UnknownName.among("measure", measure, self.measures)
        asked = {name: value for name, value in (("levels", levels), ("sizes", sizes), ("p", p)) if value is not None}
        found = [
            study
            for condition, study in self._studies
            if study.measure == measure and asked.items() <= asdict(condition).items()
        ]
        if len(found) != 1:
            raise InputError(f"{counted(len(found), 'condition')} of {measure}; name one by levels=, sizes= and p=")
        return found[0]

    @property
    def conditions(self) -> list[dict[str, Any]]:  # Any: names and numbers
        """The figures of each measure under each condition."""
        return [_figures(condition, study) for condition, study in self._studies]

    @property
    def changed(self) -> list[dict[str, Any]]:  # Any: names and numbers
        """The pairs whose significance changes, gained and lost."""
        return [
            {"measure": study.measure, **asdict(condition), "change": change, **asdict(pair)}
            for condition, study in self._studies
            for change, pairs in (("gained", study.gained), ("lost", study.lost))
            for pair in pairs
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """How ratings were drawn, which runs were compared, and what is not as in the paper."""
        notes = []
        if self.seed is not None:
            word = "rating" if self.sizes == (1,) else "ratings"
            levels = _or(self.levels)
            notes.append(f"{_or(self.sizes)} {word} in 0..{levels} drawn for each relevant item, seed {self.seed}")
        if self.teams is not None:
            notes.append(f"The best run of each team: {counted(len(next(iter(self.teams.values()))), 'run')}.")
        if self.confusability != "range":
            notes.append(f"Disagreement is measured by {self.confusability}, scaled to Dmax.")
        if self.max_gain == OWN_TOP:
            notes.append("gmax is the highest gain of each topic, of each kind of gain.")
        return tuple(notes)

    def describe(self) -> Description:
        """A row per measure and condition, then the pairs whose significance changes."""
        rows = [list(figures.values()) for figures in self.conditions]
        names = ["measure", "levels", "sizes", "p", "tau", "low", "high", "pairs"]
        columns = [*names, "significant_raw", "significant_unanimity", "gained", "lost", "moved"]
        header = ["measure", "Dmax", "N", "p", "tau", "95% low", "high", "pairs", "sig RawG", "sig UG"]
        return Description(
            tables=(
                Table(
                    "conditions",
                    columns,
                    rows,
                    [*header, "gained", "lost", "moved"],
                    [[*row[:3], f"{row[3]:g}", *row[4:]] for row in rows],
                ),
                self._changed_table(),
            ),
            shown=("conditions", "changed") if self.changed else ("conditions",),
            notes=self.notes,
            fields={
                **{
                    name: getattr(self, name) for name in ("measures", "levels", "sizes", "p", "alpha", "confusability")
                },
                **{name: getattr(self, name) for name in ("max_gain", "seed", "teams", "conditions", "changed")},
                "notes": [in_python(note) for note in self.notes],
            },
        )

    def _changed_table(self) -> Table:
        columns = ["measure", "levels", "sizes", "p", "change", *Changed.__dataclass_fields__]
        printed: list[list[Cell]] = []
        for condition, study in self._studies:
            smallest = smallest_p(study.raw.trials, study.raw.p_rule)
            printed += [
                [
                    study.measure,
                    condition.levels,
                    condition.sizes,
                    f"{condition.p:g}",
                    f"{pair.a} - {pair.b}",
                    *(PValue(p, smallest=smallest) for p in (pair.p_raw, pair.p_unanimity)),
                    *map(abs, (pair.diff_raw, pair.diff_unanimity)),
                    *(
                        None if size is None else abs(size)
                        for size in (pair.effect_size_raw, pair.effect_size_unanimity)
                    ),
                ]
                for pair in (*study.gained, *study.lost)
            ]
        header = ["measure", "Dmax", "N", "p", "pair whose significance changes", "p RawG", "p UG"]
        return Table(
            "changed",
            columns,
            [list(pair.values()) for pair in self.changed],
            [*header, "|d| RawG", "|d| UG", "ES RawG", "ES UG"],
            printed,
        )


def _or(numbers: Sequence[int]) -> str:
    """The numbers as words: 5, 10 or 20.

    >>> _or((5,)), _or((5, 10, 20))
    ('5', '5, 10 or 20')
    """
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}" if first else last


def _figures(condition: Condition, study: MeasureStudy) -> dict[str, Any]:  # Any: names and numbers
    return {
        "measure": study.measure,
        **asdict(condition),
        "tau": study.tau.tau,
        "low": study.tau.low,
        "high": study.tau.high,
        "pairs": len(study.raw.pairs),
        "significant_raw": study.raw.significant_pairs,
        "significant_unanimity": study.unanimity.significant_pairs,
        "gained": len(study.gained),
        "lost": len(study.lost),
        "moved": study.moved,
    }
