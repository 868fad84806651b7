"""The systems that stand for single runs of NTCIR-12 STC, over labelled candidates, each measured once.

``python -m benchmarks.ranking.ntcir12_systems SWBD OPEN2CH CHAT --work WORK`` reads the folders of ``swbd`` and of
``open2ch``. Only the models of these systems are trained.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.ranking import open2ch, swbd
from benchmarks.ranking.candidate_features import batches, columns_of
from benchmarks.ranking.labelled_systems import system_scores
from benchmarks.ranking.rankings import Rankings, learned
from benchmarks.ranking.result_page import command, compared, differences_table, means_table, write
from benchmarks.ranking.strict_index import prepare
from benchmarks.ranking.text_experiment import arguments
from kaiwa.ranking.features.table import FEATURES
from kaiwa.ranking.study import folds_of
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.training_set import training_set
from kaiwa.ranking.word_rules import conflicts, is_short_agreement, times_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from benchmarks.ranking.strict_index import LabelledTopics, Pair

_NEW = (
    "word-vectors", "lda-alone", "lda-mixed", "time-rule", "comment-clusters", "short-agreements", "vector-expansion",
)  # fmt: skip
_BESIDE = ("run2", "run3", "run4", "run5", "random-walk", "lda", "keyword-expansion")
_LEARNED = ("run2", "run3", "run4", "run5")
_FOLDS = 5


def measured(labelled: LabelledTopics, pairs: Iterable[Pair], work: Path, language: str, seed: int) -> Rankings:
    """A random order, the systems, and the pilot's runs with learned weights."""
    names = [name for name in (*_BESIDE, *_NEW) if name in SYSTEMS]
    models = dict.fromkeys(model for name in names for model in SYSTEMS[name].models)
    prepared = prepare(pairs, labelled, work, language=language, seed=seed, names=tuple(models))
    features = list(dict.fromkeys(feature for name in names for feature in SYSTEMS[name].features))
    columns = columns_of(batches(prepared, labelled), features)
    rows = np.stack(list(columns.values()), axis=1)
    groups = [FEATURES[name].group for name in features]
    made = training_set(labelled.gains, features, groups, rows, rng=np.random.default_rng(seed))
    left_out = set(made.left_out)
    own = [
        batch
        for topic, batch in zip(labelled.gains.topics, batches(prepared, labelled), strict=True)
        if topic not in left_out
    ]
    scores = system_scores(own, dict(zip(made.features, made.rows.T, strict=True)), names)
    fold_of = folds_of(made.has_pairs, _FOLDS, np.random.default_rng(seed))
    for name in _LEARNED:
        part = made.of_features([features.index(feature) for feature in SYSTEMS[name].features])
        scores[f"{name}, learned"] = learned(part, "linear", fold_of, seed)
    values = np.moveaxis(made.measured(list(scores.values())), 1, 0)
    random = made.measured_at_random(np.random.default_rng(seed))
    return Rankings(made, fold_of, {"random order": random, **dict(zip(scores, values, strict=True))})


def rule_counts(labelled: LabelledTopics, language: str) -> str:
    """How often the rules on words apply, and the mean gain of agreements."""
    pairs = [(labelled.texts[topic], one) for topic, own in labelled.candidates.items() for one in own]
    topics = sum(bool(times_of(text)) for text in labelled.texts.values())
    lost = sum(conflicts(times_of(text), times_of(one.text)) > 0 for text, one in pairs)
    agreed = [one.gain for _, one in pairs if is_short_agreement(one.text, language)]
    mean = sum(one.gain for _, one in pairs) / len(pairs)
    return (
        f"{topics:,} of {len(labelled.texts):,} topics name a time, and {lost:,} of {len(pairs):,} candidates another "
        f"one. {len(agreed):,} candidates are short agreements; their mean gain is {sum(agreed) / len(agreed):.2f}, "
        f"that of all is {mean:.2f}.\n"
    )


def parts(title: str, found: Rankings, seed: int) -> Iterator[str]:
    """The tables of one set."""
    yield f"## {title}\n\n{found.labelled.topics:,} topics, {len(found.labelled.rows):,} candidates.\n\n" + means_table(
        found, list(found.values), seed=seed
    )
    pairs = [*((name, "run2") for name in _NEW), *((f"{name}, learned", name) for name in _LEARNED)]
    test = compared(found, [name for name in found.values if name != "random order"], seed=seed)
    yield differences_table(test, [*pairs, ("time-rule", "random-walk"), ("lda-mixed", "lda")])


def main() -> None:
    """Write the page of results."""
    parser = arguments(__doc__, "open2ch", "chat")
    options = parser.parse_args()
    begun = time.process_time()
    folder, board, work, seed = options.folder, options.open2ch, options.work, options.seed
    sets = {
        "English turns, five assessors": (swbd.labelled_topics(folder), swbd.strict_pairs(folder), "swbd", "en"),
        "Japanese board, one true reply": (
            open2ch.labelled_topics(board), open2ch.repository_pairs(board, options.chat), "open2ch", "ja",
        ),
    }  # fmt: skip
    tables = list[str]()
    for title, (labelled, pairs, name, language) in sets.items():
        print(title, flush=True)
        tables += parts(title, measured(labelled, pairs, work / name, language, seed), seed)
        tables.append(rule_counts(labelled, language))
    about = (
        "Systems of [the runs of NTCIR-12 STC](../../docs/ntcir12.md) over labelled candidates, beside those that "
        "they change. A system orders the candidates of a topic, and no other comments. `learned`: RankSVM over the "
        f"features of the system, {_FOLDS} folds by topic. The p are of the robust all-pairs test over all rows of a "
        f"table but the random order. Seed {seed}."
    )
    write("ntcir12", [command(), about, *tables])
    print(f"{time.process_time() - begun:.0f} s of CPU")


if __name__ == "__main__":
    main()
