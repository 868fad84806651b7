"""Text files of any size, plain, .gz or .zst, as blocks of complete lines with their line numbers.

Every reader accepts a byte order mark, CRLF and a missing last newline. Every reader refuses a folder, an
unreadable, empty, binary or truncated file, a line that is too long, and a file that decompresses to far more
than its size.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError
from kaiwa.files.inputs import input_size, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.files.zstd import ZstdFile

    Stream = IO[bytes] | gzip.GzipFile | ZstdFile


BLOCK_BYTES = 1 << 19
MAX_LINE_BYTES = 1 << 20
BOMB_FLOOR_BYTES = 1 << 25
BOMB_RATIO = 250

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

_NEWLINE = 10


@dataclass(frozen=True)
class Block:
    r"""Complete lines, each ended by ``\\n``; ``first_line`` is the number of the first."""

    data: bytes
    first_line: int


@dataclass(frozen=True)
class Span:
    """A range of bytes of an uncompressed file: the lines that begin in it.

    ``first_line`` is the number of the first of them, if it is known.
    """

    start: int
    end: int
    first_line: int = 1


def read_blocks(path: Path, *, block_bytes: int = BLOCK_BYTES, span: Span | None = None) -> Iterator[Block]:
    r"""The file's lines in blocks, line ends as ``\\n``, without BOM, checked to be text; or those of a span."""
    first = line = span.first_line if span else 1
    begins = span is None or not span.start
    rest = b""
    with open_binary(path) as stream:
        for chunk in _span_chunks(stream, span, block_bytes) if span else _chunks(stream, path, block_bytes):
            if begins and line == 1 and not rest:
                chunk = _without_bom(chunk, path)  # noqa: PLW2901  the mark is not part of the line
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                rest += chunk
                _refuse_long_line(rest, path, line)
                continue
            block = _as_text(rest + chunk[:cut], path, line)
            rest = chunk[cut:]
            yield Block(block, line)
            line += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == _NEWLINE))  # faster than block.count
    if rest:
        yield Block(_as_text(rest + b"\n", path, line), line)
    elif begins and line == first:
        raise InputError.at(path, "the file is empty", "give a file with at least one line")


def read_text(path: Path) -> str:
    """The file as text, for small files."""
    return b"".join(block.data for block in read_blocks(path)).decode()


def read_bytes(path: Path, *, limit: int) -> bytes:
    """The file's bytes, decompressed; more than the limit are refused before they are in memory."""
    chunks, size = list[bytes](), 0
    for chunk in read_chunks(path):
        size += len(chunk)
        if size > limit:
            raise InputError.at(path, f"is larger than {limit >> 20:,} MiB", "split it")
        chunks.append(chunk)
    return b"".join(chunks)


def read_chunks(path: Path) -> Iterator[bytes]:
    """The file's bytes, decompressed, in pieces of any length."""
    with open_binary(path) as stream:
        yield from _chunks(stream, path, BLOCK_BYTES)


def numbered_lines(block: Block) -> Iterator[tuple[int, str]]:
    """The block's lines with their numbers."""
    for offset, line in enumerate(block.data.decode().split("\n")[:-1]):
        yield block.first_line + offset, line


@contextmanager
def open_binary(path: Path) -> Iterator[Stream]:
    """The file's bytes, decompressed according to its suffix; an error of the system becomes an InputError."""
    try:
        if path.is_dir():
            raise InputError.at(path, "is a folder", f"give a file in it, or all of them as {path}/*")
        with open_input(path) as raw:
            yield _decompressed(raw, path)
    except _damage(path) as fault:
        form = "zstd" if path.suffix == ".zst" else "gzip"
        raise InputError.at(path, f"is not a complete {form} file ({fault})", "compress it again") from None
    except FileNotFoundError:
        raise InputError.at(path, "no such file", "check the name and the folder") from None
    except PermissionError:
        raise InputError.at(path, "permission denied", "check its permissions") from None
    except OSError as fault:
        raise InputError.at(path, f"cannot be read ({fault})", "check that it is a complete, regular file") from None


def bare_name(path: Path) -> str:
    """The file's name without the suffix of a compression.

    >>> from pathlib import Path
    >>> bare_name(Path("runs/T1-C-R1.txt.gz"))
    'T1-C-R1.txt'
    """
    return path.stem if path.suffix in {".gz", ".zst"} else path.name


def _decompressed(raw: IO[bytes], path: Path) -> Stream:
    if path.suffix == ".gz":
        return gzip.GzipFile(fileobj=raw)
    if path.suffix == ".zst":
        from kaiwa.files.zstd import ZstdFile

        return ZstdFile(raw)
    return raw


def _damage(path: Path) -> tuple[type[Exception], ...]:
    """What reading a damaged compressed file raises; zstd is loaded for .zst files only."""
    if path.suffix == ".gz":
        return EOFError, zlib.error, gzip.BadGzipFile
    if path.suffix != ".zst":
        return ()
    from kaiwa.files.zstd import ZstdError

    return EOFError, ZstdError


def _chunks(stream: Stream, path: Path, size: int) -> Iterator[bytes]:
    compressed = path.suffix in {".gz", ".zst"}
    if not compressed and path.is_file():
        size = min(size, path.stat().st_size + 1)  # a small file needs no large buffer
    size_read = 0
    while True:
        chunk = stream.read(size)
        if not chunk:
            return
        size_read += len(chunk)
        if compressed and size_read > BOMB_FLOOR_BYTES and size_read > BOMB_RATIO * input_size(path):
            raise InputError.at(
                path, f"decompresses to over {BOMB_RATIO} times its size", "decompress it and check its content"
            )
        yield chunk


