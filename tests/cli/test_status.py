"""``kaiwa status`` and ``kaiwa next``: the status of a round, and what the next one needs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kaiwa.cli import kaiwa as group

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


def test_a_round_is_done_until_something_it_was_made_from_changes(kaiwa: Kaiwa, demo: Demo) -> None:
    """A changed vote makes the gains stale, and with them what follows; what came before stays done."""
    assert set(_states(kaiwa).values()) == {"done"}
    assert "The round is complete." in kaiwa("status", "round").stdout
    votes = demo.folder / "votes.csv"
    votes.write_text(votes.read_text().replace(",2\n", ",1\n", 1))
    states = _states(kaiwa)
    assert [name for name, state in states.items() if state == "stale"] == ["qrels.txt", "scores.csv", "report.html"]
    following = json.loads(kaiwa("status", "round", "--json").stdout)["next"]
    assert following == "kaiwa gains votes.csv --scheme mean --top 2 -o qrels.txt"


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
    """The answer is the largest n over the measures, and standardised scores need fewer."""
    found = json.loads(kaiwa("next", "round", "--json").stdout)
    sizes = {measure: one["n"] for measure, one in found["measures"].items()}
    assert (found["n"], found["measure"]) == (max(sizes.values()), max(sizes, key=lambda measure: sizes[measure]))
    assert all(one["n_std_ab"] < one["n"] for one in found["measures"].values())
    assert "For the overview paper" in kaiwa("next", "round").stdout


@pytest.mark.parametrize("verb", ["status", "next", "report"])
def test_the_current_folder_is_the_default(small_round: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    """As if a dot were typed."""
    monkeypatch.chdir(small_round)
    named, alone = (CliRunner().invoke(group, words) for words in ([verb, "."], [verb]))
    assert (alone.exit_code, alone.output) == (0, named.output)
