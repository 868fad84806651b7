"""The mark of simulated assessors: their names, and the notice on all that follows from their votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SIMULATED = "SIMULATED-"
"""The name of a simulated assessor begins with this, in any case of letters: nobody read the comments."""
SIMULATED_NOTICE = "SIMULATED ASSESSORS: a program drew these votes, nobody read the comments. This is not a result."


def is_simulated(assessor: str) -> bool:
    """Whether the name is that of a simulated assessor.

    >>> is_simulated("SIMULATED-1"), is_simulated("ann")
    (True, False)
    """
    return assessor[: len(SIMULATED)].upper() == SIMULATED


def mixed(assessors: Iterable[str]) -> str:
    """What is wrong if some assessors are simulated and others are not; else empty.

    >>> mixed(["ann", "SIMULATED-1"])
    "mixes votes of simulated assessors ('SIMULATED-1') with votes of people ('ann')"
    """
    names = list(assessors)
    simulated, people = ([name for name in names if is_simulated(name) is kind] for kind in (True, False))
    if not simulated or not people:
        return ""
    return f"mixes votes of simulated assessors ({simulated[0]!r}) with votes of people ({people[0]!r})"
