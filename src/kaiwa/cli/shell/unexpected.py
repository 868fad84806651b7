"""An error that Kaiwa did not raise on purpose: one line, and the details in a private file."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from importlib.metadata import PackageNotFoundError, version

EXIT_UNEXPECTED = 70
"""As in the ``sysexits.h`` of BSD: an internal error."""
_SHOWN = 160


def unexpected_line(error: Exception) -> str:
    """The line for the user, with the place of the file in which the details are."""
    shown = " ".join(f"{type(error).__name__}: {error}".split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    advice = "this is a fault of Kaiwa; please report it"
    try:
        return f"unexpected error ({shown}); {advice} with the details in {_written(error)}"
    except OSError:
        return f"unexpected error ({shown}); {advice} with this command and the smallest input that shows it"


def _written(error: Exception) -> str:
    """The path of a new file that only the user can read: versions, the command and the traceback."""
    facts = [
        f"kaiwa {_version()}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {sys.argv}",
        "",
        *traceback.format_exception(error),
    ]
    handle, path = tempfile.mkstemp(prefix="kaiwa-error-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("\n".join(facts))
    return path


def _version() -> str:
    try:
        return version("kaiwa")
    except PackageNotFoundError:
        return "(not installed)"
