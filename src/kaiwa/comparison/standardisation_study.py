"""The effect of standardisation on topic set sizes, and how far its factors hold for other runs.

The studies of Sakai (AIRS 2016; ICTIR 2016) on any scores: variances and the next number of topics by raw and by std-AB
scores; the scores of every topic as in Figure 1; and what the papers left open: what runs get whose team, or year, had
no part in the factors. ``standardisation`` reads what it is given and returns a ``Standardisation``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kaiwa.comparison.standardise import A, B, scale_top, standardisation_factors, standardised, variance_bound
from kaiwa.comparison.unknown_runs import HeldRow, UnknownRun, held_over_years, held_without_teams
from kaiwa.errors import InputError, UnknownName, counted, in_python, option
from kaiwa.formats.reading import name_list, names_apart, one_of
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import few
from kaiwa.stats.anova import within_run_variance
from kaiwa.stats.kendall import kendall_tau
from kaiwa.stats.p_values import tied_means
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.pilot_scores import read_pilots
from kaiwa.topicset.pilots import from_pilots, matrices_of, pilot_ratio, pilot_variance, worst_case
from kaiwa.topicset.requirement import Requirement
from kaiwa.topicset.sizes import size_table
from kaiwa.topicset.tests import ROBUST, designed_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.comparison.figures import TopicPanels
    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.show.text import Cell


SYSTEMS = (2, 10, 50)
MIN_DIFFS = (0.05, 0.1, 0.2)
LEFT_OUT = ("teams", "years")
RAW, STD_AB, BOUND = "raw", "std-AB", "bound"
TOO_LARGE = "too large"


@dataclass(frozen=True)
class VarianceRow:
    """The variance V_E of one measure by raw or std-AB scores; std-AB's has a bound, and tau with the raw ranking."""

    measure: str
    scores: str
    runs: int
    topics: int
    variance: float
    bound: float | None
    tau: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class SizeRow:
    """The next number of topics by raw scores, by std-AB scores, or by std-AB's bound.

    It is None if it is ``too_large``, or if these scores do not vary: the runs differ equally on every topic.
    """

    measure: str
    scores: str
    systems: int
    min_diff: float
    n: int | None
    too_large: bool


@dataclass(frozen=True)
class Sides:
    """The pilots of one measure, raw and std-AB; each is standardised by its own runs."""

    raw: tuple[Matrix, ...]
    std_ab: tuple[Matrix, ...]


def both_sides(pilots: Sequence[Matrix], *, a: float, b: float) -> Sides:
    """The scores as they are, and as std-AB."""
    return Sides(tuple(pilots), tuple(standardised(one, standardisation_factors(one), a=a, b=b) for one in pilots))


# Variances and sizes: the tables of the papers.


def variance_rows(sides: Sides, *, a: float) -> list[VarianceRow]:
    """V_E by raw and by std-AB scores, pooled over the pilots, and tau between the rankings of the first."""
    measure = sides.raw[0].measure
    runs, topics = max(len(one.runs) for one in sides.raw), sum(len(one.topics) for one in sides.raw)
    bound = max(variance_bound(len(one.topics), len(one.runs), a=a) for one in sides.std_ab)
    means = [tied_means(side[0].values) for side in (sides.raw, sides.std_ab)]
    tau = kendall_tau(*means, interval="null") if all(np.ptp(one) for one in means) else None
    limits = (tau.tau, tau.low, tau.high) if tau else (None, None, None)
    raw, std_ab = (_pooled([one.values for one in side]) for side in (sides.raw, sides.std_ab))
    return [
        VarianceRow(measure, RAW, runs, topics, raw, None, None, None, None),
        VarianceRow(measure, STD_AB, runs, topics, std_ab, bound, *limits),
    ]


def _pooled(matrices: Sequence[FloatArray]) -> float:
    """V_E, weighted by degrees of freedom."""
    degrees = [one.shape[1] * (len(one) - 1) for one in matrices]
    return float(np.average([within_run_variance(one) for one in matrices], weights=degrees))


def size_rows(
    sides: Sides, asked: Requirement, *, systems: Sequence[int], min_diffs: Sequence[float], a: float, b: float
) -> list[SizeRow]:
    """The number of topics by raw scores, by std-AB scores and by std-AB's bound, for every cell."""
    measure, top = sides.raw[0].measure, scale_top(b)
    rows = list[SizeRow]()
    for name, side, unit in ((RAW, sides.raw, 1.0), (STD_AB, sides.std_ab, top)):
        matrices = matrices_of(side)
        if not pilot_variance(matrices, asked.test).variance:
            rows += [SizeRow(measure, name, m, difference, None, False) for difference in min_diffs for m in systems]
            continue
        found = size_table(
            from_pilots(asked, matrices),
            systems=systems,
            min_diffs=[unit * difference for difference in min_diffs],
            ratio_of=partial(_ratio, matrices, asked),
        )
        rows += [
            SizeRow(measure, name, m, difference, n, n is None)
            for difference, by_systems in zip(min_diffs, found.sizes, strict=True)
            for m, n in zip(systems, by_systems, strict=True)
        ]
    if asked.method != "exact":
        return rows
    for difference in min_diffs:
        for m in systems:
            answer = worst_case(replace(asked, systems=m, min_diff=difference * top * A / a))
            rows.append(SizeRow(measure, BOUND, m, difference, answer.n if answer else None, answer is None))
    return rows


