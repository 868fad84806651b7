"""Scores made comparable across topics by each topic's mean and standard deviation over the runs.

``standardise`` reads what it is given and returns ``Scores``, which have their ``factors``; the methods are in METHODS.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import progress
from kaiwa.errors import InputError, Names, UnknownName, option
from kaiwa.files.inputs import short_digest
from kaiwa.formats.factors import write_factors
from kaiwa.formats.readers import read_factors
from kaiwa.formats.reading import measures_among, one_of, placed, refuse_idle_directions, scores_of
from kaiwa.nouns.factors import Factors, TopicFactors
from kaiwa.nouns.ids import codes_of
from kaiwa.nouns.scores import Origin, Scores
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import tie_tolerance
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Matrix

    FactorsInput = PathLike[str] | str | Factors | Scores


A = 0.15
B = 0.5


def standardisation_factors(scores: Matrix) -> TopicFactors:
    """Each topic's mean and standard deviation over the runs (Webber, Moffat & Zobel 2008).

    >>> from kaiwa.nouns.matrix import Matrix
    >>> factors = standardisation_factors(Matrix("AP", ("q1",), ("A", "B", "C"), np.array([[0.1, 0.2, 0.3]])))
    >>> (factors.means.round(3).tolist(), factors.sds.round(3).tolist())
    ([0.2], [0.1])
    """
    try:
        require_matrix(scores.values, topics=1, axes=scores.axes)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault.marked}, or read factors of an earlier round") from None
    spread = scores.values.max(axis=1) - scores.values.min(axis=1)
    tied = spread <= tie_tolerance(scores.values)
    return TopicFactors(
        scores.measure,
        scores.topics,
        scores.values.mean(axis=1),
        np.where(tied, 0.0, scores.values.std(axis=1, ddof=1)),
    )


def standardised(
    scores: Matrix, factors: TopicFactors, *, method: str = "std-ab", a: float = A, b: float = B
) -> Matrix:
    """The scores, standardised by the factors of their own or of an earlier round; their direction stays.

    >>> from kaiwa.nouns.matrix import Matrix
    >>> raw = Matrix("AP", ("q1",), ("A", "B", "C"), np.array([[0.1, 0.2, 0.3]]))
    >>> standardised(raw, standardisation_factors(raw)).values.round(2).tolist()
    [[0.35, 0.5, 0.65]]
    """
    if not (0 < a < float("inf") and 0 <= b < float("inf")):
        raise InputError(f"A = {a:g}, B = {b:g}; give a positive A, such as {A}, and B from 0, such as {B}")
    place = codes_of(scores.topics, factors.topics)
    if (place < 0).any():
        topic = scores.topics[int(np.flatnonzero(place < 0)[0])]
        raise InputError(f"{scores.measure}: no factor for topic {topic!r}; standardise topics of that round only")
    sds = factors.sds[place][:, None]
    z = np.where(sds == 0, 0.0, scores.values - factors.means[place][:, None]) / np.where(sds == 0, 1.0, sds)
    return replace(scores, values=METHODS[method](z, a, b))


def scale_top(b: float) -> float:
    """The upper end of the scale whose middle is B, and whose lower end is 0: 1, or 2B if B is above 1.

    >>> scale_top(0.5), scale_top(50), scale_top(500)
    (1.0, 100.0, 1000.0)
    """
    return 1.0 if b <= 1 else 2.0 * b


def variance_bound(topics: int, runs: int, *, a: float = A) -> float:
    """The highest V_E that std-AB scores can have: A^2 n(m-1) / (m(n-1)).

    Each topic's z-scores have squares that sum to m-1, clipping only shrinks them, and V_E removes the run means.

    >>> round(variance_bound(100, 44), 5)
    0.02221
    """
    return a**2 * topics * (runs - 1) / (runs * (topics - 1))


def _std(z: FloatArray, _a: float, _b: float) -> FloatArray:
    return z


def _std_cdf(z: FloatArray, _a: float, _b: float) -> FloatArray:
    from scipy.special import ndtr

    cdf: FloatArray = ndtr(z)
    return cdf


def _std_ab(z: FloatArray, a: float, b: float) -> FloatArray:
    return np.clip(a * z + b, 0.0, scale_top(b))


METHODS: Names[Callable[[FloatArray, float, float], FloatArray]] = Names(
    "method", {"std": _std, "std-cdf": _std_cdf, "std-ab": _std_ab}
)
"""std: Webber et al. 2008; std-CDF: the same; std-AB: Sakai 2016, A z + B clipped to [0, 1].

