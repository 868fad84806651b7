"""The votes of a store as a vote file, and votes from elsewhere taken into the store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError, needs_extra
from kaiwa.flow.judging.serve import store_of
from kaiwa.formats.readers import read_votes
from kaiwa.formats.vote_files import labels_text, votes_text
from kaiwa.model.votes import NA, Votes
from kaiwa.task.comment_texts import takedown_ids
from kaiwa.task.task_criteria import task_criteria
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.label.criteria import Criteria
    from kaiwa.store.vote_reading import ReadVote
    from kaiwa.store.vote_store import VoteStore
    from kaiwa.task.task_folder import Task

FORMATS = ("votes-csv", "stc-labels")


@dataclass(frozen=True)
class ExportedVotes:
    """The votes that count, how many came after an item had its votes, and the head of the log they are from."""

    votes: Votes
    surplus: int
    head: str


def export_votes(
    folder: Path, output: Path | None, *, form: str, store: str | None = None
) -> tuple[str, ExportedVotes]:
    """The text of a vote file of the task's votes, written to ``output`` when given."""
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.vote_reading import read_current_votes

    task = read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    rows, state = read_current_votes(database, votes_per_item=task.settings.votes_per_item)
    made = _exported(task, rows, state.head)
    text = _text(made.votes, form)
    if output is not None:
        _refuse_simulated(output)
        write_text(output, text, durable=True)
    return text, made


def exported_text(task: Task, store: VoteStore, form: str) -> tuple[str, str]:
    """The text of a vote file of the votes in an open store, and the head of the log it is from."""
    from kaiwa.store.vote_reading import current_votes

    with store.state.lock:
        rows, head = current_votes(store.state), store.head
    return _text(_exported(task, rows, head).votes, form), head


def _text(votes: Votes, form: str) -> str:
    return votes_text(votes) if form == "votes-csv" else labels_text(votes)


def _exported(task: Task, rows: Sequence[ReadVote], head: str) -> ExportedVotes:
    hidden = takedown_ids(task)
    shown = [one for one in rows if one.topic not in hidden and one.comment not in hidden]
    counted = [one for one in shown if not one.surplus]
    return ExportedVotes(_votes(counted, task_criteria(task), task.settings.top), len(shown) - len(counted), head)


def _votes(rows: Sequence[ReadVote], criteria: Criteria, top: int) -> Votes:
    """The rows as votes; each criterion is a column: 1 fails, 0 holds, NA if the ladder did not reach it."""
    votes = Votes.from_rows(((one.topic, one.comment, one.row.assessor, one.row.level) for one in rows), top=top)
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
    from kaiwa.flow.judging.serve import open_judging
    from kaiwa.store.imported_votes import ImportedVote, add_imported

    task = read_task(folder)
    votes = read_votes(path, top=task.settings.top)
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
