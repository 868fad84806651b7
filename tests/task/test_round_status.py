"""The status of a round: done, stale, missing, and the next command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.task.round_status import round_status
from kaiwa.task.step_record import record_step
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from pathlib import Path


def _states(folder: Path) -> dict[str, str]:
    return {step.file: step.state for step in round_status(read_task(folder)).steps}


def test_a_file_that_no_verb_made_is_taken_as_it_is(small_round: Path) -> None:
    """There is no record of what it was made from."""
    states = _states(small_round)
    assert (states["scores.csv"], states["pool.tsv"], states["report.html"]) == ("done", "missing", "missing")


def test_a_recorded_file_is_stale_when_an_input_changes(small_round: Path) -> None:
    """And so is what is made from it."""
    qrels, votes = small_round / "qrels.txt", small_round / "votes.csv"
    record_step(qrels, [votes], verb="gains", version="1", seed=None)
    assert _states(small_round)["qrels.txt"] == "done"
    votes.write_text(votes.read_text().replace(",2\n", ",1\n", 1))
    states = _states(small_round)
    assert (states["qrels.txt"], states["scores.csv"]) == ("stale", "stale")


def test_the_next_command_makes_the_first_file_that_is_not_done(small_round: Path) -> None:
    """In the order of a round."""
    assert round_status(read_task(small_round)).next == "kaiwa pool runs/*.txt --depth 3 -o pool.tsv"
