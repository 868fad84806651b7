"""``kaiwa status`` and ``kaiwa design`` in a task folder: the status of a round, and what the next one needs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tomllib
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import kaiwa as package
from kaiwa.cli.group import kaiwa as group
from kaiwa.show.text import visible
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Demo

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


def _states(kaiwa: Kaiwa) -> dict[str, str]:
    return {step["file"]: step["state"] for step in json.loads(kaiwa("status", "round", "--json").stdout)["steps"]}


def test_an_empty_task_asks_for_topics(kaiwa: Kaiwa) -> None:
    """Everything is missing, and the first thing comes first."""
    kaiwa("init", "round")
    assert set(_states(kaiwa).values()) == {"missing"}
    assert json.loads(kaiwa("status", "round", "--json").stdout)["next"].startswith("put the topics")


@pytest.mark.parametrize(
    "name", ["chat task", 'a "b" c', "a\\b's", "会話 2027", "bell\a\x7ftab\t", "a # b = c", "été\u2028🎉"]
)
def test_the_title_of_a_task_is_the_name_of_its_folder(kaiwa: Kaiwa, tmp_path: Path, name: str) -> None:
    """Whatever the name holds, the settings file is TOML with this title; the printed command can be typed.

    What a terminal would obey is shown, not printed; JSON has the name itself.
    """
    done = kaiwa("init", name)
    assert done.returncode == 0
    assert tomllib.loads((tmp_path / name / "kaiwa.toml").read_text(encoding="utf-8"))["task"]["title"] == name
    assert shlex.split(done.stdout.rpartition("Then: ")[2]) == ["kaiwa", "status", visible(name)]
    assert json.loads(kaiwa("init", f"{name}2", "--json").stdout)["folder"] == f"{name}2"


def test_a_task_in_the_current_folder_has_its_name(kaiwa: Kaiwa, command: Kaiwa, tmp_path: Path) -> None:
    """``kaiwa init .`` and ``kaiwa init a/b/``."""
    (tmp_path / "this one").mkdir()
    command("init", ".", folder=tmp_path / "this one")
    kaiwa("init", "a/b/")
    assert read_task(tmp_path / "this one").settings.title == "this one"
    assert read_task(tmp_path / "a" / "b").settings.title == "b"


def test_a_name_that_is_not_utf8_is_readable_in_the_title(tmp_path: Path) -> None:
    """Its bytes become replacement characters; the settings are still UTF-8."""
    made = read_task(package.init(tmp_path / os.fsdecode(b"r\xe9sum\xe9")).folder)
    assert made.settings.title == "r\ufffdsum\ufffd"


def test_a_round_is_done_until_something_it_was_made_from_changes(kaiwa: Kaiwa, demo: Demo) -> None:
    """A changed vote makes the gains stale, and with them what follows; what came before stays done."""
    assert set(_states(kaiwa).values()) == {"done"}
    assert "The round is complete." in kaiwa("status", "round").stdout
    votes = demo.folder / "votes.csv"
    votes.write_text(votes.read_text().replace(",2\n", ",1\n", 1))
    states = _states(kaiwa)
    assert [name for name, state in states.items() if state == "stale"] == ["qrels.txt", "scores.csv", "report.html"]
    following = json.loads(kaiwa("status", "round", "--json").stdout)["next"]
    assert following == "kaiwa gains votes.csv --scheme mean --max-level 2 -o qrels.txt"


def test_a_new_run_makes_the_pool_stale(kaiwa: Kaiwa, demo: Demo) -> None:
    """A run that was not pooled is named."""
    first = (demo.folder / "runs" / "BM25-E-R1.txt").read_text()
    (demo.folder / "runs" / "Eve-E-R1.txt").write_text(first.replace("BM25-E-R1", "Eve-E-R1"))
    steps = json.loads(kaiwa("status", "round", "--json").stdout)["steps"]
    assert next(step for step in steps if step["file"] == "pool.tsv")["why"] == "runs/Eve-E-R1.txt is new"


def test_a_garbled_record_is_told(kaiwa: Kaiwa, demo: Demo) -> None:
    """One line, exit code 2."""
    (demo.folder / ".kaiwa-steps.json").write_text("[1, 2")
    done = kaiwa("status", "round")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.usefixtures("demo")
def test_the_next_round_serves_the_measure_that_needs_most(kaiwa: Kaiwa) -> None:
    """The answer is the largest n over the measures; standardised scores need fewer of it, and more of none."""
    found = json.loads(kaiwa("design", "round", "--json").stdout)
    sizes = {measure: one["n"] for measure, one in found["measures"].items()}
    assert (found["n"], found["measure"]) == (max(sizes.values()), max(sizes, key=lambda measure: sizes[measure]))
    assert [one for one in found["measures"].values() if one["n_std_ab"] > one["n"]] == []
    assert found["measures"][found["measure"]]["n_std_ab"] < found["n"]
    assert "using Kaiwa." in kaiwa("design", "round").stdout


@pytest.mark.parametrize("verb", ["status", "design", "report"])
def test_the_current_folder_is_the_default(small_round: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    """As if a dot were typed."""
    monkeypatch.chdir(small_round)
    named, alone = (CliRunner().invoke(group, words) for words in ([verb, "."], [verb]))
    assert (alone.exit_code, alone.output) == (0, named.output)
