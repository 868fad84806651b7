"""On the terminal: colour and progress only on a terminal, --quiet, and a clean end when stopped."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import pytest

from kaiwa.cli.group import VERBS
from kaiwa.cli.group import kaiwa as group
from kaiwa.cli.output import progress

if TYPE_CHECKING:
    from pathlib import Path
from time import sleep

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
Terminal = Callable[..., Any]  # Any: the class of the fixture is in conftest.py, which tests do not import

FAULTY = "<SYSDESC>d</SYSDESC>\nq1 0 c1 1 2.0 T1-C-R1\nq1 0 c1 2 1.0 T1-C-R1\n"
SCORES = "measure,topic,run,score\n" + "".join(
    f"M,t{topic},r{run},0.{(topic * 7 + run * 3) % 10}\n" for topic in range(9) for run in range(3)
)
MANY = "100000000"
"""Trials that no machine finishes before the test stops them."""


@contextmanager
def screen() -> Iterator[tuple[Callable[[], str], object]]:
    """What was written to a terminal so far, and the terminal as a text stream."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream:
        yield lambda: os.read(ours, 65536).decode(), stream
    os.close(ours)


def test_colour_on_a_terminal_and_none_under_no_color(made: Callable[[str, str], Path], terminal: Terminal) -> None:
    """``check`` colours its findings for a person who did not decline."""
    made("T1-C-R1.txt", FAULTY)
    coloured = terminal("check", "T1-C-R1.txt")
    plain = terminal("check", "T1-C-R1.txt", NO_COLOR="1")
    assert (coloured.end(), plain.end()) == (1, 1)
    assert "\x1b[31m" in coloured.shown
    assert "\x1b" not in plain.shown


def test_no_colour_in_a_pipe(
    kaiwa_process: Kaiwa, made: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no terminal is, no escape sequence is."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    made("T1-C-R1.txt", FAULTY)
    assert "\x1b" not in kaiwa_process("check", "T1-C-R1.txt").stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_quiet(verb: str) -> None:
    """A verb has --quiet without asking for it."""
    command = group.get_command(click.Context(group), verb)
    assert command is not None
    assert "quiet" in {option.name for option in command.params}


@pytest.mark.parametrize("words", [("--quiet", "gains", "v.csv", "-o", "q"), ("gains", "v.csv", "-q", "-o", "q")])
def test_quiet_silences_remarks_and_keeps_the_result(
    kaiwa: Kaiwa, made: Callable[[str, str], Path], words: tuple[str, ...]
) -> None:
    """Before the verb or after it, --quiet leaves stderr empty and stdout as it was."""
    made("v.csv", "topic,comment,assessor,level\nq1,c1,a,2\nq1,c1,b,1\n")
    loud, quiet = kaiwa("gains", "v.csv", "-o", "q"), kaiwa(*words)
    assert loud.stderr != ""
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")


def test_quiet_does_not_silence_a_refusal(kaiwa: Kaiwa) -> None:
    """Errors are not remarks."""
    assert "no such file" in kaiwa("--quiet", "gains", "none.csv").stderr


def test_progress_is_drawn_on_a_terminal_and_wiped_away() -> None:
    """The line shows the share and the time left; at the end nothing of it stays."""
    with screen() as (shown, stream):
        drawn = ""
        with progress("working", stream=stream, delay=0.0) as moved:  # type: ignore[arg-type]
            moved(1, 4)
            while "25%" not in drawn:
                drawn += shown()
        drawn += shown()
    assert "working: 25%, " in drawn
    assert " left" in drawn
    assert drawn.endswith("\r\x1b[K")


def test_short_work_shows_no_progress() -> None:
    """Work that ends within the delay leaves the terminal alone."""
    with screen() as (shown, stream):
        with progress("working", stream=stream) as moved:  # type: ignore[arg-type]
            moved(1, 4)
        stream.write("only this")  # type: ignore[attr-defined]
        stream.flush()  # type: ignore[attr-defined]
        assert shown() == "only this"


def test_ctrl_c_during_a_comparison(made: Callable[[str, str], Path], terminal: Terminal, tmp_path: Path) -> None:
    """The progress line is on the terminal; Ctrl-C ends in one line, code 130, and no file."""
    made("scores.csv", SCORES)
    running = terminal("compare", "scores.csv", "--trials", MANY, "-o", "out.txt")
    running.until(" left")
    running.child.send_signal(signal.SIGINT)
    assert running.end() == 130
    assert re.search(r"resampling: \d+%, .+ left", running.shown)
    assert running.shown.endswith(
        "\r\x1b[Kkaiwa: stopped; every output is complete, or as it was before; run the same command again\r\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.csv"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_clean_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """A stop in the middle of a pipe of pairs: one line, 128 + signal, and no trace of the repository."""
    os.mkfifo(tmp_path / "pairs.tsv")
    child = _started(tmp_path, "clean", "pairs.tsv", "-o", "repository")
    with (tmp_path / "pairs.tsv").open("w") as pipe:
        pipe.write("p1\ta post of several words\tc1\ta comment of several words\n")
        pipe.flush()
        while not list(tmp_path.glob(".repository.*")):
            sleep(0.01)
        child.send_signal(number)
        printed = child.communicate(timeout=600)
    assert child.returncode == 128 + number
    assert printed == (
        "",
        "kaiwa: stopped; the repository is complete, or as it was before; run the same command again\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]


def test_ctrl_c_during_indexing_keeps_the_old_index(tmp_path: Path) -> None:
    """The folder holds the index that stood there, and nothing of the new one."""
    _repository(tmp_path / "small", 20)
    _repository(tmp_path / "large", 150_000)
    first = _started(tmp_path, "index", "small", "-o", "index", "--language", "ja")
    first.communicate(timeout=600)
    assert first.returncode == 0
    before = sorted(path.relative_to(tmp_path) for path in (tmp_path / "index").rglob("*"))
    child = _started(tmp_path, "index", "large", "-o", "index", "--language", "ja")
    while len(list((tmp_path / "index").glob("data-*"))) == 1 and child.poll() is None:
        sleep(0.01)
    child.send_signal(signal.SIGINT)
    printed = child.communicate(timeout=600)
    assert (child.returncode, printed[0], printed[1].count("\n")) == (130, "", 1)
    assert "the index is complete, or as it was before" in printed[1]
    assert sorted(path.relative_to(tmp_path) for path in (tmp_path / "index").rglob("*")) == before


def test_a_reader_that_leaves_is_no_error(made: Callable[[str, str], Path], tmp_path: Path) -> None:
    """``kaiwa ... | head -0`` ends without a word, with the code of SIGPIPE as other tools have it."""
    made("v.csv", "topic,comment,assessor,level\nq1,c1,a,1\n")
    child = _started(tmp_path, "gains", "v.csv", "--quiet")
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == ""
    child.stderr.close()
    assert child.wait(timeout=600) == 141


def _started(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "kaiwa.cli", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _repository(folder: Path, comments: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    names = [f"c{number}" for number in range(comments)]
    texts = [f"今日は{number}番目の良い天気ですね、散歩に行きましょう" for number in range(comments)]
    pq.write_table(pa.table({"post_id": ["p1"], "post": ["良い天気です"]}), folder / "posts.parquet")
    pq.write_table(pa.table({"comment_id": names, "comment": texts}), folder / "comments.parquet")
    pq.write_table(pa.table({"post_id": ["p1"] * comments, "comment_id": names}), folder / "pairs.parquet")
