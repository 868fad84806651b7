"""Files that a task makes: written in a folder of the attempt, then renamed.

A cluster may run a task twice, the second time while the first attempt still writes. Both make the same files, and each
appears whole.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def task_files(target: Path) -> Iterator[Path]:
    """A folder whose files are moved into ``target`` if the block ends without an error; folders in it are deleted."""
    folder = Path(mkdtemp(dir=target, prefix="spill-"))
    try:
        yield folder
        for file in [entry for entry in folder.iterdir() if entry.is_file()]:
            file.replace(target / file.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
