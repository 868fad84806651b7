"""Start a task: an empty task folder with a commented ``kaiwa.toml``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

from kaiwa.errors import InputError
from kaiwa.files.atomic import make_folder, together, write_text
from kaiwa.task.folder import CONFIG, TEMPLATE, Task, read_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def init_task(folder: Path) -> Task:
    """Make the folder, its settings file and its ``runs/``; the title is the folder's name. A task is not replaced."""
    if (folder / CONFIG).exists():
        raise InputError.at(folder / CONFIG, "already exists", "choose another folder, or edit it")
    if folder.exists() and not folder.is_dir():
        raise InputError.at(folder, "is a file", "choose another name for the folder")
    title = folder.resolve().name.encode(errors="surrogateescape").decode(errors="replace")
    with together():
        make_folder(folder / "runs")
        write_text(folder / CONFIG, settings_text({"title": title} if title else {}))
    return read_task(folder)


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
