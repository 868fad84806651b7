"""check, pool, agree and gains: the command and the Python function are one."""

from __future__ import annotations

import contextlib
import inspect
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click
import pytest

import kaiwa
from kaiwa.cli.group import kaiwa as group
from kaiwa.cli.group import main
from kaiwa.formats.repository import Manifest, writing_repository

if TYPE_CHECKING:
    from pathlib import Path

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
SHOWN = {"form", "as_json", "table", "output", "quiet"}
"""Options that say how a result is shown; they are methods in Python."""
VERBS: dict[str, Callable[..., Any]] = {
    "check": kaiwa.check,
    "pool": kaiwa.pool,
    "agree": kaiwa.agree,
    "gains": kaiwa.gains,
}


def _plain(default: object) -> object:
    """A default; an option that may be repeated has an empty tuple, and a flag False, where it has nothing."""
    return None if default in {(), False} or repr(default) == "Sentinel.UNSET" else default


@pytest.mark.parametrize("verb", VERBS)
def test_the_command_has_the_functions_parameters_and_defaults(verb: str) -> None:
    """Each option is a keyword of the same name with the same default, and the other way round."""
    command = group.get_command(click.Context(group), verb)
    assert command is not None
    options = {
        one.name: _plain(one.default)
        for one in command.params
        if isinstance(one, click.Option) and one.expose_value and one.name not in SHOWN
    }
    first, *parameters = inspect.signature(VERBS[verb]).parameters.values()
    assert first.name == next(one.name for one in command.params if isinstance(one, click.Argument))
    assert all(one.kind is inspect.Parameter.KEYWORD_ONLY for one in parameters)
    assert options == {one.name: _plain(one.default) for one in parameters}
    for name in options:
        assert f"--{name.replace('_', '-')}" in next(one.opts for one in command.params if one.name == name)


CALLS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "check": ("check T1-C-R1.txt --depth 1 --ignore tied-scores", lambda _: _check()),
    "pool": ("pool T1-C-R1.txt T2-C-R1.txt --depth 2 --qrels q.txt", lambda _: _pool()),
    "sheet": ("pool --sheet judge.csv --assessors A1,A2", lambda task: kaiwa.pool(task, **SHEET)),
    "agree": ("agree votes.csv --pairs --trials 50 --confidence 0.9", lambda _: _agree()),
    "quality": ("agree votes.csv --assessors --trials 50", lambda _: _quality()),
    "gains": ("gains votes.csv --scheme sum --levels L1=1,L2=3", lambda _: _gains()),
    "without": ("gains votes.csv --without ann", lambda task: kaiwa.gains("votes.csv", without="ann", task=task)),
}
OF_A_TASK = {"sheet", "without"}
SHEET: dict[str, Any] = {"sheet": "judge.csv", "assessors": ["A1", "A2"]}


def _check() -> kaiwa.Check:
    return kaiwa.check("T1-C-R1.txt", depth=1, ignore="tied-scores")


def _pool() -> kaiwa.Pool:
    return kaiwa.pool(["T1-C-R1.txt", "T2-C-R1.txt"], depth=2, qrels="q.txt")


def _agree() -> kaiwa.Agreement:
    return kaiwa.agree("votes.csv", pairs=True, trials=50, confidence=0.9)


def _quality() -> kaiwa.Agreement:
    return kaiwa.agree("votes.csv", assessors=True, trials=50)


def _gains() -> kaiwa.VotedQrels:
    return kaiwa.gains("votes.csv", scheme="sum", levels={1: 1, 2: 3})


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


@pytest.mark.parametrize("name", CALLS)
def test_json_of_the_command_is_that_of_the_result(folder: Path, command: Kaiwa, name: str) -> None:
    """The same inputs and settings; each field is an attribute, but the topics of qrels are their names."""
    words, call = CALLS[name]
    if name not in OF_A_TASK:
        (folder / "kaiwa.toml").unlink()
    done = command(*words.split(), "--json", folder=folder)
    assert done.returncode in {0, 1}, done.stderr
    (folder / "judge.csv").unlink(missing_ok=True)
    result = call(folder)
    taken = {"max_level": 2} if name == "without" else {}  # of the folder in which the command works
    assert done.stdout == result.with_settings(taken).to_json() + "\n"
    assert all(hasattr(result, field) for field in json.loads(done.stdout))


@pytest.mark.parametrize("name", CALLS)
def test_what_is_printed_is_the_same_in_both(folder: Path, command: Kaiwa, name: str) -> None:
    """The text, and each table as CSV."""
    words, call = CALLS[name]
    printed = command(*words.split(), folder=folder).stdout
    (folder / "judge.csv").unlink(missing_ok=True)
    result = call(folder)
    assert printed.replace("--fix FOLDER", "fix=FOLDER") == str(result) + "\n"
    for table in result.tables:
        (folder / "judge.csv").unlink(missing_ok=True)
        shown = command(*words.split(), "--table", table, "--format", "csv", folder=folder).stdout
        assert shown.rstrip("\n") == result.to_csv(table).rstrip("\n")


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
