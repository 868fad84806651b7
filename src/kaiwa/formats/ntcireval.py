"""NTCIREVAL's input, one folder per topic.

``0001/0001.rel`` has levels (``doc L2``), ``0001/0001.Grelv`` direct gains (``doc 0.4``), ``0001/0001.RUN.res`` one doc
per line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.files.atomic import visible_files
from kaiwa.formats.fields import Row, file_name, is_number, lines, read_fields, word
from kaiwa.formats.recognition import Match
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from kaiwa.formats.fields import Texts
    from kaiwa.formats.recognition import Head


_REL_FORM, _GRELV_FORM, _RES_FORM = "comment L2", "comment 0.4", "comment"
_GRELV = ".Grelv"
_RUNS, _TOPICS = "runlist", "topics.tid"


def is_rel(head: Head) -> Match:
    """Whether the file or some file of the folder is a .rel file; any other folder is possible."""
    if head.is_folder:
        return Match.SURE if head.has_files(".rel") else Match.POSSIBLE
    return Match.SURE if head.name.endswith(".rel") else Match.NO


def is_grelv(head: Head) -> Match:
    """Whether the file or some file of the folder is a .Grelv file."""
    found = head.has_files(_GRELV) if head.is_folder else head.name.endswith(_GRELV)
    return Match.SURE if found else Match.NO


def is_res(head: Head) -> Match:
    """Whether the folder has .res files; any other folder is possible."""
    if head.is_folder:
        return Match.SURE if head.has_files(".res") else Match.POSSIBLE
    return Match.NO


def read_rel(path: Path) -> Qrels:
    """The judgements of one .rel file, named after its topic, or of every topic's .rel file in a folder."""
    return Qrels.from_lists({file.stem: _grades(file) for file in _topic_files(path, ".rel")})


def read_grelv(path: Path) -> Qrels:
    """The direct gains of one .Grelv file, named after its topic, or of every topic's .Grelv file in a folder."""
    return Qrels.from_lists({file.stem: _direct_gains(file) for file in _topic_files(path, _GRELV)})


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
    return _judgement_texts(gains, ".rel", lambda *judged: f"L{level_of(*judged)}")


def grelv_texts(gains: Qrels) -> Texts:
    """The text of each file: every topic's gains, and the list of topics."""
    return _judgement_texts(gains, _GRELV, _gain_text)


def _judgement_texts(gains: Qrels, ending: str, shown: Callable[[str, str, float], str]) -> Texts:
    texts = {
        f"{_folder(topic)}/{file_name(f'{topic}{ending}')}": "".join(
            f"{word('comment', comment, first=True)} {shown(topic, comment, gain)}\n"
            for comment, gain in gains.of(topic).items()
        )
        for topic in gains.topics
    }
    return texts | {_TOPICS: lines("topic", gains.topics)}


def _gain_text(topic: str, comment: str, gain: float) -> str:
    """The gain as a decimal number, which every reader of C takes."""
    if gain < 0:
        raise InputError.at(f"comment {comment!r}", f"gain {gain:g} of topic {topic!r} is negative", "gains start at 0")
    return str(int(gain)) if gain == int(gain) else np.format_float_positional(gain, trim="-")


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
        raise InputError.at(
            f"comment {comment!r}", what, "NTCIR files have levels L0, L1, ...; write grelv or trec-qrels"
        )
    return int(gain)


def _topic_files(path: Path, ending: str) -> list[Path]:
    """The file itself, or the files of a folder, one for each topic."""
    files = _files(path, ending) if path.is_dir() else [path]
    if len({file.stem for file in files}) < len(files):
        raise InputError.at(path, f"two {ending} files of the same topic", "keep one")
    return files


def _files(folder: Path, ending: str) -> list[Path]:
    paths = (path for pattern in (f"*{ending}", f"*/*{ending}") for path in folder.glob(pattern) if path.is_file())
    found = visible_files(paths)
    if not found:
        what = f"is a folder without {ending} files"
        raise InputError.at(folder, what, f"give a file, or NTCIREVAL's folder of topics (0001/0001{ending})")
    return found


def _grades(file: Path) -> dict[str, float]:
    return _judged(file, _REL_FORM, _level)


def _direct_gains(file: Path) -> dict[str, float]:
    return _judged(file, _GRELV_FORM, _gain)


def _judged(file: Path, form: str, value: Callable[[Path, int, str], float]) -> dict[str, float]:
    """The comments of a file with the value of each."""
    judged: dict[str, float] = {}
    for line, row in read_fields(file):
        _refuse_other_fields(file, line, row, 2, form)
        comment, text = row
        if comment in judged:
            raise InputError.at(file, f"duplicate comment {comment!r}", "keep one judgement", line=line)
        judged[comment] = value(file, line, text)
    if not judged:
        raise InputError.at(file, "contains no judgement", f"a line reads: {form}")
    return judged


def _level(file: Path, line: int, text: str) -> float:
    digits = text.removeprefix("L")
    if not _is_finite(digits):
        raise InputError.at(file, f"grade {text!r} is not a level", "write L0, L1, L2, ...", line=line)
    return float(digits)


def _gain(file: Path, line: int, text: str) -> float:
    if not _is_finite(text):
        raise InputError.at(file, f"gain {text!r} is not a number", "write 0, 0.4, 3, ...", line=line)
    return float(text)


def _is_finite(text: str) -> bool:
    return text.isascii() and is_number(text) and abs(float(text)) < float("inf")


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
