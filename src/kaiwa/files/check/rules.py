"""Every check of one run, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.files.check import form, lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kaiwa.files.check.expectation import Expectation
    from kaiwa.files.check.problem import Problem
    from kaiwa.files.check.raw import RawRun

CHECKS: tuple[Callable[[RawRun, Expectation], Iterator[Problem]], ...] = (
    form.saved_badly,
    form.bad_characters,
    form.bad_description,
    form.bad_fields,
    form.bad_names,
    lists.bad_topics,
    lists.bad_comments,
    lists.bad_ranks,
    lists.bad_scores,
)
"""A check is added here and nowhere else."""


def problems_of(run: RawRun, expected: Expectation) -> list[Problem]:
    """Everything wrong with one run, in the order of its lines."""
    found = [problem for check in CHECKS for problem in check(run, expected)]
    return sorted(found, key=lambda problem: (problem.line, problem.column))
