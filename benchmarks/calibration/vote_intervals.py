"""How often an interval over resampled votes holds the score that endless votes would give.

python -m benchmarks.calibration.vote_intervals [--trials 200] [--topics 100] [--votes 10]
"""

from __future__ import annotations

import argparse

import numpy as np

from kaiwa.measure.choose import choose
from kaiwa.measure.judgements import Answers
from kaiwa.measure.scale import judge
from kaiwa.measure.score import Reading, values_of
from kaiwa.measure.uncertainty import vote_intervals
from kaiwa.model import Gains, Run, pack
from kaiwa.model.lists import starts_of

ITEMS, DEPTH = 40, 10
VALUES = np.array([0.0, 1.0, 3.0])
MEASURES = ("nG@1", "nERR@5", "P+", "nDCG@10", "Acc(L2)@5")
LIKELY = [1.2, 0.35, 0.2]


COMMAND = "`python -m benchmarks.calibration.vote_intervals"


def trial(rng: np.random.Generator, topics: int, votes: int) -> tuple[np.ndarray, np.ndarray]:
    """Whether each measure's interval holds the true score, and how far the score from these votes is off."""
    chances = rng.dirichlet(LIKELY, size=topics * ITEMS)
    worth = chances @ VALUES
    names = tuple(f"t{topic}" for topic in range(topics))
    comments, starts = pack(f"d{item}" for item in range(topics * ITEMS)), starts_of([ITEMS] * topics)
    guess = (worth + rng.normal(0, 0.6, len(worth))).reshape(topics, ITEMS)
    order = (np.argsort(-guess, axis=1)[:, :DEPTH] + ITEMS * np.arange(topics)[:, None]).ravel()
    run = Run(names, starts_of([DEPTH] * topics), comments[order], np.zeros(len(order)), name="run")
    counts = rng.multinomial(votes, chances)
    endless = judge(Gains(names, starts, comments, worth, 3.0), votes=np.round(chances * 1e9).astype(np.int64))
    actual = judge(Gains(names, starts, comments, counts @ VALUES / votes, 3.0), votes=counts)
    chosen, reading = [choose(name) for name in MEASURES], Reading()
    answers = Answers.of([run], actual.table, topics)
    true, seen = (np.nanmean(values_of(answers, judged, chosen, reading)[:, 0], axis=1) for judged in (endless, actual))
    found = vote_intervals(
        answers, actual, chosen, reading, worth=lambda drawn: drawn @ VALUES / votes, rng=rng, samples=100
    )
    return (found.low[:, 0] <= true) & (true <= found.high[:, 0]), seen - true


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser()
    for name, default in (("trials", 200), ("topics", 100), ("votes", 10)):
        options.add_argument(f"--{name}", type=int, default=default)
    size = options.parse_args()
    rng = np.random.default_rng(5)
    results = [trial(rng, size.topics, size.votes) for _ in range(size.trials)]
    held = np.mean([held for held, _ in results], axis=0)
    off = np.mean([off for _, off in results], axis=0)
    print("# How often 95% intervals over votes hold the score of endless votes\n")
    print(f"{COMMAND} --trials {size.trials} --topics {size.topics} --votes {size.votes}`: ")
    print(f"{size.trials} collections of {size.topics} topics x {ITEMS} items, each item's votes drawn from its own")
    print(f"chances of levels (Dirichlet {LIKELY}), {size.votes} votes an item, gains by mean of 0, 1, 3; a run ranks")
    print("by true gain and noise. 100 resamples of the votes. Bias is the mean of score less true score.\n")
    print("| measure | holds | bias of the score |\n|---|---:|---:|")
    for name, share, bias in zip(MEASURES, held, off, strict=True):
        print(f"| {name} | {share:.3f} | {bias:+.4f} |")


if __name__ == "__main__":
    main()
