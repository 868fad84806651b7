"""An experiment on labelled texts: indexes, models, features, rankings, and the page with its tables."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.ranking.candidate_features import batches, computed_features, kept
from benchmarks.ranking.given_encoders import encoder_columns
from benchmarks.ranking.labelled_systems import system_scores
from benchmarks.ranking.rankings import CHEAP, LEARNERS, PILOT, ablations, rankings, with_columns
from benchmarks.ranking.result_page import (
    ENCODED,
    TRIALS,
    command,
    compared,
    differences_table,
    is_feature,
    means_table,
    variance_table,
    write,
)
from benchmarks.ranking.strict_index import prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.ranking.given_encoders import Encoder
    from benchmarks.ranking.rankings import Rankings
    from benchmarks.ranking.strict_index import LabelledTopics, Pair, Prepared


@dataclass(frozen=True)
class Experiment:
    """Labelled topics of a data set, the pairs of a repository without them, and a given encoder if there is one."""

    name: str
    about: str
    language: str
    labelled: LabelledTopics
    pairs: Iterable[Pair]
    encoder: Callable[[Prepared], Encoder] | None = None


def arguments(description: str | None, *more: str) -> argparse.ArgumentParser:
    """The arguments that every experiment takes: folders, a work folder for what is trained, a seed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("folder", *more):
        parser.add_argument(name, type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder of what is made; kept for the next time")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def run(experiment: Experiment, work: Path, seed: int) -> None:
    """Compute everything, and write the page."""
    begun = time.process_time()
    labelled = experiment.labelled
    prepared = prepare(experiment.pairs, labelled, work, language=experiment.language, seed=seed)
    made = computed_features(prepared, labelled, work / "features.npz", seed=seed)
    left_out = set(made.left_out)
    own = [batch for topic, batch in zip(labelled.gains.topics, batches(prepared, labelled), strict=True)
           if topic not in left_out]  # fmt: skip
    systems = system_scores(own, dict(zip(made.features, made.rows.T, strict=True)))
    if experiment.encoder is not None:
        encoder = experiment.encoder
        columns = kept(work / "encoder.npz", lambda: encoder_columns(encoder(prepared), own))
        made = with_columns(made, columns, "encoder")
    found = ablations(rankings(made, systems, seed=seed), seed=seed)
    counts = f"{made.topics:,} topics with a positive label ({len(left_out)} without), {len(made.rows):,} candidates"
    facts = prepared.models.corpus
    trained = f"{len(facts.bitext.source_of):,} pairs ({len(facts.posts):,} posts, {len(facts.comments):,} comments)"
    write(experiment.name, page(experiment.about, f"{counts}; models from {trained}", found, seed))
    print(f"{time.process_time() - begun:.0f} s of CPU")


def page(about: str, counts: str, found: Rankings, seed: int) -> Iterable[str]:
    """The parts of the page."""
    names = list(found.values)
    single, without = filter(is_feature, names), [name for name in names if ", without " in name]
    single = list(single)
    summed = [name for name in names if name.endswith(", summed")]
    main = [name for name in names if name not in {*single, *without, *summed}]
    best = found.best([name for name in single if not name.startswith(ENCODED)])
    yield command()
    yield f"{about} {counts}. Seed {seed}; five folds by topic, parameters chosen inside each fold."
    yield "## Rankings that are learned from labels\n\n" + means_table(found, main, seed=seed)
    test = compared(found, [*main, best], seed=seed)
    yield (
        f"## Differences\n\nThe p of the robust all-pairs test over the {len(main)} rankings above and the best "
        f"own single feature ({TRIALS:,} trials).\n\n" + differences_table(test, named_differences(found, best))
    )
    yield (
        "Differences that were asked for before the experiment, each tested alone (the same test over two rankings):"
        "\n\n" + planned_table(found, best, seed)
    )
    yield "## Systems without labels\n\n" + means_table(found, summed, seed=seed)
    yield "## Single features\n\n" + means_table(found, single, seed=seed)
    chance = compared(found, ["random order", *single], seed=seed)
    yield (
        f"Each feature beside a random order, by the robust all-pairs test over these {len(single) + 1} rankings:\n\n"
        + differences_table(chance, [(name, "random order") for name in sorted(single, key=found.mean, reverse=True)])
    )
    yield "## Own features without a family\n\n" + ablation_table(found, without, seed)
    yield "## Variance and topics\n\n" + variance_table(found, [*summed, *main[1:]])


def planned_table(found: Rankings, best: str, seed: int) -> str:
    """Run3 beside run2, and all own features beside the best of them and the cheap signals."""
    pairs = [("run3, learned", "run2, learned")]
    for learner in LEARNERS.values():
        pairs += [(f"{learner}, own features", other) for other in (best, *(f"{learner}, {one}" for one in CHEAP[:2]))]
    rows = [one for pair in pairs for one in differences_table(compared(found, pair, seed=seed), [pair]).splitlines()]
    return "\n".join(dict.fromkeys(rows)) + "\n"


def ablation_table(found: Rankings, without: list[str], seed: int) -> str:
    """Each learner without each family, beside the learner with all own features."""
    tables = []
    for learner in LEARNERS.values():
        whole, parts = f"{learner}, own features", [name for name in without if name.startswith(learner)]
        test = compared(found, [whole, *parts], seed=seed)
        tables.append(differences_table(test, [(whole, part) for part in parts]))
    return "\n".join(tables)


def named_differences(found: Rankings, best: str) -> list[tuple[str, str]]:
    """The differences that a reader asks for."""
    runs = [f"{name}, learned" for name in PILOT]
    pairs = [(runs[2], runs[0]), (runs[2], runs[1]), (runs[3], runs[2]), (runs[4], runs[2]), (runs[5], runs[3])]
    for learner in LEARNERS.values():
        own, encoded = f"{learner}, own features", f"{learner}, own features and encoder"
        others = [best, *(f"{learner}, {group}" for group in CHEAP)]
        pairs += [(own, other) for other in (*others, runs[5])]
        pairs += [(encoded, own)] if encoded in found.values else []
    return [*pairs, ("LambdaMART, own features", "RankSVM, own features")]
