"""The run checker: a lenient reading of a run file, what is wrong with it line by line, and the fixed copy."""

from kaiwa.check.all_checks import CHECKS, problems_of
from kaiwa.check.expectation import Expectation
from kaiwa.check.fixes import FixedRun, fixed_run
from kaiwa.check.near_copies import Gist, gist, problems_between
from kaiwa.check.problems import CODES, Code, Problem
from kaiwa.check.raw_run import RawRun, raw_run, read_raw

__all__ = [
    "CHECKS",
    "CODES",
    "Code",
    "Expectation",
    "FixedRun",
    "Gist",
    "Problem",
    "RawRun",
    "fixed_run",
    "gist",
    "problems_between",
    "problems_of",
    "raw_run",
    "read_raw",
]
