"""The prompt of kaiwa reply at a terminal: editing, history, and what happens where there is none."""

from __future__ import annotations

import signal
import stat
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
    Terminal = Callable[..., Any]  # Any: the class of the fixture is in conftest.py, which tests do not import

UP, LEFT, END = "\x1b[A", "\x1b[D", "\x04"
NO_READLINE = """
import runpy, sys
sys.modules["readline"] = None
runpy.run_module("kaiwa.cli", run_name="__main__", alter_sys=True)
"""
HISTORY = "kaiwa/reply_history"


@pytest.fixture(scope="module")
def index(command: Kaiwa, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index."""
    folder = tmp_path_factory.mktemp("prompt")
    lines = ["p1\tAn exam tomorrow\tc1\tGood luck in the exam", "p2\tTo the sea\tc2\tThe sea is warm"]
    (folder / "pairs.tsv").write_text("\n".join(lines), encoding="utf-8")
    assert command("clean", "pairs.tsv", "-o", "repo", folder=folder).returncode == 0
    assert command("index", "repo", "-o", "index", "--language", "en", folder=folder).returncode == 0
    return folder / "index"


def asked(running: Any, keys: str, answer: str) -> None:
    """Type at the prompt and wait for the answer and the next prompt."""
    running.until("post> ")
    running.shown = ""
    running.type(keys)
    running.until(answer)
    running.until("post> ")


def test_a_line_is_edited_and_recalled(terminal: Terminal, index: Path, tmp_path: Path) -> None:
    """The left arrow moves, the up arrow brings the last post back, and a new session has the posts of the old one."""
    first = terminal("reply", index, XDG_STATE_HOME=str(tmp_path))
    asked(first, f"exm{LEFT}a\n", "Good luck in the exam")
    asked(first, "the sea\n", "The sea is warm")
    asked(first, f"{UP}{UP}\n", "Good luck in the exam")
    first.type("\n")
    assert first.end() == 0
    second = terminal("reply", index, XDG_STATE_HOME=str(tmp_path))
    asked(second, f"{UP}{UP}\n", "The sea is warm")
    second.type(END)
    assert second.end() == 0
    history = (tmp_path / HISTORY).read_text(encoding="utf-8")
    assert history.splitlines() == ["exam", "the sea", "exam", "the sea"]


def test_the_history_is_private_and_in_the_home(terminal: Terminal, index: Path, tmp_path: Path) -> None:
    """Posts may be private: only their author can read them. A relative XDG_STATE_HOME is ignored, as it must be."""
    running = terminal("reply", index, HOME=str(tmp_path), XDG_STATE_HOME="relative")
    asked(running, "the sea\n", "The sea is warm")
    running.type("\n")
    assert running.end() == 0
    history = tmp_path / ".local" / "state" / HISTORY
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert stat.S_IMODE(history.parent.stat().st_mode) == 0o700


def test_without_readline_the_prompt_still_answers(terminal: Terminal, index: Path, tmp_path: Path) -> None:
    """Some builds of Python do not have it."""
    running = terminal("reply", index, program=("-c", NO_READLINE), XDG_STATE_HOME=str(tmp_path))
    asked(running, "the sea\n", "The sea is warm")
    running.type(END)
    assert running.end() == 0
    assert "Traceback" not in running.shown


def test_where_no_history_can_be_written_the_prompt_still_answers(
    terminal: Terminal, index: Path, made: Callable[[str, str], Path]
) -> None:
    """The folder is a file; nothing is said about it."""
    running = terminal("reply", index, XDG_STATE_HOME=str(made("file", "")))
    asked(running, "the sea\n", "The sea is warm")
    running.type("\n")
    assert running.end() == 0
    assert "rror" not in running.shown


def test_a_long_history_is_cut(terminal: Terminal, index: Path, made: Callable[[str, str], Path]) -> None:
    """The last thousand posts are kept, however they were written."""
    folder = made("state", "").parent
    (folder / "kaiwa").mkdir()
    (folder / HISTORY).write_bytes(b"".join(b"post %d \xff\x00\n" % number for number in range(2001)))
    running = terminal("reply", index, XDG_STATE_HOME=str(folder))
    asked(running, "the sea\n", "The sea is warm")
    running.type("\n")
    assert running.end() == 0
    lines = (folder / HISTORY).read_text(encoding="utf-8").splitlines()
    assert (len(lines), lines[-1]) == (1001, "the sea")


def test_ctrl_c_leaves_the_prompt(terminal: Terminal, index: Path, tmp_path: Path) -> None:
    """Without a message: nothing was interrupted."""
    running = terminal("reply", index, XDG_STATE_HOME=str(tmp_path))
    running.until("post> ")
    while running.child.poll() is None:  # a signal just before the prompt waits for keys is noticed at the next one
        running.child.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            running.child.wait(timeout=10)
    assert running.end() == 0
    assert "stopped" not in running.shown
