"""The votes of a store as a vote file, and votes from elsewhere taken into the store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted, needs_extra
from kaiwa.files.atomic import write_text
from kaiwa.formats.readers import read_votes
from kaiwa.formats.votes import labels_text, votes_text
from kaiwa.labelling.items import task_criteria
from kaiwa.nouns.votes import NA, Votes
from kaiwa.store.judged_task import store_of
from kaiwa.store.log_check import summaries
from kaiwa.task.comment_texts import takedown_ids
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.nouns.criteria import Criteria
    from kaiwa.store.vote_reading import CurrentVotes, ReadVote
    from kaiwa.store.vote_store import VoteStore
    from kaiwa.task.folder import Task


FORMATS = ("votes-csv", "stc-labels")


@dataclass(frozen=True)
class ExportedVotes:
    """The votes that count, how many came after an item had its votes, and the head of the log they are from.

    ``left_out`` are the rows of the votes that have findings, and ``notes`` say what was found.
    """

    votes: Votes
    surplus: int
    head: str
    left_out: tuple[int, ...]
    notes: tuple[str, ...]


def export_votes(
    folder: Path, output: Path | None, *, form: str, store: str | None = None, despite_findings: bool = False
) -> tuple[str, ExportedVotes]:
    """The text of a vote file of the task's votes, written to ``output`` when given.

    Votes with findings are left out unless ``despite_findings``; without it, a broken log is an error.
    """
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.vote_reading import read_current_votes

    task = read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    wanted = task.settings.votes_per_item
    found = read_current_votes(database, votes_per_item=wanted, despite_findings=despite_findings)
    made = _exported(task, found)
    text = _text(made.votes, form)
    if output is not None:
        _refuse_simulated(output)
        write_text(output, text)
    return text, made


def exported_text(task: Task, store: VoteStore, form: str) -> tuple[str, ExportedVotes]:
    """The text of a vote file of the votes in an open store, read and checked as the command does."""
    from kaiwa.store.vote_reading import read_current_votes

    made = _exported(task, read_current_votes(store.database, votes_per_item=task.settings.votes_per_item))
    return _text(made.votes, form), made


def _text(votes: Votes, form: str) -> str:
    return votes_text(votes) if form == "votes-csv" else labels_text(votes)


def _exported(task: Task, found: CurrentVotes) -> ExportedVotes:
    hidden = takedown_ids(task)
    shown = [one for one in found.votes if one.topic not in hidden and one.comment not in hidden]
    counting = [one for one in shown if not one.surplus]
    votes = _votes(counting, task_criteria(task), task.settings.max_level)
    return ExportedVotes(votes, len(shown) - len(counting), found.head, found.left_out, tuple(_notes(found)))


def _notes(found: CurrentVotes) -> Iterator[str]:
    """Which votes are left out, and what was found."""
    if found.left_out:
        rows = ", ".join(f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in _ranges(found.left_out))
        fix = "" if found.is_whole else "; --despite-findings writes them too"
        yield f"{counted(len(found.left_out), 'vote')} left out, rows of the log: {rows}{fix}"
    yield from summaries(found.findings)


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
    votes = Votes.from_rows(((one.topic, one.comment, one.row.assessor, one.row.level) for one in rows), max_level=top)
    names = [answer.failed for answer in criteria.answers if answer.failed]
    failures = [
        criteria.failures(one.row.failed.split(), level) for one, level in zip(rows, votes.level.tolist(), strict=True)
    ]
    columns = {f"fails_{name}": np.array([one[name] for one in failures], dtype=np.int64) for name in names}
    return replace(votes, criteria=columns)


def _refuse_simulated(output: Path) -> None:
    """Refuse to write the votes of people over those of simulated assessors."""
    if output.is_file() and output.stat().st_size and _is_simulated(output):
        fix = "give another name, or remove that file and the notice in kaiwa.toml first"
        raise InputError.at(output, "holds SIMULATED votes, which are never mixed with those of people", fix)


def _is_simulated(path: Path) -> bool:
    try:
        return read_votes(path).simulated
    except InputError:
        return False


@dataclass(frozen=True)
class ImportedVotes:
    """How many votes of a file are new, known already, changed, or on items outside the pool."""

    new: int
    known: int
    changed: int
    outside: int
    head: str


def import_votes(folder: Path, path: Path, *, store: str | None = None) -> ImportedVotes:
    """Take the votes of a file into the store; a second import of the same file changes nothing."""
    from kaiwa.store.ballots import ImportedVote, add_imported
    from kaiwa.store.judged_task import open_judging

    task = read_task(folder)
    votes = read_votes(path, top=task.settings.max_level)
    if votes.simulated:
        what = "holds SIMULATED votes, which are never mixed with those of people"
        raise InputError.at(path, what, "import votes of people only")
    columns = votes.columns()
    rows = [
        ImportedVote(str(topic), str(comment), str(assessor), NA if level is None else int(str(level)), key)
        for topic, comment, assessor, level, key in zip(
            *(columns[name] for name in ("topic", "comment", "assessor", "level")),
            votes.keys or [""] * len(votes.item),
            strict=True,
        )
    ]
    judging = open_judging(folder, store)
    with judging.store as opened:
        counts = add_imported(opened, rows)
        return ImportedVotes(counts.new, counts.known, counts.changed, counts.outside, opened.head)
