"""``kaiwa pool``: the items file does not name runs; the organisers' file does."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


def test_the_items_and_the_contributors_go_to_separate_files(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Shuffled items without run names, and who ranked each where."""
    made("T1-C-R1.txt", "<SYSDESC>a</SYSDESC>\nq1 0 c1 1 2 T1-C-R1\nq1 0 c2 2 1 T1-C-R1\n")
    made("T2-C-R1.txt", "<SYSDESC>b</SYSDESC>\nq1 0 c2 1 2 T2-C-R1\nq2 0 c9 1 1 T2-C-R1\n")
    made("qrels", "q1 0 c1 1\n")
    done = kaiwa("pool", "T1-C-R1.txt", "T2-C-R1.txt", "--depth", "2", "--qrels", "qrels", "-o", "pool.tsv", "--json")
    found = json.loads(done.stdout)
    assert (found["items"], found["sizes"], found["teams"]["T2"]) == (3, [3, 3, 3, 3], {"items": 2, "unique": 1})
    assert found["unjudged"] == {"T1-C-R1": [0, 1], "T2-C-R1": [1, 0]}
    items = (tmp_path / "pool.tsv").read_text().splitlines()
    assert sorted(items) == ["q1\tc1", "q1\tc2", "q2\tc9"]
    rows = (tmp_path / "pool.organisers.csv").read_text().splitlines()
    of_items = hashlib.sha256((tmp_path / "pool.tsv").read_bytes()).hexdigest()[:16]
    assert rows[0] == "topic,comment,run,rank,pool_sha256"
    expected = ["q1,c1,T1-C-R1,1", "q1,c2,T1-C-R1,2", "q1,c2,T2-C-R1,1", "q2,c9,T2-C-R1,1"]
    assert sorted(rows[1:]) == [f"{row},{of_items}" for row in expected]


def test_the_text_says_what_a_deeper_pool_would_add(made: Made, kaiwa: Kaiwa) -> None:
    """The question every organiser asks."""
    lines = "".join(f"q1 Q0 d{place} {place} {9 - place} R\n" for place in range(1, 5))
    made("run.txt", lines)
    done = kaiwa("pool", "run.txt", "--depth", "2", "-o", "pool.tsv")
    assert "Depth 4 instead of 2 would add 2 items (2 to 4)." in done.stdout
    assert done.stderr == "wrote pool.organisers.csv, for organisers only\nwrote pool.tsv\n"


def test_a_team_left_out_loses_what_only_it_found(made: Made, kaiwa: Kaiwa) -> None:
    """T1 alone found the relevant c1: without its contribution c1 is unjudged and T1 falls behind T2."""
    made("T1-C-R1.txt", "<SYSDESC>a</SYSDESC>\nq1 0 c1 1 2 T1-C-R1\nq2 0 c5 1 2 T1-C-R1\n")
    made("T2-C-R1.txt", "<SYSDESC>b</SYSDESC>\nq1 0 c2 1 2 T2-C-R1\nq2 0 c4 1 1 T2-C-R1\n")
    made("qrels", "q1 0 c1 2\nq1 0 c2 1\nq2 0 c4 1\nq2 0 c5 1\n")
    done = kaiwa("pool", "T1-C-R1.txt", "T2-C-R1.txt", "--depth", "1", "--qrels", "qrels", "-m", "nG@1", "--json")
    left = json.loads(done.stdout)["left_out"]
    assert left == {
        "T1": {"items_lost": 2, "tau": -1.0, "largest_fall": 1},
        "T2": {"items_lost": 2, "tau": 1.0, "largest_fall": 0},
    }


def test_a_comment_of_the_takedown_list_is_in_no_pool(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The next comment moves up into the depth."""
    made("run.txt", "q1 Q0 c1 1 9 R\nq1 Q0 c2 2 8 R\nq1 Q0 c3 3 7 R\n")
    made("takedown.txt", "c1\n")
    assert kaiwa("pool", "run.txt", "--depth", "2", "--takedown", "takedown.txt", "-o", "pool.tsv").returncode == 0
    assert sorted((tmp_path / "pool.tsv").read_text().split()) == ["c2", "c3", "q1", "q1"]
    assert "c1" not in (tmp_path / "pool.organisers.csv").read_text()


def test_no_two_pools_share_an_organisers_file_and_only_its_owner_reads_it(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Whatever the pools are called."""
    run = tmp_path / "R.txt"
    run.write_text("q1 Q0 c1 1 2.0 R\n")
    names = ["pool.tsv", "pool.2.tsv", "pool.txt", "pool", "pool.tsv.gz"]
    for name in names:
        assert kaiwa("pool", run, "-o", name).returncode == 0
    found = {path.name for path in tmp_path.iterdir()} - {"R.txt", *names}
    assert len(found) == len(names)
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in found} == {0o600}


def test_a_pool_is_written_where_it_is_asked_for(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Without -o nothing is written; -o - prints the items; a .json name has the statistics."""
    made("run.txt", "q1 Q0 c1 1 9 R\nq1 Q0 c2 2 8 R\n")
    assert kaiwa("pool", "run.txt", "--depth", "1").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["run.txt"]
    assert kaiwa("pool", "run.txt", "--depth", "1", "-o", "-").stdout == "q1\tc1\n"
    printed = kaiwa("pool", "run.txt", "--depth", "1", "--json", "-o", "pool.json").stdout
    assert (tmp_path / "pool.json").read_text() == printed
    assert kaiwa("pool", "run.txt", "--depth", "1", "-o", "pool.tsv").returncode == 0
    assert (tmp_path / "pool.tsv").read_text() == "q1\tc1\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run.txt", "-m", "nG@1"], "add --qrels FILE"),
        (["run.txt", "--assessors", "A1"], "--assessors is for a sheet to judge; add --sheet FILE"),
        (["run.txt", "--assessor", "A1"], "--assessor is for a sheet to judge; add --sheet FILE"),
        (["run.txt", "--sheet", "judge.csv"], "--sheet takes the pool of a task folder"),
        (["--sheet", "judge.csv", "--depth", "3"], "--sheet takes a task's pool as it is; leave out --depth"),
        (["--sheet", "judge.csv", "--max-items", "3"], "--sheet takes a task's pool as it is; leave out --max-items"),
    ],
)
def test_options_that_cannot_act_are_refused(made: Made, kaiwa: Kaiwa, words: list[str], message: str) -> None:
    """In one line, with what works."""
    made("run.txt", "q1 Q0 c1 1 9 R\n")
    done = kaiwa("pool", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
