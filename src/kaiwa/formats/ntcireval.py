"""NTCIREVAL's input, one folder per topic: ``0001/0001.rel`` (``doc L2``), ``0001/0001.RUN.res`` (one doc per line)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted
from kaiwa.files.atomic import visible_files
from kaiwa.formats.fields import Row, file_name, is_number, lines, read_fields, word
from kaiwa.formats.recognition import Match
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kaiwa.formats.fields import Texts
    from kaiwa.formats.recognition import Head


_REL_FORM, _RES_FORM = "comment L2", "comment"
_RUNS, _TOPICS = "runlist", "topics.tid"


def is_rel(head: Head) -> Match:
    """Whether the file or some file of the folder is a .rel file; any other folder is possible."""
    if head.is_folder:
        return Match.SURE if head.has_files(".rel") else Match.POSSIBLE
    return Match.SURE if head.name.endswith(".rel") else Match.NO


def is_res(head: Head) -> Match:
    """Whether the folder has .res files; any other folder is possible."""
    if head.is_folder:
        return Match.SURE if head.has_files(".res") else Match.POSSIBLE
    return Match.NO


def read_rel(path: Path) -> Qrels:
    """The judgements of one .rel file, named after its topic, or of every topic's .rel file in a folder."""
    files = _files(path, ".rel") if path.is_dir() else [path]
    if len({file.stem for file in files}) < len(files):
        raise InputError.at(path, "two .rel files of the same topic", "keep one")
    return Qrels.from_lists({file.stem: _grades(file) for file in files})


def read_res(path: Path, *, order: str | None = None) -> list[Run]:  # noqa: ARG001  .res files have one order
    """The runs of a folder's .res files, each in the order of its lines; scores fall by one from rank to rank."""
    lists: dict[str, dict[str, list[tuple[str, float]]]] = {}
    for file in _files(path, ".res"):
        topic = file.parent.name
        run = file.name.removesuffix(".res").removeprefix(f"{topic}.")
        if file.name != f"{topic}.{run}.res":
            raise InputError.at(file, "is not named TOPIC/TOPIC.RUN.res", "rename it")
        lists.setdefault(run, {})[topic] = _ranking(file)
    return [Run.from_lists(run, by_topic) for run, by_topic in lists.items()]


def rel_texts(gains: Qrels) -> Texts:
    """The text of each file: every topic's judgements, and the list of topics."""
    texts = {
        f"{_folder(topic)}/{file_name(f'{topic}.rel')}": "".join(
            f"{word('comment', comment, first=True)} L{level_of(topic, comment, gain)}\n"
            for comment, gain in gains.of(topic).items()
        )
        for topic in gains.topics
    }
    return texts | {_TOPICS: lines("topic", gains.topics)}


def res_texts(runs: Iterable[Run]) -> Texts:
    """The text of each file: every run's ranking of every topic, empty if it has none, and the list of runs."""
    kept = list(runs)
    topics = dict.fromkeys(topic for run in kept for topic in run.topics)
    texts = {
        f"{_folder(topic)}/{file_name(f'{topic}.{run.name}.res')}": lines("comment", run.comments_of(topic))
        for run in kept
        for topic in topics
    }
    return texts | {_RUNS: lines("run", (run.name for run in kept))}


def _folder(topic: str) -> str:
    if topic in {_RUNS, _TOPICS}:
        raise InputError.at(f"topic {topic!r}", "is the name of a file of this format", "rename it")
    return file_name(topic)


def level_of(topic: str, comment: str, gain: float) -> int:
    """The gain as a level L0, L1, ...; other gains have none."""
    if gain != int(gain) or gain < 0:
        what = f"gain {gain:g} of topic {topic!r} is not a level"
        raise InputError.at(f"comment {comment!r}", what, "NTCIR files have levels L0, L1, ...; write the TREC format")
    return int(gain)


def _files(folder: Path, ending: str) -> list[Path]:
    paths = (path for pattern in (f"*{ending}", f"*/*{ending}") for path in folder.glob(pattern) if path.is_file())
    found = visible_files(paths)
    if not found:
        what = f"is a folder without {ending} files"
        raise InputError.at(folder, what, f"give a file, or NTCIREVAL's folder of topics (0001/0001{ending})")
    return found


def _grades(file: Path) -> dict[str, float]:
    grades: dict[str, float] = {}
    for line, row in read_fields(file):
        _refuse_other_fields(file, line, row, 2, _REL_FORM)
        comment, level = row
        digits = level.removeprefix("L")
        if not (digits.isascii() and is_number(digits) and abs(float(digits)) < float("inf")):
            raise InputError.at(file, f"grade {level!r} is not a level", "write L0, L1, L2, ...", line=line)
        if comment in grades:
            raise InputError.at(file, f"duplicate comment {comment!r}", "keep one judgement", line=line)
        grades[comment] = float(digits)
    if not grades:
        raise InputError.at(file, "contains no judgement", f"a line reads: {_REL_FORM}")
    return grades


def _ranking(file: Path) -> list[tuple[str, float]]:
    ranked: dict[str, None] = {}
    rows: list[Row] = list(read_fields(file)) if file.stat().st_size else []
    for line, row in rows:
        _refuse_other_fields(file, line, row, 1, _RES_FORM)
        if row[0] in ranked:
            raise InputError.at(file, f"duplicate comment {row[0]!r}", "keep the first", line=line)
        ranked[row[0]] = None
    return [(comment, float(len(ranked) - place)) for place, comment in enumerate(ranked)]


def _refuse_other_fields(file: Path, line: int, row: list[str], fields: int, form: str) -> None:
    if len(row) != fields:
        what = f"expected {counted(fields, 'field')}, found {len(row)}"
        raise InputError.at(file, what, f"a line reads: {form}", line=line)
