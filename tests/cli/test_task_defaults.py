"""Inside a task folder the verbs take their defaults from ``kaiwa.toml``."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
SETTINGS = """\
[judging]
depth = 2
scheme = "unanimity"
p = 0.5
[scoring]
measures = ["AP", "nG@1"]
[comparing]
test = "step-down"
trials = 150
seed = 9
margin = 0.25
"""


@pytest.fixture
def task(small_round: Path) -> Path:
    """The small round with settings that are not the defaults."""
    (small_round / "kaiwa.toml").write_text(SETTINGS)
    return small_round


@pytest.mark.usefixtures("task")
def test_each_verb_uses_the_settings(kaiwa: Kaiwa) -> None:
    """From outside too, for files in the folder; a remark lists what was taken."""
    pooled = json.loads(kaiwa("pool", "round/runs/0.txt", "-o", "round/pool.tsv", "--json").stdout)
    gains = kaiwa("gains", "round/votes.csv", "--json")
    scored = json.loads(kaiwa("score", "round/runs/0.txt", "--qrels", "round/qrels.txt", "--json").stdout)
    compared = json.loads(kaiwa("compare", "round/scores.csv", "-m", "nG@1", "--json").stdout)
    assert pooled["depth"] == 2
    assert json.loads(gains.stdout)["scheme"] == "unanimity"
    assert gains.stderr.endswith("\nfrom round/kaiwa.toml: --scheme unanimity, --p 0.5\n")
    assert list(scored["means"]["Aoi-C-R1"]) == ["AP", "nG@1"]
    assert (compared["test"], compared["trials"], compared["margin"]) == ("step-down", 150, 0.25)


def test_a_pilot_in_the_folder_is_designed_for_the_test_of_the_folder(kaiwa: Kaiwa, task: Path) -> None:
    """The default is the test that compares the runs; the subcommands too; a test that is typed wins."""
    path = task / "kaiwa.toml"
    path.write_text(path.read_text().replace("step-down", "robust"))
    asked = ("--pilot", "round/scores.csv", "-m", "nG@1", "--systems", "3", "--min-diff", "0.4", "--json")
    done = kaiwa("design", *asked)
    assert json.loads(done.stdout)["test"] == "robust"
    assert "from round/kaiwa.toml: designed for the test robust\n" in done.stderr
    assert json.loads(kaiwa("design", "rounds", "10,20", *asked).stdout)["test"] == "robust"
    assert json.loads(kaiwa("design", "--test", "hsd-paired", *asked).stdout)["test"] == "hsd-paired"


@pytest.mark.usefixtures("task")
def test_what_is_typed_wins(kaiwa: Kaiwa) -> None:
    """An option on the command line, and --quiet for the remark."""
    done = kaiwa("gains", "round/votes.csv", "--scheme", "mean", "--quiet", "--json")
    assert (json.loads(done.stdout)["scheme"], done.stderr) == ("mean", "")
    against = json.loads(kaiwa("compare", "round/scores.csv", "-m", "nG@1", "--baseline", "Aoi-C-R1", "--json").stdout)
    assert against["test"] == "randomisation"


def test_settings_that_cannot_be_read_are_an_error_but_help_is_not(kaiwa: Kaiwa, task: Path) -> None:
    """The file is named; --help needs no settings."""
    (task / "kaiwa.toml").write_text("[judging]\ndepth = 'x'\n")
    done = kaiwa("gains", "round/votes.csv")
    assert (done.returncode, done.stderr) == (
        2,
        f"kaiwa: {task / 'kaiwa.toml'}: depth = 'x'; write a whole number\n",
    )
    assert kaiwa("gains", "round/votes.csv", "--help").returncode == 0


def test_a_vote_above_the_scale_is_refused_with_its_line(kaiwa: Kaiwa, task: Path) -> None:
    """A vote typed 22 on a scale to 2: no gains are written, and the status reports it too."""
    votes = (task / "votes.csv").read_text().splitlines()
    votes[5] = votes[5].rsplit(",", 1)[0] + ",22"
    (task / "votes.csv").write_text("\n".join(votes) + "\n")
    before = (task / "qrels.txt").read_bytes()
    done = kaiwa("gains", "round/votes.csv", "-o", "round/qrels.txt")
    assert (done.returncode, done.stderr.startswith("kaiwa: round/votes.csv:6: ")) == (2, True)
    assert (task / "qrels.txt").read_bytes() == before
    assert kaiwa("status", "round").returncode == 2


def test_a_new_folder_compares_with_the_robust_test_and_one_without_the_setting_as_before(
    kaiwa: Kaiwa, task: Path
) -> None:
    """``kaiwa init`` writes the setting; a file that leaves it out keeps the published test."""
    kaiwa("init", "fresh")
    (task.parent / "fresh" / "scores.csv").write_bytes((task / "scores.csv").read_bytes())
    (task / "kaiwa.toml").write_text("[comparing]\ntrials = 150\n")
    tests = [
        json.loads(kaiwa("compare", f"{folder}/scores.csv", "-m", "nG@1", "--json").stdout)["test"]
        for folder in ("fresh", "round")
    ]
    assert tests == ["robust", "hsd"]
