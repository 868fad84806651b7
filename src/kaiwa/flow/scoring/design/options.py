"""The options of a design question, and which cannot be combined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from kaiwa.errors import InputError, option

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.model.direction import Direction
    from kaiwa.topicset.requirement import Requirement

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Question:
    """The options of a design question; the names are those of the command's options.

    ``compared_with`` is the test of ``kaiwa compare`` that will compare the runs: that of the task folder.
    """

    variance: float | None = None
    pilots: tuple[Path, ...] = ()
    no_pilot: bool = False
    measure: str | None = None
    directions: Mapping[str, Direction] = field(default_factory=dict)
    pass_rate: float | None = None
    systems: tuple[int, ...] | None = None
    min_diff: tuple[float, ...] | None = None
    n: int | None = None
    power: float | None = None
    alpha: float | None = None
    test: str | None = None
    method: str = "exact"
    correlation: float = 0.0
    scale: float = 1.0
    solve: str | None = None
    as_table: bool = False
    style: str = "text"
    power_curve: Path | None = None
    diff_curve: Path | None = None
    simulate: str | None = None
    trials: int = 20_000
    decide: str | None = None
    target: float = 0.9
    k: int = 1
    rounds: tuple[int, ...] | None = None
    spending: str = "obrien-fleming"
    hours: float | None = None
    cost: bool = False
    depths: tuple[int, ...] = (10,)
    runs: int | None = None
    overlap: float = 0.5
    assessors: tuple[int, ...] = (3,)
    seconds: float = 15.0
    judged: tuple[Path, ...] = ()
    qrels: Path | None = None
    votes: Path | None = None
    votes_top: int | None = None
    seed: int = 1
    engine: str = "local"
    compared_with: str = "hsd"

    def requirement(self, variance: float) -> Requirement:
        """The requirement of one design, at this variance."""
        return replace(
            self.shared(variance),
            systems=_one("systems", self.systems),
            min_diff=_one("min_diff", self.min_diff),
            n=self.n,
        )

    @property
    def designed_test(self) -> str:
        """The test to design for: with a pilot the one that compares its runs, else that of the published tables."""
        from kaiwa.topicset.designed_tests import ONE_WAY, TESTS, designed_for

        if self.test is not None:
            return self.test
        if not self.pilots or self.method == "sakai":
            return ONE_WAY
        return self.simulate if self.simulate and self.simulate in TESTS else designed_for(self.compared_with)

    def shared(self, variance: float) -> Requirement:
        """The requirement that all cells of a table share."""
        from kaiwa.topicset.requirement import Requirement

        return Requirement(
            variance,
            power=self.power,
            alpha=self.alpha,
            test=self.designed_test,
            method=self.method,
            correlation=self.correlation,
            scale=self.scale,
        )


def check_parts(question: Question) -> None:
    """Refuse options that cannot be combined; none is ignored."""
    alone = {
        option("pass_rate"): question.pass_rate is not None,
        option("decide"): question.decide is not None,
        option("as_table"): question.as_table,
    }
    extra = {
        option("simulate"): question.simulate,
        option("rounds"): question.rounds,
        option("hours"): question.hours,
        option("cost"): question.cost or None,
        option("power_curve"): question.power_curve,
        option("diff_curve"): question.diff_curve,
    }
    chosen = [name for name, given in alone.items() if given]
    unwanted = [name for name, given in extra.items() if given is not None]
    if len(chosen) > 1 or (chosen and unwanted):
        raise InputError(f"{chosen[0]} cannot be combined with {(chosen[1:] + unwanted)[0]}; give one of them")
    if question.style != "text" and not question.as_table:
        form = option("style", question.style)
        raise InputError(f"{form} is for a table of sizes; add {option('as_table')}, or leave it out")
    judgements = [given for given in (question.qrels, question.votes) if given is not None]
    if len(judgements) > 1:
        raise InputError(
            f"{option('qrels')} and {option('votes')} both judge the {option('judged')} runs; give one of them"
        )
    if judgements and not question.judged:
        raise InputError(f"{option('qrels')} and {option('votes')} judge runs; give these too ({option('judged')})")


def _one(name: str, values: tuple[Number, ...] | None) -> Number | None:
    if values is None:
        return None
    if len(values) > 1:
        raise InputError.at(name, f"{len(values)} values are given", f"give one, or {option('as_table')} for a grid")
    return values[0]
