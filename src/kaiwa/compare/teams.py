"""The best run of each team, and which of them significantly beat which: the summary of an NTCIR overview."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from kaiwa.compare.comparison import Comparison

NTCIR_RUN = r"(?P<team>.+)-[A-Z]-R\d+"


@dataclass(frozen=True)
class TeamBest:
    """A team's best run and the other teams' best runs it significantly outperforms, best first."""

    team: str
    run: str
    beats: tuple[str, ...]


def best_of_teams(comparison: Comparison, *, pattern: str | None = None) -> tuple[TeamBest, ...]:
    """Each team's best run, best team first; none if the runs are not named by team.

    ``pattern`` is a regular expression that matches a run's whole name; its group ``team`` (or its first
    group) is the team. The default matches NTCIR's ``TEAM-C-R1``.
    """
    best: dict[str, str] = {}
    for standing in comparison.standings:
        team = _team(standing.run, pattern)
        if team is None:
            return ()
        best.setdefault(team, standing.run)
    differ = {frozenset((pair.a, pair.b)) for pair in comparison.pairs if pair.significant}
    runs = list(best.values())
    return tuple(
        TeamBest(team, run, tuple(other for other in runs[place + 1 :] if frozenset((run, other)) in differ))
        for place, (team, run) in enumerate(best.items())
    )


def _team(run: str, pattern: str | None) -> str | None:
    try:
        found = re.fullmatch(pattern or NTCIR_RUN, run)
    except re.error as fault:
        raise InputError(f"team pattern {pattern!r} is not a regular expression ({fault}); fix it") from None
    if found is None and pattern is None:
        return None
    if found is None or not found.re.groups:
        raise InputError(f"team pattern {pattern!r} finds no team in run {run!r}; give one group that matches it")
    return found["team"] if "team" in found.re.groupindex else found[1]
