"""``kaiwa agree --assessors``, ``kaiwa gains --without``, and the mark of simulated votes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import kaiwa as package

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

TIDY = "topic,comment,assessor,level\n"
PANEL = {"ann": (2, 2, 1, 1, 0, 0), "bob": (2, 2, 1, 1, 0, 1), "eve": (1, 1, 0, 0, 0, 0)}
ROWS = TIDY + "".join(f"q{at},c,{name},{one}\n" for name, given in PANEL.items() for at, one in enumerate(given))
NOTICE = "SIMULATED ASSESSORS: a program drew these votes"


def simulated(text: str) -> str:
    """The same rows by simulated assessors."""
    for number, name in enumerate(PANEL, start=1):
        text = text.replace(f",{name},", f",SIMULATED-{number},")
    return text


def test_each_assessor_has_a_line_the_least_agreeing_first(made: Made, kaiwa: Kaiwa) -> None:
    """Items, levels, severity with interval, agreement and confusion; readable and as JSON."""
    made("votes.csv", ROWS)
    found = json.loads(kaiwa("agree", "votes.csv", "--assessors", "--json").stdout)["quality"]
    eve, bob, ann = found["assessors"]
    assert [one["name"] for one in (eve, bob, ann)] == ["eve", "bob", "ann"]
    assert (eve["items"], eve["mean_level"], eve["shares"]) == (
        6,
        pytest.approx(1 / 3),
        pytest.approx([2 / 3, 1 / 3, 0]),
    )
    assert eve["severity"]["value"] == pytest.approx(1 / 2)  # the mean of all is 5/6
    assert eve["severity"]["low"] <= eve["severity"]["value"] <= eve["severity"]["high"]
    assert eve["agreement"] == pytest.approx(1.5 / 6)  # with ann and bob on q4, with ann on q5
    assert len(eve["confusion"]) == 3
    assert (found["topics"], found["max_level"], found["simulated"], found["anonymous"]) == (6, 2, False, False)
    lines = kaiwa("agree", "votes.csv", "--assessors").stdout.splitlines()
    assert [line.split()[:4] for line in lines[2:5]] == [
        ["eve", "6", "0", "0.33"],
        ["bob", "6", "0", "1.17"],
        ["ann", "6", "0", "1.00"],
    ]


def test_what_is_undefined_is_null(made: Made, kaiwa: Kaiwa) -> None:
    """One assessor: no severity, no agreement; a level that no item has, no confusion."""
    made("votes.csv", TIDY + "q,a,ann,2\nq,b,ann,2\n")
    ann = json.loads(kaiwa("agree", "votes.csv", "--assessors", "--json").stdout)["quality"]["assessors"][0]
    assert (ann["severity"]["value"], ann["agreement"], ann["confusion"][0]) == (None, None, [None] * 3)
    assert "n/a" in kaiwa("agree", "votes.csv", "--assessors").stdout


def test_the_columns_of_a_label_file_are_not_called_people(made: Made, kaiwa: Kaiwa) -> None:
    """The line says so, and JSON too."""
    made("labels.txt", "q1\ta\t2\t2\t1\nq1\tb\t0\t0\t0\nq2\tc\t1\t0\tNA\n")
    assert "need not be the same person" in kaiwa("agree", "labels.txt", "--assessors").stdout
    assert json.loads(kaiwa("agree", "labels.txt", "--assessors", "--json").stdout)["quality"]["anonymous"]


def test_a_scale_of_many_levels_stays_on_a_line(made: Made, kaiwa: Kaiwa) -> None:
    """Shares of the lowest and the highest level; JSON has all."""
    made("votes.csv", TIDY + "".join(f"q{at},c,{name},{at}\n" for at in range(10) for name in ("ann", "bob")))
    header = kaiwa("agree", "votes.csv", "--assessors").stdout.splitlines()[0].split()
    assert header[4:6] == ["L0", "L9"]
    assert "confusion" not in header
    found = json.loads(kaiwa("agree", "votes.csv", "--assessors", "--json").stdout)["quality"]["assessors"]
    assert (len(found[0]["shares"]), len(found[0]["confusion"])) == (10, 10)


@pytest.mark.parametrize("other", [("--merge", "L1+L2"), ("--pairs",)])
def test_lines_of_assessors_are_of_the_levels_as_given(made: Made, kaiwa: Kaiwa, other: tuple[str, ...]) -> None:
    """Options of the other output are refused, in one line."""
    made("votes.csv", ROWS)
    done = kaiwa("agree", "votes.csv", "--assessors", *other)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"--assessors cannot be used with {other[0]}" in done.stderr


def test_gains_without_an_assessor_are_those_of_the_others(made: Made, kaiwa: Kaiwa) -> None:
    """As if the votes were not in the file; an item that nobody else judged is unjudged."""
    made("votes.csv", ROWS + "q9,d,eve,2\n")
    made("fewer.csv", "".join(line for line in ROWS.splitlines(keepends=True) if ",eve," not in line))
    without = kaiwa("gains", "votes.csv", "--without", "eve", "-o", "-")
    assert without.stdout == kaiwa("gains", "fewer.csv", "-o", "-").stdout
    shown = kaiwa("gains", "votes.csv", "--without", "eve").stdout
    assert "without eve" in shown
    assert "1 item without a vote left unjudged" in shown
    both = kaiwa("gains", "votes.csv", "--without", "eve", "--without", "ann", "-o", "-")
    assert both.stdout.splitlines()[0] == "q0 0 c 3"


def test_an_unknown_assessor_gets_a_suggestion(made: Made, kaiwa: Kaiwa) -> None:
    """One line; nothing is written. Nobody left is an error too."""
    made("votes.csv", ROWS)
    done = kaiwa("gains", "votes.csv", "--without", "evi", "-o", "qrels.txt")
    assert (done.returncode, done.stderr) == (2, "kaiwa: unknown assessor 'evi'; did you mean 'eve'?\n")
    done = kaiwa("gains", "votes.csv", *(word for name in PANEL for word in ("--without", name)))
    assert (done.returncode, done.stderr) == (
        2,
        "kaiwa: votes.csv: every assessor would be left out; keep at least one\n",
    )


def test_gains_without_an_assessor_show_what_changes_in_the_leaderboard(small_round: Path, command: Kaiwa) -> None:
    """In a task folder with runs: rank and mean of each run before and after, and tau, by the settings' measures."""
    done = command("gains", "votes.csv", "--without", "a1", "-o", "q.txt", folder=small_round)
    assert done.returncode == 0
    assert "without a1: tau" in done.stdout
    found = json.loads(command("gains", "votes.csv", "--without", "a1", "--json", folder=small_round).stdout)
    board = found["leaderboard"]["nERR@10"]
    votes = package.read_votes(small_round / "votes.csv")
    runs = package.read_runs(str(small_round / "runs" / "*.txt"))
    for key, given in (("mean_before", votes), ("mean_after", votes.without("a1"))):
        means = package.score(runs, given.gains(), "nERR@10").means()
        assert {run: one[key] for run, one in board["runs"].items()} == pytest.approx(
            {run: own["nERR@10"] for run, own in means.items()}
        )
    assert (set(found["leaderboard"]), found["without"]) == ({"nG@1", "nERR@10"}, ["a1"])
    assert -1 <= board["tau"] <= 1
    assert (small_round / "q.txt").read_text() == votes_as_qrels(votes.without("a1"), small_round / "own.txt")


