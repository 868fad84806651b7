"""CPU time and memory of models, features, rankers, dense search, opening and learned replies, on one thread.

``python -m benchmarks.ranking.costs INDEX MODELS TOPICS [--part NAME ...]`` measures on an index and its models; every
part runs in a process of its own, with a warm file cache and compiled kernels. ``--trained INDEX`` names the index that
the models were trained on, if it is another one: words are numbered by their frequency in both, so the cost is the
same, but the values mean nothing. ``--tokens MODELS`` then has the model ``tokens`` of the first index.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.formats.readers import read_topics
from kaiwa.nouns.qrels import Qrels
from kaiwa.ranking.dense_source import comments_of_nearest_posts, nearest_comments
from kaiwa.ranking.features.batch import FIRST_STAGE, Batch
from kaiwa.ranking.features.table import FEATURES, feature_values
from kaiwa.ranking.model_folder import model_arrays, open_models, trained_names
from kaiwa.ranking.models.dense_codes import coded, made_dense_codes, nearest
from kaiwa.ranking.models.table import OpenModels
from kaiwa.ranking.models.towers import trained_towers
from kaiwa.ranking.models.translation import trained_translations
from kaiwa.ranking.ranker import LEARNERS, Linear, Ranker, Standard, fitted, learned_system
from kaiwa.ranking.system import ranked
from kaiwa.ranking.training_set import TrainingSet
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import query_of, search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.ranking.system import System
    from kaiwa.retrieval.inverted_index import InvertedIndex

_CANDIDATES = 1000
_CODES = 4_600_000
_TRIALS = 20


@dataclass(frozen=True)
class Where:
    """The folders that are measured."""

    index: Path
    models: Path
    topics: Path
    trained: Path
    tokens: Path

    def opened(self) -> tuple[InvertedIndex, OpenModels, tuple[str, ...]]:
        """The index, its models, and the features that they allow."""
        index, trained = open_index(self.index), open_index(self.trained)
        corpus = open_models(self.tokens, index).corpus

        def arrays_of(name: str) -> Mapping[str, Any]:  # Any: arrays
            if name == "dense" and self.trained != self.index:
                return made_dense_codes(corpus, models.opened("towers"))
            return model_arrays(self.models, name, trained)

        models = OpenModels(corpus, arrays_of)
        there = trained_names(self.models)
        return index, models, tuple(name for name, feature in FEATURES.items() if there.issuperset(feature.needs))


def main() -> None:
    """Print the table, or measure one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("index", "models", "topics"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--trained", type=Path)
    parser.add_argument("--tokens", type=Path)
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    trained, tokens = options.trained or options.index, options.tokens or options.models
    where = Where(options.index, options.models, options.topics, trained, tokens)
    if options.here:
        print(json.dumps([*PARTS[options.part[0]](where), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024]))
        return
    print("| what | CPU | peak MB |\n|---|---:|---:|")
    for part in options.part or PARTS:
        command = [sys.executable, "-m", "benchmarks.ranking.costs", *sys.argv[1:], "--part", part, "--here"]
        done = subprocess.run(_with_part(command, part), capture_output=True, text=True, check=True)
        what, seconds, peak = json.loads(done.stdout.splitlines()[-1])
        shown = f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
        print(f"| {what} | {shown} | {peak:,} |", flush=True)


def _with_part(command: list[str], part: str) -> list[str]:
    """The command with one part alone."""
    kept = [word for place, word in enumerate(command) if "--part" not in (word, command[place - 1])]
    return [*kept, "--part", part]


def _seconds(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def _median(work: Callable[[int], object]) -> float:
    """The median of several calls, after one that opens and compiles."""
    work(0)
    return float(np.median([_seconds(lambda place=place: work(place)) for place in range(_TRIALS)]))  # type: ignore[misc]  # a default binds the loop


def _translation(where: Where) -> tuple[str, float]:
    _, models, _ = where.opened()
    pairs = len(models.corpus.bitext.source_of)
    return f"translation, both directions, {pairs:,} pairs", _seconds(lambda: trained_translations(models.corpus))


def _towers(where: Where) -> tuple[str, float]:
    _, models, _ = where.opened()
    pairs = len(models.corpus.bitext.source_of)
    return f"towers, {pairs:,} pairs", _seconds(lambda: trained_towers(models.corpus, seed=1))


def _learner(name: str) -> Callable[[Where], tuple[str, float]]:
    def part(_where: Where) -> tuple[str, float]:
        labelled = _labelled(np.random.default_rng(1))
        everything = np.ones(labelled.topics, dtype=bool)
        parameters = LEARNERS[name].values
        what = f"{name}, 7,000 labelled pairs, {len(parameters)} parameters"
        return what, _seconds(lambda: fitted(labelled, name, everything, parameters, seed=1))

    return part


def _labelled(rng: np.random.Generator, topics: int = 1000, each: int = 7, features: int = 25) -> TrainingSet:
    """Random labels and features."""
    labels = rng.integers(0, 3, (topics, each)).tolist()
    gains = Qrels.from_lists(
        {f"q{row}": {f"c{at}": gain for at, gain in enumerate(own)} for row, own in enumerate(labels)}
    )
    words = tuple(map(str, range(features)))
    rows = rng.standard_normal((topics * each, features))
    return TrainingSet(gains, words, words, rows, rng.permutation(topics * each))


def _features(where: Where) -> tuple[str, float]:
    index, models, names = where.opened()
    topics = list(read_topics(where.topics).values())

    def work(place: int) -> object:
        return feature_values(batches[place], names)

    queries = [query_of(index, topics[place % len(topics)]) for place in range(_TRIALS)]
    found = [search(query, FIRST_STAGE, k=_CANDIDATES) for query in queries]
    batches = [
        Batch(query, candidates, models, searched={FIRST_STAGE: candidates})  # as in a reply
        for query, candidates in zip(queries, found, strict=True)
    ]
    work(0)
    batches = [replace(batch) for batch in batches]
    return f"{len(names)} features of {_CANDIDATES:,} candidates", _median(work)


def _dense(_where: Where) -> tuple[str, float]:
    rng = np.random.default_rng(1)
    texts = coded(np.zeros((1, 128), dtype=np.float32))._replace(
        codes=rng.integers(-127, 128, (_CODES, 128), dtype=np.int8), factors=np.full(_CODES, 1 / 127, dtype=np.float32)
    )
    queries = [coded(rng.standard_normal((1, 128)).astype(np.float32)) for _ in range(_TRIALS)]
    what = f"exact dense top {_CANDIDATES:,} of {_CODES:,}"
    return what, _median(lambda place: nearest(texts, queries[place], _CANDIDATES))


def _opening(where: Where) -> tuple[str, float]:
    return f"opening an index of {len(open_index(where.index).comments):,} comments and its models", _median(
        lambda _place: open_models(where.tokens, open_index(where.index))
    )


def _reply(*, dense: bool) -> Callable[[Where], tuple[str, float]]:
    def part(where: Where) -> tuple[str, float]:
        index, models, names = where.opened()
        system = _learned(names)
        if dense:
            system = replace(system, searches=(*system.searches, nearest_comments, comments_of_nearest_posts))
        topics = list(read_topics(where.topics).values())
        sources = "lexical and dense" if dense else "lexical"
        return f"a learned reply, {len(index.comments):,} comments, {sources} candidates", _median(
            lambda place: ranked(query_of(index, topics[place % len(topics)]), system, k=10, models=models)
        )

    return part


def _learned(names: tuple[str, ...]) -> System:
    """A ranker with equal weights: what it costs does not depend on them."""
    ones = np.ones(len(names))
    return learned_system(Ranker("linear", 1.0, names, Standard(0 * ones, ones), Linear(ones)))


PARTS: dict[str, Callable[[Where], tuple[str, float]]] = {
    "translation": _translation,
    "towers": _towers,
    "linear": _learner("linear"),
    "lambdamart": _learner("lambdamart"),
    "features": _features,
    "dense": _dense,
    "opening": _opening,
    "reply": _reply(dense=False),
    "dense-reply": _reply(dense=True),
}

if __name__ == "__main__":
    main()
