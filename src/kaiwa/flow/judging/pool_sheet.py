"""Write a task's pool as a sheet to judge without a server: a CSV file for a spreadsheet, or an offline page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError, option
from kaiwa.formats.exports.judging_sheets import sheet_text
from kaiwa.task.judging_items import judging_items
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.label.task_item import TaskItem
    from kaiwa.task.task_folder import Task


def task_to_judge(folder: Path | None) -> Task:
    """The task whose pool is judged; an error if there is none."""
    if folder is None:
        what = "a sheet needs the pool and the texts of a task"
        raise InputError(f"{what}; go to a task folder, or make one with: kaiwa init DIR")
    return read_task(folder)


def items_to_judge(task: Task) -> list[TaskItem]:
    """The items of the pool with their texts, topic by topic; takedowns and training items are left out."""
    if not task.pool.exists():
        raise InputError.at(task.pool, "no such file", "make it with: kaiwa pool runs/*.txt -o pool.tsv")
    items = [one for one in judging_items(task) if one.kind != "training"]
    place = {topic: number for number, topic in enumerate(dict.fromkeys(one.topic for one in items))}
    return sorted(items, key=lambda one: place[one.topic])


def assessor_names(text: str) -> list[str]:
    """The names in a list such as ``A1,A2``.

    >>> assessor_names("A1, A2")
    ['A1', 'A2']
    """
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) < len(names):
        what = f"{option('assessors', text)} has an empty or a duplicate name"
        raise InputError(f"{what}; write names with commas between them, like A1,A2,A3")
    return names


def write_sheet(path: Path, items: Sequence[TaskItem], assessors: Sequence[str]) -> None:
    """Write the items as a CSV sheet with an empty column for each assessor; another file of the name is kept."""
    text = sheet_text(items, assessors)
    if path.is_file() and path.read_bytes() != text.encode():
        raise InputError.at(path, "is another file, which may have votes in it", "give another name, or remove it")
    write_text(path, text, durable=True)
