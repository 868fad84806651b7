"""A task's log of votes in, what is wrong with it out: its chain, its texts, its keys and its counts.

``verify`` is the public function, ``Verification`` its result; the checks are in ``log_check``, what they can find in
``findings``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.ambient import progress
from kaiwa.errors import InputError, counted, needs_extra
from kaiwa.formats.reading import name_list, names_apart, path_of
from kaiwa.labelling.items import judging_items
from kaiwa.show.result import Description, Result, Table
from kaiwa.store.findings import LogCheck, summaries
from kaiwa.store.judged_task import store_of
from kaiwa.task.folder import read_task
from kaiwa.task.record import read_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.formats.reading import AnyPath


@dataclass(frozen=True)
class Verification(LogCheck, Result):
    """The rows and the head of a log, and the ``findings``: none if the votes are what was acknowledged.

    >>> import kaiwa
    >>> kaiwa.verify("task")
    Verification(1 row, 0 findings)
    """

    def __repr__(self) -> str:
        return f"Verification({counted(self.rows, 'row')}, {counted(len(self.findings), 'finding')})"

    def describe(self) -> Description:
        """A line for each finding, and one for each kind with what it means and whether votes are affected."""
        lines = [f"{one.code}: {one.message}" for one in self.findings]
        size = f"{counted(self.rows, 'row')}, {counted(len(self.findings), 'finding')}"
        rows = [[one.code, one.row or None, one.message, one.kind.means, one.kind.votes] for one in self.findings]
        return Description(
            tables=[Table("findings", ["code", "row", "message", "means", "votes"], rows)],
            text="\n".join([*lines, *summaries(self.findings), f"{size}; head {self.head}"]),
            fields={"rows": self.rows, "head": self.head, "findings": [one.fields() for one in self.findings]},
        )


def verify(task: AnyPath = ".", *, heads: str | Sequence[str] = (), store: str | None = None) -> Verification:
    """What is wrong with the votes of a task: changed, missing or moved rows, and texts that were not shown.

    ``heads`` are heads of the log that were published earlier; they, and those that earlier exports recorded, must be
    in the log. ``store`` is the URL of a PostgreSQL database; by default the votes are in ``votes.db`` in the task
    folder.

    >>> import kaiwa
    >>> kaiwa.verify("task", heads="0000").findings[0].message
    'the log does not contain the head 0000, which was published earlier'
    """
    folder, published = path_of("task", task), names_apart(name_list("heads", heads), ())
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.log_check import check_store

    found = read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    recorded = [step.options["head"] for step in read_steps(folder).values() if "head" in step.options]
    with progress("verifying"):
        checked = check_store(database, published=[*published, *recorded], items=judging_items(found))
    return Verification(checked.rows, checked.head, checked.findings)
