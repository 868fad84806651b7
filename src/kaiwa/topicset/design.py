"""How many topics: a score variance or scores in, and a requirement; the quantity that was left out comes out.

``design`` reads what it is given, solves the requirement and returns a ``Design``, which shows itself. The methods are
in ``sizes`` (the missing quantity), ``power_functions`` and ``tests`` (the power of each test) and ``pilots`` (what
scores say of the variance).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, UnknownName, option
from kaiwa.nouns.matrix import TOPICS_AND_RUNS
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.requirement import INTERVAL, Requirement, completed
from kaiwa.topicset.sizes import Answer, answered, size_table
from kaiwa.topicset.tests import ONE_WAY, TESTS, designed_for
from kaiwa.topicset.texts import (
    answer_notes,
    assumptions,
    headline,
    paragraph,
    percent,
    pilot_notes,
    pilot_warnings,
    published_note,
    side_table,
)

if TYPE_CHECKING:
    from kaiwa.comparison.variance import Variance
    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Axes, Direction
    from kaiwa.show.text import Cell
    from kaiwa.topicset.pilot_scores import Names, Pilots
    from kaiwa.topicset.pilots import PilotDesign, PilotSide
    from kaiwa.topicset.sizes import SizeTable

STD_AB = "std-ab"
"""As a variance: the highest that std-AB scores can have."""
QUANTITIES = ("topics", "min_diff", "power", "systems", "alpha")


@dataclass(frozen=True)
class GridCell:
    """The topics for so many systems and this difference; None if they are too many."""

    systems: int
    min_diff: float
    n: int | None


@dataclass(frozen=True, repr=False, eq=False)
class Design(Answer, Result):
    """A solved requirement: ``n`` topics give ``power`` to find ``min_diff`` among ``systems`` at ``alpha``.

    If the variance was estimated from scores, ``power`` is averaged over what they leave uncertain about it, and ``n``
    is the assured number of topics; ``plug_in_n`` takes the estimate for the truth. Of several measures, or of a
    ``grid`` of systems and differences, it is the design that is enough for all of them.

    >>> import kaiwa
    >>> kaiwa.design(variance=0.0643, systems=10, min_diff=0.15)
    Design(n=91, min_diff=0.15, systems=10, alpha=0.05, test='anova', method='exact')
    """

    by_measure: Mapping[str, PilotDesign] = field(default_factory=dict)
    sizes: SizeTable | None = None
    remarks: tuple[str, ...] = ()

    @property
    def measure(self) -> str | None:
        """The measure of the scores, of several the one that needs most topics; None without scores."""
        if len(self.by_measure) < 2:  # noqa: PLR2004
            return next(iter(self.by_measure), None)
        return max(self.by_measure, key=lambda measure: self.by_measure[measure].answer.n)

    @property
    def pilot(self) -> PilotDesign | None:
        """What the scores of the measure say, as they are and as std-AB scores; None without scores."""
        return None if self.measure is None else self.by_measure[self.measure]

    @property
    def direction(self) -> Direction | None:
        """Which scores of the measure are better."""
        return self.pilot.pilot.direction if self.pilot else None

    @property
    def axes(self) -> Axes:
        """The words for topics and runs."""
        return self.pilot.pilot.axes if self.pilot else TOPICS_AND_RUNS

    @property
    def n_low(self) -> float | None:
        """The plug-in answer at the limit of the variance that gives the smaller one."""
        return self.pilot.raw.low if self.pilot else None

    @property
    def n_high(self) -> float | None:
        """The plug-in answer at the other limit of the variance."""
        return self.pilot.raw.high if self.pilot else None

    @property
    def one_way(self) -> Answer | None:
        """The answer of one-way ANOVA, the test of the published tables, if another test is designed for."""
        return self.pilot.one_way if self.pilot else None

    @property
    def warnings(self) -> list[str]:
        """A line if the scores are too few to know their variance."""
        return pilot_warnings(self.pilot) if self.pilot else []

    @property
    def measures(self) -> dict[str, PilotDesign]:
        """The design of each measure of the scores."""
        return dict(self.by_measure)

    @property
    def grid(self) -> tuple[GridCell, ...]:
        """The topics for every number of systems and every difference; empty unless lists were given."""
        if self.sizes is None:
            return ()
        return tuple(
            GridCell(systems, difference, n)
            for difference, row in zip(self.sizes.min_diffs, self.sizes.sizes, strict=True)
            for systems, n in zip(self.sizes.systems, row, strict=True)
        )

    def describe(self) -> Description:
        """The answer in one sentence, what is near it, what it rests on, and a paragraph for a paper."""
        topic = self.axes.topic
        if self.sizes is not None:
            notes = [*self.remarks, *self.notes, *_uncertain(self)]
            return Description((_grid_table(self), *self._near_tables()), self._fields(""), _grid_title(self), notes)
        own: list[Table] = []
        about: list[str] = []
        if len(self.by_measure) > 1:
            own = [_measure_table(self)]
        elif self.pilot:
            own, about = [side_table(self.pilot)], pilot_notes(self.pilot)
        notes = [
            *answer_notes(self, topic=topic),
            *self.remarks,
            *about,
            *published_note(self, topic=topic),
            *assumptions(self, topic=topic),
        ]
        near = self._near_tables()
        methods = paragraph(self, topic=topic)
        tables = [*own, *near] if len(self.by_measure) > 1 else [near[0], *own, *near[1:]]
        return Description(
            tables,
            self._fields(methods),
            headline(self, topic=topic),
            notes,
            methods,
            shown=[*(one.name for one in own), near[0].name],
        )

    def figure(self, table: str | None = None) -> str:
        """Power against topics as SVG; of the table ``differences`` the smallest difference found against topics.

        >>> import kaiwa
        >>> kaiwa.design(variance=0.0643, systems=10, min_diff=0.15).figure().count("</svg>")
        1
        """
        from kaiwa.topicset.figures import difference_curve_svg, power_curve_svg  # needs matplotlib

        return difference_curve_svg(self) if table == "differences" else power_curve_svg(self)

    def _near_tables(self) -> list[Table]:
        """Other numbers of topics around the answer."""
        topics, goal = f"{self.axes.topic}s", f"smallest difference at {percent(self.asked.power or 0.8)}"
        differences: list[list[Cell]] = [[one.n, one.min_diff] for one in self.alternatives]
        if self.width is not None:
            return [Table("nearby", ["n", "min_diff"], differences, [topics, "expected width"])]
        rows: list[list[Cell]] = [[one.n, one.power, one.min_diff] for one in self.alternatives]
        return [
            Table("nearby", ["n", "power", "min_diff"], rows, [topics, "power", goal]),
            Table("differences", ["n", "min_diff"], differences, [topics, goal]),
        ]

    def _fields(self, methods: str) -> dict[str, Any]:  # Any: JSON values
        values = answer_fields(self) | {"methods": methods}
        if self.pilot:
            values |= _pilot_fields(self.pilot) | {"measure": self.measure, "direction": self.direction}
        if len(self.by_measure) > 1:
            values["measures"] = {name: _measure_fields(one) for name, one in self.by_measure.items()}
        if self.sizes is not None:
            values["grid"] = [asdict(cell) for cell in self.grid]
        return values


@takes_task
def design(
    scores: ScoresInput | None = None,
    measures: str | Sequence[str] | None = None,
    *,
    variance: float | str | Variance | None = None,
    systems: int | Sequence[int] | None = None,
    min_diff: float | Sequence[float] | None = None,
    topics: int | None = None,
    power: float | None = None,
    alpha: float | None = None,
    test: str | None = None,
    method: str = "exact",
    correlation: float = 0.0,
    scale: float = 1.0,
    solve: str | None = None,
    lower_is_better: Names = (),
    higher_is_better: Names = (),
) -> Design:
    """The design that meets a requirement; finds the one of topics, min_diff, power, systems and alpha left out.

    Power is .8 and alpha .05 unless they are given or found; ``solve`` names the one to be found if several are left
    out. The variance comes from ``scores`` in any form, several of which are pooled, or is ``variance``: a number, the
    result of ``kaiwa.variance``, or ``"std-ab"``, the highest that std-AB scores can have. A number is taken as known:
    V_E, or V_E2 for a test that shares topics. Scores and a computed variance give each test its own, and the power is
    averaged over what they leave uncertain about it. A task folder stands for its scores and its requirement: the
    answer is the next round's number of topics, enough for each of its measures.

    ``test`` is a test of ``compare`` (``robust``, ``robust-step-down``, ``hsd``, ``step-down``, ``tukey``,
    ``crossed``), or ``anova``, ``two-way``, ``paired-t``, ``two-sample-t``, ``one-way-tukey``, ``interval``. Without it
    the design is for ``robust``; with a number, which is then V_E, for one-way ANOVA, as in the papers. ``method`` is
    ``exact``, or ``sakai`` for the published tables. Lists of systems or differences make a ``grid``.

    >>> import kaiwa
    >>> kaiwa.design(variance=0.0643, systems=10, min_diff=0.15).n
    91
    >>> kaiwa.design(variance=0.0643, systems=[2, 10], min_diff=0.15).grid
    (GridCell(systems=2, min_diff=0.15, n=46), GridCell(systems=10, min_diff=0.15, n=91))
    """
    _refuse_what_cannot_act(
        scores,
        variance,
        measures=measures,
        is_grid=isinstance(systems, Sequence) or isinstance(min_diff, Sequence),
        topics=topics,
        power=power,
        test=test,
        method=method,
        correlation=correlation,
        solve=solve,
        directions=bool(lower_is_better or higher_is_better),
    )
    pilots = None
    if scores is not None:
        from kaiwa.topicset.pilot_scores import read_pilots  # a number needs no formats and no tests of runs

        pilots = read_pilots(scores, measures, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
    asked = Asked(systems, min_diff, topics, power, alpha, test, method, correlation, scale, solve)
    return designed(asked, pilots, variance)


@dataclass(frozen=True)
class Asked:
    """What is asked of a design, as it is given: systems and differences may be lists."""

    systems: int | Sequence[int] | None
    min_diff: float | Sequence[float] | None
    topics: int | None
    power: float | None
    alpha: float | None
    test: str | None
    method: str
    correlation: float
    scale: float
    solve: str | None

    def requirement(self, *, is_number: bool) -> Requirement:
        """The requirement, of which systems and differences that are lists are still open."""
        papers = is_number or self.method == "sakai"
        return Requirement(
            1.0,
            self.topics,
            self.power,
            None if isinstance(self.min_diff, Sequence) else self.min_diff,
            None if isinstance(self.systems, Sequence) else self.systems,
            self.alpha,
            designed_for(self.test) if self.test else (ONE_WAY if papers else designed_for()),
            self.method,
            float(self.correlation),
            float(self.scale),
            test_named=bool(self.test) or not is_number or self.method != "exact",
        )

    @property
    def unknown(self) -> str | None:
        """The name of the requirement's quantity to be found, if it was named."""
        return "n" if self.solve == "topics" else self.solve