def _ratio(matrices: Sequence[FloatArray], asked: Requirement, systems: int) -> float:
    return pilot_ratio(matrices, replace(asked, systems=systems))


# The verb.


@takes_task
def standardisation(
    scores: ScoresInput,
    measures: str | Sequence[str] | None = None,
    *,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
    a: float = A,
    b: float = B,
    systems: int | Sequence[int] = SYSTEMS,
    min_diff: float | Sequence[float] = MIN_DIFFS,
    power: float = 0.8,
    alpha: float = 0.05,
    test: str = ROBUST,
    method: Literal["exact", "sakai"] = "exact",
    leave_out: str | None = None,
    team_pattern: str | None = None,
    marked: str | Sequence[str] = (),
) -> Standardisation:
    """What standardisation changes: variances, the next number of topics, and the scores of every topic.

    The study of Sakai (AIRS 2016) on any scores: V_E by raw and by std-AB scores (slope ``a``, middle ``b``), Kendall's
    tau between the two rankings, and the number of topics for each number of ``systems`` and each ``min_diff`` by raw
    scores, by std-AB scores, and by the bound of std-AB's variance, which needs no pilot. ``min_diff`` is in the units
    of the raw scores, and a share of the standardised scale (0..1, or 0..2b). Several files are pilots, pooled.
    ``test`` and ``method`` are those of ``kaiwa.design``; ``test="anova", method="sakai"`` are those of the papers. A
    size above 1,000,000,000 is too large: None, as for unnormalised measures.

    ``leave_out="teams"`` leaves each team out of the factors in turn, and says what its runs, unknown to the factors,
    get; ``team_pattern`` finds the team in a run's name. With ``leave_out="years"`` each file is a year, in this order:
    the runs of each are standardised by every earlier year. ``marked`` runs are those in colour in the figure, and of
    the table ``topics``; by default the best.

    >>> import kaiwa
    >>> values = [[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]]
    >>> scores = kaiwa.Scores.from_matrix("AP", "1234", ["T1-C-R1", "T2-C-R1", "T3-C-R1"], values)
    >>> study = kaiwa.standardisation(scores, systems=2, min_diff=0.1, test="anova", method="sakai")
    >>> [(row["scores"], row["n"]) for row in study.sizes]
    [('raw', 58), ('std-AB', 12)]
    """
    if team_pattern is not None and leave_out != "teams":
        raise InputError(f"{option('team_pattern')} finds the teams of {option('leave_out', 'teams')}; add it")
    if leave_out is not None:
        one_of("leave_out", leave_out, LEFT_OUT)
    a, b = float(a), float(b)
    asked = Requirement(
        1.0, power=power, alpha=alpha, test=designed_for(test), method=method, scale=scale_top(b), test_named=True
    )
    numbers = tuple(systems) if isinstance(systems, Sequence) else (systems,)
    differences = tuple(min_diff) if isinstance(min_diff, Sequence) else (min_diff,)
    if not numbers or not differences:
        raise InputError(f"give one number or more for {option('systems')} and {option('min_diff')}")
    for difference in differences:
        if not 0 < difference <= 1:
            what = f"{option('min_diff', f'{difference:g}')} is not a share of the standardised scale"
            raise InputError(f"{what}; give one up to 1, or see kaiwa design for raw scores in another unit")
    pilots = read_pilots(scores, measures, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
    found = list[_OfMeasure]()
    for measure, tables in pilots.by_measure.items():
        sides = both_sides(tables, a=a, b=b)
        held, unknown = _held(tables, leave_out, pilots.places, a=a, b=b, pattern=team_pattern)
        found.append(
            _OfMeasure(
                measure,
                sides,
                variance_rows(sides, a=a),
                size_rows(sides, asked, systems=numbers, min_diffs=differences, a=a, b=b),
                held,
                unknown,
                _marked(tables[0], marked),
            )
        )
    return Standardisation(found, a=a, b=b, test=asked.test, method=method, leave_out=leave_out, remarks=pilots.remarks)


@dataclass(frozen=True, eq=False)
class _OfMeasure:
    measure: str
    sides: Sides
    variances: Sequence[VarianceRow]
    sizes: Sequence[SizeRow]
    held: Sequence[HeldRow]
    unknown: Sequence[UnknownRun]
    marked: tuple[str, ...]


def _held(
    tables: Sequence[Matrix], leave_out: str | None, places: Sequence[str], *, a: float, b: float, pattern: str | None
) -> tuple[list[HeldRow], list[UnknownRun]]:
    if leave_out is None:
        return [], []
    if leave_out == "years":
        if len(tables) == 1 or len(places) != len(tables):
            what = f"{tables[0].measure}: {counted(len(tables), 'file')} of scores"
            raise InputError(f"{what}; {option('leave_out', 'years')} needs two or more, each with every measure")
        return held_over_years(tables, [Path(place).name for place in places], a=a, b=b)
    if len(tables) > 1:
        raise InputError(f"{option('leave_out', 'teams')} needs the runs of all teams in one file; give one")
    return held_without_teams(tables[0], a=a, b=b, pattern=pattern)


def _marked(scores: Matrix, given: str | Sequence[str]) -> tuple[str, ...]:
    """The runs to be marked: those given, or the best."""
    if given:
        named = dict.fromkeys(names_apart(name_list("marked", given), scores.runs))
        for run in named:
            if run not in scores.runs:
                raise UnknownName.among(scores.axes.run, run, scores.runs)
        return tuple(named)
    return (scores.runs[int(tied_means(scores.oriented).argmax())],)


class Standardisation(Result):
    """What standardisation changes, by measure.

    ``variances``, ``sizes``, ``held``, ``unknown_runs`` and ``topics`` are the rows of the tables of these names, as
    dicts; an ``n`` of None is ``too_large``, or of scores that do not vary. ``held`` and ``unknown_runs`` are empty if
    nothing was left out. ``figure`` is Figure 1 of the papers: every run on every topic, raw and standardised, with the
    ``marked`` runs in colour.

    >>> import kaiwa
    >>> scores = kaiwa.Scores.from_matrix("AP", "123", "ABC", [[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2]])
    >>> study = kaiwa.standardisation(scores, systems=2, min_diff=0.1)
    >>> study.marked, [row["scores"] for row in study.sizes]
    ({'AP': ('A',)}, ['raw', 'std-AB', 'bound'])
    """

    def __init__(
        self,
        found: Sequence[_OfMeasure],
        *,
        a: float,
        b: float,
        test: str,
        method: str,
        leave_out: str | None,
        remarks: tuple[str, ...] = (),
    ) -> None:
        self._found = list(found)
        self.a = a
        self.b = b
        self.test = test
        self.method = method
        self.leave_out = leave_out
        self.remarks = remarks

    def __repr__(self) -> str:
        return f"Standardisation({', '.join(repr(one.measure) for one in self._found)}, A {self.a:g}, B {self.b:g})"

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures studied."""
        return tuple(one.measure for one in self._found)

    @property
    def marked(self) -> dict[str, tuple[str, ...]]:
        """The runs in colour, by measure."""
        return {one.measure: one.marked for one in self._found}

    @property
    def variances(self) -> list[dict[str, Any]]:  # Any: names and numbers
        """V_E by raw and by std-AB scores."""
        return [asdict(row) for one in self._found for row in one.variances]

    @property
    def sizes(self) -> list[dict[str, Any]]:  # Any: names and numbers
        """The number of topics of each cell; None if it is too large, or if the scores do not vary."""
        return [asdict(row) for one in self._found for row in one.sizes]

    @property
    def held(self) -> list[dict[str, Any]]:  # Any: names and numbers
        """How the factors hold without each team, or over the years."""
        return [asdict(row) for one in self._found for row in one.held]

    @property
    def unknown_runs(self) -> list[dict[str, Any]]:  # Any: names and numbers
        """What each run gets by factors in which it had no part."""
        return [asdict(row) for one in self._found for row in one.unknown]

    @property
    def topics(self) -> list[dict[str, Any]]:  # Any: names and numbers
        """The marked runs on every topic of the first pilot, from the hardest to the easiest by mean raw score."""
        return [
            {
                "measure": one.measure,
                "place": place,
                "topic": raw.topics[row],
                "run": run,
                "raw": float(raw.values[row, raw.runs.index(run)]),
                "std_ab": float(std_ab.values[row, raw.runs.index(run)]),
            }
            for one in self._found
            for raw, std_ab in [(one.sides.raw[0], one.sides.std_ab[0])]
            for place, row in enumerate(np.argsort(raw.oriented.mean(axis=1), kind="stable").tolist(), start=1)
            for run in one.marked
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """How the sizes were computed, which are too large, and how far the factors hold."""
        top = scale_top(self.b)
        scale = f"std-AB: A = {self.a:g}, B = {self.b:g}, on 0..{top:g}, of which minD is a share"
        notes = [
            f"Sizes by {self.test} ({self.method}); {scale}.",
            "Limits of tau are by the standard error under no relation, as in the paper.",
        ]
        large = dict.fromkeys(row["measure"] for row in self.sizes if row["too_large"] and row["scores"] == RAW)
        if large:
            names = few(list(large))
            notes.append(f"Too large: more than 1,000,000,000 topics, as for scores that are not normalised ({names}).")
        for one in self._found:
            if one.held:
                moved = max(abs(run.place_unknown - run.place_known) for run in one.unknown)
                change = max(row.largest_change for row in one.held)
                what = f"unknown runs get a mean that differs by up to {change:.4f}, and move up to {moved} places"
                notes.append(f"{one.measure}: {what}.")
        return (*self.remarks, *notes)

    def describe(self) -> Description:
        """Variances, sizes, and how factors hold."""
        tables = (self._variance_table(), self._size_table(), *self._held_tables(), self._topic_table())
        names = ("measures", "a", "b", "test", "method", "leave_out", "marked", "variances", "sizes")
        return Description(
            tables=tables,
            shown=("variances", "sizes", *(("held",) if self.held else ())),
            notes=self.notes,
            fields={
                **{name: getattr(self, name) for name in (*names, "held", "unknown_runs", "topics")},
                "notes": [in_python(note) for note in self.notes],
            },
        )

    def _variance_table(self) -> Table:
        header = ["measure", "scores", "runs", "topics", "V_E", "bound", "tau", "95% low", "high"]
        rows = [list(row.values()) for row in self.variances]
        printed = [["" if cell is None else cell for cell in row] for row in rows]
        return Table("variances", list(VarianceRow.__dataclass_fields__), rows, header, printed)

    def _size_table(self) -> Table:
        """For people a row per measure and difference, and the kinds of scores side by side for each m."""
        systems = list(dict.fromkeys(row["systems"] for row in self.sizes))
        kinds = list(dict.fromkeys(row["scores"] for row in self.sizes))
        header = ["measure", "minD", *(f"m={m} {kind}" for m in systems for kind in kinds)]
        cells = {
            (row["measure"], row["min_diff"], row["systems"], row["scores"]): TOO_LARGE
            if row["too_large"]
            else row["n"]
            for row in self.sizes
        }
        lines = dict.fromkeys((row["measure"], row["min_diff"]) for row in self.sizes)
        printed: list[list[Cell]] = [
            [
                measure,
                f"{difference:g}",
                *(cells[measure, difference, m, kind] for m in systems for kind in kinds),
            ]
            for measure, difference in lines
        ]
        return Table(
            "sizes",
            list(SizeRow.__dataclass_fields__),
            [list(row.values()) for row in self.sizes],
            header,
            printed,
        )

    def _held_tables(self) -> tuple[Table, Table]:
        held = [
            *("measure", "left out", "factors of", "runs", "topics", "mean known", "mean unknown", "largest change"),
            *("clipped known", "clipped unknown", "tau", "moved"),
        ]
        runs = ["measure", "run", "left out", "factors of", "mean known", "mean unknown", "place known"]
        return (
            Table("held", list(HeldRow.__dataclass_fields__), [list(row.values()) for row in self.held], held),
            Table(
                "unknown_runs",
                list(UnknownRun.__dataclass_fields__),
                [list(row.values()) for row in self.unknown_runs],
                [*runs, "place unknown"],
            ),
        )

    def _topic_table(self) -> Table:
        columns = ["measure", "place", "topic", "run", "raw", "std_ab"]
        header = ["measure", "place", "topic", "run", "raw", "std-AB"]
        return Table("topics", columns, [list(row.values()) for row in self.topics], header)

    def figure(self, table: str | None = None) -> str:
        """Every run on every topic, raw beside std-AB, as SVG: Figure 1 of the papers; of every table the same.

        >>> import kaiwa
        >>> scores = kaiwa.Scores.from_matrix("AP", "12", "AB", [[0.7, 0.5], [0.3, 0.1]])
        >>> kaiwa.standardisation(scores, systems=2, min_diff=0.1).figure().count("</svg>")
        1
        """
        from kaiwa.comparison.figures import topic_panels_svg  # needs matplotlib

        if table not in {None, "topics"}:
            return super().figure(table)
        if len(self._found) > 1:
            raise InputError(f"the figure is of one measure; choose it with {option('measures')}")
        return topic_panels_svg(self._panels())

    def _panels(self) -> TopicPanels:
        from kaiwa.comparison.figures import TopicPanels

        (one,) = self._found
        return TopicPanels(one.sides.raw[0], one.sides.std_ab[0], one.marked, middle=self.b, top=scale_top(self.b))
