"""``kaiwa make``: the remaining steps of a round, as the status prints them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
MADE = ("pool.tsv", "qrels.txt", "scores.csv", "report.html")


def _without(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


def test_a_judged_round_is_finished(kaiwa: Kaiwa, small_round: Path) -> None:
    """Pool, gains, scores and report are made, in this order; afterwards there is nothing to do."""
    _without(small_round, *MADE)
    done = kaiwa("make", "round", "--json")
    told = json.loads(done.stdout)
    assert [line.split()[1] for line in told["commands"]] == ["pool", "gains", "score", "report"]
    assert {step["state"] for step in told["steps"] if step["file"] != "votes.csv"} == {"done"}
    assert (small_round / "report.html").exists()
    again = json.loads(kaiwa("make", "round", "--json").stdout)
    assert again["commands"] == []


def test_a_changed_setting_repeats_what_depends_on_it(kaiwa: Kaiwa, small_round: Path) -> None:
    """Another scheme: gains, scores and report, but not the pool."""
    kaiwa("make", "round")
    _without(small_round, *MADE)
    kaiwa("make", "round")
    settings = small_round / "kaiwa.toml"
    settings.write_text(settings.read_text().replace("depth = 3", 'depth = 3\nscheme = "majority"'))
    told = json.loads(kaiwa("make", "round", "--json").stdout)
    assert [line.split()[1] for line in told["commands"]] == ["gains", "score", "report"]


def test_a_dry_run_writes_nothing(kaiwa: Kaiwa, small_round: Path) -> None:
    """The commands are printed, one per line."""
    _without(small_round, *MADE)
    before = sorted(small_round.rglob("*"))
    done = kaiwa("make", "round", "--dry-run")
    assert done.returncode == 0
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["pool", "gains", "score", "report"]
    assert sorted(small_round.rglob("*")) == before


def test_people_are_waited_for(kaiwa: Kaiwa, small_round: Path) -> None:
    """Without votes the pool is made, the exit code is 1, and the next step is printed."""
    _without(small_round, *MADE, "votes.csv")
    done = kaiwa("make", "round")
    assert (done.returncode, (small_round / "pool.tsv").exists()) == (1, True)
    assert "1 step done." in done.stdout
    assert "have the pool judged" in done.stdout
    assert not (small_round / "qrels.txt").exists()


def test_a_half_judged_round_is_provisional(kaiwa: Kaiwa, small_round: Path) -> None:
    """The report is made and marked, names the topics without judgements, and counts items; the exit code is 1."""
    votes = (small_round / "votes.csv").read_text().splitlines(keepends=True)
    (small_round / "votes.csv").write_text("".join(line for line in votes if not line.startswith(("q6,", "q7,"))))
    _without(small_round, *MADE)
    done = kaiwa("make", "round")
    page = (small_round / "report.html").read_text()
    assert done.returncode == 1
    assert "PROVISIONAL: " in page
    assert "2 topics have no judgement: q6, q7" in page
    told = json.loads(kaiwa("report", "round", "--json").stdout)
    assert told["provisional"][-1] == "2 topics have no judgement: q6, q7"
    assert "PROVISIONAL: " in kaiwa("report", "round").stdout


def test_a_folder_without_settings_is_an_error(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """One line, exit code 2."""
    (tmp_path / "empty").mkdir()
    done = kaiwa("make", "empty")
    assert (done.returncode, done.stderr) == (
        2,
        "kaiwa: empty: holds no kaiwa.toml; make a task folder with: kaiwa init DIR\n",
    )