def designed(asked: Asked, pilots: Pilots | None, variance: float | str | Variance | None) -> Design:
    """The design from scores that were read, or from a variance."""
    computed = _computed(variance)
    open_requirement = asked.requirement(is_number=pilots is None and computed is None)
    if isinstance(asked.systems, Sequence) or isinstance(asked.min_diff, Sequence):
        return _grid(asked, open_requirement, pilots, variance)
    if pilots is None:
        if computed is not None:
            found = _from_variance(computed, completed(open_requirement, solve=asked.unknown))
        elif isinstance(variance, str):
            found = _worst_case(completed(open_requirement, solve=asked.unknown))
        else:
            known = replace(open_requirement, variance=number(variance))
            found = answered(completed(known, solve=asked.unknown))
        return Design(found.asked, found.known)
    requirement = completed(open_requirement, solve=asked.unknown)
    by_measure = {name: _of_measure(pilots, name, requirement) for name in pilots.by_measure}
    if len(by_measure) > 1 and requirement.unknown != "n":
        pilots.one_measure()  # an error: no one answer is enough for several measures
    largest = max((one.answer for one in by_measure.values()), key=lambda one: one.n)
    return Design(largest.asked, largest.known, by_measure, remarks=pilots.remarks)


def _of_measure(pilots: Pilots, measure: str, asked: Requirement) -> PilotDesign:
    """The design from the scores of one measure, which an error names if there are several."""
    from kaiwa.topicset.pilots import pilot_design  # as in design

    try:
        return pilot_design(pilots.by_measure[measure], asked)
    except InputError as fault:
        if len(pilots.by_measure) == 1:
            raise
        raise InputError(f"{measure}: {fault.marked}") from None


