"""Files are written atomically, and a device or a pipe is never replaced by a file."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.files.atomic import atomic_folder, write_text, write_texts
from kaiwa.files.marks import Mark
from kaiwa.formats.readers import read_runs
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> list[str]:
    """The names in the folder."""
    return [path.name for path in folder.iterdir()]


def test_a_failing_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    """The old file stays."""
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert (path.read_text(encoding="utf-8"), names(tmp_path)) == ("old", ["a.txt"])


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    """So ``-o /dev/stdout`` prints, and a device is not replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = Thread(target=write_text, args=(pipe, "through"))
    writing.start()
    read = pipe.read_text(encoding="utf-8")
    writing.join()
    assert (read, pipe.is_fifo(), names(tmp_path)) == ("through", True, ["pipe"])


def test_a_link_is_followed(tmp_path: Path) -> None:
    """The file behind the link changes, the link stays."""
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize(
    ("name", "message"), [("", "is a folder; give the name of a file in it"), ("no/a.txt", "no such folder")]
)
def test_a_place_that_takes_no_file_is_refused(tmp_path: Path, name: str, message: str) -> None:
    """The message names the place and the fix."""
    with pytest.raises(InputError, match=message):
        write_text(tmp_path / name, "text")
    assert names(tmp_path) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_the_permissions_of_a_replaced_file_are_kept(tmp_path: Path, mode: int) -> None:
    """Also if it is replaced together with others."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(mode)
    write_text(tmp_path / "a.txt", "new")
    write_texts(tmp_path, {"b.txt": "new", "c.txt": "new"})
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.txt", "b.txt")} == {mode}


@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path, umask: int) -> None:
    """A private one is its owner's alone."""
    before = os.umask(umask)
    try:
        write_text(tmp_path / "a.txt", "new")
        write_text(tmp_path / "b.txt", "new", private=True)
    finally:
        os.umask(before)
    found = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.txt", "b.txt")]
    assert found == [0o666 & ~umask, 0o600]


def test_the_permissions_of_a_replaced_folder_are_kept(tmp_path: Path) -> None:
    """A folder of a group stays a folder of the group."""
    mark = Mark("m.json", "a test")
    for _ in range(2):
        with atomic_folder(tmp_path / "out", mark) as new:
            mark.write(new, {}, [])
        (tmp_path / "out").chmod(0o750)
    with atomic_folder(tmp_path / "out", mark) as new:
        mark.write(new, {}, [])
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o750


def test_hidden_files_are_no_runs(tmp_path: Path) -> None:
    """Neither what a killed command left, nor what a Mac keeps beside a file."""
    (tmp_path / "runs").mkdir()
    for name in ("R.txt", "._R.txt", ".N.txt.0123456789abcdef"):
        (tmp_path / "runs" / name).write_text("q1 Q0 c1 1 2.0 R\n", encoding="utf-8")
    (tmp_path / "kaiwa.toml").write_text("[task]\n", encoding="utf-8")
    assert [run.name for run in read_task(tmp_path).runs] == ["R.txt"]
    (tmp_path / "q1").mkdir()
    for name in ("q1.R.res", "._q1.R.res", ".q1.R.res.0123456789abcdef"):
        (tmp_path / "q1" / name).write_text("c1\n", encoding="utf-8")
    assert [run.name for run in read_runs([tmp_path / "q1"])] == ["R"]


@pytest.mark.parametrize("name", ["votes.db", "votes.db-wal", "votes.db-shm", "votes.db-journal"])
def test_a_database_is_never_overwritten(tmp_path: Path, name: str) -> None:
    """Nor what SQLite keeps beside it: votes of people cannot be made again."""
    with closing(sqlite3.connect(tmp_path / "votes.db")) as made:
        made.execute("CREATE TABLE votes (level)")
    (tmp_path / "link").symlink_to(tmp_path / name)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    for given in (name, "link"):
        with pytest.raises(InputError, match="holds the votes of a task, which are never overwritten"):
            write_text(tmp_path / given, "new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
