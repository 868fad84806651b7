"""Compare runs: scores in; p-values, intervals, ranks and groups out, under one measure or several.

``compare`` reads what it is given, chooses the method and returns a ``Comparison``, which shows itself. The methods are
in ``allpairs`` (every pair of runs), ``baseline`` (every run against one), ``family`` (several measures together) and
``crossed`` (missing scores, assessors, repeats).
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kaiwa.ambient import progress
from kaiwa.comparison.allpairs import ALL_PAIRS, AUTO_CAP, CROSSED, WITHOUT_TRIALS
from kaiwa.comparison.baseline import BASELINE_TESTS, ROBUST, BaselineComparison, compare_with_baseline
from kaiwa.comparison.crossed import CrossedComparison, compare_crossed
from kaiwa.comparison.family import compare_family
from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.comparison.notes import (
    baseline_description,
    crossed_description,
    gap_notes,
    leaderboard_description,
    least_p,
    with_few_topics,
)
from kaiwa.comparison.ranks import best_of_teams
from kaiwa.engine.opening import trial_workers
from kaiwa.errors import InputError, UnknownName, in_python, option
from kaiwa.formats.reading import measures_among, one_of, placed, refuse_idle_directions, scores_of
from kaiwa.formats.scores import MEAN_REMARK
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kaiwa.comparison.baseline import PlannedPair
    from kaiwa.comparison.crossed import AdjustedMean, CrossedPair
    from kaiwa.comparison.leaderboard import FewTopics, PairResult, Standing
    from kaiwa.comparison.ranks import TeamBest
    from kaiwa.formats.reading import QrelsInput, ScoresInput
    from kaiwa.nouns.matrix import Direction
    from kaiwa.nouns.measure_name import MeasuresInput
    from kaiwa.nouns.scores import Scores
    from kaiwa.show.text import Cell
    from kaiwa.stats.anova import AnovaTable, Source
    from kaiwa.stats.p_values import PRule

    Compared = Leaderboard | BaselineComparison | CrossedComparison

TESTS = (*ALL_PAIRS, CROSSED)
TRIALS = 5_000
MISSING = ("error", "drop-topics", "drop-runs", "zero")


class Comparison(Result):
    """Runs compared: all pairs, each with a baseline, or all pairs by the crossed model; under one measure or several.

    Of one measure it has the fields of its JSON; a field that its test does not have is None. Of several measures,
    ``comparison["P+"]`` is the comparison under one, and ``measures`` has them all.

    >>> import kaiwa
    >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
    >>> compared = kaiwa.compare(scores, trials=999)
    >>> compared
    Comparison('score', 6 topics, 2 runs, 1 of 1 pair significant)
    >>> compared.ranks
    {'A': 1, 'B': 2}
    """

    def __init__(
        self,
        by_measure: Mapping[str, Compared],
        *,
        remarks: Sequence[str] = (),
        gaps: Mapping[str, Sequence[str]] | None = None,
        teams: Mapping[str, tuple[TeamBest, ...]] | None = None,
    ) -> None:
        self._by_measure = dict(by_measure)
        self._gaps = dict(gaps or {})
        self._teams = dict(teams or {})
        self.remarks = tuple(remarks)

    def __repr__(self) -> str:
        if len(self._by_measure) > 1:
            return f"Comparison({', '.join(map(repr, self._by_measure))})"
        return repr(self.one).replace(type(self.one).__name__, "Comparison", 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparison):
            return NotImplemented
        return (self._by_measure, self.remarks) == (other._by_measure, other.remarks)

    __hash__ = None  # type: ignore[assignment]  # equal by what it holds

    def __getitem__(self, measure: str) -> Comparison:
        if measure not in self._by_measure:
            raise UnknownName.among("measure", measure, self._by_measure)
        one = {measure: self._by_measure[measure]}
        return Comparison(one, remarks=self.remarks, gaps=self._gaps, teams=self._teams)

    @property
    def measures(self) -> dict[str, Comparison]:
        """The comparison under each measure."""
        return {measure: self[measure] for measure in self._by_measure}

    @property
    def one(self) -> Compared:
        """What the test found under the one measure; an error that names the measures if there are several."""
        if len(self._by_measure) > 1:
            first = next(iter(self._by_measure))
            names = ", ".join(self._by_measure)
            raise InputError(f"compared under {names}; choose one measure, as in comparison[{first!r}]")
        return next(iter(self._by_measure.values()))

    @property
    def _first(self) -> Compared:
        """The first measure's: what all measures share can be read from it."""
        return next(iter(self._by_measure.values()))

    def _field(self, name: str) -> Any:  # Any: the field's own type; None if the test does not have it
        return getattr(self.one, name, None)

    @property
    def measure(self) -> str:
        """The measure."""
        return self.one.measure

    @property
    def test(self) -> str:
        """The name of the test."""
        return CROSSED if isinstance(self.one, CrossedComparison) else self.one.test

    @property
    def alpha(self) -> float:
        """The nominal familywise error."""
        return self._first.alpha

    @property
    def topics(self) -> int:
        """How many topics were compared on."""
        return self.one.topics

    @property
    def direction(self) -> Direction:
        """Which scores are better, ``higher`` or ``lower``."""
        return self.one.direction

    @property
    def pairs(self) -> tuple[PairResult | PlannedPair | CrossedPair, ...]:
        """The pairs of runs, each with difference, interval and p; with a baseline those with it."""
        return self.one.pairs

    @property
    def ranks(self) -> dict[str, int]:
        """Each run's rank: 1 + the number of runs significantly better; empty with a baseline."""
        return self._field("ranks") or {}

    @property
    def rank_sets(self) -> dict[str, tuple[int, int]] | None:
        """The best and the worst rank that each run may have."""
        found: dict[str, tuple[int, int]] | None = self._field("rank_sets")
        return found

    @property
    def may_be_best(self) -> tuple[str, ...] | None:
        """The runs that may be best."""
        found: tuple[str, ...] | None = self._field("may_be_best")
        return found

    @property
    def leaderboard(self) -> tuple[Standing | AdjustedMean, ...]:
        """The runs, the best mean first; empty with a baseline."""
        return self._field("standings") or ()

    @property
    def unranked(self) -> tuple[str, ...]:
        """The runs that were left out for missing scores."""
        return self._field("unranked") or ()

    @property
    def baseline(self) -> str | None:
        """The run that the others were compared with."""
        found: str | None = self._field("baseline")
        return found

    @property
    def critical_difference(self) -> float | None:
        """The smallest significant difference; None if the test has none for all pairs."""
        found: float | None = self._field("critical_difference")
        return found

    @property
    def familywise(self) -> float | None:
        """The estimated familywise error on runs with these variances and correlations."""
        found: float | None = self._field("familywise")
        return found

    @property
    def margin(self) -> float | None:
        """The smallest difference that matters."""
        found: float | None = self._field("margin")
        return found

    @property
    def family(self) -> tuple[str, ...]:
        """The measures over which the error is limited together."""
        return getattr(self._first, "family", ()) or ()

    @property
    def trials(self) -> int | None:
        """How many trials were drawn."""
        found: int | None = getattr(self._first, "trials", None)
        return found

    @property
    def p_rule(self) -> PRule | None:
        """How p-values are estimated from trials."""
        found: PRule | None = self._field("p_rule")
        return found

    @property
    def smallest_p(self) -> float | None:
        """The smallest p that so many trials can give; None if it is 0."""
        return least_p(self.one)

    @property
    def anova(self) -> tuple[Source, ...]:
        """The two-way ANOVA of topics, runs and residual; empty if the test has none."""
        found: AnovaTable | None = self._field("anova")
        return () if found is None else (found.topics, found.runs, found.residual)

    @property
    def teams(self) -> tuple[TeamBest, ...]:
        """Each team's best run, and the teams' best runs that it outperforms."""
        return self._teams.get(self.measure, ())

    @property
    def unbounded(self) -> bool | None:
        """Whether the measure seems to have no upper limit."""
        found: bool | None = self._field("unbounded")
        return found

    @property
    def scores(self) -> int | None:
        """How many scores the crossed model used."""
        found: int | None = self._field("scores")
        return found

    @property
    def missing(self) -> int | None:
        """How many pairs of a topic and a run have no score, by the crossed model."""
        found: int | None = self._field("missing")
        return found

    @property
    def terms(self) -> tuple[str, ...]:
        """The random effects of the crossed model."""
        return self._field("terms") or ()

    @property
    def identical(self) -> str | None:
        """What never differs on a topic, repeats or assessors; of these the crossed model used one score each."""
        found: str | None = self._field("identical")
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes below the tables."""
        return tuple(map(in_python, self.describe().notes))

    @property
    def more_by_steps(self) -> int | None:
        """How many pairs more the step-down version of ``robust`` finds."""
        found: int | None = self._field("more_by_steps")
        return found

    @property
    def few_topics(self) -> FewTopics | None:
        """What so few topics can show."""
        found: FewTopics | None = self._field("few_topics")
        return found

    @property
    def discriminative_power(self) -> float | None:
        """The share of pairs that differ significantly (Sakai 2006)."""
        found: float | None = self._field("discriminative_power")
        return found

    def probability(self, a: str, b: str) -> float:
        """The probability that run ``a`` is better than run ``b``, by the crossed model.

        >>> import kaiwa
        >>> rows = [(f"q{i}", run, i % 5 + i * k % 3 + 9 * k) for i in range(9) for k, run in enumerate("AB")]
        >>> kaiwa.Scores.from_rows(rows).compare(test="crossed").probability("B", "A") > 0.99
        True
        """
        if not isinstance(self.one, CrossedComparison):
            raise InputError(f"the test {self.test} gives no such probability; choose {option('test', CROSSED)}")
        return self.one.probability(a, b)

    def describe(self) -> Description:
        """Of one measure the leaderboard, pairs and notes; of several a table of the means with their ranks.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> [table.name for table in compared.describe().tables]
        ['leaderboard', 'pairs', 'anova']
        """
        if len(self._by_measure) > 1:
            return self._side_by_side()
        found, before = self.one, (*self.remarks, *self._gaps.get(self.measure, ()))
        if isinstance(found, CrossedComparison):
            return crossed_description(found, before)
        if isinstance(found, BaselineComparison):
            return baseline_description(found, before)
        return leaderboard_description(found, self.teams, before)

    def _side_by_side(self) -> Description:
        """The means of all measures in one table, with ranks; or with stars for runs that differ from the baseline."""
        each = {measure: one.describe() for measure, one in self.measures.items()}
        columns, rows = _means_and_ranks(self._by_measure)
        printed = [[row[0], *map(_marked, row[1::2], row[2::2])] for row in rows]
        header = [self._first.axes.run, *(found.label for found in self._by_measure.values())]
        pairs = [[measure, *row] for measure, one in each.items() for row in one.table("pairs").rows]
        first = next(iter(each.values())).table("pairs")
        notes = [
            f"{measure}: {note}" for measure, one in each.items() for note in one.notes if note not in self.remarks
        ]
        return Description(
            tables=(
                Table("leaderboard", columns, rows, header, printed),
                Table("pairs", ["measure", *first.columns], pairs),
            ),
            fields={
                "family": self.family,
                "alpha": self.alpha,
                "trials": self.trials,
                "measures": {measure: one.fields for measure, one in each.items()},
            },
            notes=[*self.remarks, *notes, f"One measure in full: {option('measures', next(iter(each)))}."],
            methods=" ".join(one.methods for one in each.values()),
        )

    def figure(self, table: str | None = None) -> str:
        """The means with their intervals as SVG; of the table ``pairs``, the p-values of all pairs.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> "<svg" in compared.figure()
        True
        """
        from kaiwa.comparison.figures import caterpillar_svg, heat_map_svg  # needs matplotlib

        if not isinstance(self.one, Leaderboard):
            raise InputError(f"figures show all pairs of runs by one of {', '.join(ALL_PAIRS)}; choose such a test")
        drawn = {None: caterpillar_svg, "leaderboard": caterpillar_svg, "pairs": heat_map_svg}
        if table not in drawn:
            raise UnknownName.among("figure", str(table), ("leaderboard", "pairs"))
        return drawn[table](self.one)


def _means_and_ranks(by_measure: Mapping[str, Compared]) -> tuple[list[str], list[list[Cell]]]:
    """The columns and rows of several measures: means and ranks, or differences from the baseline and p-values."""
    columns = ["run"]
    cells: dict[str, list[Cell]] = {}
    for place, (measure, found) in enumerate(by_measure.items()):
        if isinstance(found, BaselineComparison):
            columns += [f"{measure} diff", f"{measure} p"]
            own: dict[str, tuple[Cell, Cell]] = {pair.a: (pair.diff, pair.p) for pair in found.pairs}
        else:
            columns += [measure, f"{measure} rank"]
            own = {one.run: (one.mean, one.rank) for one in found.standings}
            own |= dict.fromkeys(getattr(found, "unranked", ()), (None, None))
        for run in own:
            cells.setdefault(run, [None] * (2 * place))
        for run in cells:
            cells[run] += own.get(run, (None, None))
    return columns, [[run, *row] for run, row in cells.items()]


def _marked(value: Cell, mark: Cell) -> Cell:
    """A mean with its rank, or a difference with its p, as people read it."""
    if not isinstance(value, float):
        return value
    if isinstance(mark, int):
        return f"{value:.4f} ({mark})"
    return f"{value:+.4f} (p {mark:.4f})" if isinstance(mark, float) else f"{value:.4f}"


@takes_task
def compare(
    scores: ScoresInput,
    measures: MeasuresInput | None = None,
    *,
    qrels: QrelsInput | None = None,
    test: str = ROBUST,
    baseline: str | None = None,
    family: bool = False,
    margin: float | None = None,
    alpha: float = 0.05,
    trials: int | Literal["auto"] | None = None,
    max_trials: int = AUTO_CAP,
    p_rule: PRule = "plus-one",
    missing: str = "error",
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
    team_pattern: str | None = None,
    seed: int = 1,
    engine: str = "local",
) -> Comparison:
    """Every pair of runs compared; with ``baseline`` every run with that one.

    ``scores`` are scores in any form, or runs with their ``qrels``, which are scored first. ``test`` is ``robust``,
    ``robust-step-down``, ``hsd``, ``step-down``, ``tukey`` or ``crossed``; with a baseline ``robust``,
    ``randomisation``, ``t`` or ``bootstrap``; docs/compare.md has their measured errors. ``family`` limits the error
    over all measures together. ``margin`` is the smallest difference that matters: each pair then has a ``verdict``.
    Without ``trials`` there are 5,000, with a paired test as many as the comparisons need; ``"auto"`` adds trials until
    no pair is close to ``alpha``, up to ``max_trials``. ``missing`` says what a missing score means: an ``error``,
    ``drop-topics``, ``drop-runs`` or ``zero``. ``engine`` computes the trials; the result does not depend on it.

    >>> import kaiwa
    >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
    >>> kaiwa.compare(scores, baseline="B", trials=999).pairs[0].significant
    True
    """
    _refuse_what_cannot_act(
        test,
        baseline,
        family=family,
        margin=margin,
        trials=trials,
        max_trials=max_trials,
        p_rule=p_rule,
        missing=missing,
        team_pattern=team_pattern,
        seed=seed,
    )
    given = scores_of(scores, call="compare(scores)") if qrels is None else _scored(scores, qrels, measures)
    with placed(scores):
        given = scores_of(given, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
        named = measures_among(measures if qrels is None else None, given.measures)
        if family and len(named) == 1:
            raise InputError(f"a family needs several measures, and there is {named[0]}; leave out {option('family')}")
        refuse_idle_directions(named, lower_is_better, higher_is_better)
        chosen = given.only(named)
        if test == CROSSED:
            remarks = [line for line in chosen.remarks if MEAN_REMARK not in line]
            return Comparison(
                {name: compare_crossed(chosen.observations(name), alpha=alpha) for name in named}, remarks=remarks
            )
        complete = chosen.complete(missing=missing)
        drawing = _Drawing(alpha=alpha, p_rule=p_rule, margin=margin, seed=seed, engine=engine)
        if family:
            found: Mapping[str, Compared] = drawing.family(complete, trials)
        elif baseline is not None:
            found = {name: drawing.planned(complete, name, baseline, test, trials) for name in named}
        else:
            found = {name: drawing.all_pairs(complete, name, test, trials, max_trials) for name in named}
        gaps = {name: gap_notes(complete, name) for name in named}
        teams = {
            name: best_of_teams(one, pattern=team_pattern)
            for name, one in found.items()
            if isinstance(one, Leaderboard)
        }
        return Comparison(found, remarks=complete.remarks, gaps=gaps, teams=teams)


def _scored(runs: ScoresInput, qrels: QrelsInput, measures: MeasuresInput | None) -> Scores:
    """The scores of runs by the measures."""
    from kaiwa.measures.score import DEFAULT, score

    scored: Scores = score(runs, qrels, measures or DEFAULT)
    return scored


def _refuse_what_cannot_act(
    test: str,
    baseline: str | None,
    *,
    family: bool,
    margin: float | None,
    trials: int | Literal["auto"] | None,
    max_trials: int,
    p_rule: PRule,
    missing: str,
    team_pattern: str | None,
    seed: int,
) -> None:
    """Refuse options that would do nothing, or that contradict each other, each with what works."""
    one_of("missing rule", missing, MISSING)
    if baseline is None:
        if test in BASELINE_TESTS and test not in TESTS:
            fix = f"add {option('baseline', 'RUN')}, or choose {', '.join(TESTS)}"
            raise InputError(f"{option('test', test)} compares with a baseline; {fix}")
        one_of("test", test, TESTS)
    elif test not in BASELINE_TESTS:
        one_of("test", test, tuple(dict.fromkeys((*TESTS, *BASELINE_TESTS))))
        known = ", ".join(BASELINE_TESTS)
        raise InputError(
            f"{option('test', test)} compares all pairs; leave out {option('baseline')}, or choose {known}"
        )
    analytic, crossed = test in WITHOUT_TRIALS, test == CROSSED
    without = f"leave out {option('baseline')}"
    contradictions = (
        (family and baseline is not None, f"{option('family')} compares all pairs; {without}"),
        (family and test != ROBUST, f"{option('test', test)} has no family of measures; choose {ROBUST}"),
        (
            trials == "auto" and (family or baseline is not None),
            f"{option('trials', 'auto')} is for all pairs under one measure each; give a number",
        ),
        (
            trials is not None and analytic,
            f"{option('test', test)} draws no trials for its p-values; leave out {option('trials')}",
        ),
        (
            max_trials != AUTO_CAP and trials != "auto",
            f"{option('max_trials')} limits {option('trials', 'auto')}; add it, or leave this out",
        ),
        (
            p_rule != "plus-one" and analytic,
            f"{option('test', test)} draws no trials for its p-values; leave out {option('p_rule')}",
        ),
        (
            team_pattern is not None and (crossed or baseline is not None),
            f"{option('team_pattern')} is for all pairs by one of {', '.join(ALL_PAIRS)}; leave it out",
        ),
        (
            seed != 1 and (crossed or test == "t"),
            f"{option('test', test)} draws nothing; leave out {option('seed')}",
        ),
        (crossed and margin is not None, f"{option('test', CROSSED)} has no verdicts; leave out {option('margin')}"),
        (crossed and missing != "error", f"{option('test', CROSSED)} uses every score; leave out {option('missing')}"),
    )
    for is_so, line in contradictions:
        if is_so:
            raise InputError(line)


class _Drawing:
    """How trials are drawn: level, rule of p-values, margin, seed and engine, the same for every measure."""

    def __init__(self, *, alpha: float, p_rule: PRule, margin: float | None, seed: int, engine: str) -> None:
        self._settings: dict[str, Any] = {"alpha": alpha, "p_rule": p_rule, "margin": margin}  # Any: by keyword
        self._seed, self._engine = seed, engine

    def all_pairs(
        self, scores: Scores, measure: str, test: str, trials: int | Literal["auto"] | None, cap: int
    ) -> Leaderboard:
        matrix = scores.matrix(measure)
        with trial_workers(self._engine, threads=os.cpu_count() or 1) as workers, progress("resampling") as moved:
            found = compare_runs(
                matrix,
                test=test,
                trials=TRIALS if trials is None else trials,
                cap=cap,
                rng=np.random.default_rng(self._seed),
                workers=workers,
                progress=moved,
                **self._settings,
            )
        return replace(with_few_topics(found, matrix), unranked=scores.runs_left_out.get(measure, ()))

    def planned(
        self, scores: Scores, measure: str, baseline: str, test: str, trials: Any
    ) -> BaselineComparison:  # Any: a number or None, as was checked
        matrix = scores.matrix(measure)
        with trial_workers(self._engine, threads=os.cpu_count() or 1) as workers, progress("testing"):
            found = compare_with_baseline(
                matrix,
                baseline,
                test=test,
                trials=trials,
                rng=np.random.default_rng(self._seed),
                workers=workers,
                **self._settings,
            )
        return with_few_topics(found, matrix)

    def family(self, scores: Scores, trials: Any) -> dict[str, Leaderboard]:
        matrices = {name: scores.matrix(name) for name in scores.measures}
        with trial_workers(self._engine, threads=os.cpu_count() or 1) as workers, progress("resampling") as moved:
            found = compare_family(
                matrices.values(),
                trials=TRIALS if trials is None else trials,
                rng=np.random.default_rng(self._seed),
                workers=workers,
                progress=moved,
                **self._settings,
            )
        return {name: with_few_topics(one, matrices[name]) for name, one in found.items()}
