"""Calibration of the intervals over votes: how often an interval contains the score from another panel.

python -m benchmarks.calibration.vote_intervals > benchmarks/results/calibration/vote_intervals.md
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.progress import steps
from kaiwa.measures.judgements import Answers, judge
from kaiwa.measures.scoring import Reading, values_of
from kaiwa.measures.table import choose
from kaiwa.measures.vote_resampling import vote_intervals
from kaiwa.nouns.ids import pack, starts_of
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.nouns.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Callable

ITEMS, DEPTH, SAMPLES = 20, 10, 60
VALUES = np.array([0.0, 1.0, 3.0])
MEASURES = ("nG@1", "nERR@5", "P+", "nDCG@10", "Acc(L2)@5")
THRESHOLDS = np.array([0.6, 1.4])
NOISE = 0.7


@dataclass(frozen=True)
class Panels:
    """People in a panel, votes per item, and the standard deviation of a person's leniency."""

    people: int
    votes: int
    leniency: float

    @property
    def name(self) -> str:
        """The heading of the row."""
        who = f"{self.people} assessors" + (
            " on all items" if self.votes == self.people else f", {self.votes} per item"
        )
        return f"{who}, leniency {self.leniency:g}"


def panel_votes(quality: np.ndarray, panels: Panels, rng: np.random.Generator) -> Votes:
    """The votes of a new panel: a vote is the number of thresholds below quality + leniency + noise."""
    lenient = rng.normal(0, panels.leniency, panels.people)
    who = np.argsort(rng.random((len(quality), panels.people)), axis=1)[:, : panels.votes]
    felt = quality[:, None] + lenient[who] + rng.normal(0, NOISE, who.shape)
    return Votes(
        pack(f"t{item // ITEMS}" for item in range(len(quality))),
        pack(f"d{item}" for item in range(len(quality))),
        tuple(f"a{person}" for person in range(panels.people)),
        np.repeat(np.arange(len(quality)), panels.votes),
        who.ravel(),
        (felt[:, :, None] > THRESHOLDS).sum(axis=2).ravel(),
        top=2,
    )


def trial(rng: np.random.Generator, topics: int, panels: Panels) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per measure: whether the interval by assessor and by vote holds another panel's score, and the first's reach."""
    quality = rng.normal(0, 1, topics * ITEMS)
    names = tuple(f"t{topic}" for topic in range(topics))
    comments, starts = pack(f"d{item}" for item in range(topics * ITEMS)), starts_of([ITEMS] * topics)
    guess = (quality + rng.normal(0, 0.8, len(quality))).reshape(topics, ITEMS)
    order = (np.argsort(-guess, axis=1)[:, :DEPTH] + ITEMS * np.arange(topics)[:, None]).ravel()
    run = Run(names, starts_of([DEPTH] * topics), comments[order], np.zeros(len(order)), name="run")
    cast = [panel_votes(quality, panels, rng) for _ in range(2)]
    gain: Callable[[np.ndarray], np.ndarray] = lambda drawn: drawn @ VALUES / panels.votes  # noqa: E731
    judged = [judge(Qrels(names, starts, comments, gain(one.counts()), 3.0), votes=one.counts()) for one in cast]
    chosen, reading = [choose(name) for name in MEASURES], Reading()
    answers = Answers.of([run], judged[0].table, topics)
    other = np.nanmean(values_of(answers, judged[1], chosen, reading)[:, 0], axis=1)
    held, reach = [], []
    for votes in (cast[0], replace(cast[0], anonymous=True)):
        found = vote_intervals(
            answers, judged[0], chosen, reading, gain=gain, by_person=votes, rng=rng, samples=SAMPLES
        )
        low, high = found.low[:, 0], found.high[:, 0]
        held.append((low <= other) & (other <= high))
        reach.append((high - low) / 2)
    return held[0], held[1], np.array(reach)


CASES = [
    *(Panels(people, people, leniency) for people in (3, 5, 10) for leniency in (0.0, 0.5)),
    Panels(12, 3, 0.5),
    Panels(30, 3, 0.5),
]


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser()
    for name, default in (("trials", 100), ("topics", 20)):
        options.add_argument(f"--{name}", type=int, default=default)
    size = options.parse_args()
    rng = np.random.default_rng(5)
    print("# Coverage of the 95% intervals over votes\n")
    print("Made by `python -m benchmarks.calibration.vote_intervals`:")
    print(
        f"{size.trials} collections of {size.topics} topics x {ITEMS} items. A vote is the level of quality + leniency "
        f"+\nnoise: quality normal with standard deviation 1 per item, noise {NOISE} per vote, leniency per person.\n"
        "Gains: scheme mean, levels 0, 1, 3. The run ranks items by quality plus noise. Two panels of other people "
        f"vote;\nthe votes of the first are resampled {SAMPLES} times. A share is that of the collections in which the "
        "interval\ncontains the score from the second panel. `by assessor`: the file says who voted. `by vote`: it "
        "does not, and\nevery vote is taken as from another person. `reach` is half the width of the interval."
    )
    for panels in steps("panels", CASES):
        trials = [trial(rng, size.topics, panels) for _ in range(size.trials)]
        known, unknown, reach = (np.mean(part, axis=0) for part in zip(*trials, strict=True))
        print(f"\n## {panels.name}\n\n| measure | by assessor | reach | by vote | reach |\n|---|---:|---:|---:|---:|")
        for place, name in enumerate(MEASURES):
            shares = [
                f"{share[place]:.3f} ± {(share[place] * (1 - share[place]) / size.trials) ** 0.5:.3f}"
                for share in (known, unknown)
            ]
            print(f"| {name} | {shares[0]} | {reach[0][place]:.4f} | {shares[1]} | {reach[1][place]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