def number(variance: object) -> float:
    """A variance that is given as a number."""
    if isinstance(variance, int | float) and not isinstance(variance, bool):
        return float(variance)
    what = f"{type(variance).__name__} is not a variance"
    raise InputError.at("variance", what, "give a number, the result of kaiwa.variance, or std-ab")


def _computed(variance: object) -> Variance | None:
    """The variance if it is the result of ``kaiwa.variance``."""
    if variance is None or isinstance(variance, int | float | str):
        return None
    from kaiwa.comparison.variance import Variance  # as in design

    return variance if isinstance(variance, Variance) else None


def _from_variance(variance: Variance, asked: Requirement) -> Answer:
    """The design from a computed variance: of matrices, with how well it is known; of a model, as known."""
    own = variance.v_e2 if asked.kind.shares_topics else variance.v_e
    if own is None:
        needed = "V_E2, which one run does not have" if asked.kind.shares_topics else "V_E"
        raise InputError(f"{option('test', asked.test)} needs {needed}; give scores of 2 runs or more")
    if not variance.pilots:
        return answered(replace(asked, variance=own, test_named=True))
    from kaiwa.topicset.pilots import from_pilots  # as in design

    measured = from_pilots(asked, variance.pilots)
    if not measured.variance:
        raise InputError("the variance is 0: the runs differ equally on every topic; give scores that vary")
    return answered(measured)


