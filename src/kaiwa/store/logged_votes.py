"""The votes of a task's log as a vote file has them, and votes from elsewhere added to the log.

``votes`` reads the log, checks it, and returns ``LoggedVotes``: votes that know what was left out of them. Which votes
count is in ``vote_reading``, what is found in ``findings``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.errors import InputError, counted, needs_extra, option
from kaiwa.formats.readers import read_votes
from kaiwa.formats.reading import path_of, votes_of
from kaiwa.labelling.items import task_criteria
from kaiwa.nouns.votes import NA, Votes
from kaiwa.store.ballots import AddedVotes, ImportedVote, add_imported
from kaiwa.store.findings import EVERY_VOTE, Finding, summaries
from kaiwa.store.judged_task import open_judging, store_of
from kaiwa.task.comment_texts import takedown_ids
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.formats.reading import AnyPath, VotesInput
    from kaiwa.nouns.criteria import Criteria
    from kaiwa.show.result import Description
    from kaiwa.store.vote_reading import CurrentVotes, ReadVote
    from kaiwa.store.vote_store import VoteStore
    from kaiwa.task.folder import Task


@dataclass(frozen=True, eq=False)
class LoggedVotes(Votes):
    """The votes of a task that count, with the head of the log that they are from, and what was left out.

    ``surplus`` counts votes that came after an item had its votes, ``rows_left_out`` are the rows of votes with
    ``findings``; ``despite_findings`` if all votes were asked for, so that those left out cannot be read. ``added`` is
    what was added before, None if nothing was to be.

    >>> import kaiwa
    >>> kaiwa.votes("task").surplus
    0
    """

    surplus: int = 0
    head: str = ""
    rows_left_out: tuple[int, ...] = ()
    findings: tuple[Finding, ...] = ()
    despite_findings: bool = False
    added: AddedVotes | None = None

    def __repr__(self) -> str:
        return f"Logged{super().__repr__()}"

    @property
    def votes(self) -> int:
        """How many votes there are."""
        return len(self.level)

    @property
    def left_out(self) -> int:
        """How many votes are left out because of findings."""
        return len(self.rows_left_out)

    def describe(self) -> Description:
        """The votes, the head of their log, and what was left out."""
        shown = super().describe()
        late = f", {counted(self.surplus, 'surplus vote')} left out" if self.surplus else ""
        own: dict[str, Any] = {  # Any: JSON values
            "votes": self.votes,
            "surplus": self.surplus,
            "left_out": self.left_out,
            "head": self.head,
            "findings": [one.fields() for one in self.findings],
            "added": None if self.added is None else asdict(self.added),
        }
        return replace(
            shown,
            title=f"{shown.title}{late}; head of the log {self.head}",
            notes=[*shown.notes, *self._notes()],
            fields={**shown.fields, **own},
        )

    def _notes(self) -> Iterator[str]:
        """What was added, which votes are left out, and what was found."""
        if (added := self.added) is not None:
            parts = (
                f"{added.known:,} known already, {added.changed:,} changed, {added.outside:,} on items outside the pool"
            )
            yield f"added: {counted(added.new, 'new vote')}; {parts}"
        if self.rows_left_out:
            rows = ", ".join(
                f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in _ranges(self.rows_left_out)
            )
            fix = "" if self.despite_findings else f"; {EVERY_VOTE} keeps them"
            yield f"{counted(self.left_out, 'vote')} left out, rows of the log: {rows}{fix}"
        yield from summaries(self.findings)

    def write(self, path: Path | str, *, format: str | None = None, table: str | None = None) -> None:  # noqa: A002
        """Write the votes as ``Votes.write`` does, but never over votes of simulated assessors.

        >>> import kaiwa
        >>> kaiwa.votes("task").write("task/votes.csv")
        """
        target = Path(path)
        if target.is_file() and target.stat().st_size and _is_simulated(target):
            fix = "give another name, or remove that file and the notice in kaiwa.toml first"
            raise InputError.at(target, "holds SIMULATED votes, which are never mixed with those of people", fix)
        super().write(target, format=format, table=table)


def votes(
    task: AnyPath = ".",
    *,
    add: VotesInput | None = None,
    store: str | None = None,
    despite_findings: bool = False,
) -> LoggedVotes:
    """The votes that people have given on the server of a task, or that were added from elsewhere.

    Assessors are named by their codes. A vote that was taken back, that came after an item had its votes, or that
    ``kaiwa.verify`` has a finding for is left out; with ``despite_findings`` all votes are there that can be read. A
    broken chain of the log, or a vote without its text, is an error without it.

    Votes to ``add`` are votes in any form; they are added to the log first, while no server runs. Those that it has
    already are not added again. ``store`` is the URL of a PostgreSQL database; by default the votes are in ``votes.db``
    in the task folder.

    >>> import kaiwa
    >>> given = kaiwa.Votes.from_rows([("q1", "c2", "ann", 2)])
    >>> kaiwa.votes("task", add=given)
    LoggedVotes(2 items, 1 assessor, 2 votes)
    """
    folder = path_of("task", task)
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.vote_reading import read_current_votes, refuse_broken

    found = read_task(folder)
    database = Database(store_of(folder, store))
    added = None
    if add is not None:
        given = _votes_to_add(add, found.settings.max_level)
        if database.exists() and not despite_findings:
            refuse_broken(database)  # before anything is added
        with progress("adding votes"):
            added = _added(folder, store, given)
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    wanted = found.settings.votes_per_item
    current = read_current_votes(database, votes_per_item=wanted, despite_findings=despite_findings)
    return replace(_logged(found, current), added=added)


def votes_in(task: Task, store: VoteStore) -> LoggedVotes:
    """The votes in the open store of a task, read and checked as ``votes`` does."""
    from kaiwa.store.vote_reading import read_current_votes

    return _logged(task, read_current_votes(store.database, votes_per_item=task.settings.votes_per_item))


def _logged(task: Task, found: CurrentVotes) -> LoggedVotes:
    hidden = takedown_ids(task)
    shown = [one for one in found.votes if one.topic not in hidden and one.comment not in hidden]
    counting = [one for one in shown if not one.surplus]
    made = _votes(counting, task_criteria(task), task.settings.max_level)
    return LoggedVotes(
        **{one.name: getattr(made, one.name) for one in fields(Votes)},
        surplus=len(shown) - len(counting),
        head=found.head,
        rows_left_out=found.left_out,
        findings=found.findings,
        despite_findings=found.is_whole,
    )


def _ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """The first and last of each run of numbers that follow one another.

    >>> _ranges([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        first = found.pop()[0] if found and found[-1][1] == number - 1 else number
        found.append((first, number))
    return found


def _votes(rows: Sequence[ReadVote], criteria: Criteria, top: int) -> Votes:
    """The rows as votes; each criterion is a column: 1 fails, 0 holds, NA if the ladder did not reach it."""
    made = Votes.from_rows(((one.topic, one.comment, one.row.assessor, one.row.level) for one in rows), max_level=top)
    names = [answer.failed for answer in criteria.answers if answer.failed]
    failures = [
        criteria.failures(one.row.failed.split(), level) for one, level in zip(rows, made.level.tolist(), strict=True)
    ]
    columns = {f"fails_{name}": np.array([one[name] for one in failures], dtype=np.int64) for name in names}
    return replace(made, criteria=columns)


def _is_simulated(path: Path) -> bool:
    try:
        return read_votes(path).simulated
    except InputError:
        return False


# Votes from elsewhere, added to the log.


def _votes_to_add(given: VotesInput, top: int) -> list[ImportedVote]:
    """The votes to add, on the task's scale and of people only."""
    found = votes_of(given, max_level=top)
    if (highest := int(found.level.max(initial=NA))) > top:
        what = f"{option('add')} has the level {highest}, above the task's highest level {top}"
        raise InputError(f"{what}; fix it, or set max_level under [judging] in kaiwa.toml")
    if found.simulated:
        what = f"{option('add')} has SIMULATED votes, which are never mixed with those of people"
        raise InputError(f"{what}; add votes of people only")
    columns = found.columns()
    return [
        ImportedVote(str(topic), str(comment), str(assessor), NA if level is None else int(str(level)), key)
        for topic, comment, assessor, level, key in zip(
            *(columns[name] for name in ("topic", "comment", "assessor", "level")),
            found.keys or [""] * len(found.item),
            strict=True,
        )
    ]


def _added(folder: Path, store: str | None, given: Sequence[ImportedVote]) -> AddedVotes:
    judging = open_judging(folder, store)
    with judging.store as opened:
        return add_imported(opened, given)