With B above 1, as in hensachi (A = 10, B = 50) and SAT scores (A = 100, B = 500), it is clipped to [0, 2B]."""


@takes_task
def standardise(
    scores: ScoresInput,
    measures: str | Sequence[str] | None = None,
    *,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
    method: str = "std-ab",
    a: float = A,
    b: float = B,
    factors: FactorsInput | None = None,
    save_factors: PathLike[str] | str | None = None,
) -> Scores:
    """The scores on one scale for every topic: ``std``, ``std-cdf`` or ``std-ab`` (slope ``a``, middle ``b``).

    Each score minus its topic's mean over the runs is divided by the topic's standard deviation. A topic on which all
    runs tie gets the middle value: ``b``, or 0 under std. Scores of std-ab are clipped to 0..1, or to 0..2b if ``b`` is
    above 1: hensachi is ``a=10, b=50``, SAT ``a=100, b=500``. ``variance_bound`` of the result is the highest V_E that
    they can have. Where lower scores are better, lower standardised scores are better too. ``factors`` are those of an
    earlier round: a file, or the standardised scores of that round; by default those of these runs. The result has them
    as ``factors``; ``save_factors`` is a file for them.

    >>> import kaiwa
    >>> raw = kaiwa.Scores.from_matrix("AP", ["q1"], "ABC", [[0.1, 0.2, 0.3]])
    >>> made = kaiwa.standardise(raw)
    >>> made.values.round(2).tolist(), made.factors["AP"].means.round(2).tolist()
    ([[0.35, 0.5, 0.65]], [0.2])
    """
    one_of("method", method, list(METHODS))
    a, b = float(a), float(b)
    if method != "std-ab" and (a, b) != (A, B):
        given = option("a") if a != A else option("b")
        raise InputError(f"{option('method', method)} has no A and B; leave out {given}, or choose std-ab")
    found = scores_of(scores, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
    named = measures_among(measures, found.measures)
    refuse_idle_directions(named, lower_is_better, higher_is_better)
    with placed(scores), progress("standardising"):
        complete = found.only(named).complete()
        used = {name: standardisation_factors(complete.matrix(name)) for name in named} if factors is None else {}
    if factors is not None:
        used = _earlier(factors, named)
    tables = [standardised(one, used[one.measure], method=method, a=a, b=b) for one in complete.matrices()]
    made = Scores(
        tables,
        remarks=complete.remarks,
        origin=Origin(
            method=method,
            factors=Factors(used.values()),
            tied_topics={name: _tied(each, complete.matrix(name).topics) for name, each in used.items()},
            a=a if method == "std-ab" else None,
            b=b if method == "std-ab" else None,
            variance_bound=_bounds(tables, a) if method == "std-ab" and factors is None else {},
        ),
    )
    if save_factors is not None:
        write_factors(Path(save_factors), Factors(used.values()), scores=short_digest(made.own_form().encode()))
    return made


def _bounds(tables: Sequence[Matrix], a: float) -> dict[str, float]:
    """The highest V_E that the scores of each measure can have; of one topic there is none."""
    return {one.measure: variance_bound(len(one.topics), len(one.runs), a=a) for one in tables if len(one.topics) > 1}


def _earlier(given: FactorsInput, measures: Sequence[str]) -> dict[str, TopicFactors]:
    """The factors of an earlier round for these measures."""
    is_file = isinstance(given, str | PathLike)
    known: object = read_factors(Path(given)) if isinstance(given, str | PathLike) else given
    known = known.factors if isinstance(known, Scores) else known
    if not isinstance(known, Factors):
        what = f"{option('factors')} {type(given).__name__} is neither a file nor factors"
        raise InputError(f"{what}; give a file, factors, or the standardised scores of that round")
    for measure in measures:
        if not len(known):
            raise InputError(f"{option('factors')} are raw scores; standardise that round first, and give its result")
        if measure not in known:
            raise InputError(f"{f'{given}: ' if is_file else ''}{UnknownName.among('measure', measure, known)}")
    return {measure: known.of(measure) for measure in measures}


def _tied(factors: TopicFactors, topics: Sequence[str]) -> tuple[str, ...]:
    """The topics of these on which all runs tied."""
    own = set(topics)
    return tuple(
        topic for topic, sd in zip(factors.topics, factors.sds.tolist(), strict=True) if sd == 0 and topic in own
    )
