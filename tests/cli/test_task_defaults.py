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
    assert gains.stderr.endswith("from round/kaiwa.toml: --scheme unanimity, --p 0.5\n")
    assert list(scored["means"]["Aoi-C-R1"]) == ["AP", "nG@1"]
    assert (compared["test"], compared["trials"], compared["margin"]) == ("step-down", 150, 0.25)


def test_a_pilot_in_the_folder_is_designed_for_the_test_of_the_folder(kaiwa: Kaiwa, task: Path) -> None:
    """The default is the test that compares the runs; the subcommands too; a test that is typed wins."""
    path = task / "kaiwa.toml"
    path.write_text(path.read_text().replace("step-down", "hsd"))
    asked = ("round/scores.csv", "-m", "nG@1", "--systems", "3", "--min-diff", "0.4", "--json")
    done = kaiwa("design", *asked)
    assert json.loads(done.stdout)["test"] == "hsd"
    assert "from round/kaiwa.toml: --test hsd\n" in done.stderr
    assert json.loads(kaiwa("design", "rounds", "--looks", "10,20", *asked).stdout)["design"]["test"] == "hsd"
    assert json.loads(kaiwa("design", *asked, "--test", "tukey").stdout)["test"] == "tukey"


@pytest.mark.usefixtures("task")
def test_what_is_typed_wins(kaiwa: Kaiwa) -> None:
    """An option on the command line, and --quiet for the remark."""
    done = kaiwa("gains", "round/votes.csv", "--scheme", "mean", "--quiet", "--json")
    assert (json.loads(done.stdout)["scheme"], done.stderr) == ("mean", "")
    against = json.loads(kaiwa("compare", "round/scores.csv", "-m", "nG@1", "--baseline", "Aoi-C-R1", "--json").stdout)
    assert against["test"] == "robust"


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("", {"test": "step-down", "trials": 150, "margin": 0.25}),
        ("--baseline Aoi-C-R1", {"test": "robust", "trials": 5000, "margin": 0.25}),
        ("--baseline Aoi-C-R1 --test t", {"test": "t", "margin": 0.25}),
        ("--test tukey", {"test": "tukey", "trials": None, "margin": 0.25}),
        ("--test=crossed", {"test": "crossed"}),
        ("--family -m P+", {"family": ["nG@1", "P+"], "trials": 150, "margin": None}),
    ],
)
def test_settings_that_cannot_act_with_what_is_typed_are_left_out(
    kaiwa: Kaiwa, task: Path, words: str, taken: dict[str, object]
) -> None:
    """Typed they are an error; from the settings they are not used, nor named."""
    lines = (task / "scores.csv").read_text().splitlines()
    two = [f"P+,{line.split(',', 1)[1]}" for line in lines if line.startswith("nG@1,")]
    (task / "two.csv").write_text(
        "\n".join([lines[0], *(line for line in lines if line.startswith("nG@1,")), *two]) + "\n"
    )
    done = kaiwa("compare", "round/two.csv", "-m", "nG@1", *words.split(), "--json")
    assert done.returncode == 0, done.stderr
    fields = json.loads(done.stdout)
    assert {name: fields.get(name) for name in taken} == taken
    assert ("--trials" in done.stderr) is (taken.get("trials") == 150)
    assert ("--margin" in done.stderr) is ("margin" in taken)
    typed = kaiwa("compare", "round/two.csv", "-m", "nG@1", "--test", "tukey", "--trials", "150")
    assert (typed.returncode, typed.stdout) == (2, "")


def test_a_file_of_a_comparison_is_recorded_with_its_options(kaiwa: Kaiwa, task: Path) -> None:
    """In the folder of the task: verb, inputs and the options that change the file; not how stdout looks."""
    done = kaiwa("compare", "round/scores.csv", "-m", "nG@1", "--json", "--table", "pairs", "-o", "round/pairs.csv")
    assert (done.returncode, "JSON has every table" in done.stderr) == (2, True)
    done = kaiwa("compare", "round/scores.csv", "-m", "nG@1", "--table", "pairs", "-o", "round/pairs.csv")
    assert (done.returncode, "wrote round/pairs.csv\n" in done.stderr) == (0, True)
    step = json.loads((task / ".kaiwa-steps.json").read_text())["pairs.csv"]
    assert (step["verb"], list(step["inputs"])) == ("compare", ["scores.csv"])
    assert step["options"]["test"] == "step-down"
    assert not {"form", "as_json", "output"} & set(step["options"])


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


def test_a_folder_without_the_setting_compares_with_the_robust_test_and_says_so(kaiwa: Kaiwa, task: Path) -> None:
    """``kaiwa init`` writes the setting; of a file that leaves it out a remark says which test is used, and was."""
    kaiwa("init", "fresh")
    (task.parent / "fresh" / "scores.csv").write_bytes((task / "scores.csv").read_bytes())
    (task / "kaiwa.toml").write_text("[comparing]\ntrials = 150\n")
    fresh, older = (kaiwa("compare", f"{name}/scores.csv", "-m", "nG@1", "--json") for name in ("fresh", "round"))
    assert [json.loads(done.stdout)["test"] for done in (fresh, older)] == ["robust", "robust"]
    told = (
        "round/kaiwa.toml: names no test, so robust is used (earlier versions used hsd); "
        'write test = "robust" or test = "hsd" under [comparing]\n'
    )
    assert told in older.stderr
    assert "names no test" not in fresh.stderr
    assert all(told in kaiwa(verb, "round").stderr for verb in ("report", "design"))
    planned = kaiwa("compare", "round/scores.csv", "-m", "nG@1", "--baseline", "Aoi-C-R1")
    assert "names no test" not in planned.stderr
    (task / "kaiwa.toml").write_text('[comparing]\ntest = "hsd"\n')
    kept = kaiwa("compare", "round/scores.csv", "-m", "nG@1", "--json")
    assert json.loads(kept.stdout)["test"] == "hsd"
    assert "names no test" not in kept.stderr
