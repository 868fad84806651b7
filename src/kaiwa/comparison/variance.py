"""V_E, V_E2, variance components and generalisability: what the next round is designed from.

``variance`` reads what it is given and returns a ``Variance``, which shows itself. The methods are ``pooled_variance``
here (complete matrices) and ``components`` (assessors, repeats, missing scores, votes).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.comparison.components import CrossedVariance, crossed_variance, vote_variance
from kaiwa.comparison.crossed_texts import (
    COMPONENT_COLUMNS,
    component_rows,
    crossed_methods,
    crossed_notes,
    extra_rows,
    leniency_rows,
    sizes_text,
)
from kaiwa.engine.opening import trial_workers
from kaiwa.errors import InputError, counted, in_python, option
from kaiwa.formats.reading import matched, one_name, placed, refuse_idle_directions, scores_of, scores_of_each, votes_of
from kaiwa.formats.recognition import SCORES, VOTES
from kaiwa.nouns.matrix import TOPICS_AND_RUNS, Axes, Direction, labelled
from kaiwa.nouns.votes import Votes
from kaiwa.show.result import Description, Result, Table
from kaiwa.stats.anova import require_matrix, run_deviations, two_way_anova
from kaiwa.stats.resampling import (
    ONE_THREAD,
    Workers,
    block_size,
    drawn_counts,
    exact_multiples,
    percentile_limits,
    trial_blocks,
    trial_key,
)
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kaiwa.comparison.components import Component, Extra, Leniency
    from kaiwa.formats.reading import ScoresInput, VotesInput
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.scores import Scores
    from kaiwa.show.text import Cell

    Limits = tuple[float, float] | None


TRIALS = 2_000
_ROUNDING = 1e-12
"""A spread below this share of the squared total is rounding."""


@dataclass(frozen=True)
class Components:
    """Variance components of the topics x runs model; a negative estimate is reported as 0 (Searle et al. 1992).

    ``generalisability`` is how well the order of the runs would repeat on as many other topics, ``dependability``
    how well their scores would (Brennan 2001; Bodoff & Li 2007); None if there is no variance at all.
    """

    topic: float
    run: float
    residual: float
    generalisability: float | None
    dependability: float | None


@dataclass(frozen=True)
class PooledVariance:
    """The variances that topic set size design takes, pooled over matrices, with bootstrap limits over topics.

    ``pilots`` are the topics x runs matrices; ``components`` are those of a single matrix.
    """

    v_e: float
    v_e2: float | None
    v_e_limits: Limits
    v_e2_limits: Limits
    topics: int
    runs: int
    components: Components | None
    confidence: float
    matrices: int
    pilots: tuple[FloatArray, ...] = field(default=(), repr=False, compare=False)


class Variance(Result):
    """V_E and V_E2, which topic set size design takes, and the components behind them.

    From complete matrices, pooled by their degrees of freedom, they have bootstrap limits over topics
    (``v_e_limits``, ``v_e2_limits``), and ``components`` are those of a single matrix. From the ``crossed`` model they
    are those of a run's score on a topic, the mean over its assessors and repeats; ``leniency`` is that of each
    assessor, ``extras`` are the effects of one more topic, assessor or repeat. Of votes there are components and
    leniency only, and ``v_e`` is None. ``pilots`` are the topics x runs matrices: ``kaiwa.design`` takes from them the
    variance of its own test, how well that is known, and how unequal the runs are.

    >>> import kaiwa
    >>> scores = kaiwa.Scores.from_matrix("AP", ("1", "2"), "AB", [[0.5, 0.25], [0.25, 0.25]])
    >>> kaiwa.variance(scores)
    Variance('AP', 2 topics, 2 runs, V_E 0.015625, V_E2 0.015625)
    """

    def __init__(
        self,
        found: PooledVariance | CrossedVariance,
        *,
        measure: str,
        direction: Direction = "higher",
        axes: Axes = TOPICS_AND_RUNS,
        remarks: Sequence[str] = (),
    ) -> None:
        self.found = found
        self.measure = measure
        self.direction = direction
        self.axes = axes
        self.remarks = tuple(remarks)

    def __repr__(self) -> str:
        known = [f"{name} {value:.6f}" for name, value in (("V_E", self.v_e), ("V_E2", self.v_e2)) if value is not None]
        return f"Variance({', '.join([repr(self.measure), *self._sizes(), *known])})"

    def _sizes(self) -> tuple[str, ...]:
        if isinstance(self.found, CrossedVariance):
            return self.found.sizes
        return counted(self.topics, self.axes.topic), counted(self.runs, self.axes.run)

    def _pooled(self, name: str) -> Any:  # Any: the field's own type; None of the crossed model
        return getattr(self.found, name) if isinstance(self.found, PooledVariance) else None

    def _modelled(self, name: str, other: Any) -> Any:  # Any: the field's own type
        return getattr(self.found, name) if isinstance(self.found, CrossedVariance) else other

    @property
    def crossed(self) -> bool:
        """Whether the crossed model was fitted."""
        return isinstance(self.found, CrossedVariance)

    @property
    def label(self) -> str:
        """The measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)

    @property
    def v_e(self) -> float | None:
        """The variance of scores within a run; None for votes."""
        return self.found.v_e

    @property
    def v_e2(self) -> float | None:
        """The residual variance after runs and topics; None with one run, and for votes."""
        return self.found.v_e2

    @property
    def v_e_limits(self) -> Limits:
        """Bootstrap limits of V_E over topics; None with fewer than three topics, and of the crossed model."""
        limits: Limits = self._pooled("v_e_limits")
        return limits

    @property
    def v_e2_limits(self) -> Limits:
        """Bootstrap limits of V_E2 over topics."""
        limits: Limits = self._pooled("v_e2_limits")
        return limits

    @property
    def topics(self) -> int:
        """How many topics there are, all matrices together."""
        return self.found.topics

    @property
    def runs(self) -> int:
        """How many runs there are, all matrices together; 0 for votes."""
        return self.found.runs

    @property
    def matrices(self) -> int:
        """How many matrices were pooled."""
        pooled: int | None = self._pooled("matrices")
        return 1 if pooled is None else pooled

    @property
    def confidence(self) -> float:
        """The confidence of the limits."""
        return self.found.confidence

    @property
    def pilots(self) -> tuple[FloatArray, ...]:
        """The topics x runs matrices; empty for the crossed model."""
        return self._pooled("pilots") or ()

    @property
    def components(self) -> tuple[Component, ...]:
        """Each variance component with its share; with limits from the crossed model. Empty for several matrices."""
        from kaiwa.comparison.components import Component

        if isinstance(self.found, CrossedVariance):
            return self.found.components
        parts = self.found.components
        if parts is None:
            return ()
        named = {"topic": parts.topic, "run": parts.run, "residual": parts.residual}
        total = sum(named.values())
        return tuple(Component(name, part, part / total if total else 0.0, None, None) for name, part in named.items())

    @property
    def generalisability(self) -> float | None:
        """How well the order of the runs would repeat on as many other topics; of a single matrix."""
        parts: Components | None = self._pooled("components")
        return None if parts is None else parts.generalisability

    @property
    def dependability(self) -> float | None:
        """How well the scores of the runs would repeat on as many other topics; of a single matrix."""
        parts: Components | None = self._pooled("components")
        return None if parts is None else parts.dependability

    @property
    def assessors(self) -> int:
        """How many assessors gave the scores; 0 if nobody is named."""
        number: int = self._modelled("assessors", 0)
        return number

    @property
    def repeats(self) -> int:
        """How many repeats there are."""
        number: int = self._modelled("repeats", 1)
        return number

    @property
    def scores(self) -> int:
        """How many scores there are, or votes."""
        own: int = self._modelled("scores", sum(one.size for one in self.pilots))
        return own

    @property
    def missing(self) -> int:
        """How many topic x run cells have no score."""
        number: int = self._modelled("missing", 0)
        return number

    @property
    def identical(self) -> str:
        """Those of whom only one score was used, because they never differ: repeats, assessors."""
        names: str = self._modelled("identical", "")
        return names

    @property
    def criterion(self) -> float | None:
        """The REML criterion of the crossed model."""
        value: float | None = self._modelled("criterion", None)
        return value

    @property
    def leniency(self) -> tuple[Leniency, ...]:
        """How much higher than the average each assessor scores the same answers."""
        found: tuple[Leniency, ...] = self._modelled("leniency", ())
        return found

    @property
    def extras(self) -> tuple[Extra, ...]:
        """The standard error of a difference now, and with one more topic, assessor or repeat."""
        found: tuple[Extra, ...] = self._modelled("extras", ())
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the scores."""
        return (*self.remarks, *(crossed_notes(self.found) if isinstance(self.found, CrossedVariance) else ()))

    def describe(self) -> Description:
        """The variances and components; of the crossed model the components, leniency and larger designs."""
        methods = crossed_methods(self.found) if isinstance(self.found, CrossedVariance) else ""
        tables = self._crossed_tables(self.found) if isinstance(self.found, CrossedVariance) else self._pooled_tables()
        return Description(
            tables=tables,
            shown=[one.name for one in tables if one.rows] if self.crossed else (),
            title=self._title(),
            notes=self.notes,
            methods=methods,
            fields={
                "measure": self.measure,
                "direction": self.direction,
                "crossed": self.crossed,
                **{name: getattr(self, name) for name in _FIELDS},
                **{name: [vars(one) for one in getattr(self, name)] for name in ("components", "leniency", "extras")},
                "notes": [in_python(note) for note in self.notes],
                "methods": methods,
            },
        )

    def _title(self) -> str:
        if isinstance(self.found, CrossedVariance):
            return f"{self.label}: {sizes_text(self.found)}"
        pooled = f", pooled over {self.matrices} files" if self.matrices > 1 else ""
        return f"{self.label}: {', '.join(self._sizes())}{pooled}"

    def _pooled_tables(self) -> list[Table]:
        topic, run = self.axes
        rows: list[tuple[str, str, float | None, float | None, float | None]] = [
            ("v_e", f"V_E (within {run}s)", self.v_e, *(self.v_e_limits or (None, None))),
            ("v_e2", "V_E2 (two-way residual)", self.v_e2, *(self.v_e2_limits or (None, None))),
        ]
        words = {"topic": topic, "run": run, "residual": "residual"}
        rows += [(one.name, f"component: {words[one.name]}", one.variance, None, None) for one in self.components]
        if self.components:
            rows += [
                ("generalisability", "generalisability (order)", self.generalisability, None, None),
                ("dependability", "dependability (scores)", self.dependability, None, None),
            ]
        limited = {"v_e", "v_e2"}
        printed: list[list[Cell]] = [
            [name, value, *(limits if key in limited else ("", ""))] for key, name, value, *limits in rows
        ]
        keyed: list[list[Cell]] = [[key, *values] for key, _, *values in rows]
        header = ["variance", "value", "low", "high"]
        return [Table("variance", header, keyed, header, printed, digits=6), _components_table(self.components)]

    def _crossed_tables(self, found: CrossedVariance) -> list[Table]:
        people, larger, printed = leniency_rows(found), extra_rows(found), component_rows(found)
        return [
            _components_table(self.components, printed.rows),
            Table(
                "leniency",
                ["assessor", "effect", "low", "high", "scores"],
                [[one.assessor, one.effect, one.low, one.high, one.scores] for one in self.leniency],
                people.header,
                people.rows,
            ),
            Table(
                "extras",
                ["change", "topics", "assessors", "repeats", "scores", "error"],
                [list(vars(one).values()) for one in self.extras],
                larger.header,
                larger.rows,
                digits=larger.digits,
            ),
        ]


_FIELDS = (
    *("v_e", "v_e2", "v_e_limits", "v_e2_limits", "topics", "runs", "matrices", "confidence"),
    *("generalisability", "dependability", "assessors", "repeats", "scores", "missing", "identical", "criterion"),
)


def _components_table(components: Sequence[Component], printed: Sequence[Sequence[Cell]] | None = None) -> Table:
    rows: list[list[Cell]] = [list(vars(one).values()) for one in components]
    return Table("components", COMPONENT_COLUMNS, rows, COMPONENT_COLUMNS, printed, digits=6)


@takes_task
def variance(
    scores: ScoresInput | VotesInput,
    measures: str | Sequence[str] | None = None,
    *,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
    crossed: bool = False,
    confidence: float = 0.95,
    trials: int = TRIALS,
    seed: int = 1,
    engine: str = "local",
) -> Variance:
    """V_E, V_E2 and the variance components of one measure, for designing the next round.

    ``measures`` names the one if there are several. The scores of a list are separate matrices, which are pooled by
    their degrees of freedom; limits are bootstrap limits over topics. ``crossed`` fits one mixed model of topic, run,
    assessor and repeat to all scores together, with any of them missing; votes are modelled by topic, item and
    assessor. ``engine`` computes the draws; the result does not depend on it.

    >>> import kaiwa
    >>> scores = kaiwa.Scores.from_matrix("AP", ("q1", "q2"), "AB", [[0.5, 0.25], [0.25, 0.25]])
    >>> kaiwa.variance([scores, scores]).v_e
    0.015625
    """
    if crossed:
        _refuse_draws(trials, seed, engine)
        return _modelled_variance(scores, measures, lower_is_better, higher_is_better, confidence)
    given = _separate(scores, lower_is_better, higher_is_better)
    measure = one_name("measures", measures, {name for one in given for name in one})
    each = [(one if measure is None else one[measure]).complete() for one in given]
    refuse_idle_directions([one.measure for one in each[:1]], lower_is_better, higher_is_better)
    with placed(scores), progress("resampling topics"), trial_workers(engine) as workers:
        first = each[0].matrix()
        found = pooled_variance(
            [one.values for one in each],
            trials=trials,
            confidence=confidence,
            rng=np.random.default_rng(seed),
            workers=workers,
        )
    remarks = tuple(line for one in each for line in one.remarks)
    return Variance(found, measure=first.measure, direction=first.direction, axes=first.axes, remarks=remarks)


def _refuse_draws(trials: int, seed: int, engine: str) -> None:
    """Refuse options of the bootstrap, which the crossed model does not use."""
    for name, given, usual in (("trials", trials, TRIALS), ("seed", seed, 1), ("engine", engine, "local")):
        if given != usual:
            raise InputError(f"{option('crossed')} draws no trials; leave out {option(name)}")


def _modelled_variance(
    scores: ScoresInput | VotesInput,
    measures: str | Sequence[str] | None,
    lower: str | Iterable[str],
    higher: str | Iterable[str],
    confidence: float,
) -> Variance:
    with progress("fitting the model"):
        given: Any = scores  # Any: scores or votes, as is asked next
        if _are_votes(given):
            if idle := next((name for name, one in _of_scores(measures, lower, higher).items() if one), None):
                raise InputError(f"votes have no measures; leave out {option(idle)}")
            with placed(scores):
                of_votes = vote_variance(votes_of(given), confidence=confidence)
            return Variance(of_votes, measure="votes")
        found_scores = scores_of(given, lower_is_better=lower, higher_is_better=higher)
        with placed(scores):
            observed = found_scores.observations(one_name("measures", measures, found_scores.measures))
            refuse_idle_directions([observed.measure], lower, higher)
            found = crossed_variance(observed, confidence=confidence)
    remarks = found_scores.only([observed.measure]).remarks
    return Variance(found, measure=found.measure, direction=found.direction, axes=found.axes, remarks=remarks)


def _of_scores(
    measures: str | Sequence[str] | None, lower: str | Iterable[str], higher: str | Iterable[str]
) -> dict[str, object]:
    """The arguments that are about measures, by name."""
    return {"measures": measures, "lower_is_better": lower, "higher_is_better": higher}


def _are_votes(given: object) -> bool:
    """Whether votes are given, or one file of votes."""
    listed = list(given) if isinstance(given, list | tuple) else [given]
    if len(listed) != 1 or isinstance(listed[0], Votes):
        return bool(listed) and isinstance(listed[0], Votes)
    if not isinstance(listed[0], str | PathLike):
        return False
    path = Path(listed[0])
    from kaiwa.formats.readers import format_of  # loads every format

    return path.exists() and format_of(path, SCORES, VOTES).noun is VOTES


def _separate(
    scores: ScoresInput | VotesInput, lower: str | Iterable[str], higher: str | Iterable[str]
) -> list[Scores]:
    """The scores of each of a list; logs of an LLM evaluation, one per model, are one matrix together."""
    listed: list[Any] = list(scores) if isinstance(scores, list | tuple) else [scores]  # Any: checked when read
    each: list[Any] = [  # Any: as above
        path for one in listed for path in (matched(one) if isinstance(one, str) else [one])
    ]
    paths = [Path(one) for one in each if isinstance(one, str | PathLike)]
    from kaiwa.formats.readers import are_logs  # as above

    if len(each) == 1 or (len(paths) == len(each) and are_logs(paths)):
        return [scores_of(each, lower_is_better=lower, higher_is_better=higher)]
    return scores_of_each(each, lower_is_better=lower, higher_is_better=higher)


def variance_components(by_topic: FloatArray) -> Components:
    """The components from the expected mean squares of the two-way table.

    >>> components = variance_components(np.array([[0.9, 0.5], [0.5, 0.3], [0.4, 0.1]]))
    >>> [round(part, 4) for part in (components.topic, components.run, components.residual)]
    [0.05, 0.0433, 0.005]
    """
    topics, runs = require_matrix(by_topic)
    anova = two_way_anova(by_topic)
    residual = anova.v_e2
    topic = max(0.0, (anova.topics.ms - residual) / runs)
    run = max(0.0, (anova.runs.ms - residual) / topics)
    relative, absolute = run + residual / topics, run + (residual + topic) / topics
    return Components(topic, run, residual, run / relative if relative else None, run / absolute if absolute else None)


def pooled_variance(
    matrices: Sequence[FloatArray],
    *,
    trials: int = TRIALS,
    confidence: float = 0.95,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
) -> PooledVariance:
    """V_E and V_E2 pooled over topics x runs matrices by their degrees of freedom (Sakai 2015).

    >>> scores = np.array([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]])
    >>> result = pooled_variance([scores], rng=np.random.default_rng(1))
    >>> (round(result.v_e, 5), round(result.v_e2, 5))
    (0.0375, 0.03028)
    """
    if not matrices:
        raise InputError("no matrix; give at least one topics x runs matrix")
    for by_topic in matrices:
        require_matrix(by_topic, runs=1)
    paired = [by_topic for by_topic in matrices if by_topic.shape[1] > 1]
    centred = [by_topic - by_topic.mean(axis=1, keepdims=True) for by_topic in paired]
    lost = [1] * len(paired)
    draws = _Draws(trials, confidence, rng, workers)
    return PooledVariance(
        v_e=_pooled(matrices, [0] * len(matrices)),
        v_e2=_pooled(centred, lost) if paired else None,
        v_e_limits=_limits(matrices, [0] * len(matrices), draws),
        v_e2_limits=_limits(centred, lost, draws) if paired else None,
        topics=sum(len(by_topic) for by_topic in matrices),
        runs=sum(by_topic.shape[1] for by_topic in matrices),
        components=variance_components(paired[0]) if len(matrices) == len(paired) == 1 else None,
        confidence=confidence,
        matrices=len(matrices),
        pilots=tuple(matrices),
    )


def _pooled(matrices: Sequence[FloatArray], lost: Sequence[int]) -> float:
    """Squares about the run means over degrees of freedom, all matrices together."""
    squares = [float((run_deviations(x) ** 2).sum()) for x in matrices]
    return sum(squares) / _degrees(matrices, lost)


def _degrees(matrices: Sequence[FloatArray], lost: Sequence[int]) -> int:
    """(runs - lost)(topics - 1), summed: a matrix whose topic means were subtracted loses one run."""
    return sum((x.shape[1] - less) * (len(x) - 1) for x, less in zip(matrices, lost, strict=True))


@dataclass(frozen=True)
class _Draws:
    """How topics are drawn: how often, the confidence of the limits, by which chance, and where."""

    trials: int
    confidence: float
    rng: np.random.Generator
    workers: Workers


def _limits(matrices: Sequence[FloatArray], lost: Sequence[int], draws: _Draws) -> tuple[float, float] | None:
    """Bootstrap-t limits of log variance over topics, each matrix resampled separately; None below three topics.

    A variance is in essence a mean over topics of their squared deviations, so it is studentised as a mean;
    the log makes it nearly symmetric (Efron & Tibshirani 1993, section 12.5).
    """
    if min(map(len, matrices)) < 3:  # noqa: PLR2004  two topics deviate alike from their mean
        return None
    shares = [(run_deviations(x) ** 2).sum(axis=1) for x in matrices]
    total = float(sum(share.sum() for share in shares))
    if not total:
        return 0.0, 0.0
    error = float(np.sqrt(sum(len(share) * share.var(ddof=1) for share in shares))) / total
    low, high = percentile_limits(_studentised_logs(shares, total, draws), draws.confidence)
    variance = total / _degrees(matrices, lost)
    with np.errstate(over="ignore"):  # of a few topics there may be no upper limit
        return float(variance * np.exp(-high * error)), float(variance * np.exp(-low * error))


def _studentised_logs(shares: Sequence[FloatArray], total: float, draws: _Draws) -> FloatArray:
    """Per draw, log(drawn total / total) over its standard error; 0 for draws without variance."""
    trials = draws.trials
    sums, spreads = np.zeros(trials), np.zeros(trials)
    for share in shares:
        n = len(share)
        block = partial(_moments, exact_multiples(np.stack((share, share**2), axis=1)), trial_key(draws.rng))
        moments = list(trial_blocks(block, trials=trials, size=block_size(n), workers=draws.workers))
        first, second = np.concatenate(moments).T
        sums += first
        spreads += np.maximum(second - first**2 / n, 0.0) * n / (n - 1)
    varied = (sums > 0) & (spreads > _ROUNDING * sums**2)
    error = np.sqrt(spreads[varied]) / sums[varied]
    logs = np.zeros(trials)
    logs[varied] = np.log(sums[varied] / total) / error
    return logs


def _moments(shares: FloatArray, key: int, first: int, trials: int) -> FloatArray:
    """The sums of the drawn topics' shares and of their squares, "trials x 2"."""
    drawn: FloatArray = drawn_counts(key, first, trials, len(shares)) @ shares
    return drawn
