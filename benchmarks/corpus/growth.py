"""How the cost of a query grows with the number of comments: the same queries against parts of one corpus.

``python -m benchmarks.corpus.growth LINES TOPICS`` takes lines of tokens (benchmarks.corpus.lines) and topics. A part
is every n-th line of the file, so that all parts are similar. CPU time of BM25's top 10, the best of three rounds.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.corpus.engines import build_kaiwa, open_kaiwa
from benchmarks.harness import machine
from kaiwa.formats.readers import read_topics
from kaiwa.retrieval.inverted_index import InvertedIndex, index_from, open_index_files
from kaiwa.retrieval.tokenisers import tokeniser

_TURNS = 3


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--sizes", default="500000,1000000,2500000,5000000")
    parser.add_argument("--tokens", default="zh")
    options = parser.parse_args()
    with options.lines.open("rb") as source:
        total = sum(1 for _ in source)
    queries = [tokeniser(options.tokens).terms(text) for text in read_topics(options.topics).values()]
    print(f"{len(queries)} queries, top 10. {machine()}\n\n| comments | median ms | of the first | p99 ms |")
    print("|---:|---:|---:|---:|")
    first = 0.0
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory(dir=options.lines.parent) as folder:
            index = _part(options.lines, total // size, size, Path(folder))
            answer = open_kaiwa(index)
            turns = [[answer(query, 10)[0] for query in queries] for _ in range(_TURNS + 1)][1:]
            spent = np.min(turns, axis=0)
            first = first or float(np.median(spent))
            ratio = np.median(spent) / first
            tail = np.percentile(spent, 99)
            print(f"| {size:,} | {np.median(spent):.2f} | {ratio:.2f}x | {tail:.2f} |", flush=True)


def _part(lines: Path, step: int, size: int, folder: Path) -> InvertedIndex:
    """An index of every ``step``-th line, with all comments belonging to one empty post."""
    with lines.open("rb") as source, (folder / "part.txt").open("wb") as part:
        part.writelines(islice(source, 0, step * size, step))
    build_kaiwa(folder / "part.txt", folder / "index")
    files = open_index_files(folder / "index")
    arrays = dict(files.arrays)
    documents, terms = len(arrays["comments.inverse_norms"]), len(arrays["terms.starts"]) - 1
    none, numbers = np.zeros(0, dtype=np.uint32), np.arange(documents + 1, dtype=np.uint32)
    for name, count in (("posts", 1), ("comments", documents)):
        for part_name, kind in (
            ("text", np.uint8),
            ("ids", np.uint8),
            ("text_starts", np.int64),
            ("id_starts", np.int64),
        ):
            arrays[f"{name}.{part_name}"] = np.zeros(0, dtype=kind)
        arrays[f"{name}.row"] = np.arange(count, dtype=np.uint32)
    arrays |= {
        "posts.starts": np.zeros(terms + 1, dtype=np.int64), "posts.docs": none, "posts.shapes": none.astype(np.uint16),
        "posts.often": none, "posts.length": none, "posts.inverse_norms": np.zeros(1, dtype=np.float32),
        "posts.bm25_peaks": np.zeros(terms, dtype=np.float32), "posts.tfidf_peaks": np.zeros(terms, dtype=np.float32),
        "pairs.post_starts": np.array([0, documents], dtype=np.uint32), "pairs.post_comments": numbers[:-1],
        "pairs.comment_starts": numbers, "pairs.comment_posts": np.zeros(documents, dtype=np.uint32),
    }  # fmt: skip
    facts = {"posts": 1, "comments": documents, "posts_tokens": 0, "comments_tokens": files.facts["tokens"]}
    return index_from(arrays, {**facts, "tokeniser": "zh", "language": "zh"}, files.check)


if __name__ == "__main__":
    main()
