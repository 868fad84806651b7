"""``kaiwa init`` and ``kaiwa report``: a task folder, and its page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


def test_a_new_task_folder_has_settings_that_read_back(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The commented kaiwa.toml says nothing but the defaults and the title; and the robust test, for a new round."""
    from kaiwa.task.folder import TaskSettings, read_task

    assert kaiwa("init", "task").returncode == 0
    assert read_task(tmp_path / "task").settings == TaskSettings(title="task", test="robust")
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
