"""Start a task: an empty task folder with a commented ``kaiwa.toml``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import category

from kaiwa.errors import InputError, typed
from kaiwa.files.atomic import make_folder, together, write_text
from kaiwa.formats.reading import path_of
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.folder import CONFIG, TEMPLATE, Task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class NewTask(Result, os.PathLike[str]):
    """A new task: its folder, as which it can be given to a verb, and its settings file.

    >>> import kaiwa, os
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> made = kaiwa.init(Path(mkdtemp(), "chat"))
    >>> os.fspath(made) == str(made.folder), made.config.name
    (True, 'kaiwa.toml')
    """

    folder: Path

    @property
    def config(self) -> Path:
        """The settings file."""
        return self.folder / CONFIG

    def __fspath__(self) -> str:
        return str(self.folder)

    def describe(self) -> Description:
        """Where to put the files, and the next command."""
        rows = [
            [str(self.config), "edit the settings"],
            [str(Task(self.folder).topics), "put the topics here (id TAB text)"],
            [f"{self.folder / 'runs'}/", "put the runs here"],
        ]
        return Description(
            tables=[Table("files", ["file", "about"], rows)],
            fields={"folder": str(self.folder), "config": str(self.config)},
            text="\n".join([*(": ".join(row) for row in rows), f"Then: kaiwa status {typed(self.folder)}"]),
        )


def init(folder: Path | str) -> NewTask:
    """A new task folder: its settings file and its ``runs/``; the title is the folder's name. A task is not replaced.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> made = kaiwa.init(Path(mkdtemp(), "chat"))
    >>> made.config.read_text().splitlines()[3]
    'title = "chat"'
    """
    folder = path_of("folder", folder)
    if (folder / CONFIG).exists():
        raise InputError.at(folder / CONFIG, "already exists", "choose another folder, or edit it")
    if folder.exists() and not folder.is_dir():
        raise InputError.at(folder, "is a file", "choose another name for the folder")
    title = folder.resolve().name.encode(errors="surrogateescape").decode(errors="replace")
    with together():
        make_folder(folder / "runs")
        write_text(folder / CONFIG, settings_text({"title": title} if title else {}))
    return NewTask(folder)


def settings_text(texts: Mapping[str, str]) -> str:
    r"""The commented settings file, with these texts instead of the defaults.

    >>> print(settings_text({"title": 'the "chat" task'}).splitlines()[3])
    title = "the \"chat\" task"
    """
    settings = TEMPLATE
    for name, value in texts.items():
        line = f"{name} = {_toml(value)}"
        settings = re.sub(rf'(?m)^{name} = ".*?"', line.replace("\\", r"\\"), settings)
    return settings


def _toml(text: str) -> str:
    """The text as a TOML string in quotes."""
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return '"' + "".join(f"\\u{ord(char):04x}" if category(char) == "Cc" else char for char in escaped) + '"'
