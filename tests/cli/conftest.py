"""Two fixtures: the command as a user runs it, in a process of its own; and a finished demo."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OFFLINE = """
import os, runpy, sys
def alone(event, arguments):
    if event.startswith("socket."):
        os.write(2, f"the network was asked: {event} {arguments}".encode())
        os._exit(9)
sys.addaudithook(alone)
runpy.run_module("kaiwa.cli", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Demo:
    """A demo's folder, and what the terminal showed."""

    folder: Path
    output: str


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


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A demo on a small part of the corpus, made once, by a Python that ends when a socket is touched."""
    home = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "demo", "round", "--pairs", "2000"],
        cwd=home,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return Demo(home / "round", done.stdout)


@pytest.fixture
def demo(finished_demo: Demo, tmp_path: Path) -> Demo:
    """The finished demo, copied into the test's own folder as ``round``."""
    shutil.copytree(finished_demo.folder, tmp_path / "round")
    return Demo(tmp_path / "round", finished_demo.output)
