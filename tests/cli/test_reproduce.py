"""``kaiwa reproduce``: every published row agrees, and a row that does not sets the exit code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("name", "rows"),
    [("topic-set-size", 60), ("tau", 18), ("standardisation-tau", 19), ("unanimity", 5), ("measures", 11)],
)
def test_every_published_row_agrees(kaiwa: Kaiwa, name: str, rows: int) -> None:
    """Paper and ours, to the printed digit."""
    done = kaiwa("reproduce", name, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["rows"], found["agreeing"]) == (0, rows, rows)


def test_the_labels_are_the_users_own(made: Made, kaiwa: Kaiwa) -> None:
    """Kappa asks for the file; other votes give another kappa, a differing row and exit code 1."""
    assert "--labels" in kaiwa("reproduce", "kappa").stderr
    made("labels.txt", "p1 c1 0 0 1\np1 c2 2 2 1\np2 c3 0 0 0\n")
    done = kaiwa("reproduce", "kappa", "--labels", "labels.txt")
    assert (done.returncode, "DIFFERS" in done.stdout) == (1, True)


def test_an_unknown_name_offers_the_nearest(kaiwa: Kaiwa) -> None:
    """One line, exit code 2."""
    done = kaiwa("reproduce", "taus")
    assert (done.returncode, done.stderr) == (2, "kaiwa: unknown reproduction 'taus'; did you mean 'tau'?\n")


def test_only_printed_numbers_are_called_printed(kaiwa: Kaiwa) -> None:
    """Reconstructed ratings and worked examples say so, in the heading and in JSON."""
    for name, origin in (("unanimity", "worked"), ("measures", "worked"), ("tau", "printed")):
        (found,) = json.loads(kaiwa("reproduce", name, "--json").stdout)["reproductions"]
        text = kaiwa("reproduce", name).stdout
        assert found["origin"] == origin
        assert f" {origin} " in text.splitlines()[0]
        assert ("agree with the paper" in text) == (origin == "printed")
