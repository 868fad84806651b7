"""Recall and speed of approximate dense search against the exact one.

``python -m benchmarks.corpus.cells INDEX MODELS`` asks with posts of the index, encoded by the towers. Recall@k is the
share of the k exactly nearest comments that the search of some cells finds, averaged over the queries. Times are CPU
milliseconds for the 1,000 best of one query, on one thread.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ranking.model_folder import open_models
from kaiwa.ranking.models.dense_codes import PROBES, Coded, cells_of, coded, nearest, nearest_in_cells
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.topk import best_first

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.ranking.models.dense_codes import Cells
    from kaiwa.retrieval.topk import TopK

DEPTHS = (10, 100, 1000)
TRIED = (4, 8, 16, 32, 64, 128)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()
    models = open_models(options.models, open_index(options.index))
    corpus, towers, dense = models.corpus, models.opened("towers"), models.opened("dense")
    chosen = np.random.default_rng(7).permutation(len(corpus.posts))[: options.queries]
    queries = [coded(towers.encoded(corpus.posts.of(np.array([one])), 0)) for one in np.sort(chosen).tolist()]
    began = time.process_time()
    cells = cells_of(dense.comments, np.random.default_rng(1))
    built = time.process_time() - began
    count = len(dense.comments.codes)
    print(
        f"{count:,} comments in {len(cells.centres):,} cells, made in {built:.0f} s of CPU; {len(queries)} queries.\n"
    )
    print("| cells read | recall@10 | recall@100 | recall@1000 | ms |\n|---:|---:|---:|---:|---:|")
    exact, cost = asked(queries, lambda query: nearest(dense.comments, query, max(DEPTHS)))
    for probes in TRIED:
        found, own = asked(queries, _reader(dense.comments, cells, probes))
        shares = " | ".join(f"{recall(exact, found, depth):.3f}" for depth in DEPTHS)
        print(f"| {probes}{' (default)' if probes == PROBES else ''} | {shares} | {own:.1f} |")
    print(f"| all (exact) | 1.000 | 1.000 | 1.000 | {cost:.1f} |")


def _reader(texts: Coded, cells: Cells, probes: int) -> Callable[[Coded], TopK]:
    return lambda query: nearest_in_cells(texts, cells, query, max(DEPTHS), probes=probes)


def asked(queries: Sequence[Coded], near: Callable[[Coded], TopK]) -> tuple[list[list[int]], float]:
    """The nearest comments of each query, and the mean CPU milliseconds."""
    near(queries[0])  # compiles
    began = time.process_time()
    found = [best_first(near(query))[1].tolist() for query in queries]
    return found, (time.process_time() - began) / len(queries) * 1000


def recall(exact: list[list[int]], found: list[list[int]], depth: int) -> float:
    """The mean share of the first exact ones among the first found ones."""
    shares = [
        len(set(one[:depth]) & set(other[:depth])) / len(one[:depth])
        for one, other in zip(exact, found, strict=True)
        if one
    ]
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
