"""Turn the votes of several assessors into one gain for each item: votes in, qrels out.

``gains`` reads the votes and returns ``VotedQrels``: qrels that know how they were made. The schemes are in ``gains``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.readers import read_runs
from kaiwa.formats.reading import name_list, names_apart, path_of, votes_of
from kaiwa.labelling.gains import SCHEMES, UNANIMITY_WEIGHT, voted_gains
from kaiwa.measures.judgements import judge, parse_levels
from kaiwa.measures.scoring import score
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.votes import SIMULATED_NOTICE
from kaiwa.show.result import Description, Table
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.p_values import tied_means
from kaiwa.task.folder import read_task
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kaiwa.comparison.leaderboard import Standing
    from kaiwa.formats.reading import VotesInput
    from kaiwa.labelling.gains import VotedGains
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.votes import Votes
    from kaiwa.show.text import Cell


@dataclass(frozen=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.topics), 'topic')}, {counted(len(self), 'comment')}"
        return f"VotedQrels({self.scheme!r}, {sizes}, gmax {self.top:g})"

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


@takes_task
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


# What the ranking loses without an assessor.


_PAIR = 2


@dataclass(frozen=True)
class Testing:
    """How the runs are compared."""

    test: str
    alpha: float
    trials: int
    seed: int

    def compared(self, scores: Matrix) -> Leaderboard:
        """The runs compared, each time from the same seed."""
        rng = np.random.default_rng(self.seed)
        return compare_runs(scores, test=self.test, alpha=self.alpha, trials=self.trials, rng=rng)


@dataclass(frozen=True)
class LeaderboardChange:
    """One measure by all votes and by the votes that are left: both comparisons, and tau between the rankings.

    ``tau`` is None if one of the two boards has only ties.
    """

    measure: str
    before: Leaderboard
    after: Leaderboard
    tau: TauResult | None

    @property
    def moved(self) -> list[str]:
        """The runs whose rank changes, in the order of the board before."""
        return [run for run, rank in self.before.ranks.items() if self.after.ranks[run] != rank]


def leaderboard_changes(
    runs: Sequence[Run], before: Qrels, after: Qrels, measures: Sequence[str], testing: Testing
) -> list[LeaderboardChange]:
    """Each measure's leaderboard by both gains; none if there is one run only."""
    if len(runs) < _PAIR:
        return []
    boards = [score(runs, judge(gains), measures) for gains in (before, after)]
    changes = []
    for measure in measures:
        one, two = (board.matrix(measure) for board in boards)
        means = [tied_means(scores.oriented) for scores in (one, two)]
        tau = kendall_tau(*means) if all(np.ptp(mean) > 0 for mean in means) else None
        changes.append(LeaderboardChange(measure, testing.compared(one), testing.compared(two), tau))
    return changes


# What changes in the leaderboard without some assessors: a line per run and measure.


def change_table(changes: Sequence[LeaderboardChange]) -> Table:
    """Rank and mean of each run before and after, under each measure."""
    columns = ["measure", "run", "rank_before", "rank_after", "mean_before", "mean_after"]
    rows: list[list[Cell]] = [
        [change.measure, run, *_place(before, after).values()]
        for change in changes
        for run, before, after in _both(change)
    ]
    return Table("leaderboard", columns, rows, ["measure", "run", "rank", "rank after", "mean", "mean after"])


def change_note(change: LeaderboardChange, without: Sequence[str]) -> str:
    """How far the rankings agree, and how many ranks change."""
    runs = counted(len(change.before.standings), "run")
    moved = f"{len(change.moved):,} of {runs}" if change.moved else "no run"
    return f"{change.before.label} without {', '.join(without)}: {_tau_text(change)}; another rank: {moved}"


def _both(change: LeaderboardChange) -> list[tuple[str, Standing, Standing]]:
    after = {one.run: one for one in change.after.standings}
    return [(one.run, one, after[one.run]) for one in change.before.standings]


def _place(before: Standing, after: Standing) -> dict[str, int | float]:
    return {
        "rank_before": before.rank,
        "rank_after": after.rank,
        "mean_before": before.mean,
        "mean_after": after.mean,
    }


def _tau_text(change: LeaderboardChange) -> str:
    if change.tau is None:
        return "tau n/a (all runs tie)"
    return f"tau {change.tau.tau:.4f} [{change.tau.low:.4f}, {change.tau.high:.4f}]"


def change_fields(changes: Sequence[LeaderboardChange]) -> dict[str, Any]:  # Any: JSON values
    """By measure: tau, and of each run rank and mean before and after."""
    return {change.measure: _change_fields_of(change) for change in changes}


def _change_fields_of(change: LeaderboardChange) -> dict[str, Any]:  # Any: JSON values
    tau = change.tau
    return {
        "tau": tau.tau if tau else None,
        "low": tau.low if tau else None,
        "high": tau.high if tau else None,
        "runs": {run: _place(before, after) for run, before, after in _both(change)},
    }
