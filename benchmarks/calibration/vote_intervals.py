"""Calibration of the intervals over votes: how often an interval contains the score from another panel.

python -m benchmarks.calibration.vote_intervals [--trials 300] [--topics 100] > docs/calibration/vote_intervals.md
"""

from __future__ import annotations

import argparse

import numpy as np

from kaiwa.measure.chosen_measure import choose
from kaiwa.measure.gain_scale import judge
from kaiwa.measure.judgements import Answers
from kaiwa.measure.scoring import Reading, values_of
from kaiwa.measure.vote_resampling import vote_intervals
from kaiwa.model.gains import Gains
from kaiwa.model.ids import pack
from kaiwa.model.run import Run
from kaiwa.model.topic_lists import starts_of

ITEMS, DEPTH = 40, 10
VALUES = np.array([0.0, 1.0, 3.0])
MEASURES = ("nG@1", "nERR@5", "P+", "nDCG@10", "Acc(L2)@5")
LIKELY = [1.2, 0.35, 0.2]
PANELS = (3, 10)


def trial(rng: np.random.Generator, topics: int, votes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per measure: whether the interval contains another panel's score, its half width, and score minus true score."""
    chances = rng.dirichlet(LIKELY, size=topics * ITEMS)
    gains = chances @ VALUES
    names = tuple(f"t{topic}" for topic in range(topics))
    comments, starts = pack(f"d{item}" for item in range(topics * ITEMS)), starts_of([ITEMS] * topics)
    guess = (gains + rng.normal(0, 0.6, len(gains))).reshape(topics, ITEMS)
    order = (np.argsort(-guess, axis=1)[:, :DEPTH] + ITEMS * np.arange(topics)[:, None]).ravel()
    run = Run(names, starts_of([DEPTH] * topics), comments[order], np.zeros(len(order)), name="run")
    panels = [rng.multinomial(votes, chances) for _ in range(2)]
    judged = [judge(Gains(names, starts, comments, cast @ VALUES / votes, 3.0), votes=cast) for cast in panels]
    unlimited = judge(Gains(names, starts, comments, gains, 3.0), votes=np.round(chances * 1e9).astype(np.int64))
    chosen, reading = [choose(name) for name in MEASURES], Reading()
    answers = Answers.of([run], unlimited.table, topics)
    seen, other, true = (
        np.nanmean(values_of(answers, one, chosen, reading)[:, 0], axis=1) for one in (*judged, unlimited)
    )
    found = vote_intervals(
        answers, judged[0], chosen, reading, gain=lambda drawn: drawn @ VALUES / votes, rng=rng, samples=100
    )
    low, high = found.low[:, 0], found.high[:, 0]
    return (low <= other) & (other <= high), (high - low) / 2, seen - true


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser()
    for name, default in (("trials", 300), ("topics", 100)):
        options.add_argument(f"--{name}", type=int, default=default)
    size = options.parse_args()
    rng = np.random.default_rng(5)
    print("# Coverage of the 95% intervals over votes\n")
    print(f"Made by `python -m benchmarks.calibration.vote_intervals --trials {size.trials} --topics {size.topics}`:")
    print(
        f"{size.trials} collections of {size.topics} topics x {ITEMS} items. "
        f"Each item has its own probabilities of levels (Dirichlet {LIKELY}), from\n"
        "which its votes are drawn. Gains: scheme mean, levels 0, 1, 3. The run ranks items by true gain plus noise. "
        "Two panels\nvote; the votes of the first are resampled 100 times. "
        "`holds` is the share of collections in which the interval contains\nthe score from the second panel. "
        "`bias` is the mean of (score - score with an unlimited number of votes), which the\nintervals do not cover."
    )
    for votes in PANELS:
        trials = [trial(rng, size.topics, votes) for _ in range(size.trials)]
        held, width, off = (np.mean(part, axis=0) for part in zip(*trials, strict=True))
        print(f"\n## {votes} votes per item\n\n| measure | holds | half width | bias |\n|---|---:|---:|---:|")
        for name, share, half, bias in zip(MEASURES, held, width, off, strict=True):
            error = (share * (1 - share) / size.trials) ** 0.5
            print(f"| {name} | {share:.3f} ± {error:.3f} | {half:.4f} | {bias:+.4f} |")


if __name__ == "__main__":
    main()
