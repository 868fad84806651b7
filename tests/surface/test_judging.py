"""check, pool, agree and gains: the command and the Python function are one."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

import kaiwa
from kaiwa.cli.group import main
from kaiwa.formats.repository import Manifest, writing_repository

if TYPE_CHECKING:
    from pathlib import Path

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Kaiwa]:
    """A function that runs ``kaiwa`` with the given words in a folder, in this process."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["kaiwa", *words])
        capsys.readouterr()
        with contextlib.chdir(folder), pytest.raises(SystemExit) as ending:
            sys.exit(main())
        return subprocess.CompletedProcess(words, int(ending.value.code or 0), *capsys.readouterr())

    yield run
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task folder with two runs, judgements, votes and a pool with texts."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "kaiwa.toml").write_text(
        '[task]\ntitle = "t"\n[scoring]\nmeasures = ["nG@1"]\n[comparing]\ntrials = 99\n'
    )
    for name, lines in {
        "T1-C-R1": "q1 0 a 1 2 {0}\nq1 0 b 2 1 {0}\nq2 0 a 1 2 {0}\n",
        "T2-C-R1": "q1 0 b 1 2 {0}\nq1 0 a 2 1 {0}\nq2 0 c 1 2 {0}\n",
    }.items():
        for place in (tmp_path, tmp_path / "runs"):
            (place / f"{name}.txt").write_text("<SYSDESC>plain words</SYSDESC>\n" + lines.format(name))
    (tmp_path / "q.txt").write_text("q1 0 a 2\nq1 0 b 1\nq2 0 a 1\n")
    rows = [
        f"{topic},{comment},{who},{level}\n"
        for topic, comment in (("q1", "a"), ("q1", "b"), ("q2", "a"), ("q2", "c"))
        for who, level in (("ann", len(comment + topic) % 3), ("bob", ord(comment) % 3), ("eve", 1))
    ]
    (tmp_path / "votes.csv").write_text("topic,comment,assessor,level\n" + "".join(rows))
    (tmp_path / "topics.tsv").write_text("q1\tThe first day\nq2\tRain again\n")
    with writing_repository(tmp_path / "repository") as writer:
        writer.add("posts", ["p1"], ["one"])
        writer.add("comments", ["a", "b", "c"], ["enjoy", "stay home", "me too"])
        writer.add("pairs", ["p1"] * 3, ["a", "b", "c"])
        writer.finish(Manifest())
    (tmp_path / "pool.tsv").write_text("q1\ta\nq1\tb\nq2\tc\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda votes: kaiwa.agree(votes, assessors=True, pairs=True), "assessors= cannot be used with pairs="),
        (lambda votes: kaiwa.agree(votes, assessors=True, merge="L1+L2"), "assessors= cannot be used with merge="),
        (lambda votes: kaiwa.agree(votes, confidence=1.0), "confidence=1 is not between 0 and 1"),
        (lambda votes: kaiwa.agree(votes, trials=1), "trials=1 is not from 2"),
        (lambda votes: kaiwa.gains(votes, p=0.5), 'add scheme="unanimity"'),
        (lambda votes: kaiwa.gains(votes, task="."), "add without=NAME"),
        (lambda votes: kaiwa.gains(votes, scheme="men"), "did you mean 'mean'"),
        (kaiwa.pool, "got votes where runs are expected"),
        (lambda _: kaiwa.pool("runs", sheet="judge.txt"), "writes a .csv file"),
        (lambda _: kaiwa.check([]), "no run to check"),
        (lambda _: kaiwa.check("T1-C-R1.txt", depth=0), "depth=0 allows no comment"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_act_is_refused_in_the_function(call: Callable[[kaiwa.Votes], Any], message: str) -> None:
    """With the combination that works."""
    with pytest.raises(kaiwa.InputError) as refused:
        call(kaiwa.read_votes("votes.csv"))
    assert message in str(refused.value)


@pytest.mark.parametrize("form", ["matrix of paths", "pattern", "nouns", "dict"])
@pytest.mark.usefixtures("folder")
def test_runs_are_taken_in_every_form(form: str) -> None:
    """The same items from files, a pattern, nouns and a dict."""
    runs: dict[str, Any] = {
        "matrix of paths": ["runs/T1-C-R1.txt", "runs/T2-C-R1.txt"],
        "pattern": "runs/*.txt",
        "nouns": kaiwa.read_runs("runs/*.txt"),
        "dict": [
            {run.name: {topic: dict(run.ranking(topic)) for topic in run.topics}}
            for run in kaiwa.read_runs("runs/*.txt")
        ],
    }
    assert kaiwa.pool(runs[form], depth=1).items == 4
    assert len(kaiwa.check(runs[form]).files) == 2


def test_an_old_key_of_the_settings_names_the_new_one(folder: Path, command: Kaiwa) -> None:
    """One line, exit code 2."""
    (folder / "kaiwa.toml").write_text("[judging]\ntop = 3\n")
    done = command("agree", "votes.csv", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("kaiwa.toml: [judging] top is now called max_level; write max_level = 3\n")