def _span_chunks(stream: Stream, span: Span, size: int) -> Iterator[bytes]:
    """The bytes of the lines that begin in a span."""
    begin = span.start
    if begin:
        stream.seek(begin - 1)
        begin += sum(map(len, _line_end(stream, size))) - 1  # the line before began in the span before
    while begin < span.end and (chunk := stream.read(min(size, span.end - begin))):
        begin += len(chunk)
        yield chunk
        if begin == span.end and not chunk.endswith(b"\n"):
            yield from _line_end(stream, size)


def _line_end(stream: Stream, size: int) -> Iterator[bytes]:
    """The rest of a line, in pieces."""
    while piece := stream.readline(size):
        yield piece
        if piece.endswith(b"\n"):
            return


def spans_of(path: Path, most_bytes: int) -> list[Span]:
    """Spans of about the same size that cover an uncompressed file, at least one."""
    size = path.stat().st_size
    count = max(-(-size // most_bytes), 1)
    bounds = [size * number // count for number in range(count + 1)]
    return [Span(low, high) for low, high in pairwise(bounds)]


def lines_before(path: Path, span: Span) -> int:
    """The number of lines before those of the span."""
    return sum(block.data.count(b"\n") for block in read_blocks(path, span=Span(0, span.start))) if span.start else 0


def _without_bom(chunk: bytes, path: Path) -> bytes:
    if chunk.startswith(_UTF16):
        raise InputError.at(path, "is UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)")
    return chunk.removeprefix(_BOM)


def _refuse_long_line(data: bytes, path: Path, line: int) -> None:
    if len(data) > MAX_LINE_BYTES:
        raise InputError.at(
            path, f"line longer than {MAX_LINE_BYTES:,} bytes", "check that it is the right file", line=line
        )


def _refuse_nul(data: bytes, path: Path, line: int) -> None:
    if b"\x00" in data:
        where = line + data.count(b"\n", 0, data.index(b"\x00"))
        raise InputError.at(path, "contains a NUL byte: not a text file", "give a UTF-8 text file", line=where)


def _as_text(data: bytes, path: Path, line: int) -> bytes:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    _refuse_nul(data, path, line)
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as fault:
            where = line + data.count(b"\n", 0, fault.start)
            what = f"byte 0x{data[fault.start]:02x} is not UTF-8"
            raise InputError.at(path, what, "save the file as UTF-8", line=where) from None
    return data


def raw_lines(path: Path) -> Iterator[bytes]:
    """The file's lines unchanged, with their newlines, for the checker, which reports what readers accept."""
    rest, line = b"", 1
    with open_binary(path) as stream:
        for chunk in _chunks(stream, path, BLOCK_BYTES):
            if not rest and line == 1:
                _without_bom(chunk, path)
            _refuse_nul(chunk, path, line)
            *complete, rest = (rest + chunk).split(b"\n")
            _refuse_long_line(rest, path, line + len(complete))
            for text in complete:
                yield text + b"\n"
            line += len(complete)
    if rest:
        yield rest


# The JSON values of a file, one per line or all in one array, read block by block.


_SPACE = re.compile(r"[ \t\n]*")
_SPACE_OR_COMMA = re.compile(r"[ \t\n]*,?[ \t\n]*")
_decode = json.JSONDecoder().raw_decode


def json_values(path: Path) -> Iterator[tuple[int, Any]]:  # Any: JSON values
    """Each value with its line; the values of an array that spans the whole file one by one."""
    text, line, in_array = "", 1, None
    for block in read_blocks(path):
        text += block.data.decode()
        if in_array is None:
            in_array = _is_array_of_values(text)
            text = text.replace("[", "", 1) if in_array else text
        between = _SPACE_OR_COMMA if in_array else _SPACE
        place = 0
        while (start := _end_of(between, text, place)) < len(text):
            try:
                value, end = _decode(text, start)
            except (ValueError, RecursionError):
                break
            line += text.count("\n", place, start)
            yield line, value
            line += text.count("\n", start, end)
            place = end
        text = text[place:]
        if len(text) > 2 * MAX_LINE_BYTES:
            break
    rest = text.strip()
    if rest != ("]" if in_array else ""):
        lead = len(text) - len(text.lstrip(" \t\n,"))
        fault = line + text.count("\n", 0, lead)
        raise InputError.at(path, "is not JSON", "put one JSON value on each line, or all in one array", line=fault)


def _is_array_of_values(text: str) -> bool:
    """Whether the file is one array: its first line is not a complete value, or is an array of arrays or objects."""
    first = text.lstrip(" \t\n").partition("\n")[0]
    if not first.startswith("["):
        return False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return True
    return bool(value) and isinstance(value[0], list | dict) and not _is_turn(value[0])


def _is_turn(value: object) -> bool:
    return isinstance(value, dict) and not any(isinstance(part, list) for part in value.values())


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


# TOML files as their fields.


def read_toml(path: Path, fix: str) -> dict[str, Any]:  # Any: TOML values
    """The fields of a TOML file; ``fix`` ends the error about a file that is none."""
    import tomllib  # most commands read no TOML

    try:
        return tomllib.loads(read_text(path))
    except RecursionError:
        raise InputError.at(path, "is not TOML that can be read (nested too deep)", fix) from None
    except ValueError as fault:  # invalid TOML, or an integer of thousands of digits
        raise InputError.at(path, f"is not TOML ({fault})", fix) from None
