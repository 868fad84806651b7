"""The criteria that ``kaiwa.toml`` declares: answers with their keys, checked with file and line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, UnknownName
from kaiwa.formats.text.blocks import read_text
from kaiwa.label.criteria import Answer, criteria_of
from kaiwa.model.votes import NA

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.label.criteria import Criteria
    from kaiwa.task.task_folder import Task

_FIELDS = {"key": str, "name": str, "level": int, "failed": str}
_HEADER = re.compile(r"\s*\[\[\s*judging\s*\.\s*answers\s*\]\]")


def task_criteria(task: Task) -> Criteria:
    """The criteria of a task; an error names the line of the first answer that is wrong."""
    settings, answers = task.settings, list[Answer]()
    for number, written in enumerate(settings.answers):
        line = _line_of(task.config, number)
        answers.append(_answer(task.config, line, written))
        try:
            criteria_of(settings.criteria, answers, top=settings.top)
        except InputError as fault:
            raise InputError(f"{task.config}:{line}: {fault.marked}") from None
    return criteria_of(settings.criteria, answers, top=settings.top)


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
