"""kaiwa clean as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def kaiwa(*words: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    line = [sys.executable, "-m", "kaiwa.cli", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, input=stdin, check=False, encoding="utf-8")


def test_clean_prints_one_json_object(tmp_path: Path) -> None:
    """With --json, counts of what each rule removed, with examples."""
    (tmp_path / "p.tsv").write_text("p1\t甲\tc1\t一起去爬山吧\np1\t甲\tc2\t哇\n", encoding="utf-8")
    done = kaiwa("clean", tmp_path / "p.tsv", "-o", tmp_path / "repo", "--rules", "weibo", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["pairs"], told["removed"], told["examples"]) == (
        0,
        1,
        {"trivial": 1},
        {"trivial": ["哇"]},
    )


def test_rules_are_listed(tmp_path: Path) -> None:
    """--rules list needs no file."""
    done = kaiwa("clean", "--rules", "list")
    assert done.returncode == 0
    assert "weibo: Shang et al. 2016" in done.stdout
    assert not list(tmp_path.iterdir())


def test_an_unknown_rule_set_is_one_line_with_a_hint(tmp_path: Path) -> None:
    """Exit 2 and "did you mean"."""
    done = kaiwa("clean", tmp_path / "none.tsv", "-o", tmp_path / "r", "--rules", "weibbo")
    assert done.returncode == 2
    assert done.stderr == "kaiwa: unknown rule set 'weibbo'; did you mean 'weibo'?\n"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    """Exit 2, the place and the repair, nothing written."""
    done = kaiwa("clean", tmp_path / "none.tsv", "-o", tmp_path / "r")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no such file" in done.stderr
    assert not list(tmp_path.iterdir())
