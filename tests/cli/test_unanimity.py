"""``kaiwa unanimity``: raw sums against unanimity-aware gains."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kaiwa.labelling.gains import simulated_counts

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

TOPICS = range(12)


@pytest.fixture
def task(made: Made) -> None:
    """Twelve topics of a good run A, a middling run B and a bad run C, with qrels and real votes.

    Item x is rated 1 by everyone, y by 2 and 0 in turn: the same sum, so only unanimity distinguishes them.
    """
    made(
        "qrels.txt",
        "".join(f"{topic} 0 {item} {grade}\n" for topic in TOPICS for item, grade in (("x", 1), ("y", 1), ("z", 0))),
    )
    made(
        "votes.txt",
        "".join(f"{topic}\tx\t1\t1\t1\t1\n{topic}\ty\t2\t0\t2\t0\n{topic}\tz\t0\t0\t0\t0\n" for topic in TOPICS),
    )
    for name, answer in {"A": "xyz", "B": "yxz", "C": "zyx"}.items():
        lines = [
            f"{topic} 0 {item} {rank} {9 - rank} {name}\n" for topic in TOPICS for rank, item in enumerate(answer, 1)
        ]
        made(f"{name}.txt", "".join(lines))


@pytest.mark.usefixtures("task")
def test_only_unanimity_distinguishes_items_of_one_sum(kaiwa: Kaiwa) -> None:
    """By raw sums A and B tie; with p = .5 the unanimous item has the higher gain, so A beats B on every topic."""
    words = ("--votes", "votes.txt", "-m", "nG@1", "--p", "0.5", "--json")
    found = json.loads(kaiwa("unanimity", "A.txt", "B.txt", "C.txt", *words).stdout)["measures"]["nG@1"]
    assert (found["pairs"], found["significant_raw"], found["significant_unanimity"]) == (3, 2, 3)
    assert [(pair["a"], pair["b"]) for pair in found["gained"]] == [("A", "B")]
    assert found["lost"] == []


@pytest.mark.usefixtures("task")
def test_drawn_ratings_repeat_with_their_seed(kaiwa: Kaiwa) -> None:
    """Same seed, same study."""
    words = (
        "unanimity",
        "A.txt",
        "B.txt",
        "C.txt",
        "--qrels",
        "qrels.txt",
        "-m",
        "nDCG@3",
        "--trials",
        "500",
        "--json",
    )
    first, again = (kaiwa(*words, "--seed", "4").stdout for _ in range(2))
    assert first == again
    assert -1 <= json.loads(first)["measures"]["nDCG@3"]["tau"] <= 1


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize("words", [(), ("--qrels", "qrels.txt", "--votes", "votes.txt")])
def test_ratings_come_from_one_source(kaiwa: Kaiwa, words: tuple[str, ...]) -> None:
    """Neither or both is refused."""
    done = kaiwa("unanimity", "A.txt", "B.txt", *words)
    assert (done.returncode, "give --qrels to draw them, or --votes to read them" in done.stderr) == (2, True)


def test_simulated_ratings_are_even_on_relevant_items_and_0_on_the_rest() -> None:
    """Sakai, EVIA 2017: each of 0..Dmax as likely as any other."""
    relevant = np.arange(4000) % 2 == 0
    counts = simulated_counts(relevant, assessors=5, top=3, rng=np.random.default_rng(7))
    assert (counts[~relevant, 0] == 5).all()
    assert counts[relevant].sum(axis=0) / 10_000 == pytest.approx(0.25, abs=0.015)
