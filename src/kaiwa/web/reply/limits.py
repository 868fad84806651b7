"""What one process of the answering service takes: sizes, numbers and times."""

from __future__ import annotations

from dataclasses import dataclass

MOST_BODY = 64 * 1024
LONGEST_POST = 2000
"""Characters; a post of this length takes some ten times the CPU time of a usual one."""
LONGEST_NAME = 100


@dataclass(frozen=True)
class Limits:
    """The most comments of an answer, the most requests that wait for one, and the seconds that they may wait."""

    most_k: int = 100
    waiting: int = 64
    seconds: float = 10.0
