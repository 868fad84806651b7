"""``kaiwa demo``, ``kaiwa init`` and ``kaiwa report``: a whole round in a folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


def test_the_demo_runs_a_round_and_every_printed_command_works_when_typed(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The commands shown are then run one by one in the demo's folder, by a shell."""
    done = kaiwa("demo", "round")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert (tmp_path / "round" / "report.html").stat().st_size < 3_000_000
    commands = re.findall(r"^\$ (.+)$", done.stdout, flags=re.MULTILINE)
    assert len(commands) > 8
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "kaiwa").write_text(f'#!/bin/sh\nexec {sys.executable} -m kaiwa.cli "$@"\n')
    (tmp_path / "bin" / "kaiwa").chmod(0o755)
    script = "\n".join(f"{command} >/dev/null 2>&1 || [ $? = 1 ] || exit 9" for command in commands)
    typed = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=tmp_path / "round",
        env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"},
        check=False,
    )
    assert typed.returncode == 0


def test_the_demo_says_that_it_is_simulated_and_repeats_with_its_seed(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The page says so in large letters; the same seed gives the same bytes, another seed others."""
    pages = []
    for folder, seed in (("one", "1"), ("two", "1"), ("three", "2")):
        assert kaiwa("demo", folder, "--seed", seed).returncode == 0
        pages.append((tmp_path / folder / "report.html").read_text())
    assert pages[0] == pages[1] != pages[2]
    assert "SIMULATED" in re.findall(r"<p class=banner[^>]*>([^<]*)", pages[0])[0]


def test_the_demo_never_writes_over_a_folder_that_is_not_its_own(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """A folder with anything else in it is refused; an earlier demo is replaced."""
    made("mine.txt", "keep me")
    done = kaiwa("demo", ".")
    assert (done.returncode, (tmp_path / "mine.txt").read_text()) == (2, "keep me")
    assert kaiwa("demo", "again", "--json").returncode == 0
    assert json.loads(kaiwa("demo", "again", "--json").stdout) == {"folder": "again", "report": "again/report.html"}


def test_a_new_task_folder_has_settings_that_read_back(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The commented kaiwa.toml says nothing but the defaults."""
    from kaiwa.files.task import TaskSettings, read_task

    assert kaiwa("init", "task").returncode == 0
    assert read_task(tmp_path / "task").settings == TaskSettings()
    assert kaiwa("init", "task").returncode == 2


def test_a_report_without_scores_says_what_to_do(kaiwa: Kaiwa) -> None:
    """The next command is in the message."""
    kaiwa("init", "task")
    done = kaiwa("report", "task")
    assert (done.returncode, done.stderr) == (
        2,
        "kaiwa: task/scores.csv: no scores yet; make them with: kaiwa score runs/*.txt -o scores.csv\n",
    )
    assert "kaiwa init" in kaiwa("report", "absent").stderr


def test_a_report_needs_nothing_but_scores(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Scores of any origin make a page; names from the file cannot become markup."""
    (tmp_path / "task").mkdir()
    made("task/kaiwa.toml", '[task]\ntitle = "Other scores"\n')
    rows = [
        f"accuracy,p{topic},{run},{(topic * step) % 7 / 7}"
        for topic in range(12)
        for run, step in (("<script>alert(1)</script>", 3), ("B & C", 2), ("モデル", 5))
    ]
    made("task/scores.csv", "measure,topic,run,score\n" + "\n".join(rows) + "\n")
    done = kaiwa("report", "task", "--json")
    page = (tmp_path / "task" / "report.html").read_text()
    assert json.loads(done.stdout)["report"] == "task/report.html"
    assert "<script" not in page
    assert "モデル" in page
