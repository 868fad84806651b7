"""How many prompts, when each system passes or fails every prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.show.result import Description, Result, Table
from kaiwa.topicset.design import answer_fields
from kaiwa.topicset.pass_rates import PassRateDesign, many_pass_rates_design, pass_rate_design
from kaiwa.topicset.sizes import Alternative, Answer
from kaiwa.topicset.texts import answer_notes, assumptions, headline, paragraph, percent, published_note

if TYPE_CHECKING:
    from kaiwa.show.text import Cell

HOW = {"exact": "summed exactly over the number of prompts on which they disagree", "normal": "normal approximation"}


@dataclass(frozen=True, repr=False, eq=False)
class DesignPassRate(Result):
    """The number of prompts ``n`` that shows a difference of pass rates, with the ``power`` that they give.

    Two systems are compared by McNemar's mid-p test, more by two-way ANOVA. ``normal_n`` is the number by the textbook
    formula, for two systems.

    >>> import kaiwa
    >>> kaiwa.design_pass_rate(0.62, min_diff=0.03, correlation=0.5).n
    2022
    """

    pass_rate: float
    min_diff: float
    correlation: float
    two: PassRateDesign | None
    design: Answer | None

    def __repr__(self) -> str:
        return (
            f"DesignPassRate(n={self.n}, pass_rate={self.pass_rate:g}, min_diff={self.min_diff:g}, test={self.test!r})"
        )

    @property
    def _found(self) -> Any:  # Any: the one of the two that there is
        return self.two or self.design

    @property
    def n(self) -> int:
        """The number of prompts."""
        found: int = self._found.n
        return found

    @property
    def power(self) -> float:
        """The probability of finding the difference."""
        found: float = self._found.power
        return found

    @property
    def alpha(self) -> float:
        """The level of the test."""
        found: float = self._found.alpha
        return found

    @property
    def method(self) -> str:
        """How the power was computed."""
        found: str = self._found.method
        return found

    @property
    def test(self) -> str:
        """The test designed for."""
        return "mcnemar-mid-p" if self.design is None else self.design.test

    @property
    def systems(self) -> int:
        """The number of systems."""
        return 2 if self.design is None else self.design.systems

    @property
    def normal_n(self) -> int | None:
        """The number of prompts by the textbook formula."""
        return self.two.normal_n if self.two else None

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Other numbers of prompts."""
        if self.design is not None:
            return self.design.alternatives
        return tuple(Alternative(n, power, self.min_diff) for n, power in self._found.alternatives)

    def describe(self) -> Description:
        """The answer in terms of prompts, and what it assumes."""
        rows: list[list[Cell]] = [[one.n, one.power, one.min_diff] for one in self.alternatives]
        own = {name: getattr(self, name) for name in ("n", "power", "method", "test", "systems", "min_diff", "alpha")}
        fields: dict[str, Any] = {  # Any: JSON values
            **own,
            "pass_rate": self.pass_rate,
            "correlation": self.correlation,
            "normal_n": self.normal_n,
            "alternatives": [vars(one) for one in self.alternatives],
            "design": None,
        }
        columns = ["n", "power", "min_diff"]
        if self.design is not None:
            found = self.design
            goal = f"smallest difference at {percent(found.asked.power or 0.8)}"
            return Description(
                tables=[Table("nearby", columns, rows, ["prompts", "power", goal])],
                title=headline(found, topic="prompt"),
                notes=[
                    *answer_notes(found, topic="prompt"),
                    *published_note(found, topic="prompt"),
                    *assumptions(found, topic="prompt"),
                ],
                methods=paragraph(found, topic="prompt"),
                fields={**fields, "design": answer_fields(found)},
            )
        two = self._found
        rates = two.rates
        return Description(
            tables=[Table("nearby", columns, rows, ["prompts", "power"], [row[:2] for row in rows])],
            title=(
                f"Use {self.n:,} prompts: with them McNemar's test (mid-p, two-sided, alpha {self.alpha:g}) "
                f"distinguishes pass rates of {percent(rates.better)} and {percent(rates.worse)} with a probability of "
                f"{percent(self.power)}."
            ),
            notes=[
                "It assumes: both systems answer the same prompts, each once, and prompts are drawn at random.",
                (
                    f"It assumes: the correlation of verdicts is {rates.correlation:g}: they disagree on "
                    f"{percent(rates.gains + rates.losses)} of the prompts."
                ),
                f"The power is {HOW[self.method]}; the textbook formula gives {two.normal_n:,}.",
            ],
            fields=fields,
        )


def design_pass_rate(
    pass_rate: float,
    *,
    min_diff: float,
    systems: int = 2,
    power: float = 0.8,
    alpha: float = 0.05,
    correlation: float = 0.0,
) -> DesignPassRate:
    """How many prompts distinguish systems that pass or fail each of them.

    ``pass_rate`` is that of the worse system, ``correlation`` that of two systems' verdicts on one prompt. Two systems
    are compared by McNemar's mid-p test, more by two-way ANOVA.

    >>> import kaiwa
    >>> kaiwa.design_pass_rate(0.62, min_diff=0.03, correlation=0.5).n
    2022
    """
    two, several = None, None
    if systems == 2:  # noqa: PLR2004
        two = pass_rate_design(
            pass_rate=pass_rate, min_diff=min_diff, correlation=correlation, alpha=alpha, power=power
        )
    else:
        several = many_pass_rates_design(
            pass_rate=pass_rate,
            min_diff=min_diff,
            systems=systems,
            correlation=correlation,
            alpha=alpha,
            power=power,
        )
    return DesignPassRate(float(pass_rate), float(min_diff), float(correlation), two, several)
