"""How far two rankings of the same runs agree: tau, tau_ap, rank-biased overlap, and the overlap at the top."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from math import isclose, sqrt
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kaiwa.ambient import progress
from kaiwa.engine.opening import trial_workers
from kaiwa.errors import InputError, counted, in_python, option
from kaiwa.formats.reading import (
    name_list,
    names_apart,
    one_of,
    placed,
    refuse_idle_directions,
    scores_of,
    scores_of_each,
)
from kaiwa.nouns.matrix import TOPICS_AND_RUNS, Axes, Direction, labelled
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import few
from kaiwa.stats.kendall import TAU_BLOCK, Interval, TauResult, Ties, kendall_tau, listed_order, normal_quantile, tau_b
from kaiwa.stats.p_values import tie_tolerance, tied_means, with_ties
from kaiwa.stats.resampling import ONE_THREAD, Workers, drawn_counts, exact_multiples, trial_blocks, trial_key
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.scores import Scores


# How far two rankings agree at the top: tau_ap, rank-biased overlap, overlap of the first k.


TiedOverlap = Literal["a", "b", "w"]


def tau_ap(truth: FloatArray, estimate: FloatArray) -> float:
    """The AP correlation of an estimated ranking with the true one (Yilmaz, Aslam & Robertson 2008, Eq. 1).

    The probability that a run above another in the estimate is also above it in truth, with more weight for
    errors at the top; 1 for the same order, -1 for the reverse. With ties it is tau_ap,a of Urbano & Marrero (2017):
    the mean over all orders of the tied runs.

    >>> round(tau_ap(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0])), 4)
    0.3333
    """
    _require_order(truth, estimate)
    above, first, group = _above(estimate)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, len(truth) + 1))))
    weight = (harmonic[first + group - 1] - harmonic[np.maximum(first - 1, 0)]) / group
    agreement = (above * np.sign(truth[:, None] - truth)).sum(axis=0)
    return float((weight * agreement)[first > 0].sum() / (len(truth) - 1))


def symmetric_tau_ap(x: FloatArray, y: FloatArray) -> float:
    """The mean of the AP correlation in both directions, for two rankings of which neither is the truth.

    With ties it is tau_ap,b of Urbano & Marrero (2017): each run is compared with the runs above all that tie with it,
    and a pair that only the other ranking ties does not agree.

    >>> symmetric_tau_ap(np.array([2.0, 2.0, 1.0]), np.array([2.0, 2.0, 1.0]))
    1.0
    """
    _require_order(x, y)
    return (_agreement_above(x, y) + _agreement_above(y, x)) / 2


def rank_biased_overlap(x: FloatArray, y: FloatArray, *, persistence: float = 0.9, ties: TiedOverlap = "b") -> float:
    """Extrapolated rank-biased overlap of two whole rankings (Webber, Moffat & Zobel 2010, Eq. 30).

    With ties it is one of the forms of Corsi & Urbano (2024): ``a`` is the mean over all orders of the tied runs,
    ``b`` divides that agreement by what each ranking has with itself, ``w`` takes tied runs to have one rank.

    >>> rank_biased_overlap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    1.0
    """
    if not 0 < persistence < 1:
        raise InputError(f"persistence {persistence:g} is not between 0 and 1; give 0.9, for example")
    depth = np.arange(1, len(x) + 1)
    agreement = _AGREEMENTS[ties](x, y)
    weights = persistence**depth
    rest = (1 - persistence) / persistence * float((agreement * weights).sum())
    return float(agreement[-1] * weights[-1] + rest)


def top_overlap(x: FloatArray, y: FloatArray, *, k: int) -> float:
    """The share of the first k runs of one ranking that are among the first k of the other; the mean over tied orders.

    >>> top_overlap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]), k=2)
    0.5
    """
    if not 1 <= k <= len(x):
        raise InputError(f"k = {k} with {counted(len(x), 'run')}; give 1 to {len(x)}")
    return float(_expected_overlap(x, y)[k - 1])


def _above(scores: FloatArray) -> tuple[NDArray[np.bool_], IntArray, IntArray]:
    """Whether one run is above another, runs x runs; how many are above each; how many tie with it, itself included."""
    above: NDArray[np.bool_] = scores[:, None] > scores
    return above, above.sum(axis=0), (scores[:, None] == scores).sum(axis=0)


def _agreement_above(x: FloatArray, y: FloatArray) -> float:
    above, first, _ = _above(y)
    agreeing = (above & (x[:, None] > x)).sum(axis=0)
    below_top = first > 0
    return float(2 * (agreeing[below_top] / first[below_top]).mean() - 1)


def _taken(scores: FloatArray) -> FloatArray:
    """The share of the orders of tied runs in which each run is among the first 1, 2, ...: runs x depths."""
    _, first, group = _above(scores)
    depth = np.arange(1, len(scores) + 1)
    shares: FloatArray = np.clip((depth - first[:, None]) / group[:, None], 0.0, 1.0)
    return shares


def _expected_overlap(x: FloatArray, y: FloatArray) -> FloatArray:
    overlap: FloatArray = np.einsum("rd,rd->d", _taken(x), _taken(y)) / np.arange(1, len(x) + 1)
    return overlap


def _normalised_overlap(x: FloatArray, y: FloatArray) -> FloatArray:
    of_x, of_y = _taken(x), _taken(y)
    own = np.sqrt((of_x**2).sum(axis=0) * (of_y**2).sum(axis=0))
    overlap: FloatArray = np.einsum("rd,rd->d", of_x, of_y) / own
    return overlap


def _shared_rank_overlap(x: FloatArray, y: FloatArray) -> FloatArray:
    of_x, of_y = _taken(x) > 0, _taken(y) > 0
    shares: FloatArray = 2 * (of_x & of_y).sum(axis=0) / (of_x.sum(axis=0) + of_y.sum(axis=0))
    return shares


_AGREEMENTS: dict[TiedOverlap, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "a": _expected_overlap,
    "b": _normalised_overlap,
    "w": _shared_rank_overlap,
}


def _require_order(x: FloatArray, y: FloatArray) -> None:
    if len(x) < 2:  # noqa: PLR2004
        raise InputError(f"{counted(len(x), 'run')}; a rank correlation needs at least 2")
    if not np.ptp(x) or not np.ptp(y):
        raise InputError("all means are equal, so there is no order to compare; give scores that differ")


TOPS = (1, 3, 5, 10)
TIES = ("tau-b", "listed")
INTERVALS = ("hwc", "null", "bootstrap")
TRIALS = 2_000
SIDES = 2


@dataclass(frozen=True)
class Correlation(Result):
    """How far two rankings of the same runs, best first, agree, overall and at the top.

    ``low`` and ``high`` are the limits of ``tau`` over runs. ``topics_low`` and ``topics_high`` are the limits of the
    tau that as many other topics would give for the same runs; None if a side has one topic only. ``tau_ap`` takes the
    first side as the truth. ``rbo``, ``rbo_a`` and ``rbo_w`` differ only if runs tie. ``overlap`` is that of the first
    1, 3, 5 and 10 runs. ``left_out`` are the runs that only one side has; ``directions`` are those of the two sides.

    >>> import kaiwa
    >>> scores = kaiwa.Scores.from_matrix("AP", ("1", "2"), "ABC", [[0.5, 0.25, 0.0], [0.5, 0.25, 0.1]])
    >>> kaiwa.tau(scores, scores).tau
    1.0
    """

    a: str
    b: str
    tau: float
    low: float
    high: float
    runs: int
    ties: str
    interval: str
    confidence: float
    topics_low: float | None
    topics_high: float | None
    tau_ap: float
    tau_ap_symmetric: float
    rbo: float
    rbo_a: float
    rbo_w: float
    persistence: float
    overlap: dict[int, float]
    left_out: tuple[str, ...] = ()
    directions: tuple[Direction, Direction] = ("higher", "higher")
    axes: Axes = field(default=TOPICS_AND_RUNS, repr=False)
    remarks: tuple[str, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"Correlation({self.a!r}, {self.b!r}, {counted(self.runs, self.axes.run)}, tau {self.tau:.4f})"

    @property
    def labels(self) -> tuple[str, str]:
        """The names of the two sides for readers: ``ppl (lower is better)``."""
        return labelled(self.a, self.directions[0]), labelled(self.b, self.directions[1])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: remarks on the files, and runs that only one side has."""
        left_out = [f"Left out, because only one side has them: {few(self.left_out)}."] if self.left_out else []
        return (*self.remarks, *left_out)

    def describe(self) -> Description:
        """A row for each statistic."""
        rows = self._rows()
        printed = [
            ["" if cell is None else cell for cell in (name, value, *limits)] for _, name, value, *limits in rows
        ]
        first, second = self.labels
        columns = ("statistic", "value", "low", "high")
        left_out = {"axes", "remarks", "overlap"}
        own = {name: value for name, value in vars(self).items() if name not in left_out}
        return Description(
            tables=(
                Table(
                    "agreement",
                    columns,
                    [[key, *values] for key, _, *values in rows],
                    ["agreement", "value", "low", "high"],
                    printed,
                ),
            ),
            title=f"{first} against {second}, {counted(self.runs, self.axes.run)}",
            notes=self.notes,
            fields={**own, "overlap": self.overlap, "notes": [in_python(note) for note in self.notes]},
        )

    def _rows(self) -> list[tuple[str, str, float | None, float | None, float | None]]:
        """Each statistic: its name in tables, its name for readers, its value and limits."""
        tied = not isclose(self.rbo, self.rbo_a) or not isclose(self.rbo, self.rbo_w)
        topic, run = self.axes
        named = f"tau ({self.ties}, {self.interval} interval over {run}s)"
        rows: list[tuple[str, str, float | None, float | None, float | None]] = [
            ("tau", named, self.tau, self.low, self.high)
        ]
        if self.topics_low is not None:
            other = f"tau with as many other {topic}s"
            rows.append(("tau_other_topics", other, None, self.topics_low, self.topics_high))
        values = [
            ("tau_ap", "tau_ap, the first ranking as the truth (tau_ap,a)", self.tau_ap),
            ("tau_ap_symmetric", "tau_ap, symmetric (tau_ap,b)", self.tau_ap_symmetric),
            ("rbo", f"rank-biased overlap, p = {self.persistence:g}{' (RBO^b)' if tied else ''}", self.rbo),
        ]
        if tied:
            values += [
                ("rbo_a", "rank-biased overlap, mean over tied orders (RBO^a)", self.rbo_a),
                ("rbo_w", "rank-biased overlap, tied runs at one rank (RBO^w)", self.rbo_w),
            ]
        values += [(f"overlap_{k}", overlap_name(k), share) for k, share in self.overlap.items()]
        return [*rows, *((key, name, value, None, None) for key, name, value in values)]


