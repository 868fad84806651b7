"""Files are written atomically, and a device or a pipe is never replaced by a file."""

from __future__ import annotations

import os
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError

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
