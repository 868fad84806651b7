"""The 225 labelled topics of NTCIR-12 STC as four numbers for each candidate: variances, and what can be learned.

``python -m benchmarks.ranking.letor FOLDER`` reads ``svm_train_data.dat.gz`` (SVMrank). There are no texts.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.ranking.rankings import LEARNERS, Rankings, learned
from benchmarks.ranking.result_page import (
    TRIALS,
    command,
    compared,
    differences_table,
    means_table,
    table,
    variance_table,
    write,
)
from kaiwa.formats.letor import Letor, read_letor
from kaiwa.measures.judgements import Answers, judge
from kaiwa.measures.scoring import Reading, values_of
from kaiwa.measures.table import choose
from kaiwa.ranking.study import folds_of, single_scores
from kaiwa.ranking.training_set import MEASURES, training_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.training_set import TrainingSet

PUBLISHED = {"nERR@10": 0.0643, "P+": 0.0637, "nG@1": 0.1515}
"""Sakai et al. 2015, from the six runs of the pilot study; those runs had other features and other candidates."""
_FOLDS = 5
_RANDOM_RUNS = 6
_ORDERS = 200


def main() -> None:
    """Write the page of results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    letor = read_letor(options.folder / "svm_train_data.dat.gz")
    write("letor", page(letor, options.seed))


def page(letor: Letor, seed: int) -> Iterable[str]:
    """The parts of the page."""
    known = labelled(letor, seed)
    found = rankings(known, seed)
    names = [name for name in found.values if not name.startswith("random run")]
    features = [name for name in names if name.startswith("feature")]
    test = compared(found, names, seed=seed)
    grades, counts = np.unique(letor.gains.gains, return_counts=True)
    shares = ", ".join(f"{count:,} with the gain {grade:g}" for grade, count in zip(grades, counts, strict=True))
    yield command()
    yield (
        f"{known.topics} topics with a positive label ({len(known.left_out)} without), {len(known.rows):,} candidates "
        f"({shares}), {len(known.features)} features. Seed {seed}; five folds by topic."
    )
    yield means_table(found, names, seed=seed)
    pairs = [(f"{learner}, all four", "random order") for learner in LEARNERS.values()]
    pairs += [(feature, "random order") for feature in features]
    yield f"The p of the robust all-pairs test over these rankings ({TRIALS:,} trials):"
    yield differences_table(test, pairs)
    yield (
        f"## The random order\n\nMean and standard deviation of {_ORDERS} random orders; the latter is the error of a "
        "floor that comes from one order.\n\n" + floors_table(letor, seed)
    )
    yield "## Variance and topics\n"
    yield "Over the learned rankings and the single features:"
    yield variance_table(found, [name for name in names if name != "random order"], PUBLISHED)
    yield f"Over {_RANDOM_RUNS} random orders:"
    yield variance_table(found, [name for name in found.values if name.startswith("random run")], PUBLISHED)


def labelled(letor: Letor, seed: int) -> TrainingSet:
    """The candidates as a training set; each feature is a family."""
    names = [f"feature {name}" for name in letor.features]
    return training_set(letor.gains, names, names, letor.rows, rng=np.random.default_rng(seed))


def rankings(known: TrainingSet, seed: int) -> Rankings:
    """A random order, each feature, all features by each learner, and some single random orders."""
    fold_of = folds_of(known.has_pairs, _FOLDS, np.random.default_rng(seed))
    scores = single_scores(known, fold_of, _FOLDS)
    scores |= {f"{name}, all four": learned(known, own, fold_of, seed) for own, name in LEARNERS.items()}
    rng = np.random.default_rng(seed)
    scores |= {f"random run {number}": rng.random(len(known.rows)) for number in range(_RANDOM_RUNS)}
    values = dict(zip(scores, np.moveaxis(known.measured(list(scores.values())), 1, 0), strict=True))
    return Rankings(known, fold_of, {"random order": known.measured_at_random(rng), **values})


def floors_table(letor: Letor, seed: int) -> str:
    """The mean of random orders, of all candidates and of ten, under several gains: what the floor depends on."""
    levels = np.log2(letor.gains.gains + 1)
    gains = {"0, 1, 3": letor.gains.gains, "0, 1, 2": levels, "1, 2, 3": levels + 1}
    rows = []
    for name, values in gains.items():
        known = labelled(letor._replace(gains=replace(letor.gains, gains=values, top=float(values.max()))), seed)
        for depth, what in ((10**6, "all candidates"), (10, "the first ten")):
            drawn = random_means(known, depth, np.random.default_rng(seed))
            cells = zip(drawn.mean(axis=0), drawn.std(axis=0), strict=True)
            rows.append([f"gains {name}, {what}", *(f"{mean:.3f} ± {spread:.3f}" for mean, spread in cells)])
    return table(["random order", *MEASURES], rows)


def random_means(known: TrainingSet, depth: int, rng: np.random.Generator) -> FloatArray:
    """The means of random orders, cut at a depth ("orders x measures")."""
    judged, measures = judge(known.gains), [choose(name) for name in MEASURES]
    lengths = np.minimum(np.diff(known.gains.starts), depth)
    made = np.empty((_ORDERS, len(MEASURES)))
    for row in range(_ORDERS):
        order = np.lexsort((rng.random(len(known.rows)), known.topic_of)).astype(np.int32)
        answers = Answers(order, known.gains.starts[:-1], lengths, known.topics, ())
        made[row] = values_of(answers, judged, measures, Reading())[:, 0].mean(axis=1)
    return made


if __name__ == "__main__":
    main()
