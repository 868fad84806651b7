"""A printed command, run as a shell in the current folder would run it."""

from __future__ import annotations

import shlex
from pathlib import Path

from kaiwa.disk.atomic_files import visible_files


def run_typed(line: str) -> None:
    """Run a ``kaiwa`` command in this process; words with ``*`` are file names, as in a shell."""
    from kaiwa.cli import kaiwa

    kaiwa.main(expanded(line)[1:], prog_name="kaiwa", standalone_mode=False)


def expanded(line: str) -> list[str]:
    """The words of a command, those with ``*`` replaced by the files that match."""
    words = shlex.split(line)
    return [str(path) for word in words for path in (visible_files(Path().glob(word)) if "*" in word else [word])]
