"""The run checker: a run file read with its problems, the problems line by line, and the fixed copy."""

from kaiwa.check.all_checks import CHECKS, problems_of
from kaiwa.check.expectation import Expectation
from kaiwa.check.fixes import FixedRun, fixed_run
from kaiwa.check.near_copies import RunSummary, problems_between, summary_of
from kaiwa.check.problems import CODES, Code, Problem
from kaiwa.check.raw_run import RawRun, raw_run, read_raw

__all__ = [
    "CHECKS",
    "CODES",
    "Code",
    "Expectation",
    "FixedRun",
    "Problem",
    "RawRun",
    "RunSummary",
    "fixed_run",
    "problems_between",
    "problems_of",
    "raw_run",
    "read_raw",
    "summary_of",
]
