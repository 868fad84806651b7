"""``kaiwa demo``: a whole round on a real repository, with simulated assessors that are called so."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kaiwa as package

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Demo

    Made = Callable[[str, str | bytes], Path]
    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


def _files(folder: Path) -> dict[str, bytes]:
    """The text files of the round, and what they hold."""
    found = [path for path in folder.rglob("*") if path.suffix in {".csv", ".html", ".toml", ".tsv", ".txt"}]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def _typed(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", words], cwd=folder, capture_output=True, text=True, check=False)


def test_every_printed_command_works_when_typed_and_changes_nothing(demo: Demo, command: Kaiwa) -> None:
    """A shell reads the commands in the demo's folder, and they run; the round then holds the same bytes."""
    commands = re.findall(r"^\$ (.+)$", demo.output, flags=re.MULTILINE)
    verbs = {line.split()[1] for line in commands if line.startswith("kaiwa")}
    assert verbs >= {"clean", "topics", "index", "retrieve", "check", "pool", "agree", "gains", "score", "compare"}
    assert verbs >= {"tau", "standardise", "variance", "design", "report", "status", "models", "train"}
    before, told = _files(demo.folder), list[str]()
    for line in commands:
        read = _typed(f"kaiwa() {{ printf '%s\\0' kaiwa \"$@\"; }}\n{line}", demo.folder)
        assert read.returncode == 0, line
        if line.startswith("kaiwa"):
            ended = command(*read.stdout.split("\0")[1:-1], folder=demo.folder)
            assert ended.returncode == 0, (line, ended.stderr)
            told += [one for one in ended.stderr.splitlines() if one.startswith("kaiwa:")]
    assert [line for line in told if not re.search("RankSVM|[Tt]opics? .*(significant|features)", line)] == []
    assert "The round is complete." in demo.output
    after = _files(demo.folder)
    assert [name for name in before if before[name] != after[name]] == []


def test_the_inserted_errors_are_found_and_fixed(demo: Demo, kaiwa: Kaiwa) -> None:
    """The fixed run equals the run before the errors were inserted."""
    assert {"duplicate-comment", "run-name", "carriage-returns"} <= set(
        re.findall(r"\[([a-z-]+)\]$", demo.output, re.MULTILINE)
    )
    assert "12 files: no problem" in demo.output
    kaiwa("retrieve", "round/index", "round/topics.tsv", "-o", "BM25-E-R2.txt", "--system", "bm25-q2c")
    whole = (demo.folder.parent / "BM25-E-R2.txt").read_text()
    assert (demo.folder / "fixed" / "BM25-E-R2.txt").read_text() == whole


def test_no_topic_is_of_a_conversation_in_the_repository(demo: Demo) -> None:
    """Conversations are held out, so no system has seen the next messages; the ranker learned from yet others."""
    asked, learned = (
        {line.split("-")[0] for line in (demo.folder / name).read_text().splitlines()}
        for name in ("topics.tsv", "training/topics.tsv")
    )
    pairs = (demo.folder / "pairs.tsv").read_text().splitlines()[1:]
    assert len(asked) > 50
    assert len(learned) > 30
    assert len(pairs) >= 2000
    assert asked.isdisjoint(learned)
    assert (asked | learned).isdisjoint({line.split("-")[0] for line in pairs})


def test_the_pilot_runs_and_a_learned_system_answer(demo: Demo) -> None:
    """Run3 to run5 of the pilot study, and a ranker trained on the labels of the training folder; all are scored."""
    described = {path.stem: path.read_text().splitlines()[0] for path in (demo.folder / "runs").glob("*.txt")}
    assert "TransLM" in described["Pilot-E-R3"]
    assert "TopicWord" in described["Pilot-E-R4"]
    assert "TransLM + TopicWord" in described["Pilot-E-R5"]
    assert "RankSVM over 27 features" in described["Learned-E-R1"]
    scores = (demo.folder / "scores.csv").read_text()
    assert all(run in scores for run in described)


def test_simulated_assessors_are_called_so_wherever_they_appear(demo: Demo) -> None:
    """On the terminal, on the page, in the settings, beside the votes, and in every vote."""
    assert demo.output.count("S I M U L A T E D   A S S E S S O R S") == 3
    page = (demo.folder / "report.html").read_text()
    banners = re.findall(r"<p class=\"?banner[^>]*>([^<]*)", page)
    assert len(banners) == 4  # above the page, and where votes are shown or counted
    assert all("SIMULATED ASSESSORS" in banner for banner in banners)
    for folder in (demo.folder, demo.folder / "training"):
        assert "SIMULATED ASSESSORS" in (folder / "SIMULATED-ASSESSORS.txt").read_text()
        assert "SIMULATED ASSESSORS" in (folder / "kaiwa.toml").read_text()
        votes = (folder / "votes.csv").read_text().splitlines()[1:]
        assert all(",SIMULATED-" in vote for vote in votes)


def test_origin_and_licence_of_the_conversations_are_kept(demo: Demo) -> None:
    """The corpus is named on the terminal and its licence is in the folder."""
    assert "chitchat-dataset" in demo.output
    assert "MIT License" in (demo.folder / "ORIGIN.txt").read_text()


def test_the_last_lines_can_be_typed(demo: Demo) -> None:
    """They name what to open and what to type next."""
    last = demo.output.rstrip().splitlines()[-2:]
    for line in last:
        command = line.replace("kaiwa", f"{sys.executable} -m kaiwa.cli", 1)
        typed = subprocess.run(["/bin/sh", "-c", command], cwd=demo.folder.parent, capture_output=True, check=False)
        assert (typed.returncode, typed.stderr) == (0, b"")