def _worst_case(asked: Requirement) -> Answer:
    from kaiwa.topicset.pilots import worst_case  # as in design

    found = worst_case(asked)
    if found is None:
        raise InputError(f"{option('variance', STD_AB)} finds the number of topics; leave out {option('topics')}")
    return found


def _grid(asked: Asked, common: Requirement, pilots: Pilots | None, variance: float | str | Variance | None) -> Design:
    """The topics for every number of systems and every difference, and the design that is enough for all."""
    for name in ("systems", "min_diff"):
        if getattr(asked, name) is None:
            raise InputError.at(name, "is missing", f"a grid needs it, one value or several ({option(name)})")
    from kaiwa.topicset.pilots import from_pilots, matrices_of, pilot_ratio  # as in design

    matrices: list[FloatArray] = []
    computed = _computed(variance)
    if pilots is not None:
        matrices = matrices_of(pilots.one_measure())
    elif computed is not None:
        matrices = list(computed.pilots)
    common = from_pilots(common, matrices) if matrices else replace(common, variance=number(variance))

    def ratio_of(systems: int) -> float:
        return pilot_ratio(matrices, replace(common, systems=systems))

    found = size_table(common, systems=_listed(asked.systems), min_diffs=_listed(asked.min_diff), ratio_of=ratio_of)
    cells = Design(found.asked, found.asked, sizes=found).grid
    hardest = max(cells, key=lambda cell: cell.n or 0)
    whole = replace(
        found.asked, systems=hardest.systems, min_diff=hardest.min_diff, range_ratio=ratio_of(hardest.systems)
    )
    answer = answered(whole)
    return Design(answer.asked, answer.known, sizes=found, remarks=pilots.remarks if pilots else ())


