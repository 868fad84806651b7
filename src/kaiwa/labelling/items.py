"""The items that assessors judge: the pool, training and gold of a task, with their texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, UnknownName, counted
from kaiwa.formats.fields import read_csv
from kaiwa.formats.readers import read_topics
from kaiwa.formats.text_files import read_text
from kaiwa.formats.topics import read_pool
from kaiwa.nouns.criteria import Answer, TaskItem, criteria_of
from kaiwa.nouns.votes import NA
from kaiwa.task.comment_texts import comment_texts, takedown_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.nouns.criteria import Criteria
    from kaiwa.task.folder import Task


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
        highest = task.settings.max_level
        level = NA if row[2] == "NA" else int(row[2]) if row[2].isdecimal() and len(row[2]) == 1 else highest + 1
        if level > highest:
            raise InputError.at(path, f"level {row[2]!r} is not 0..{highest} or NA", "fix it", line=line)
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


# The criteria that ``kaiwa.toml`` declares: answers with their keys, checked with file and line.


_FIELDS = {"key": str, "name": str, "level": int, "failed": str}
_HEADER = re.compile(r"\s*\[\[\s*judging\s*\.\s*answers\s*\]\]")


def task_criteria(task: Task) -> Criteria:
    """The criteria of a task; an error names the line of the first answer that is wrong."""
    settings, answers = task.settings, list[Answer]()
    for number, written in enumerate(settings.answers):
        line = _line_of(task.config, number)
        answers.append(_answer(task.config, line, written))
        try:
            criteria_of(settings.criteria, answers, top=settings.max_level)
        except InputError as fault:
            raise InputError(f"{task.config}:{line}: {fault.marked}") from None
    return criteria_of(settings.criteria, answers, top=settings.max_level)


def _answer(path: Path, line: int, written: Mapping[str, Any]) -> Answer:  # Any: TOML values
    for name, value in written.items():
        if name not in _FIELDS:
            raise InputError(f"{path}:{line}: {UnknownName.among('field of an answer', name, _FIELDS)}")
        is_fitting = isinstance(value, _FIELDS[name]) and not isinstance(value, bool)
        if not is_fitting and not (name == "level" and value == "NA"):
            wanted = 'a whole number or "NA"' if name == "level" else "text in quotes"
            raise InputError.at(path, f"{name} = {value!r}", f"write {wanted}", line=line)
    if missing := [name for name in ("key", "name", "level") if name not in written]:
        what = f"an answer has no {missing[0]}"
        raise InputError.at(path, what, "give each answer a key, a name and a level", line=line)
    level = NA if written["level"] == "NA" else written["level"]
    return Answer(written["key"], written["name"], level, written.get("failed", ""))


def _line_of(path: Path, number: int) -> int:
    """The line on which the answer of this number, from 0, begins; of the section if the file has them inline."""
    lines = read_text(path).splitlines()
    starts = [place for place, text in enumerate(lines, start=1) if _HEADER.match(text)]
    inline = [place for place, text in enumerate(lines, start=1) if re.match(r"\s*answers\s*=", text)]
    return starts[number] if number < len(starts) else (inline or [1])[0]


# The order in which an assessor sees posts and comments: random per assessor, the same after a restart.


UNIT = 10
"""The comments of one post that are shown together."""


def own_order(names: Iterable[str], *, assessor: str, salt: str) -> list[str]:
    """The names in an order that depends on the assessor and the salt, and not on their order here.

    >>> own_order("abc", assessor="A1", salt="s") == own_order("cba", assessor="A1", salt="s")
    True
    """
    return sorted(names, key=lambda name: place_of(name, assessor=assessor, salt=salt))


def place_of(name: str, *, assessor: str, salt: str) -> str:
    """A number, as text, that is uniform over names, assessors and salts."""
    return sha256(f"{salt}\0{assessor}\0{name}".encode()).hexdigest()
