"""The mark of a folder that Kaiwa wrote: a file that names what it holds. Nothing else in it is ever removed."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.files.inputs import seal_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

UNFINISHED = ".kaiwa-unfinished"
"""A file in a folder that is being filled: all of it can be removed."""


@dataclass(frozen=True)
class Mark:
    """A JSON file whose ``what`` is the kind of the folder, and whose ``files`` are the paths of all that we wrote.

    ``carried`` are files of the user that a build copies itself, with additions: a takedown list.
    """

    name: str
    what: str
    carried: tuple[str, ...] = ()

    def write(
        self,
        folder: Path,
        values: Mapping[str, Any],  # Any: JSON values
        files: Iterable[str],
        *,
        sealed: bool = False,
    ) -> None:
        """Write the mark of a folder: these values, these files, and if ``sealed`` its own checksum."""
        marked: dict[str, Any] = {"what": self.what, **values, "files": sorted({self.name, *files})}
        if sealed:
            marked["seal"] = seal_of(marked)
        text = json.dumps(marked, ensure_ascii=False, allow_nan=False, indent=1)
        (folder / self.name).write_text(f"{text}\n", encoding="utf-8", newline="\n")

    def files_of(self, folder: Path) -> list[str] | None:
        """The files that the mark names, the mark last; None if the folder has no such mark.

        A folder that holds nothing but carried files is prepared for us: it has none of our files yet.
        """
        if self._is_prepared(folder):
            return []
        try:
            marked = json.loads((folder / self.name).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(marked, dict) or marked.get("what") != self.what:
            return None
        files = marked.get("files")
        if not isinstance(files, list | dict):
            return None
        return [name for name in files if name != self.name and _is_inside(folder, name)] + [self.name]

    def _is_prepared(self, folder: Path) -> bool:
        names = {entry.name for entry in folder.iterdir()} if self.carried and folder.is_dir() else set[str]()
        return bool(names) and names <= set(self.carried)

    def refuse_foreign(self, path: Path) -> None:
        """Refuse to replace a file, or a folder with other content."""
        if path.exists() and not path.is_dir():
            raise InputError.at(path, "is a file, not a folder", "give another name")
        if path.is_dir() and any(path.iterdir()) and self.files_of(path) is None:
            raise InputError.at(
                path, f"is a folder with other files (no {self.name} of a {self.what})", "give a new or empty folder"
            )


def _is_inside(folder: Path, name: object) -> bool:
    """Whether a name in a mark is a path in the folder; neither ``..`` nor a link leads out of it."""
    if not isinstance(name, str) or not name or PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        return False
    return (folder / name).parent.resolve().is_relative_to(folder.resolve())


def remove_named(folder: Path, files: Iterable[str]) -> None:
    """Remove these files and the folders that are empty without them; the last file, the mark, at the end."""
    *names, mark = files
    for name in names:
        (folder / name).unlink(missing_ok=True)
    parents = {parent for name in names for parent in PurePath(name).parents if parent.parts}
    for parent in sorted(parents, key=lambda one: len(one.parts), reverse=True):
        remove_if_empty(folder / parent)
    (folder / mark).unlink(missing_ok=True)
    for parent in PurePath(mark).parents:
        remove_if_empty(folder / parent)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder if nothing is in it."""
    with suppress(OSError):  # not empty: the rest is not ours
        folder.rmdir()


def remove_unfinished(folder: Path) -> None:
    """Remove all of a folder that a build was filling; the file that tells so at the end."""
    from shutil import rmtree

    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            rmtree(entry, ignore_errors=True)
        elif entry.name != UNFINISHED:
            entry.unlink(missing_ok=True)
    remove_named(folder, [UNFINISHED])


def foreign_entries(folder: Path, files: Iterable[str]) -> Iterator[PurePath]:
    """The paths in a folder that its mark does not name; a folder without named files is one entry."""
    ours = {PurePath(name) for name in files}
    parents = {parent for name in ours for parent in name.parents}
    waiting = [PurePath()]
    while waiting:
        inside = waiting.pop()
        for entry in sorted((folder / inside).iterdir()):
            path = inside / entry.name
            if path in parents and entry.is_dir() and not entry.is_symlink():
                waiting.append(path)
            elif path not in ours:
                yield path


def link_foreign(old: Path, new: Path, mark: Mark) -> None:
    """Give the foreign files of the old folder a second name in the new one, before it replaces the old one."""
    for path in foreign_entries(old, mark.files_of(old) or []):
        if os.path.lexists(new / path):
            if str(path) in mark.carried:
                continue
            raise InputError.at(old / path, "is not a file of Kaiwa, and would be overwritten", "move it elsewhere")
        if (old / path).is_dir() and not (old / path).is_symlink():
            continue
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(old / path, new / path, follow_symlinks=False)
        except OSError:  # a file system without hard links
            from shutil import copy2

            copy2(old / path, new / path, follow_symlinks=False)


def retire(old: Path, new: Path, files: Iterable[str]) -> None:
    """Remove a folder that was replaced: foreign files and folders move to the new one, the named files are removed."""
    names = list(files)
    for path in foreign_entries(old, names):
        _move_home(old / path, new / path)
    if names:
        remove_named(old, names)
    else:
        remove_if_empty(old)


def _move_home(left: Path, home: Path) -> None:
    """Move a foreign file or folder to the new folder; of two versions of a file the newer is kept."""
    if not os.path.lexists(home):
        home.parent.mkdir(parents=True, exist_ok=True)
        left.rename(home)
    elif left.is_dir() and not left.is_symlink():
        return  # a folder of the same name was made meanwhile: both stay
    elif not home.is_dir() and left.lstat().st_mtime_ns > home.lstat().st_mtime_ns:
        left.replace(home)
    else:
        left.unlink()