def overlap_name(first: int) -> str:
    """What the overlap of the first runs of two rankings is called.

    >>> overlap_name(1), overlap_name(3)
    ('overlap of the first run', 'overlap of the first 3 runs')
    """
    return "overlap of the first run" if first == 1 else f"overlap of the first {counted(first, 'run')}"


@takes_task
def tau(
    scores: ScoresInput,
    other: ScoresInput | None = None,
    measures: str | Sequence[str] | None = None,
    *,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
    interval: Interval = "hwc",
    ties: Ties = "tau-b",
    confidence: float = 0.95,
    trials: int = TRIALS,
    persistence: float = 0.9,
    seed: int = 1,
    engine: str = "local",
) -> Correlation:
    """The agreement of two measures in ranking runs, or of one measure with that of ``other`` scores.

    Without ``other`` the two ``measures`` are of the same scores, by default the only two. With it, one measure is of
    both sides, and of two the first is of ``scores``. Kendall's tau has an interval over runs by Hollander, Wolfe and
    Chicken (``hwc``), by the standard error under no relation (``null``) or by runs drawn with replacement
    (``bootstrap``). ``ties`` are corrected for (``tau-b``), or broken by the order in which the runs are ``listed``.
    The limits with as many other topics held another tau in .93 to .97 of draws of 10 runs and .91 to .94 of 25
    (docs/compare.md, "Rank correlation"). ``engine`` computes the draws; the result does not depend on it.

    >>> import kaiwa
    >>> one = kaiwa.Scores.from_matrix("AP", ["q1"], "ABCD", [[0.5, 0.4, 0.3, 0.2]])
    >>> two = kaiwa.Scores.from_matrix("P+", ["q1"], "ABCD", [[0.5, 0.3, 0.4, 0.2]])
    >>> round(kaiwa.tau(one, two).tau, 4)
    0.6667
    """
    one_of("ties", ties, TIES)
    one_of("interval", interval, INTERVALS)
    names = None if measures is None or not len(measures) else name_list("measures", measures)
    if other is None:
        found = scores_of(scores, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
        first, second, remarks = _two_measures(scores, found, names)
        labels = (first.measure, second.measure)
    else:
        first, second, remarks = _two_sides(scores, other, names, lower_is_better, higher_is_better)
        labels = (f"{first.measure}{_file(scores)}", f"{second.measure}{_file(other)}")
    refuse_idle_directions(list(dict.fromkeys((first.measure, second.measure))), lower_is_better, higher_is_better)
    with placed(scores, other), progress("comparing rankings"), trial_workers(engine) as workers:
        agreed = rank_agreement(
            first,
            second,
            names=labels,
            ties=ties,
            interval=interval,
            confidence=confidence,
            trials=trials,
            persistence=persistence,
            rng=np.random.default_rng(seed),
            workers=workers,
        )
    return replace(agreed, remarks=remarks)


def _two_measures(
    source: ScoresInput, scores: Scores, names: list[str] | None
) -> tuple[Matrix, Matrix, tuple[str, ...]]:
    """Two measures of the same scores, and remarks on the files."""
    chosen = list(scores) if names is None else names_apart(names, scores.measures)
    if len(chosen) != SIDES:
        given = f"{counted(len(chosen), 'measure')}{'' if names is None else ' chosen'}"
        fix = f"choose two: {option('measures', 'A')} {option('measures', 'B')}, or give {option('other')} scores"
        with placed(source):
            raise InputError(f"{given}; {fix}")
    with placed(source):
        complete = scores.only(dict.fromkeys(chosen)).complete()
        return complete.matrix(chosen[0]), complete.matrix(chosen[1]), complete.remarks


def _two_sides(
    scores: ScoresInput,
    other: ScoresInput,
    names: list[str] | None,
    lower: str | Iterable[str],
    higher: str | Iterable[str],
) -> tuple[Matrix, Matrix, tuple[str, ...]]:
    """One measure of each of two scores, and remarks on the files; a chosen direction needs a measure of one only."""
    sides = scores_of_each((scores, other), lower_is_better=lower, higher_is_better=higher)
    chosen = None if names is None else names_apart(names, {name for side in sides for name in side.measures})
    if chosen is not None and len(chosen) > SIDES:
        raise InputError(f"{counted(len(chosen), 'measure')} for two sides; give one, or one of each side")
    wanted = (None, None) if chosen is None else (chosen[0], chosen[-1])
    matrices, remarks = list["Matrix"](), list[str]()
    for source, side, measure in zip((scores, other), sides, wanted, strict=True):
        with placed(source):
            one = (side if measure is None else side[measure]).complete()
            matrices.append(one.matrix())
        remarks += one.remarks
    if set(matrices[0].runs).isdisjoint(matrices[1].runs):
        run = matrices[0].axes.run
        place = _file(other).strip(" ()") or option("other")
        raise InputError.at(place, f"shares no {run} with the first scores", f"give scores of the same {run}s")
    return matrices[0], matrices[1], tuple(remarks)


def _file(scores: ScoresInput) -> str:
    """The name of the file that the scores are, in brackets; empty if they are not one file."""
    listed: list[Any] = list(scores) if isinstance(scores, list | tuple) else [scores]  # Any: read before
    single = len(listed) == 1 and isinstance(listed[0], str | PathLike)
    return f" ({Path(fspath(listed[0])).name})" if single else ""


def rank_agreement(
    first: Matrix,
    second: Matrix,
    *,
    names: tuple[str, str] | None = None,
    ties: Ties = "tau-b",
    interval: Interval = "hwc",
    confidence: float = 0.95,
    trials: int = TRIALS,
    persistence: float = 0.9,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
) -> Correlation:
    """The agreement of two rankings by mean score; ``names`` are the names of the two sides.

    Both rankings are from the best run to the worst, whether higher or lower scores are better. Runs that only one
    side has are left out and named.
    """
    others = set(second.runs)
    runs = tuple(run for run in first.runs if run in others)
    if not runs:
        run = first.axes.run
        raise InputError(f"the two rankings share no {run}; give scores of the same {run}s")
    shared = set(first.topics) == set(second.topics)
    place = {topic: row for row, topic in enumerate(second.topics)}
    second_rows = [place[topic] for topic in first.topics] if shared else list(place.values())
    sides = [first.oriented[:, _columns(first, runs)], second.oriented[second_rows][:, _columns(second, runs)]]
    x, y = map(tied_means, sides)
    found = kendall_tau(
        x, y, ties=ties, interval=interval, confidence=confidence, trials=trials, rng=rng, workers=workers
    )
    draws = _topic_draws(sides, found, shared=shared, rng=rng)
    low, high = _over_topics(sides, found, draws, trials=trials, workers=workers)
    a, b = names or (first.measure, second.measure)
    return Correlation(
        a,
        b,
        **vars(found),
        topics_low=low,
        topics_high=high,
        tau_ap=tau_ap(x, y),
        tau_ap_symmetric=symmetric_tau_ap(x, y),
        rbo=rank_biased_overlap(x, y, persistence=persistence),
        rbo_a=rank_biased_overlap(x, y, persistence=persistence, ties="a"),
        rbo_w=rank_biased_overlap(x, y, persistence=persistence, ties="w"),
        persistence=persistence,
        overlap={k: top_overlap(x, y, k=k) for k in TOPS if k <= len(runs)},
        left_out=tuple(run for run in (*first.runs, *second.runs) if run not in runs),
        directions=(first.direction, second.direction),
        axes=first.axes,
    )


def _columns(scores: Matrix, runs: tuple[str, ...]) -> list[int]:
    place = {run: column for column, run in enumerate(scores.runs)}
    return [place[run] for run in runs]


def _over_topics(
    sides: Sequence[FloatArray],
    found: TauResult,
    draws: Callable[[int, int], FloatArray],
    *,
    trials: int,
    workers: Workers,
) -> tuple[float, float] | tuple[None, None]:
    """The limits of the tau from as many other topics, with topics drawn for both sides together if they share them.

    Measured rankings agree less than the true ones, and drawn ones still less. So the limits are for the tau of another
    set of topics, which has the same bias, and not for the tau of the true rankings (docs/decisions/tests.md). The
    difference of two such taus has twice the variance of one.
    """
    fewest = min(map(len, sides))
    if fewest < 2:  # noqa: PLR2004  one topic does not vary
        return None, None
    drawn = np.concatenate(list(trial_blocks(draws, trials=trials, size=TAU_BLOCK, workers=workers)))
    taus = drawn[~np.isnan(drawn)]
    error = float(np.std(taus, ddof=1)) if len(taus) > 1 else 0.0
    reach = normal_quantile(found.confidence) * sqrt(2 * fewest / (fewest - 1)) * error
    return found.tau - reach, found.tau + reach


def _topic_draws(
    sides: Sequence[FloatArray], found: TauResult, *, shared: bool, rng: np.random.Generator
) -> Callable[[int, int], FloatArray]:
    """The taus of given trials; sides that share their topics also share the key, so that they draw the same ones."""
    first = trial_key(rng)
    keys = (first, first if shared else trial_key(rng))
    exact, tolerances = [exact_multiples(side) for side in sides], [tie_tolerance(side) for side in sides]
    return partial(_tau_block, sides=exact, tolerances=tolerances, keys=keys, ties=found.ties)


def _tau_block(
    first: int, trials: int, *, sides: Sequence[FloatArray], tolerances: Sequence[float], keys: Sequence[int], ties: str
) -> FloatArray:
    """The tau of each draw of topics with replacement; NaN if all means of a side are equal."""
    means = [
        drawn_counts(key, first, trials, len(side)) @ side / len(side) for side, key in zip(sides, keys, strict=True)
    ]
    return np.array([_drawn_tau(pair, tolerances, ties) for pair in zip(*means, strict=True)])


def _drawn_tau(means: Sequence[FloatArray], tolerances: Sequence[float], ties: str) -> float:
    x, y = (with_ties(one, tolerance) for one, tolerance in zip(means, tolerances, strict=True))
    if not (np.ptp(x) and np.ptp(y)):
        return float("nan")
    return tau_b(listed_order(x), listed_order(y)) if ties == "listed" else tau_b(x, y)
