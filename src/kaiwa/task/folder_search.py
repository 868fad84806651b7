"""The task folder that a path is in: the nearest folder with a ``kaiwa.toml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = "kaiwa.toml"


def task_folder_of(path: Path) -> Path | None:
    """The task folder that a path is in or names, or None."""
    try:
        whole = path.resolve()
        return next((one for one in (whole, *whole.parents) if (one / CONFIG).is_file()), None)
    except (OSError, ValueError):  # a word that cannot be a path
        return None
