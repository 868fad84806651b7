"""``kaiwa convert`` gives out ids without texts, and puts the texts back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

TEXT = "post_id\tcomment_id\np1\tc1\np1\tc2\np2\tp1\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of pairs."""
    path = tmp_path / "pairs.tsv"
    path.write_text(
        "p1\ta walk today\tc1\ttake an umbrella\np1\ta walk today\tc2\twith me\np2\tx\tp1\ty\n", encoding="utf-8"
    )
    return path


def test_the_command_gives_out_ids_and_puts_texts_back(kaiwa: Kaiwa, tmp_path: Path, pairs: Path) -> None:
    """Out of a repository and back into the same one, without what is on its takedown list."""
    assert kaiwa("clean", pairs.name, "-o", "repository", "--rules", "none").returncode == 0
    assert kaiwa("convert", "repository", "--format", "pair-ids", "-o", "ids.tsv").returncode == 0
    assert (tmp_path / "ids.tsv").read_text() == TEXT
    done = kaiwa("convert", "ids.tsv", "--texts", pairs.name, "-o", "back.tsv")
    assert (done.returncode, "3 pairs with texts" in done.stdout) == (0, True)
    assert kaiwa("clean", "back.tsv", "-o", "again", "--rules", "none").returncode == 0
    digests = [
        json.loads((tmp_path / name / "manifest.json").read_text())["digest"] for name in ("repository", "again")
    ]
    assert digests[0] == digests[1]
    (tmp_path / "repository" / "takedown.txt").write_text("c1\n")
    assert kaiwa("convert", "repository", "--format", "pair-ids").stdout == TEXT.replace("p1\tc1\n", "")
    assert "umbrella" not in kaiwa("convert", "ids.tsv", "--texts", "repository").stdout


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["ids.tsv"], "give --format FORMAT or, for ids, --texts FILE; one of them"),
        (
            ["ids.tsv", "--format", "pair-ids", "--texts", "pairs.tsv"],
            "give --format FORMAT or, for ids, --texts FILE",
        ),
        (["ids.tsv", "pairs.tsv", "--texts", "pairs.tsv"], "pairs.tsv: is a second file of ids of pairs"),
        (["ids.tsv", "--texts", "pairs.tsv", "-m", "AP"], "--texts takes neither measures nor directions"),
    ],
)
def test_options_that_cannot_act_with_texts_are_refused(
    kaiwa: Kaiwa, tmp_path: Path, pairs: Path, words: list[str], fault: str
) -> None:
    """One line, exit code 2."""
    assert pairs.exists()
    (tmp_path / "ids.tsv").write_text(TEXT)
    done = kaiwa("convert", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"kaiwa: {fault}")
