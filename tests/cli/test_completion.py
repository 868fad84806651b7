"""Completion: what a shell gets when it asks by the protocol of its script, and that asking is cheap."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from kaiwa.cli.group import VERBS

if TYPE_CHECKING:
    from pathlib import Path

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
HEAVY = ("scipy", "numba", "matplotlib", "pyarrow")
SCORES = "measure,topic,run,score\nnERR@10,q1,T1-C-R1,0.5\nnERR@10,q1,T2-C-R1,0.5\nP+,q1,T1-C-R1,0.5\n"


def offered(folder: Path, line: str) -> list[str]:
    """What bash is offered with the cursor at the end of the line."""
    words = line.split(" ")
    done = subprocess.run(
        [sys.executable, "-m", "kaiwa.cli"],
        cwd=folder,
        env={**os.environ, "_KAIWA_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert done.stderr == ""
    return [row.partition(",")[2] for row in done.stdout.splitlines() if row]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kaiwa st", ["status", "standardise", "standardisation"]),
        ("kaiwa --q", ["--quiet"]),
        ("kaiwa index --to", ["--tokens"]),
        ("kaiwa score runs.txt -m nE", ["nERR", "nEBR"]),
        ("kaiwa gains votes.csv --scheme m", ["mean", "majority", "median"]),
        ("kaiwa clean pairs.tsv --rules w", ["weibo"]),
        ("kaiwa reply index --system bm25-", ["bm25-q2p", "bm25-q2c"]),
        ("kaiwa index repository --language ", ["zh", "ja", "en"]),
        ("kaiwa design --test t", ["two-way", "two-sample-t", "tukey"]),
        ("kaiwa design c", ["cost"]),
        ("kaiwa design decide --goal d", ["discriminative"]),
        ("kaiwa design rounds --spending p", ["pocock"]),
        ("kaiwa help des", ["design"]),
        ("kaiwa check --ignore rank-", ["rank-order", "rank-gap"]),
        ("kaiwa compare scores.csv -m ", ["nERR@10", "P+"]),
        ("kaiwa compare scores.csv --baseline T2", ["T2-C-R1"]),
        ("kaiwa compare none.csv -m ", []),
        ("kaiwa reproduce st", ["standardisation-tau"]),
    ],
)
def test_a_tab_offers(made: Callable[[str, str], Path], tmp_path: Path, line: str, expected: list[str]) -> None:
    """Verbs, options, and the names an option takes."""
    made("scores.csv", SCORES)
    assert offered(tmp_path, line) == expected


def test_a_tab_after_an_unknown_verb_is_no_error(tmp_path: Path) -> None:
    """The verbs are offered again, and nothing is printed over the prompt."""
    assert offered(tmp_path, "kaiwa nonsense ") == list(VERBS)


def test_a_tab_loads_nothing_heavy() -> None:
    """Completing in any verb imports none of the libraries that the verbs need."""
    look = (
        "import sys, click\nfrom kaiwa.cli.group import VERBS, kaiwa\n"
        "from click.shell_completion import BashComplete\n"
        "for verb in VERBS:\n"
        "    BashComplete(kaiwa, {}, 'kaiwa', '_X').get_completions([verb], '--')\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_script_completes_in_a_real_bash(tmp_path: Path) -> None:
    """What ``kaiwa completion bash`` prints makes bash complete."""
    (tmp_path / "kaiwa").write_text(f'#!/bin/sh\nexec {sys.executable} -m kaiwa.cli "$@"\n', encoding="utf-8")
    (tmp_path / "kaiwa").chmod(0o755)
    asking = "COMP_WORDS=(kaiwa sco); COMP_CWORD=1; _kaiwa_completion kaiwa; echo $COMPREPLY"
    lines = f'eval "$(kaiwa completion bash)"; {asking}'
    done = subprocess.run(
        ["/bin/bash", "--norc", "-c", lines],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("score\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(kaiwa: Kaiwa, shell: str) -> None:
    """The script names the variable it asks by; --json carries the same script."""
    script = kaiwa("completion", shell).stdout
    assert f"_KAIWA_COMPLETE={shell}_complete" in script
    assert json.loads(kaiwa("completion", shell, "--json").stdout)["script"] == script.removesuffix("\n")
