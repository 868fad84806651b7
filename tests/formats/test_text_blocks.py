"""Text files: what is tolerated, and what is refused in one line."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.files import zstd
from kaiwa.files.atomic import atomic_file, write_text
from kaiwa.formats import text_files as text_module
from kaiwa.formats.readers import read_run
from kaiwa.formats.text_files import read_blocks, read_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]

PLAIN = b"q1 Q0 d1 1 2.5 R\nq1 Q0 d2 2 1.5 R\nq2 Q0 d1 1 0.5 R\n"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bom.txt", b"\xef\xbb\xbf" + PLAIN),
        ("crlf.txt", PLAIN.replace(b"\n", b"\r\n")),
        ("cr.txt", PLAIN.replace(b"\n", b"\r")),
        ("unended.txt", PLAIN.rstrip(b"\n")),
        ("tabs.txt", PLAIN.replace(b" ", b"\t")),
        ("spaces.txt", PLAIN.replace(b" ", b"   ").replace(b"q2", b"  q2")),
        ("blank.txt", b"\n\n" + PLAIN.replace(b"\n", b"\n\n")),
        ("remarks.txt", b"# ir_metadata.start\n" + PLAIN.replace(b"q2", b"# a b c d e\nq2")),
        ("packed.txt.gz", gzip.compress(PLAIN, mtime=0)),
        ("members.txt.gz", gzip.compress(PLAIN[:17], mtime=0) + gzip.compress(PLAIN[17:], mtime=0)),
        ("packed.txt.zst", zstd.compress(PLAIN)),
        ("trailing.txt", PLAIN.replace(b"R\n", b"R more words here\n")),
    ],
)
def test_how_a_run_is_saved_does_not_change_what_is_read(made: Made, name: str, data: bytes) -> None:
    """Byte order mark, line ends, spacing, ``#`` lines and compression are accepted."""
    assert read_run(made(name, data)) == read_run(made("plain.txt", PLAIN))


def test_lines_keep_their_numbers_across_blocks(made: Made) -> None:
    """Small blocks and one block give the same lines at the same numbers."""
    path = made("lines.txt", "".join(f"line {n}\n" for n in range(1, 200)))
    blocks = list(read_blocks(path, block_bytes=64))
    assert len(blocks) > 10
    assert all(block.data.startswith(b"line %d\n" % block.first_line) for block in blocks)
    assert b"".join(block.data for block in blocks).decode() == read_text(path)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.txt", b"", "the file is empty"),
        ("binary.txt", b"q1 Q0 d1 1 2.5 R\n\x00\x01", r"binary\.txt:2: contains a NUL byte"),
        ("latin.txt", b"q1 Q0 d1 1 2.5 R\nq1 Q0 d\xe9 2 1.5 R\n", r"latin\.txt:2: byte 0xe9 is not UTF-8"),
        ("wide.txt", "q1 Q0 d1 1 2.5 R\n".encode("utf-16"), "is UTF-16"),
        ("cut.txt.gz", gzip.compress(PLAIN * 50, mtime=0)[:-9], "not a complete gzip file"),
        ("fake.txt.gz", PLAIN, "not a complete gzip file"),
        ("fake.txt.zst", PLAIN, "not a complete zstd file"),
        ("short.txt", b"q1 Q0 d1 1 2.5 R\nq1 Q0 d2 2 1.5\n", r"short\.txt:2: expected 6 fields, found 5"),
        ("name.txt", PLAIN + b"q2 Q0 d3 2 0.1 S\n", r"name\.txt:4: second run name 'S', after 'R'"),
        ("score.txt", PLAIN + b"q2 Q0 d3 2 nan R\n", r"score\.txt:4: score 'nan' is not a finite number"),
        ("digits.txt", PLAIN + b"q2 Q0 d3 2 1_0 R\n", r"digits\.txt:4: score '1_0'"),
        ("twice.txt", PLAIN + b"q1 Q0 d1 2 0.1 R\n", r"twice\.txt:4: duplicate comment 'd1' \(first on line 1\)"),
        ("bell.txt", PLAIN + b"q1 Q0 d\x07 2 0.1 R\n", r"bell\.txt:4: control character 0x07"),
        ("long.txt", PLAIN + b"q1 Q0 " + b"d" * 600 + b" 2 0.1 R\n", r"long\.txt:4: field 3 is 600 bytes long"),
        ("none.txt", b"\n# only a remark\n", "contains no ranked line"),
        ("open.txt", b"<SYSDESC>half\n" + PLAIN, r"open\.txt:1: <SYSDESC> is not closed"),
    ],
)
def test_a_bad_run_is_refused_with_its_line(made: Made, name: str, data: bytes, message: str) -> None:
    """Every refusal names the place and the fault."""
    with pytest.raises(InputError, match=message):
        read_run(made(name, data))


def test_a_folder_and_an_absent_file_are_refused(tmp_path: Path) -> None:
    """The error names what the path is."""
    with pytest.raises(InputError, match="is a folder"):
        read_run(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_run(tmp_path / "absent.txt")


def test_an_endless_line_is_refused_before_it_fills_memory(made: Made) -> None:
    """A line past the limit stops the reading."""
    with pytest.raises(InputError, match=r"endless\.txt:1: line longer than"):
        read_run(made("endless.txt", b"x" * (3 * text_module.MAX_LINE_BYTES)))


def test_a_file_that_unpacks_beyond_reason_is_refused(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file that unpacks to hundreds of times its size is stopped on the way."""
    monkeypatch.setattr(text_module, "BOMB_FLOOR_BYTES", 1 << 20)
    bomb = gzip.compress(b"q1 Q0 d1 1 2.5 R\n" * 500_000, mtime=0)
    with pytest.raises(InputError, match=r"decompresses to over 250 times its size"):
        read_run(made("bomb.txt.gz", bomb))


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    """A file is whole or absent."""
    target = tmp_path / "scores.csv"
    write_text(target, "old")
    with pytest.raises(UnicodeEncodeError), atomic_file(target) as temporary:
        temporary.write_text("half \ud800", encoding="utf-8")
    assert (target.read_text(), list(tmp_path.iterdir())) == ("old", [target])


def test_writing_into_an_absent_folder_is_refused(tmp_path: Path) -> None:
    """The error names the file that cannot be written."""
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "absent" / "scores.csv", "x")
