"""Parquet files that Kaiwa did not write: nothing that they do to the library reaches the process of the user."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kaiwa.errors import InputError
from kaiwa.files import foreign_parquet
from kaiwa.files.foreign_parquet import foreign_batches, foreign_size
from kaiwa.formats.repository import open_repository

ENDS_THE_LIBRARY = Path(__file__).parent / "ends_the_library.parquet"
"""A level count that does not fit the schema: pyarrow 26 calls ``std::terminate``."""
NAMES = ("post_id", "comment_id")


def table(path: Path, rows: int) -> Path:
    """A small table of two columns."""
    columns = {name: [f"{name}{number}" for number in range(rows)] for name in NAMES}
    pq.write_table(pa.table(columns), path, row_group_size=1000)
    return path


def read(path: Path) -> list[list[str]]:
    """The rows of a file."""
    return [list(row) for batch in foreign_batches(path, NAMES, "a shape") for row in zip(*batch, strict=True)]


def test_a_file_that_ends_the_library_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    """The command, on a file that the fuzzer found."""
    words = [sys.executable, "-m", "kaiwa", "clean", str(ENDS_THE_LIBRARY), "-o", str(tmp_path / "made")]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert f"{ENDS_THE_LIBRARY}: is " in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_next_file_is_read_after_one_that_ended_the_library(tmp_path: Path) -> None:
    """In the same process."""
    with pytest.raises(InputError):
        read(ENDS_THE_LIBRARY)
    assert read(table(tmp_path / "t.parquet", 2)) == [["post_id0", "comment_id0"], ["post_id1", "comment_id1"]]


def test_a_worker_that_ends_is_one_line(tmp_path: Path) -> None:
    """Whatever the reason, and in the middle of a file."""
    batches = foreign_batches(table(tmp_path / "t.parquet", 200_000), NAMES, "a shape")
    foreign_parquet._stop_idle()
    others = children()
    next(batches)
    (child,) = children() - others
    os.kill(child, 9)
    with pytest.raises(InputError, match="the process that reads it ended with SIGKILL") as refusal:
        list(batches)
    assert "\n" not in str(refusal.value)


def test_two_files_are_read_at_the_same_time(tmp_path: Path) -> None:
    """Each by a worker of its own; an answer that is not read to the end leaves no process."""
    foreign_parquet._stop_idle()
    others = children()
    first, second = (foreign_batches(table(tmp_path / f"{n}.parquet", 100_000), NAMES, "") for n in "ab")
    assert next(first) == next(second)
    assert sum(len(batch[0]) for batch in second) + len(next(first)[0]) == 100_000
    first.close()
    foreign_parquet._stop_idle()
    assert children() == others


def test_a_batch_that_takes_too_long_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its worker is ended."""
    foreign_parquet._stop_idle()
    others = children()
    monkeypatch.setattr(foreign_parquet, "MAX_SECONDS", 0)
    with pytest.raises(InputError, match="takes over 0 seconds"):
        read(table(tmp_path / "t.parquet", 1000))
    assert children() == others


def test_every_flip_of_a_repository_without_a_manifest_is_answered(repository: Path, tmp_path: Path) -> None:
    """A table that another tool wrote has no checksum: it is read, or refused in one line."""
    copy = shutil.copytree(repository, tmp_path / "copy")
    (copy / "manifest.json").unlink()
    rng, path = random.Random(8), copy / "comments.parquet"
    whole = path.read_bytes()
    for _ in range(150):
        place = rng.randrange(len(whole) // 2, len(whole))
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
        try:
            sum(len(ids) for ids, _ in open_repository(copy).comments())
        except InputError as refusal:
            assert "\n" not in str(refusal)  # noqa: PT017  a file that is read is as good


def test_the_size_of_a_table_is_known_before_it_is_read(tmp_path: Path) -> None:
    """Rows, and bytes by column."""
    size = foreign_size(table(tmp_path / "t.parquet", 2500))
    assert size.rows == 2500
    assert set(size.column_bytes) == set(NAMES)


def test_a_number_of_a_text_that_is_missing_is_refused(tmp_path: Path) -> None:
    """Found by the fuzzer as an IndexError."""
    source = Path(__file__).parent / "missing_dictionary_entry.parquet"
    copy = tmp_path / "pairs.parquet"
    copy.write_bytes(source.read_bytes())
    with pytest.raises(InputError, match="is not a complete Parquet file"):
        list(foreign_batches(copy, ("post_id", "post", "comment_id", "comment"), ""))


def children() -> set[int]:
    """The processes that this one started."""
    return {int(word) for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}
