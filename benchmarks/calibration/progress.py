"""Progress of a calibration on stderr, so that the page on stdout stays clean."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Case = TypeVar("Case")


def steps(what: str, cases: Iterable[Case]) -> Iterator[Case]:
    """The cases, one by one; each is counted on stderr with the CPU time so far."""
    every = list(cases)
    for place, case in enumerate(every, 1):
        sys.stderr.write(f"{what}: {place} of {len(every)}, {time.process_time():.0f} s\n")
        sys.stderr.flush()
        yield case
