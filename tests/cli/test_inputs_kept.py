"""No verb writes over what it reads: tested for every verb and every option that names an output."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import click
import pytest

import kaiwa
from kaiwa.cli.group import VERBS
from kaiwa.cli.group import kaiwa as group
from kaiwa.cli.output import OUT_FILE
from kaiwa.errors import InputError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

COMMANDS = {
    "clean": "pairs.tsv --rules none.toml",
    "topics": "repository -n 1 --source candidates.tsv",
    "index": "repository",
    "models": "index",
    "train": "index qrels.txt --topics topics.tsv",
    "reply": "index rain",
    "retrieve": "index topics.tsv --takedown gone.txt",
    "retrieve-all": "index topics.tsv",
    "fuse": "runs/0.txt runs/1.txt",
    "check": "runs/0.txt runs/1.txt --topics topics.tsv",
    "pool": "runs/0.txt runs/1.txt --qrels qrels.txt",
    "votes": "./",
    "verify": ".",
    "backup": ".",
    "agree": "votes.csv",
    "gains": "votes.csv",
    "score": "runs/0.txt --qrels qrels.txt",
    "compare": "scores.csv -m nG@1",
    "tau": "scores.csv -m nG@1 -m nERR@10",
    "standardise": "scores.csv",
    "standardisation": "scores.csv",
    "variance": "scores.csv",
    "unanimity": "runs/0.txt --votes votes.csv",
    "design": "scores.csv -m nG@1 --systems 3 --min-diff 0.2",
    "design simulate": "scores.csv -m nG@1 --min-diff 0.2 --test hsd",
    "design decide": "scores.csv -m nG@1",
    "design cost": "scores.csv -m nG@1 --runs runs/0.txt --qrels qrels.txt",
    "design rounds": "scores.csv -m nG@1 --min-diff 0.2 --looks 50",
    "design review": "scores.csv -m nG@1 --variance 0.01",
    "convert": "scores.csv --format csv",
    "reproduce": "kappa --labels votes.csv",
    "report": ".",
    "status": ".",
}
"""Each verb that writes a file, with inputs; what it reads must exist, the rest of the command need not be right."""
READ_IN_FOLDERS = {
    ".": ["kaiwa.toml", "scores.csv", "votes.csv", "runs/0.txt"],
    "./": ["kaiwa.toml", "scores.csv", "runs/0.txt"],
    "repository": ["repository/pairs.parquet"],
    "index": ["index/manifest.json"],
}
WITHOUT_INPUTS = {"demo", "init", "names", "design pass-rate"}


def outputs() -> Iterator[tuple[str, str]]:
    """Every verb with every option that names an output."""
    context = click.Context(group)
    for name in VERBS:
        verb = group.get_command(context, name)
        assert verb is not None
        inner = (
            [(f"{name} {one}", verb.get_command(context, one)) for one in verb.list_commands(context)]
            if isinstance(verb, click.Group)
            else []
        )
        for called, command in [(name, verb), *inner]:
            assert command is not None
            yield from ((called, option.opts[-1]) for option in command.params if option.type is OUT_FILE)


CASES = [(verb, option) for verb, option in outputs() if verb not in WITHOUT_INPUTS]


@pytest.fixture
def work(small_round: Path, index: Path) -> Path:
    """A round with pairs, candidates, a takedown list and an index."""
    shutil.copytree(index, small_round / "index")
    (small_round / "pairs.tsv").write_text("p1\tThe sea\tc1\tIt is blue\n", encoding="utf-8")
    (small_round / "candidates.tsv").write_text("n1\tA dog ran home\n", encoding="utf-8")
    (small_round / "gone.txt").write_text("c01\n", encoding="utf-8")
    return small_round


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


@pytest.mark.parametrize(("verb", "option"), CASES)
def test_no_output_replaces_an_input(command: Kaiwa, work: Path, verb: str, option: str) -> None:
    """By its own name, by another spelling of it, and through a link; nothing is changed or left behind."""
    words = COMMANDS[verb].split()
    named = [read for word in words for read in READ_IN_FOLDERS.get(word, [word]) if (work / read).is_file()]
    assert named
    (work / "link").mkdir()
    before = bytes_of(work)
    for at, read in enumerate(named):
        link = work / "link" / str(at)
        link.symlink_to(work / read)
        for output in (read, f"link/../{read}", str(work / read), f"link/{at}"):
            done = command(*verb.split(), *words, option, output, folder=work)
            assert (done.returncode, done.stderr.count("\n")) == (2, 1), (output, done.stderr)
            assert "this command reads" in done.stderr
            assert bytes_of(work) == before


@pytest.mark.parametrize("verb", ["compare", "votes", "pool", "backup", "topics"])
def test_the_files_that_a_round_begins_with_are_kept(command: Kaiwa, work: Path, verb: str) -> None:
    """Only the verb that makes a file of the task writes over it; none over its settings or repository."""
    makers = {"topics.tsv": "topics", "pool.tsv": "pool", "pool.organisers.csv": "pool", "votes.csv": "votes"}
    for name in ("pool.tsv", "pool.organisers.csv", "takedown.txt"):
        (work / name).write_text("q1\tc01\n", encoding="utf-8")
    read = ["repository/pairs.parquet"] if verb in {"votes", "backup", "topics"} else []
    before = bytes_of(work)
    for name in ("kaiwa.toml", "takedown.txt", *(name for name, maker in makers.items() if maker != verb), *read):
        done = command(*verb.split(), *COMMANDS[verb].split(), "-o", name, folder=work)
        assert (done.returncode, bytes_of(work)) == (2, before), (name, done.stderr)
        assert "this command reads" in done.stderr


def test_a_sheet_that_people_have_filled_is_kept(command: Kaiwa, work: Path) -> None:
    """Nobody can make its votes again; the same empty sheet is written again."""
    (work / "pool.tsv").write_text("q1\tc01\n", encoding="utf-8")
    for _ in range(2):
        assert command("pool", "--sheet", "judge.csv", folder=work).returncode == 0
    filled = (work / "judge.csv").read_text(encoding="utf-8-sig").rstrip("\n") + "2\n"
    (work / "judge.csv").write_text(filled, encoding="utf-8")
    done = command("pool", "--sheet", "judge.csv", folder=work)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "may have votes in it; give another name" in done.stderr
    assert (work / "judge.csv").read_text(encoding="utf-8") == filled


@pytest.mark.parametrize(("verb", "option"), CASES)
def test_no_output_replaces_the_votes_of_a_task(command: Kaiwa, work: Path, verb: str, option: str) -> None:
    """A store is a database that no command can make again: no verb writes over it, read or not."""
    (work / "votes.db").write_bytes(b"SQLite format 3\0 and the votes")
    before = bytes_of(work)
    done = command(*verb.split(), *COMMANDS[verb].split(), option, "votes.db", folder=work)
    assert (done.returncode, bytes_of(work)) == (2, before), done.stderr
    assert "never overwritten" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        "clean raw/pairs.parquet -o raw",
        "clean raw -o raw",
        "index raw -o raw",
        "topics raw -n 1 --rest raw",
        "topics raw -n 1 --rest .",
        "convert cv/0.txt --format ntcir-run -o cv",
        "convert cv/0.txt --format ntcir-run -o linked",
        "check cv/0.txt --fix cv",
        "check cv/0.txt --fix linked",
        "check cv/0.txt --topics cv/topics.tsv --fix cv/0.txt",
    ],
)
def test_no_folder_is_written_over_the_inputs_in_it(command: Kaiwa, work: Path, words: str) -> None:
    """Neither as a whole nor file by file."""
    shutil.copytree(work / "repository", work / "raw")
    shutil.copytree(work / "runs", work / "cv")
    shutil.copy(work / "topics.tsv", work / "cv")
    text = (work / "cv" / "0.txt").read_text(encoding="utf-8")
    (work / "cv" / "0.txt").write_text(text + text.splitlines()[-1] + "\n", encoding="utf-8")
    if words.startswith("convert"):
        (work / "cv" / "0.txt").write_text(text.replace("Aoi-C-R1", "0"), encoding="utf-8")
    (work / "linked").symlink_to(work / "cv")
    before = bytes_of(work)
    done = command(*words.split(), folder=work)
    assert (done.returncode, bytes_of(work)) == (2, before), done.stderr
    assert "this command reads" in done.stderr or "a manifest of another kind" in done.stderr


def test_a_file_in_a_folder_that_is_read_is_not_replaced(command: Kaiwa, work: Path) -> None:
    """But a new one is written beside those that are read."""
    (work / "logs").mkdir()
    shutil.copy(work / "qrels.txt", work / "logs" / "a.txt")
    words = "convert runs/1.txt runs/2.txt --format res -o logs"
    assert command(*words.split(), folder=work).returncode == 0
    assert (work / "logs" / "a.txt").read_bytes() == (work / "qrels.txt").read_bytes()


def test_a_task_reads_its_sources_and_replaces_its_report(command: Kaiwa, work: Path) -> None:
    """The report lies in the folder that is read, and can be made again."""
    (work / "report.html").write_text("an earlier one", encoding="utf-8")
    done = command("report", ".", folder=work)
    assert done.returncode == 0, done.stderr


def test_python_keeps_the_inputs_too(work: Path) -> None:
    """The functions behind the verbs refuse as the command does."""
    before = bytes_of(work / "repository")
    with pytest.raises(InputError, match="which this command reads"):
        kaiwa.clean(work / "repository" / "pairs.parquet", work / "repository")
    with pytest.raises(InputError, match="contains a manifest of another kind"):
        kaiwa.index(work / "repository", work / "repository")
    assert bytes_of(work / "repository") == before


def test_a_terminal_is_read_and_written(command: Kaiwa, work: Path) -> None:
    """A device is not an input that could be lost."""
    done = command("convert", "scores.csv", "--format", "csv", "-o", os.devnull, folder=work)
    assert done.returncode == 0, done.stderr
