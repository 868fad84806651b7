"""Files that wait for their names in a hidden folder beside their targets, and what a killed command left there.

``.kaiwa-XXXXXXXXXXXXXXXX`` has the file of an unfinished folder and is locked while its command runs, so that the next
command in the same folder can tell what is left. Outputs that belong together are listed in ``renames.json`` before
the first of them gets its name. A command that finds the list of a killed one finishes the renames; without the list
nothing was renamed, and the folder is removed. Outputs in several folders have a list in each; the first one decides.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from kaiwa.disk.exchange import exchange
from kaiwa.disk.folder_locks import lock, try_lock, unlock
from kaiwa.disk.folder_marks import UNFINISHED, remove_unfinished

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NAME = re.compile(r"\.kaiwa-[0-9a-f]{16}")
_RENAMES = "renames.json"
Identity = list[int]


@dataclass(frozen=True)
class Rename:
    """An output that is complete under a temporary name, and the name it gets, in the same folder or one above."""

    source: Path
    target: Path

    def entry(self) -> dict[str, Any]:  # Any: JSON values
        """How it is listed: its names, and what has them before the rename."""
        return {
            "from": self.source.name,
            "to": self.target.name,
            "new": _identity(self.source),
            "old": _identity(self.target),
        }


class StagingFolder:
    """A folder for the files that will be renamed into the folder it is in; only its owner can read it."""

    def __init__(self, folder: Path) -> None:
        self.target = folder / f".kaiwa-{os.urandom(8).hex()}"  # chosen first: a signal before mkdir leaves nothing
        self._lock = -1
        self._count = 0

    def make(self) -> None:
        """Make it, after what killed commands left beside it is settled."""
        settle(self.target.parent)
        while True:
            self.target.mkdir(mode=0o700)
            self._lock = lock(self.target)
            try:
                (self.target / UNFINISHED).touch()
            except FileNotFoundError:  # another command found it empty, and removed it
                unlock(self._lock)
            else:
                return

    def new_name(self) -> Path:
        """A name for a file in it."""
        self._count += 1
        return self.target / f".{self._count}"

    def prepare(self) -> None:
        """Nothing is renamed."""

    def rename(self) -> Rename | None:
        """Nothing is renamed."""
        return None

    def commit(self, *, undoable: bool) -> None:
        """Nothing is renamed."""

    def undo(self) -> None:
        """Nothing was renamed."""

    def discard(self) -> None:
        """Remove it and all that is in it."""
        with suppress(FileNotFoundError):
            remove_unfinished(self.target)
        unlock(self._lock)
        self._lock = -1


def list_renames(renames: Iterable[Rename], folders: Sequence[Path]) -> Path:
    """List the renames in the staging folders beside their targets, the first one last; returns its list."""
    entries: dict[Path, list[dict[str, Any]]] = {folder.parent: [] for folder in folders}  # Any: JSON values
    for one in renames:
        entries[one.target.parent].append(one.entry())
    names = [str(one.resolve()) for one in folders]
    for folder in reversed(folders):
        written = folder / ".renames"
        known = names if folder == folders[0] else names[:1]
        written.write_text(json.dumps({"folders": known, "renames": entries[folder.parent]}), encoding="utf-8")
        written.replace(folder / _RENAMES)
    return folders[0] / _RENAMES


def settle(folder: Path) -> None:
    """Finish or remove what killed commands left in a folder; what a running command uses stays."""
    names = [name for name in os.listdir(folder) if _NAME.fullmatch(name)]  # noqa: PTH208  fast in a large folder
    for name in names:
        _settle_one(folder / name)


def settle_before_reading(folder: Path) -> None:
    """Settle a folder in which a file is read, if it has changed since this was last done."""
    with suppress(OSError):  # it cannot be changed: each file in it is whole
        _settled(folder, folder.stat().st_mtime_ns)


@lru_cache(maxsize=1024)
def _settled(folder: Path, _changed: int) -> None:
    settle(folder)


def _settle_one(left: Path) -> None:
    held = try_lock(left)
    if held < 0:
        return
    try:
        if left.stat().st_uid != os.geteuid():
            return
        if not (left / UNFINISHED).is_file():
            left.rmdir()  # killed before the file was made; if it is not empty, it is not ours
            return
        if listed := _listed(left):
            _finish(left, Path(listed["folders"][0]))
        remove_unfinished(left)
    except OSError:  # it is not empty, or cannot be changed now; the next command tries again
        return
    finally:
        unlock(held)


def _finish(left: Path, first: Path) -> None:
    """Finish the renames of a group of outputs, if the list of its first folder was written."""
    held = -1 if first == left.resolve() else try_lock(first)
    try:
        if (held >= 0 or first == left.resolve()) and (group := _listed(first)):
            for name in group["folders"]:
                _rename_all(Path(name))
            (first / _RENAMES).unlink()
    finally:
        unlock(held)


def _listed(folder: Path) -> dict[str, Any] | None:  # Any: JSON values
    try:
        listed = json.loads((folder / _RENAMES).read_bytes())
        folders = listed["folders"]
        is_list = _NAME.fullmatch(folder.name) and all(isinstance(one, str) for one in folders) and folders
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return listed if is_list else None


def _rename_all(folder: Path) -> None:
    """Finish the renames into one folder; a target that was changed since stays as it is."""
    listed = _listed(folder) or {"renames": []}
    for entry in listed["renames"]:
        if not all(PurePath(entry[key]).name == entry[key] for key in ("from", "to")):
            continue
        target = folder.parent / entry["to"]
        for source in (folder / entry["from"], folder.parent / entry["from"]):
            if entry["new"] and _identity(source) == entry["new"] and _identity(target) == entry["old"]:
                _rename(source, target)


def _rename(source: Path, target: Path) -> None:
    if source.is_dir():
        (source / UNFINISHED).unlink(missing_ok=True)
    if target.is_dir():
        exchange(source, target, spare=target.with_name(f".{target.name}.{os.urandom(8).hex()}"))
    else:
        source.replace(target)


def _identity(path: Path) -> Identity | None:
    """What tells a file or folder from others of the same name, and a file from a later version; None if missing."""
    try:
        state = path.lstat()
    except FileNotFoundError:
        return None
    return [state.st_ino] if path.is_dir() else [state.st_ino, state.st_size, state.st_mtime_ns]