def _listed(given: Any) -> tuple[Any, ...]:  # Any: a number or several
    return tuple(given) if isinstance(given, Sequence) else (given,)


def _refuse_what_cannot_act(
    scores: ScoresInput | None,
    variance: float | str | Variance | None,
    *,
    measures: str | Sequence[str] | None,
    is_grid: bool,
    topics: int | None,
    power: float | None,
    test: str | None,
    method: str,
    correlation: float,
    solve: str | None,
    directions: bool,
) -> None:
    """Refuse options that would do nothing, or that contradict each other, each with what works."""
    if scores is None and variance is None:
        raise InputError.at("variance", "is missing", f"give scores, or {option('variance', 'V')}")
    if isinstance(variance, str) and variance != STD_AB:
        raise InputError.at("variance", f"{variance!r} is not a number", f"give a number, or {STD_AB}")
    if solve is not None and solve not in QUANTITIES:
        raise UnknownName.among("quantity to solve for", solve, QUANTITIES)
    chosen = designed_for(test or ONE_WAY)
    shares_topics = TESTS[chosen].shares_topics if chosen in TESTS else True
    of_number = scores is None and _computed(variance) is None
    contradictions = (
        (scores is not None and variance is not None, "both scores and a variance are given; leave one out"),
        (
            measures is not None and scores is None,
            f"{option('measures')} chooses among the measures of scores; give these too, or leave it out",
        ),
        (directions and scores is None, "the better scores of a measure need scores; give these too"),
        (
            bool(correlation) and not of_number,
            f"scores have their own correlation; leave out {option('correlation')}",
        ),
        (
            bool(correlation) and of_number and not shares_topics,
            f"{option('correlation')} acts in tests that share topics; add {option('test', 'two-way')} or another one",
        ),
        (power is not None and test == INTERVAL, f"an interval has no power; leave out {option('power')}"),
        (
            is_grid and test == INTERVAL,
            f"a grid is of tests, and {option('test', INTERVAL)} is none; give one number of systems and one width",
        ),
        (
            is_grid and (topics is not None or solve not in {None, "topics"}),
            "a grid has numbers of topics; give one number of systems and one difference to find another quantity",
        ),
        (
            isinstance(variance, str) and (is_grid or topics is not None or solve not in {None, "topics"}),
            (
                f"{option('variance', STD_AB)} finds one number of topics; leave out {option('topics')}, "
                f"{option('solve')} and lists"
            ),
        ),
        (
            method == "sakai" and isinstance(variance, str),
            f"{option('variance', STD_AB)} is exact; leave out {option('method')}",
        ),
    )
    for is_so, line in contradictions:
        if is_so:
            raise InputError(line)


# Tables and fields.


def answer_fields(design: Answer) -> dict[str, Any]:  # Any: JSON values
    """The answer as JSON fields; ``n``, ``power``, ``method`` and ``alternatives`` are stable for scripts."""
    return {
        "n": design.n,
        "assured_n": design.assured_n,
        "plug_in_n": design.plug_in_n,
        "plug_in_power": design.plug_in_power,
        "df": design.df,
        "power": design.power,
        "method": design.method,
        "test": design.test,
        "solved": design.solved,
        "systems": design.systems,
        "min_diff": design.min_diff,
        "alpha": design.alpha,
        "variance": design.variance,
        "error_variance": design.error_variance,
        "range_ratio": design.range_ratio,
        "exact_n": design.exact_n,
        "exact_power": design.exact_power,
        "midway_power": design.midway_power,
        "published_n": design.published_n,
        "width": design.width,
        "notes": list(design.notes),
        "alternatives": [asdict(near) for near in design.alternatives],
    }


