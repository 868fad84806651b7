"""An index of several shards against one index: CPU time of builds and of queries, memory, copies of comments.

``python -m benchmarks.shards REPOSITORY TOPICS -o FOLDER`` builds both kinds, each in its own process and in turn, and
asks both the same topics (id TAB text), in turn. Answers are compared to the last bit before they are timed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.harness import machine
from kaiwa.formats.readers import read_topics
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import Matcher, query_of, search

if TYPE_CHECKING:
    from kaiwa.retrieval.inverted_index import InvertedIndex

MATCHERS = {
    "joint tf-idf": Matcher("tfidf", 1.0, 1.0),
    "joint BM25": Matcher("bm25", 1.0, 1.0),
    "Q2P tf-idf": Matcher("tfidf", 1.0, 0.0),
    "Q2C tf-idf": Matcher("tfidf", 0.0, 1.0),
}


def main() -> None:
    """Print the tables."""
    options = _options()
    print(machine())
    _builds(options.repository, options.output, options.shards, options.rounds)
    indexes = {shards: open_index(_target(options.output, shards)) for shards in (0, *options.shards)}
    texts = list(read_topics(options.topics).values())[: options.queries]
    for k in (10, 1000):
        _queries(indexes, texts, k)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path, nargs="?")
    parser.add_argument("topics", type=Path, nargs="?")
    parser.add_argument("-o", "--output", type=Path, default=Path("shards"))
    parser.add_argument("--shards", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    if options.topics is None:
        print(__doc__)
        sys.exit()
    return options


def _target(folder: Path, shards: int) -> Path:
    return folder / f"index-{shards}"


def _builds(repository: Path, folder: Path, shards: list[int], rounds: int) -> None:
    """Build every kind in turn; CPU seconds of the command, with system time, and the peak of its memory."""
    turns = [{kind: _built(repository, _target(folder, kind), kind) for kind in (0, *shards)} for _ in range(rounds)]
    print(
        "\n| index | CPU s | of one index | elapsed s | peak MB | copies of a comment |\n|---|---:|---:|---:|---:|---:|"
    )
    for kind in (0, *shards) if rounds else ():
        cpu, elapsed, peak = (np.median([turn[kind][at] for turn in turns]) for at in range(3))
        ratio = np.median([turn[kind][0] / turn[0][0] for turn in turns])
        facts = json.loads((_target(folder, kind) / "manifest.json").read_text(encoding="utf-8"))["facts"]
        copies = sum(facts.get("shard_comments", [facts["comments"]])) / facts["comments"]
        print(f"| {_name(kind)} | {cpu:.1f} | {ratio:.2f}x | {elapsed:.0f} | {peak:.0f} | {copies:.3f} |", flush=True)


def _built(repository: Path, target: Path, shards: int) -> tuple[float, float, float]:
    command = [sys.executable, "-m", "kaiwa", "index", str(repository), "-o", str(target), "--language", "zh"]
    start = time.perf_counter()
    done = subprocess.Popen(
        [*command, *(["--shards", str(shards)] if shards else [])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(done.pid, 0)
    if status:
        sys.exit("a build failed")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024


def _name(shards: int) -> str:
    return f"{shards} shards" if shards else "one index"


def _queries(indexes: dict[int, InvertedIndex], texts: list[str], k: int) -> None:
    """CPU milliseconds of a query by every index, the best of five turns."""
    print(f"\n| top {k}, {len(texts)} queries | index | median ms | mean ms | p99 ms | median ratio | mean ratio |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, matcher in MATCHERS.items():
        spent = np.array([_spent(indexes, text, matcher, k) for text in texts])
        for place, kind in enumerate(indexes):
            own = spent[:, place]
            ratios = f"{np.median(own) / np.median(spent[:, 0]):.2f}x | {own.mean() / spent[:, 0].mean():.2f}x"
            times = f"{np.median(own):.2f} | {own.mean():.2f} | {np.percentile(own, 99):.2f}"
            print(f"| {name} | {_name(kind)} | {times} | {ratios} |", flush=True)
    print(f"\nResident: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB.")


def _spent(indexes: dict[int, InvertedIndex], text: str, matcher: Matcher, k: int) -> list[float]:
    found = [search(query_of(index, text), matcher, k=k) for index in indexes.values()]
    for other in found[1:]:
        if not all(np.array_equal(getattr(found[0], part), getattr(other, part)) for part in vars(other)):
            sys.exit(f"other answers to {text!r}")
    turns = [[_timed(index, text, matcher, k) for index in indexes.values()] for _ in range(5)]
    return [min(times) for times in zip(*turns, strict=True)]


def _timed(index: InvertedIndex, text: str, matcher: Matcher, k: int) -> float:
    start = time.process_time()
    search(query_of(index, text), matcher, k=k)
    return 1000 * (time.process_time() - start)


if __name__ == "__main__":
    main()
