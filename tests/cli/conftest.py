"""One fixture: the command as a user runs it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def kaiwa(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs ``kaiwa`` with the given words, in the test's own folder."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "kaiwa.cli", *words],
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
