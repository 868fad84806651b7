"""The run checker: a lenient reading of a run file, what is wrong with it line by line, and the mended copy."""

from kaiwa.check.all_checks import CHECKS, problems_of
from kaiwa.check.expectation import Expectation
from kaiwa.check.fixes import Mended, mended
from kaiwa.check.near_copies import Gist, gist, problems_between
from kaiwa.check.problems import CODES, Code, Problem
from kaiwa.check.raw_run import RawRun, read_raw

__all__ = [
    "CHECKS",
    "CODES",
    "Code",
    "Expectation",
    "Gist",
    "Mended",
    "Problem",
    "RawRun",
    "gist",
    "mended",
    "problems_between",
    "problems_of",
    "read_raw",
]
