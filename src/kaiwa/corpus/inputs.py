"""The files that a cleaning reads: one file, several of one kind, or posts and comments that are read together.

Several files of pairs, of dialogues or of tweets are read as one file with all their rows, in the given order. A folder
stands for its files in the order of their names.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from itertools import accumulate, count, groupby
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from kaiwa.corpus.pair_keys import copied_pairs, copy_pairs, small_batches
from kaiwa.engine.dataset import Note
from kaiwa.errors import InputError
from kaiwa.files.atomic import visible_files
from kaiwa.files.foreign_parquet import foreign_size
from kaiwa.formats.pairs import FIELDS, JSONL, kind_of
from kaiwa.formats.readers import format_of, recognised, refuse_other_nouns
from kaiwa.formats.recognition import PAIRS, TWEETS, Head, Match
from kaiwa.formats.table import FORMATS
from kaiwa.formats.takedown import NAME as TAKEDOWN
from kaiwa.formats.text_files import Span, lines_before, read_chunks, spans_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.engine.dataset import Engine
    from kaiwa.formats.recognition import Format

    AnyFormat = Format[Any, Any]  # Any: of pairs or of tweets
    Numbered = tuple[int, "InputPiece"]  # a piece with its place in the input, which names its copies


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


# A piece of the input of a cleaning: a file as a whole, a span of its lines, some row groups, or a copy of a part.


PACKED = {".gz", ".zst"}


@dataclass(frozen=True)
class InputPiece:
    """A file in its format, or a part of it; several paths are files that are only understood together.

    ``size`` is about the number of its bytes, decompressed. ``copy`` is read instead of the file: the lines of a
    compressed file, or the pairs of a part; ``needs_copy`` tells that it is still to be made. ``first`` is the number
    of the first dialogue of a file of dialogues. ``translations`` are the translations that all files together have.
    """

    paths: tuple[Path, ...]
    format: str
    size: int = 0
    span: Span | None = None
    groups: range | None = None
    copy: Path | None = None
    needs_copy: bool = False
    first: int = 1
    translations: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        """The file that the lines of its pairs are counted in."""
        return self.paths[-1]

    @property
    def is_tweets(self) -> bool:
        """Whether it contains tweets, not pairs."""
        return FORMATS[self.format].noun is TWEETS

    @property
    def is_compressed_lines(self) -> bool:
        """Whether it is a compressed file of lines, whose copy can be split into spans."""
        return FORMATS[self.format].by_lines and self.file.suffix in PACKED

    def read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        """What it contains; an error names the line in the whole file."""
        try:
            yield from self._read()
        except InputError:
            if (known := self._with_lines()) is not self:
                for _ in known._read():  # noqa: SLF001  its own
                    pass
            raise

    def line(self, number: int) -> int:
        """The line in the file of a line of this piece; 0 if it is not known."""
        return number and number + (lines_before(self.copy or self.file, self.span) if self.span else 0)

    def _with_lines(self) -> InputPiece:
        """The piece whose errors name the file and the lines that the user knows; itself, if its own do."""
        if self.span is None:
            return self
        if self.copy is not None:
            return replace(self, span=None, copy=None)
        before = lines_before(self.file, self.span)
        return replace(self, span=replace(self.span, first_line=1 + before)) if before else self

    def _read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        if self.copy is not None and self.span is None:
            return copied_pairs(self.copy)
        row = FORMATS[self.format]
        found: Iterator[Any]  # Any: as above
        if len(self.paths) > 1 and row.read_together is not None:
            found = row.read_together(self.paths)
        else:
            found = row.read(self.copy or self.file, **self._part())
        return found

    def _part(self) -> dict[str, Any]:  # Any: a span, a range or a number
        """The options of a reader that reads a part, or one of several files."""
        part: dict[str, Any] = {"span": self.span, "groups": self.groups}  # Any: as above
        part["first"] = self.first if self.first > 1 else None
        if FORMATS[self.format].translations is not None:
            part["translations"] = self.translations or None
        return {name: value for name, value in part.items() if value is not None}


# Dialogues of several files, numbered as those of one file: one without an id is named after its number.


_COUNT = "count"


def with_numbers(engine: Engine, pieces: Sequence[InputPiece]) -> list[InputPiece]:
    """The pieces; each file of dialogues knows the number of its first one, after all files before it."""
    if len(pieces) == 1 or FORMATS[pieces[0].format].count is None:
        return list(pieces)
    counts: list[int] = engine.tables(counted_dialogues, pieces[:-1]).gathered().noted(_COUNT)
    return [replace(piece, first=first) for piece, first in zip(pieces, accumulate(counts, initial=1), strict=True)]


def counted_dialogues(piece: InputPiece) -> Iterator[Note]:
    """How many dialogues a file has."""
    if (count := FORMATS[piece.format].count) is not None:
        yield Note(_COUNT, count(piece.file))


# What each task of a cleaning reads: one large piece of the input, or several small files.


SPAN_BYTES = 1 << 26
_COMPRESSION = 3  # a compressed file decompresses to about this many times its size


@dataclass(frozen=True)
class ReadTask:
    """The pieces of the input that a task reads, one after the other."""

    number: int
    pieces: tuple[InputPiece, ...]


def read_tasks(pieces: Sequence[InputPiece], *, several: bool) -> list[ReadTask]:
    """One task; or ``several``, each with consecutive pieces of together about the bytes of a span."""
    groups, size = [list(pieces[:1])], pieces[0].size
    for piece in pieces[1:]:
        size += piece.size
        if several and size > SPAN_BYTES:
            groups.append([])
            size = piece.size
        groups[-1].append(piece)
    return [ReadTask(number, tuple(group)) for number, group in enumerate(groups)]


def planned_pieces(files: Sequence[RawFile], *, several: bool) -> list[InputPiece]:
    """The pieces of the files, in their order; for ``several`` tasks a large file is split, or marked to be copied."""
    each = [(FORMATS[file.format].translations, file.paths[0]) for file in files]
    found = tuple(dict.fromkeys(name for names, path in each if names is not None for name in names(path)))
    wholes = [InputPiece(file.paths, file.format, bytes_in(file.paths), translations=found) for file in files]
    return [piece for whole in wholes for piece in (_split(whole) if several and whole.size > SPAN_BYTES else [whole])]


def _split(whole: InputPiece) -> list[InputPiece]:
    row = FORMATS[whole.format]
    if row.by_lines and whole.file.is_file() and whole.file.suffix not in PACKED:
        return in_spans(whole, whole.file)
    sizes = foreign_size(whole.file).group_bytes if row.by_groups else ()
    if len(ranges := _group_ranges(sizes)) > 1:
        return [replace(whole, groups=one, size=sum(sizes[one.start : one.stop])) for one in ranges]
    return [replace(whole, needs_copy=True)]


def in_spans(whole: InputPiece, file: Path) -> list[InputPiece]:
    """A piece for each span of a file of lines: the file of the piece, or its copy."""
    return [replace(whole, span=span, size=span.end - span.start) for span in spans_of(file, SPAN_BYTES)]


def _group_ranges(sizes: Sequence[int]) -> list[range]:
    """Consecutive row groups of about the bytes of a span."""
    ends = accumulate(sizes)
    places = [(end - size) // SPAN_BYTES for size, end in zip(sizes, ends, strict=True)]
    found = [list(own) for _, own in groupby(range(len(sizes)), key=places.__getitem__)]
    return [range(own[0], own[-1] + 1) for own in found]


def refuse_pipes(paths: Sequence[Path]) -> None:
    """Refuse what other processes cannot read."""
    for path in paths:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            fix = "write it to a file, or leave the engine local"
            raise InputError.at(path, "is a pipe, which other processes cannot read", fix)


def bytes_in(paths: Sequence[Path]) -> int:
    """About how many bytes the files have, decompressed."""
    files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path]) if file.is_file()]
    return sum(file.stat().st_size * (_COMPRESSION if file.suffix in {*PACKED, ".parquet"} else 1) for file in files)


# Input that cannot be split is copied by one task for each file, so that several tasks can clean it.


_COPY = "copy"


def with_copies(engine: Engine, pieces: Sequence[InputPiece], folder: Path) -> list[InputPiece]:
    """The pieces in their order; those that need a copy are replaced by pieces of it, made in the folder."""
    needed = [(number, piece) for number, piece in enumerate(pieces) if piece.needs_copy]
    copies: dict[int, list[Path]] = {number: [] for number, _ in needed}
    if needed:
        for number, copy in engine.tables(copied, needed, folder, SPAN_BYTES).gathered().noted(_COPY):
            copies[number].append(copy)
    return [
        part
        for number, piece in enumerate(pieces)
        for part in (_copy_pieces(replace(piece, needs_copy=False), copies[number]) if piece.needs_copy else [piece])
    ]


def _copy_pieces(whole: InputPiece, copies: Sequence[Path]) -> list[InputPiece]:
    if whole.is_compressed_lines:
        return in_spans(replace(whole, copy=copies[0]), copies[0])
    return [replace(whole, copy=one, size=SPAN_BYTES) for one in copies] or [whole]


def copied(numbered: Numbered, folder: Path, most_bytes: int) -> Iterator[Note]:
    """The lines or the pairs of a piece, in files of the folder."""
    number, piece = numbered
    copies = (
        _copied_lines(numbered, folder) if piece.is_compressed_lines else _copied_parts(numbered, folder, most_bytes)
    )
    for copy in copies:
        yield Note(_COPY, (number, copy))


def _copied_lines(numbered: Numbered, folder: Path) -> Iterator[Path]:
    """The lines of a compressed file in a plain one."""
    number, piece = numbered
    copy = folder / f"lines-{number:06d}.spill"
    temporary = copy.with_name(f"{copy.name}.{token_hex(4)}")  # a task that Spark runs twice writes twice
    with temporary.open("wb") as file:
        for chunk in read_chunks(piece.file):
            file.write(chunk)
    temporary.replace(copy)
    yield copy


def _copied_parts(numbered: Numbered, folder: Path, most_bytes: int) -> Iterator[Path]:
    """The pairs of a file in several files."""
    number, piece = numbered
    batches = small_batches(piece.read())
    for part in count():
        copy = folder / f"part-{number:06d}-{part:06d}.spill"
        if not copy_pairs(batches, copy, most_bytes, piece.translations):
            return
        yield copy
