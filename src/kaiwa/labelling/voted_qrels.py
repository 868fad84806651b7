"""Turn the votes of several assessors into one gain for each item: votes in, qrels out.

``gains`` reads the votes and returns ``VotedQrels``: qrels that know how they were made. The schemes are in ``gains``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from kaiwa.ambient import progress
from kaiwa.comparison.left_out import (
    LeaderboardChange,
    Testing,
    change_fields,
    change_note,
    change_table,
    leaderboard_changes,
)
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.readers import read_runs
from kaiwa.formats.reading import name_list, names_apart, path_of, votes_of
from kaiwa.labelling.gains import SCHEMES, UNANIMITY_WEIGHT, voted_gains
from kaiwa.measures.judgements import parse_levels
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.votes import SIMULATED_NOTICE
from kaiwa.show.result import Description
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kaiwa.formats.reading import VotesInput
    from kaiwa.labelling.gains import VotedGains
    from kaiwa.nouns.votes import Votes


@dataclass(frozen=True, eq=False)
class VotedQrels(Qrels):
    """Qrels made of votes, with the scheme and what was ignored; written as TREC qrels.

    ``missing`` counts the NA votes, ``without`` names the assessors whose votes were left out, and ``changes`` are
    those of the leaderboard of a task.

    >>> import kaiwa
    >>> made = kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 1)]).gains(scheme="sum")
    >>> made.scheme, made.max_gain, made.of("q1")
    ('sum', 4.0, {'c9': 3.0})
    """

    missing: int = 0
    without: tuple[str, ...] = ()
    simulated: bool = False
    p: float | None = None
    max_level: int = 0
    changes: tuple[LeaderboardChange, ...] = ()

    @property
    def scheme(self) -> str:
        """How the votes on an item became its gain."""
        return self.how

    @property
    def items(self) -> int:
        """How many items have a gain."""
        return len(self)

    @property
    def leaderboard(self) -> dict[str, Any]:  # Any: JSON values
        """What changes in the leaderboard: by measure tau, and of each run rank and mean before and after."""
        return change_fields(self.changes)

    def describe(self) -> Description:
        """How many items have each gain; without some assessors also what changes in the leaderboard."""
        tables = [*super().describe().tables, *([change_table(self.changes)] if self.changes else [])]
        return Description(
            title=self._summary(),
            tables=tables,
            shown=[one.name for one in tables[1:]],
            notes=[change_note(change, self.without) for change in self.changes],
            fields={
                "scheme": self.scheme,
                "p": self.p,
                "max_gain": self.max_gain,
                "max_level": self.max_level,
                "topics": len(self.topics),
                "items": self.items,
                "missing": self.missing,
                "without_votes": self.without_votes,
                "without": self.without,
                "leaderboard": self.leaderboard,
                "simulated": self.simulated,
            },
        )

    def _summary(self) -> str:
        """How many gains there are, and what was ignored."""
        left_out = f", without {', '.join(self.without)}" if self.without else ""
        mark = f". {SIMULATED_NOTICE}" if self.simulated else ""
        return (
            f"{counted(len(self), 'gain')} of {counted(len(self.topics), 'topic')} by {self.how}{left_out}, "
            f"gmax {self.top:g}; {counted(self.missing, 'NA vote')} ignored, "
            f"{counted(self.without_votes, 'item')} without a vote left unjudged{mark}"
        )


def gains(
    votes: VotesInput,
    *,
    scheme: str = "mean",
    p: float = UNANIMITY_WEIGHT,
    levels: str | Mapping[int, float] | None = None,
    max_level: int | None = None,
    without: str | Sequence[str] = (),
    task: Path | str | None = None,
) -> VotedQrels:
    """One gain for each item that has a vote, as qrels; NA votes are ignored, items with no other vote unjudged.

    ``scheme`` is ``levels``, ``mean``, ``sum``, ``unanimity`` (weight ``p``), ``weighted``, ``majority`` or ``median``;
    ``levels`` is the gain of each level (``L1=1,L2=3`` or a dict), ``max_level`` the scale's highest level. ``without``
    are assessors whose votes are left out; with a ``task`` folder too, the result has what that changes in the
    leaderboards of its runs, by its settings.

    >>> import kaiwa
    >>> votes = kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 1)])
    >>> kaiwa.gains(votes, levels="L1=1,L2=2").of("q1")
    {'c9': 1.5}
    """
    left_out = name_list("without", without)
    if task is not None and not left_out:
        raise InputError(f"{option('task')} shows what leaving out assessors changes; add {option('without', 'NAME')}")
    if scheme != "unanimity" and p != UNANIMITY_WEIGHT:
        fix = f"leave it out, or add {option('scheme', 'unanimity')}"
        raise InputError(f"{option('p', f'{p:g}')} is the weight of the scheme unanimity; {fix}")
    SCHEMES[scheme]  # an unknown scheme is refused before the votes are read
    by_level = parse_levels(levels) if isinstance(levels, str) else levels
    with progress("reading votes"):
        whole = votes_of(votes, max_level=max_level)
        people = tuple(dict.fromkeys(names_apart(left_out, whole.assessors)))
        kept = _votes_without(votes, whole, people)
        made = voted_gains(kept, scheme, levels=by_level, p=p)
        changes: tuple[LeaderboardChange, ...] = ()
        if task is not None:
            changes = _changes(
                path_of("task", task), voted_gains(whole, scheme, levels=by_level, p=p).gains, made.gains
            )
    return _noun(made, kept, people, changes)


def _votes_without(source: object, votes: Votes, people: tuple[str, ...]) -> Votes:
    """The votes without those of some assessors; at least one assessor must remain."""
    if not people:
        return votes
    kept = votes.without(*people)
    if not kept.assessors:
        what, fix = "every assessor would be left out", "keep at least one"
        named = isinstance(source, str) or hasattr(source, "__fspath__")
        raise InputError.at(source, what, fix) if named else InputError(f"{what}; {fix}")
    return kept


def _changes(folder: Path, before: Qrels, after: Qrels) -> tuple[LeaderboardChange, ...]:
    """What changes in the leaderboards of a task folder from one set of gains to another; none without runs."""
    task = read_task(folder)
    settings = task.settings
    testing = Testing(settings.test, settings.alpha, settings.trials, settings.seed)
    runs = read_runs(task.runs) if task.runs else []
    return tuple(leaderboard_changes(runs, before, after, settings.measures, testing))


def _noun(
    made: VotedGains, votes: Votes, without: tuple[str, ...], changes: tuple[LeaderboardChange, ...]
) -> VotedQrels:
    own = {one.name: getattr(made.gains, one.name) for one in fields(Qrels)}
    return VotedQrels(
        **own,
        missing=votes.missing,
        without=without,
        simulated=votes.simulated,
        p=made.how.p if made.how.scheme == "unanimity" else None,
        max_level=votes.top,
        changes=changes,
    )