FOLDER = "my 'chat' d\\emo"
ENDING = f"from kaiwa import Demo; from pathlib import Path; print(Demo(Path({FOLDER!r}), (), is_judged=True))"


def _made_program(folder: Path, text: str) -> Path:
    """A program ``kaiwa`` in a folder whose path has a blank."""
    (folder / "my programs").mkdir()
    program = folder / "my programs" / "kaiwa"
    program.write_text(f"#!{sys.executable}\n{text}\n")
    program.chmod(0o755)
    return program


def _in_shell(shell: str, lines: str, home: Path, path: str = "/usr/bin:/bin") -> subprocess.CompletedProcess[str]:
    where = {"PATH": path, "HOME": str(home)}
    return subprocess.run([shell, "-c", lines], cwd=home, env=where, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("shell", [shell for shell in ("sh", "bash", "zsh", "fish") if shutil.which(shell)])
def test_the_last_lines_work_in_every_shell(finished_demo: Demo, tmp_path: Path, shell: str) -> None:
    """Copied as they are, without kaiwa on the PATH; paths with blanks, quotes and backslashes."""
    (tmp_path / FOLDER).symlink_to(finished_demo.folder)
    program = _made_program(tmp_path, ENDING)
    lines = _in_shell(shell, "./my*/kaiwa", tmp_path).stdout.partition("Then try:\n")[2]
    assert len(lines.splitlines()) == 3
    program.write_text(program.read_text().replace(ENDING, "from kaiwa.cli.group import main; main()"))
    typed = _in_shell(shell, lines, tmp_path)
    assert (typed.returncode, typed.stderr) == (0, "")
    assert "The round is complete." in typed.stdout
    assert "\n 3  " in typed.stdout


def test_the_path_is_left_alone_when_kaiwa_is_on_it(tmp_path: Path) -> None:
    """Only the commands are to be typed."""
    program = _made_program(tmp_path, ENDING)
    shown = _in_shell("sh", "kaiwa", tmp_path, f"{program.parent}:/usr/bin:/bin").stdout
    assert [line.split()[:2] for line in shown.splitlines()[-2:]] == [["kaiwa", "status"], ["kaiwa", "reply"]]
    assert "export" not in shown


def test_a_demo_repeats_with_its_seed_and_replaces_an_earlier_one(demo: Demo, kaiwa: Kaiwa) -> None:
    """The second demo in a folder, with the same seed, gives the same page; a file of the user stays."""
    page = (demo.folder / "report.html").read_text()
    (demo.folder / "report.html").unlink()
    (demo.folder / "mine.txt").write_text("keep me")
    done = kaiwa("demo", "round", "--size", "2000", "--json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert tuple(told.pop("commands")) == tuple(re.findall(r"^\$ (.+)$", demo.output, flags=re.MULTILINE))
    assert told == {"folder": "round", "report": "round/report.html", "pool": "round/pool.tsv"}
    assert (demo.folder / "report.html").read_text() == page
    assert (demo.folder / "mine.txt").read_text() == "keep me"


def test_a_demo_to_judge_has_a_pool_and_no_votes_and_is_never_replaced(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Nothing in it is simulated; people's votes may be in the folder, so a second demo is refused."""
    done = kaiwa("demo", "judge", "--judge", "--size", "2000", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert (told["folder"], told["report"], told["pool"]) == ("judge", None, "judge/pool.tsv")
    texts = _files(tmp_path / "judge")
    assert "votes.csv" not in texts
    assert not any(b"SIMULATED ASSESSORS:" in text for text in texts.values())
    assert "items to judge, 1 vote each" in kaiwa("status", "judge").stdout
    again = kaiwa("demo", "judge", "--judge")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert _files(tmp_path / "judge") == texts


def test_a_file_of_the_user_among_those_of_a_demo_is_named(demo: Demo, kaiwa: Kaiwa) -> None:
    """Nothing is removed."""
    (demo.folder / "runs" / "mine.txt").write_text("keep me")
    before = _files(demo.folder)
    done = kaiwa("demo", "round", "--size", "2000")
    assert (done.returncode, done.stderr) == (
        2,
        "kaiwa: round/runs/mine.txt: is not a file of the demo; move it, or choose another folder\n",
    )
    assert _files(demo.folder) == before


def test_the_demo_never_writes_over_a_folder_that_is_not_its_own(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """A folder with anything else in it is refused."""
    made("mine.txt", "keep me")
    done = kaiwa("demo", ".")
    assert (done.returncode, (tmp_path / "mine.txt").read_text()) == (2, "keep me")


def test_without_the_conversations_one_line_says_how_to_get_them(tmp_path: Path) -> None:
    """A Python whose packages are all there but the corpus; nothing is written."""
    site = tmp_path / "site"
    site.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(("chitchat", "__pycache__")):
            (site / entry.name).symlink_to(entry)
    found = os.pathsep.join([str(Path(package.__file__).parents[1]), str(site)])
    done = subprocess.run(
        [sys.executable, "-S", "-m", "kaiwa.cli", "demo", str(tmp_path / "round")],
        env={"PYTHONPATH": found},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.endswith("type: pip install 'kaiwa[demo]'\n")
    assert not (tmp_path / "round").exists()
