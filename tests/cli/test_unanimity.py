"""``kaiwa unanimity``: raw sums against unanimity-aware gains."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kaiwa as api
from kaiwa.labelling.gains import CONFUSABILITY, simulated_counts, unanimity_gains

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
    fields = json.loads(kaiwa("unanimity", "A.txt", "B.txt", "C.txt", *words).stdout)
    (found,) = fields["conditions"]
    assert (found["levels"], found["sizes"], found["p"]) == (2, 4, 0.5)
    assert (found["pairs"], found["significant_raw"], found["significant_unanimity"]) == (3, 2, 3)
    assert (found["gained"], found["lost"]) == (1, 0)
    (pair,) = fields["changed"]
    assert (pair["a"], pair["b"], pair["change"], pair["diff_raw"]) == ("A", "B", "gained", 0)
    assert pair["effect_size_unanimity"] is None  # every topic is the same, so the residual variance is 0
    # x has 4 + .5 * 4 * (2 - 0) = 8 of the ideal 8, y has 4 + 0.
    assert pair["diff_unanimity"] == pytest.approx(0.5)


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
    assert -1 <= json.loads(first)["conditions"][0]["tau"] <= 1


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


GRID = ("unanimity", "A.txt", "B.txt", "C.txt", "--qrels", "qrels.txt", "-m", "nDCG@3", "--trials", "200")


@pytest.mark.usefixtures("task")
def test_every_cell_of_a_grid_is_the_study_of_that_condition(kaiwa: Kaiwa) -> None:
    """Dmax x N x p in one call; the ratings do not depend on p or on the other cells."""
    grid = json.loads(kaiwa(*GRID, "--levels", "2,4", "--sizes", "5,10", "--p", "0.2,0.5", "--json").stdout)
    assert (grid["levels"], grid["sizes"], grid["p"]) == ([2, 4], [5, 10], [0.2, 0.5])
    cells = [(cell["levels"], cell["sizes"], cell["p"]) for cell in grid["conditions"]]
    assert cells == [(level, size, p) for level in (2, 4) for size in (5, 10) for p in (0.2, 0.5)]
    alone = json.loads(kaiwa(*GRID, "--levels", "4", "--sizes", "5", "--p", "0.5", "--json").stdout)
    assert alone["conditions"] == [grid["conditions"][5]]


@pytest.mark.usefixtures("task")
def test_limits_of_tau_are_shown_as_they_are_computed(made: Made, kaiwa: Kaiwa) -> None:
    """Beyond 1 in the table too, as published tables have them. Four runs of which two neighbours change place."""
    made("D.txt", "".join(f"{topic} 0 {item} {rank} {9 - rank} D\n" for topic in TOPICS for rank, item in ((1, "z"),)))
    words = ("unanimity", "A.txt", "B.txt", "C.txt", "D.txt", "--votes", "votes.txt", "-m", "nDCG@3", "--p", "0.5")
    (found,) = json.loads(kaiwa(*words, "--json").stdout)["conditions"]
    assert found["high"] > 1
    assert f"{found['high']:.4f}" in kaiwa(*words).stdout


def test_best_runs_of_teams_are_chosen_by_the_judgements() -> None:
    """T1's second run has the higher mean by the qrels, whatever ratings are drawn; other names are an error."""
    qrels = {topic: {"x": 2, "y": 1} for topic in ("1", "2", "3")}
    answers = {"T1-C-R1": "yz", "T1-C-R2": "xy", "T2-C-R1": "zy", "T3-C-R1": "zx"}
    runs = [
        api.Run.from_dict({topic: {item: 9.0 - rank for rank, item in enumerate(own)} for topic in qrels}, name=name)
        for name, own in answers.items()
    ]
    study = api.unanimity(None, runs, qrels=qrels, measures="nDCG@3", best_of_teams=True, trials=99)
    assert study.teams == {"nDCG@3": ["T1-C-R2", "T2-C-R1", "T3-C-R1"]}
    assert study.conditions[0]["pairs"] == 3
    other = api.unanimity(
        None, runs, qrels=qrels, measures="nDCG@3", best_of_teams=True, team_pattern="..-C-(R.)", trials=99
    )
    assert other.teams == {"nDCG@3": ["T1-C-R2", "T3-C-R1"]}  # of R1: .5 / 2 against 0 .63 and 0 1.26
    renamed = [*runs, api.Run.from_dict({"1": {"x": 1.0}}, name="baseline")]
    with pytest.raises(api.InputError, match="run 'baseline' is not named by team"):
        api.unanimity(None, renamed, qrels=qrels, measures="nDCG@3", best_of_teams=True)