def _pilot_fields(found: PilotDesign) -> dict[str, Any]:  # Any: JSON values
    one = found.one_way
    return {
        "n_low": found.raw.low,
        "n_high": found.raw.high,
        "one_way": {"n": one.n, "power": one.power, "min_diff": one.min_diff, "variance": one.variance}
        if one
        else None,
        "warnings": pilot_warnings(found),
        "pilot": {
            "measure": found.pilot.measure,
            "direction": found.pilot.direction,
            "topics": found.topics,
            "runs": found.runs,
            "sides": [_side_fields(side) for side in found.sides],
            "worst_case_n": found.worst_case.n if found.worst_case else None,
        },
    }


def _side_fields(side: PilotSide) -> dict[str, Any]:  # Any: JSON values
    design = side.design
    return {
        "scores": side.scores,
        "variance": side.variance,
        "variance_limits": side.variance_limits,
        "df": side.found.df,
        "n": design.n if design else None,
        "plug_in_n": design.plug_in_n if design else None,
        "power": design.power if design else None,
        "min_diff": design.min_diff if design else None,
        "low": side.low,
        "high": side.high,
        "refusal": side.refusal,
    }


def _measure_fields(found: PilotDesign) -> dict[str, Any]:  # Any: JSON values
    raw, std_ab = found.answer, found.sides[1].design
    return {
        "n": raw.n,
        "assured_n": raw.assured_n,
        "plug_in_n": raw.plug_in_n,
        "variance": raw.variance,
        "n_std_ab": std_ab.n if std_ab else None,
        "plug_in_n_std_ab": std_ab.plug_in_n if std_ab else None,
        "n_one_way": found.one_way.n if found.one_way else None,
        "direction": found.pilot.direction,
    }


def _measure_table(design: Design) -> Table:
    """A row per measure."""
    columns = ["measure", "variance", "n", "plug_in_n", "n_std_ab", "n_one_way"]
    rows: list[list[Cell]] = []
    for measure, found in design.by_measure.items():
        own = _measure_fields(found)
        rows.append([measure, *(own[name] for name in columns[1:])])
    topics = f"{design.axes.topic}s"
    error = design.asked.kind.error
    header = ["measure", error, topics, "plug-in", f"{topics} with std-AB", f"{topics} by one-way ANOVA"]
    return Table("measures", columns, rows, header)


def _grid_table(design: Design) -> Table:
    """A row per cell; for people a row per difference, a column per number of systems, as in the papers."""
    sizes = design.sizes
    if sizes is None:
        return Table("grid", ["systems", "min_diff", "n"], [])
    rows: list[list[Cell]] = [[cell.systems, cell.min_diff, cell.n] for cell in design.grid]
    printed: list[list[Cell]] = [[d, *row] for d, row in zip(sizes.min_diffs, sizes.sizes, strict=True)]
    places = max(2, *(len(f"{difference:g}".partition(".")[2]) for difference in sizes.min_diffs))
    header = ["minD", *(f"m={systems}" for systems in sizes.systems)]
    return Table("grid", ["systems", "min_diff", "n"], rows, header, printed, digits=places)


def _grid_title(design: Design) -> str:
    asked, topic = design.asked, design.axes.topic
    return (
        f"{topic.capitalize()}s needed for {100 * (asked.power or 0.8):g}% power at alpha {asked.alpha or 0.05:g}, "
        f"score variance {asked.variance:.4g}, by {asked.test} ({asked.method}): a row is the best-worst "
        f"difference minD, a column the number of systems m."
    )


def _uncertain(design: Design) -> list[str]:
    return [] if design.df is None else ["The power is averaged over what the scores leave uncertain."]
