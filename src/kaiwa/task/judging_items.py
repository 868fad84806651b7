"""The items that assessors judge: the pool, training and gold of a task, with their texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted
from kaiwa.formats.pool_files import read_pool
from kaiwa.formats.readers import read_topics
from kaiwa.formats.text.blocks import read_text
from kaiwa.formats.text.delimited import read_csv
from kaiwa.label.task_item import TaskItem
from kaiwa.model.votes import NA
from kaiwa.task.comment_texts import comment_texts, takedown_ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.task.task_folder import Task

_KNOWN = ["topic", "comment", "level"]


@dataclass(frozen=True)
class _Listed:
    place: str
    topic: str
    comment: str
    kind: str
    answer: int | None = None
    feedback: str = ""


def judging_items(task: Task) -> list[TaskItem]:
    """The items of the task that may be shown, with their texts; an error if a text is missing."""
    listed = [*_listed(task)]
    hidden = takedown_ids(task)
    shown = [one for one in listed if one.topic not in hidden and one.comment not in hidden]
    posts = read_topics(task.topics)
    texts = comment_texts(task, {one.comment for one in shown})
    _check(task, shown, posts.keys(), texts.keys())
    return [
        TaskItem(one.topic, one.comment, posts[one.topic], texts[one.comment], one.kind, one.answer, one.feedback)
        for one in shown
    ]


def _listed(task: Task) -> Iterator[_Listed]:
    """The pool, then what is known about its items and further ones."""
    known = dict[tuple[str, str], _Listed]()
    for kind, name in (("gold", task.settings.gold), ("training", task.settings.training)):
        if name:
            known.update({(one.topic, one.comment): one for one in _known_items(task.folder / name, kind, task)})
    for item in read_pool(task.pool):
        one = known.pop(item, None)
        if one is None:
            yield _Listed(task.pool.name, *item, "pool")
        else:  # an item of the pool needs its votes, whatever is known about it
            kind = "training" if one.kind == "training" else "pool"
            yield _Listed(task.pool.name, *item, kind, one.answer, one.feedback)
    yield from known.values()


def _known_items(path: Path, kind: str, task: Task) -> Iterator[_Listed]:
    rows = read_csv(path)
    header = [name.lower() for name in next(rows, (1, [""]))[1]]
    if header[: len(_KNOWN)] != _KNOWN or header[len(_KNOWN) :] not in ([], ["feedback"]):
        what = f"the header is {','.join(header)!r}"
        raise InputError.at(path, what, "write topic,comment,level or topic,comment,level,feedback", line=1)
    for line, row in rows:
        if len(row) != len(header):
            what = f"expected {len(header)} cells, found {len(row)}"
            raise InputError.at(path, what, "fill in every cell of the row", line=line)
        level = (
            NA if row[2] == "NA" else int(row[2]) if row[2].isdecimal() and len(row[2]) == 1 else task.settings.top + 1
        )
        if level > task.settings.top:
            raise InputError.at(path, f"level {row[2]!r} is not 0..{task.settings.top} or NA", "fix it", line=line)
        yield _Listed(f"{path.name}:{line}", row[0], row[1], kind, level, row[3] if len(row) > len(_KNOWN) else "")


def _check(task: Task, shown: list[_Listed], posts: AbstractSet[str], texts: AbstractSet[str]) -> None:
    if not shown:
        raise InputError.at(
            task.pool, "has no item that may be shown", "pool runs again: kaiwa pool RUN... -o pool.tsv"
        )
    for what, known, place, fix in (
        ("topic", posts, task.topics, "add them to it"),
        ("comment", texts, task.repository, "name their repository or index in kaiwa.toml: repository"),
    ):
        missing = [one for one in shown if getattr(one, what) not in known]
        names = list(dict.fromkeys(getattr(one, what) for one in missing))
        if names:
            verb = "has" if len(names) == 1 else "have"
            said = f"{counted(len(names), what)} {verb} no text in {place.name}, {names[0]!r} first"
            raise InputError.at(task.folder / missing[0].place, said, fix)


def guideline_texts(task: Task) -> dict[str, str]:
    """The guidelines of the task by language; an error if a file is missing or not UTF-8."""
    return {language: read_text(task.folder / name) for language, name in task.settings.guidelines.items()}
