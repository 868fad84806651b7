"""Two processes that answer from a copy of the small index, once for all tests; and lists that block an answer."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.serve.reply_process import ReplyProcess

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def served_index(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that tests may change while it is served."""
    return Path(shutil.copytree(index, tmp_path_factory.mktemp("reply") / "index"))


@pytest.fixture(scope="session")
def service(served_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReplyProcess]:
    """Two processes behind one command."""
    with ReplyProcess(served_index, tmp_path_factory.mktemp("service"), ["--processes", "2", "--max-k", "50"]) as made:
        yield made


@pytest.fixture
def blockade() -> type[Blockade]:
    """What makes answers wait."""
    return Blockade


class Blockade:
    """A takedown list that is a pipe: whoever reads it waits until it is lifted."""

    def __init__(self, index: Path) -> None:
        self._path = index / "takedown.txt"
        os.mkfifo(self._path)

    def lift(self) -> None:
        """Let the reader go on, and remove the list."""
        writer = os.open(self._path, os.O_WRONLY)  # waits for the reader
        self._path.unlink()
        os.close(writer)
