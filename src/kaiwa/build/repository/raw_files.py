"""The files that a cleaning reads: one file, several of one kind, or posts and comments that are read together.

Several files of pairs, of dialogues or of tweets are read as one file with all their rows, in the given order. A folder
stands for its files in the order of their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.disk.atomic_files import visible_files
from kaiwa.errors import InputError
from kaiwa.formats.collection.pair_files import FIELDS, JSONL, kind_of
from kaiwa.formats.collection.takedown import NAME as TAKEDOWN
from kaiwa.formats.format import PAIRS, TWEETS
from kaiwa.formats.readers import format_of, recognised, refuse_other_nouns
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.formats.format import Format

    AnyFormat = Format[Any, Any]  # Any: of pairs or of tweets

_SPLIT = "pairs-split"
_SPLIT_FILES = (2, 3)
_KINDS = "pairs, dialogues or tweets"
_SEPARATELY = "clean them separately"
_SAME_COLUMNS = f"give files with the same columns, or {_SEPARATELY}"


@dataclass(frozen=True)
class RawFile:
    """A file or folder in a format; or several files that are only understood together."""

    paths: tuple[Path, ...]
    format: str


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The paths, with the files of each folder instead of it; a folder of posts and comments stays."""
    return [file for path in paths for file in ([path] if not path.is_dir() or _is_split(path) else _files_in(path))]


def raw_files(paths: Sequence[Path]) -> list[RawFile]:
    """What is read, in its order; files that do not belong together are an error."""
    files = files_of(paths)
    _refuse_repeated(files)
    if len(paths) == 1 and files == list(paths):
        return [RawFile((files[0],), format_of(files[0], PAIRS, TWEETS).name)]
    found = [recognised(file, PAIRS, TWEETS) for file in files]
    if not any(match is Match.SURE for _, match in found):
        if files == list(paths) and len(files) in _SPLIT_FILES and not any(map(_is_of_records, files)):
            return [RawFile(tuple(files), _SPLIT)]
        for folder in (path for path in paths if path.is_dir()):
            refuse_other_nouns(folder, PAIRS, TWEETS)
    chosen = list(_chosen(files, found))
    _refuse_differences(files, chosen)
    return [RawFile((file,), row.name) for file, row in zip(files, chosen, strict=True)]


def _is_split(folder: Path) -> bool:
    return recognised(folder, PAIRS, TWEETS)[1] is Match.SURE


def _files_in(folder: Path) -> list[Path]:
    """The files of a folder by their names, without notes of other tools (``_SUCCESS``) and the takedown list."""
    files = [path for path in visible_files(folder.iterdir()) if path.name != TAKEDOWN and path.name[0] != "_"]
    if not files:
        raise InputError.at(folder, "the folder has no files", f"give files of {_KINDS}, or a folder with them")
    if inner := [path for path in files if path.is_dir()]:
        refuse_other_nouns(folder, PAIRS, TWEETS)
        raise InputError.at(inner[0], "is a folder in a folder", f"give each folder with files of {_KINDS} by itself")
    return files


def _refuse_repeated(files: Sequence[Path]) -> None:
    seen: dict[tuple[int, int], Path] = {}
    for file in files:
        if not file.exists():  # its reader reports what is wrong
            continue
        state = file.stat()
        number = (state.st_dev, state.st_ino)
        if number in seen:
            what = "is given twice" if seen[number] == file else f"is the same file as {seen[number]}"
            raise InputError.at(file, what, "give each file once")
        seen[number] = file


def _is_of_records(file: Path) -> bool:
    """Whether the name is that of JSON or Parquet, which posts and comments are not read from."""
    return _suffix(file) in {".jsonl", ".parquet"}


def _suffix(file: Path) -> str:
    kind = kind_of(file)
    return ".jsonl" if kind in JSONL else kind


def _chosen(files: Sequence[Path], found: Sequence[tuple[AnyFormat, Match]]) -> Iterator[AnyFormat]:
    """The format of each file.

    A file that is not surely recognised, such as one of few lines, has that of a sure one of the same suffix. Its
    reader reports at once what is wrong with its beginning.
    """
    sure: dict[str, AnyFormat] = {}
    for file, (row, match) in zip(files, found, strict=True):
        if match is Match.SURE:
            sure.setdefault(_suffix(file), row)
    for file, (row, match) in zip(files, found, strict=True):
        if match is Match.SURE:
            yield row
            continue
        chosen = sure.get(_suffix(file)) or _possible_format(file, match)
        next(iter(chosen.read(file)), None)
        yield chosen


def _possible_format(file: Path, match: Match) -> AnyFormat:
    """The format of a file without a sure one of its suffix; another noun, or a text of no format, is an error."""
    row = format_of(file, PAIRS, TWEETS)
    if match is Match.NO and Head(file).lines:
        raise InputError.at(file, f"is not a file of {_KINDS}", "leave it out, or move it out of the folder")
    return row


def _refuse_differences(files: Sequence[Path], rows: Sequence[AnyFormat]) -> None:
    """Refuse files of different kinds, and files of pairs with different columns."""
    kind = _kind(rows[0])
    for file, row in zip(files, rows, strict=True):
        if (own := _kind(row)) != kind:
            raise InputError.at(file, f"is a file of {own}, but {files[0]} is a file of {kind}", _SEPARATELY)
    columns = {file: row.columns(file) if row.columns else FIELDS for file, row in zip(files, rows, strict=True)}
    _refuse_missing_ids(columns)
    _refuse_missing_headers(columns)


def _kind(row: AnyFormat) -> str:
    return row.name if row.count else row.noun.name


def _refuse_missing_ids(columns: Mapping[Path, tuple[str, ...]]) -> None:
    """Refuse files of which some have ids and others have none: a post would have two ids."""
    first = next(iter(columns))
    wanted = columns[first] or FIELDS
    for file, names in columns.items():
        if missing := [name for name in wanted if name not in (names or FIELDS)]:
            raise InputError.at(file, f"has no {' and '.join(missing)}, but {first} has", _SAME_COLUMNS)
        if others := [name for name in names or FIELDS if name not in wanted]:
            raise InputError.at(file, f"has {' and '.join(others)}, but {first} has not", _SAME_COLUMNS)


def _refuse_missing_headers(columns: Mapping[Path, tuple[str, ...]]) -> None:
    """Refuse a file without a header beside one with another order of columns: it is perhaps the rest of that one."""
    turned = [file for file, names in columns.items() if names != FIELDS and set(names) == set(FIELDS)]
    bare = [file for file, names in columns.items() if not names]
    if turned and bare:
        what = f"has no header, and that of {turned[0]} has another order of columns"
        raise InputError.at(bare[0], what, "give it a header")
