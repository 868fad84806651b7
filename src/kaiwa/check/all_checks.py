"""Every check of one run, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.check import form_checks, list_checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kaiwa.check.expectation import Expectation
    from kaiwa.check.problems import Problem
    from kaiwa.check.raw_run import RawRun

CHECKS: tuple[Callable[[RawRun, Expectation], Iterator[Problem]], ...] = (
    form_checks.saved_badly,
    form_checks.bad_characters,
    form_checks.bad_description,
    form_checks.bad_fields,
    form_checks.bad_names,
    list_checks.bad_topics,
    list_checks.bad_comments,
    list_checks.bad_ranks,
    list_checks.bad_scores,
)
"""A new check is added here."""


def problems_of(run: RawRun, expected: Expectation) -> list[Problem]:
    """Every problem of one run, in the order of its lines."""
    found = [problem for check in CHECKS for problem in check(run, expected)]
    return sorted(found, key=lambda problem: (problem.line, problem.column))
