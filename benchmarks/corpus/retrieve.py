"""Searching an index of comments: ours against tantivy, bm25s (numba) and Lucene, on the same tokens.

``python -m benchmarks.corpus.retrieve INDEX TOPICS --lines LINES`` takes an index (kaiwa index), topics to ask with,
and the tokens of its comments (benchmarks.corpus.lines), from which the other engines build their indexes, kept in
``--work``. Query times are CPU time, engines in turn, after a warm-up round that compares scores.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.corpus.engines import BUILDERS, OPENERS, Engine, open_kaiwa
from benchmarks.harness import machine
from kaiwa.formats.readers import read_topics
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import Matcher, query_from, search
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from kaiwa.retrieval.inverted_index import InvertedIndex

STOP_WORDS = 50
_SAMPLE = 100_000
Variants = list[tuple[str, list[list[str]]]]


def main() -> None:
    """Print the tables."""
    options = _options()
    start = time.process_time()
    index = open_index(options.index)
    opened = time.process_time() - start
    asked = _asked(index, options.topics, options.queries)
    variants = _variants(asked, _stop_words(options.lines))
    print(f"{len(index.comments):,} comments, {len(index.links.comment_posts):,} pairs. {machine()}")
    _joint(index, variants)
    print(f"\nOpened in {opened:.3f} s of CPU; resident after these queries {_resident():.0f} MB.")
    if options.engines:
        engines = {"kaiwa": open_kaiwa(index)}
        for name in options.engines.split(","):
            folder = options.work / name
            if not folder.exists():
                BUILDERS[name](options.lines, folder)
            engines[name] = OPENERS[name](folder)
        _searches(engines, variants)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--lines", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("engines"))
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--engines", default="tantivy,bm25s", help="other engines; empty for none")
    return parser.parse_args()


def _asked(index: InvertedIndex, topics: Path, queries: int) -> list[list[str]]:
    terms_of = tokeniser(index.tokeniser).terms
    return [terms_of(text) for text in read_topics(topics).values()][:queries]


def _stop_words(lines: Path) -> set[str]:
    """The most frequent terms of the first comments."""
    with lines.open(encoding="utf-8") as source:
        often = Counter(term for line in islice(source, _SAMPLE) for term in line.split())
    return {term for term, _ in often.most_common(STOP_WORDS)}


def _variants(asked: list[list[str]], stop_words: set[str]) -> Variants:
    without = [[term for term in query if term not in stop_words] for query in asked]
    return [("all words", asked), ("stop words dropped", [query for query in without if query])]


def _joint(index: InvertedIndex, variants: Variants) -> None:
    print("\n| ours, top 10 | median ms | p99 ms |\n|---|---:|---:|")
    for label, queries in variants:
        for matcher in (Matcher("bm25", 1, 1), Matcher("tfidf", 1, 1), Matcher("tfidf", 1, 0), Matcher("tfidf", 0, 1)):
            spent = [_spent(index, terms, matcher) for _ in range(2) for terms in queries][len(queries) :]
            name = f"{matcher.similarity}, {matcher.q2p:g} Q2P + {matcher.q2c:g} Q2C, {label}"
            print(f"| {name} | {np.median(spent):.2f} | {np.percentile(spent, 99):.2f} |", flush=True)


def _spent(index: InvertedIndex, terms: list[str], matcher: Matcher) -> float:
    start = time.process_time()
    search(query_from(index, terms), matcher, k=10)
    return 1000 * (time.process_time() - start)


def _searches(engines: dict[str, Engine], variants: Variants) -> None:
    for k in (10, 1000):
        for label, queries in variants:
            times = _interleaved(engines, queries, k)
            print(f"\n| top {k}, {label}, {len(queries)} queries | median ms | of ours | p99 ms | mean ms |")
            print("|---|---:|---:|---:|---:|")
            for name, spent in times.items():
                ratio = np.median(spent) / np.median(times["kaiwa"])
                tail = f"{np.percentile(spent, 99):.2f} | {np.mean(spent):.2f}"
                print(f"| {name} | {np.median(spent):.2f} | {ratio:.2f}x | {tail} |", flush=True)


def _interleaved(engines: dict[str, Engine], queries: list[list[str]], k: int) -> dict[str, list[float]]:
    """CPU milliseconds of every query by every engine, the best of three rounds; scores are compared.

    The best of three excludes the effects of other processes on the processor's cache.
    """
    for query in queries:
        best = {name: engine(query, k)[1] for name, engine in engines.items()}
        if max(best.values()) - min(best.values()) > 0.02 * max(best.values()):
            print(f"scores differ for {query}: {best}")
    times: dict[str, list[float]] = {name: [] for name in engines}
    for query in queries:
        turns = [[engine(query, k)[0] for engine in engines.values()] for _ in range(3)]
        for name, spent in zip(engines, zip(*turns, strict=True), strict=True):
            times[name].append(min(spent))
    return times


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