def votes_as_qrels(votes: package.Votes, path: Path) -> str:
    """The text of the gains of these votes."""
    votes.gains().write(path)
    return path.read_text()


def test_simulated_votes_are_marked_wherever_they_are_used(made: Made, kaiwa: Kaiwa) -> None:
    """In the output of ``agree`` and ``gains``, readable and as JSON; votes of people have no mark."""
    made("votes.csv", simulated(ROWS))
    assert NOTICE in kaiwa("agree", "votes.csv").stdout
    assert NOTICE in kaiwa("agree", "votes.csv", "--assessors").stdout
    assert NOTICE in kaiwa("gains", "votes.csv").stdout
    for words in (("agree",), ("agree", "--assessors"), ("gains",)):
        assert json.loads(kaiwa(words[0], "votes.csv", *words[1:], "--json").stdout)["simulated"] is True
    made("people.csv", ROWS)
    done = [kaiwa(verb, "people.csv") for verb in ("agree", "gains")]
    assert not any("SIMULATED" in one.stdout + one.stderr for one in done)


@pytest.mark.parametrize("name", ["SIMULATED-1", "simulated-1"])
def test_simulated_votes_and_votes_of_people_are_never_mixed(made: Made, kaiwa: Kaiwa, name: str) -> None:
    """A file with both is refused by every verb that takes votes; so is the noun."""
    made("votes.csv", ROWS + f"q0,c,{name},1\n")
    for verb in ("agree", "gains", "convert"):
        done = kaiwa(verb, "votes.csv", *(["--format", "votes-csv"] if verb == "convert" else []))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"votes.csv: mixes votes of simulated assessors ({name!r}) with votes of people ('ann')" in done.stderr
    with pytest.raises(package.InputError, match="mixes votes of simulated assessors"):
        package.Votes.from_rows([("q", "c", "ann", 1), ("q", "c", name, 1)])