def test_gmax_by_topic_is_each_topics_highest_gain() -> None:
    """As NTCIREVAL takes direct gains. Ratings 1 1 1 and 0 0 1 of a scale to 2: UG is 4.2 and 1.6, gmax 7.2 or 4.2.

    The chance that a reader stops at an item is its gain over gmax + 1, and nERR divides by the ideal order.
    """
    votes = api.Votes.from_rows(
        [
            (topic, item, who, level)
            for topic in "pq"
            for item, levels in (("x", (1, 1, 1)), ("z", (0, 0, 1)))
            for who, level in zip("abc", levels, strict=True)
        ],
        max_level=2,
    )
    runs = [
        api.Run.from_dict({topic: {first: 2.0, second: 1.0} for topic in "pq"}, name=first + second)
        for first, second in ("zx", "xz")
    ]
    for max_gain, gmax in ((None, 7.2), ("topic", 4.2)):
        study = api.unanimity(votes, runs, measures="nERR@10", max_gain=max_gain, trials=99)
        x, z = 4.2 / (gmax + 1), 1.6 / (gmax + 1)
        means = {one.run: one.mean for one in study.at("nERR@10").unanimity.standings}
        assert means == pytest.approx({"zx": (z + x * (1 - z) / 2) / (x + z * (1 - x) / 2), "xz": 1.0})


COUNTS = np.array(
    [
        [0, 5, 0, 0],  # unanimous
        [4, 0, 0, 1],  # one outlier
        [0, 2, 1, 2],  # 1 1 2 3 3
        [1, 1, 1, 1],  # even over the levels
        [2, 0, 0, 2],  # as far apart as possible
        [0, 1, 1, 0],  # two votes
    ]
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("range", [0, 3, 2, 3, 3, 1]),
        ("trimmed-range", [0, 0, 2, 1, 3, 1]),  # without the highest and the lowest vote, where there are three
        # Standard deviations by hand: sqrt(.16) * 3, sqrt(.8), sqrt(1.25), 1.5, .5; doubled.
        ("deviation", [0, 2.4, 2 * 0.8**0.5, 2 * 1.25**0.5, 3, 1]),
        # Entropies in bits over log2(4) = 2, times 3: .7219, 1.5219, 2, 1, 1.
        ("entropy", [0, 1.0829, 2.2829, 3, 1.5, 1.5]),
    ],
)
def test_confusability_is_0_if_votes_agree_and_at_most_dmax(name: str, expected: list[float]) -> None:
    """Sakai, EVIA 2017, D and its footnotes 1 and 2."""
    assert CONFUSABILITY[name](COUNTS, np.arange(4.0)) == pytest.approx(expected, abs=5e-5)


def test_an_outlier_costs_the_bonus_by_the_range_only() -> None:
    """Four votes of 0 and one of 3: UG(.2) is 3, and 3 + .2 * 5 * 3 = 6 without the outlier."""
    gains = [unanimity_gains(COUNTS[1:2], np.arange(4.0), 0.2, confusability=name)[0] for name in CONFUSABILITY]
    assert gains == pytest.approx([3, 6, 3 + 0.6, 3 + 3 - 1.0829], abs=5e-5)
