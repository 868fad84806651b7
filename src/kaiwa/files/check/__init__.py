"""The run checker: a lenient reading of a run file, what is wrong with it line by line, and the mended copy."""

from kaiwa.files.check.expectation import Expectation
from kaiwa.files.check.mend import Mended, mended
from kaiwa.files.check.problem import CODES, Code, Problem
from kaiwa.files.check.raw import RawRun, read_raw
from kaiwa.files.check.rules import CHECKS, problems_of
from kaiwa.files.check.twins import Gist, gist, problems_between

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