def test_the_report_of_simulated_votes_has_the_mark_without_a_setting(small_round: Path, command: Kaiwa) -> None:
    """The page, and the command's output, even if ``notice`` in kaiwa.toml is empty."""
    votes = small_round / "votes.csv"
    votes.write_text(
        "".join(line.replace(",a", ",SIMULATED-") for line in votes.read_text().splitlines(keepends=True)).replace(
            ",SIMULATED-ssessor", ",assessor"
        )
    )
    done = command("report", ".", "-o", "report.html", folder=small_round)
    assert done.returncode == 0
    assert NOTICE in done.stdout
    assert (small_round / "report.html").read_text().count(NOTICE) > 1
    assert json.loads(command("report", ".", "-o", "report.html", "--json", folder=small_round).stdout)["simulated"]


def test_python_shows_the_panel() -> None:
    """By name, as text and in a notebook."""
    rows = [(f"q{at}", "c", name, one) for name, given in PANEL.items() for at, one in enumerate(given)]
    panel = package.Votes.from_rows(rows).agree(assessors=True, trials=50).quality
    assert panel is not None
    assert panel["eve"].severity.value == pytest.approx(1 / 2)
    assert [one.name for one in panel.assessors] == ["eve", "bob", "ann"]
    assert "severity" in str(panel)
    assert "<table>" in panel._repr_html_()
    with pytest.raises(package.UnknownName, match="did you mean 'eve'"):
        panel["evi"]


def test_status_tells_how_much_is_to_judge_and_how(small_round: Path, command: Kaiwa) -> None:
    """Before the first vote, and while votes are missing; the command that goes on is that of the server."""
    pooled = [tuple(line.split(",")[:2]) for line in (small_round / "votes.csv").read_text().splitlines()[1:]]
    items = list(dict.fromkeys(pooled))
    (small_round / "pool.tsv").write_text("".join(f"{topic}\t{comment}\n" for topic, comment in items))
    votes = (small_round / "votes.csv").read_text().splitlines(keepends=True)
    (small_round / "votes.csv").unlink()
    step = {
        one["file"]: one for one in json.loads(command("status", ".", "--json", folder=small_round).stdout)["steps"]
    }
    assert (step["votes.csv"]["state"], step["votes.csv"]["why"]) == (
        "missing",
        f"{len(items)} items to judge, 1 vote each",
    )
    assert "kaiwa serve" in step["votes.csv"]["command"]
    (small_round / "votes.csv").write_text("".join(votes[:4]))
    found = json.loads(command("status", ".", "--json", folder=small_round).stdout)
    step = {one["file"]: one for one in found["steps"]}
    assert step["votes.csv"]["state"] == "incomplete"
    assert f"{len(items) - 1} of {len(items)} pooled items have no vote" in step["votes.csv"]["why"]


def test_a_filled_sheet_of_a_task_gives_its_votes(small_round: Path, command: Kaiwa) -> None:
    """Written from the pool with its texts, filled in a spreadsheet, read back; a missing text is one line."""
    (small_round / "pool.tsv").write_text("q0\tc00\nq1\tc03\nq0\tc01\n")
    done = command("pool", "--sheet", "judge.csv", "--assessors", "A1,A2", folder=small_round)
    assert done.returncode == 0
    sheet = small_round / "judge.csv"
    sheet.write_bytes(sheet.read_bytes().replace(b",,\n", b",2,\n"))
    assert [
        line.split(",")[:4]
        for line in command("convert", "judge.csv", "--format", "votes-csv", folder=small_round).stdout.splitlines()[1:]
    ] == [
        ["q0", "c00", "A1", "2"],
        ["q0", "c01", "A1", "2"],
        ["q1", "c03", "A1", "2"],
    ]
    (small_round / "pool.tsv").write_text("q0\tnowhere\n")
    done = command("pool", "--sheet", "judge.csv", folder=small_round)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no text in repository, 'nowhere' first" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs/0.txt", "--sheet", "judge.csv"], "--sheet takes the pool of a task folder"),
        (["--sheet", "judge.html"], "give the name with --assessor"),
        (["--sheet", "judge.csv", "--assessor", "A3"], "writes a .csv file (with --assessors A1,A2)"),
        (["--sheet", "judge.csv", "--assessors", "A1,,A2"], "has an empty or a duplicate name"),
    ],
)
def test_a_sheet_that_cannot_be_written_is_one_line(
    small_round: Path, command: Kaiwa, words: list[str], message: str
) -> None:
    """Nothing is written."""
    (small_round / "pool.tsv").write_text("q0\tc00\n")
    done = command("pool", *words, folder=small_round)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr
    assert not list(small_round.glob("judge.*"))
