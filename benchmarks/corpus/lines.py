"""The tokens of an index's comments as lines, the input of every engine of a benchmark.

``python -m benchmarks.corpus.lines INDEX -o tokens.txt`` writes one comment per line, spaces between tokens, in the
order of the comments' ids; within a line in the order of terms, which BM25 ignores.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.files.atomic import atomic_file
from kaiwa.retrieval.inverted_index import open_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.retrieval.inverted_index import InvertedIndex

_BATCH = 100_000


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--comments", type=int, default=0, help="number of comments, sampled evenly (default: all)")
    options = parser.parse_args()
    index = open_index(options.index)
    step = max(len(index.comments) // options.comments, 1) if options.comments else 1
    with atomic_file(options.output) as temporary, temporary.open("w", encoding="utf-8") as out:
        for number, line in enumerate(token_lines(index)):
            if number % step == 0 and (not options.comments or number // step < options.comments):
                out.write(line + "\n")


def token_lines(index: InvertedIndex) -> Iterator[str]:
    """Each comment's tokens, spaces between them."""
    postings = index.shards[0].comments.postings
    frequency = postings.frequency[postings.shapes]
    docs = np.repeat(postings.docs, frequency)
    terms = np.repeat(np.repeat(np.arange(len(index.terms), dtype=np.uint32), np.diff(postings.starts)), frequency)
    terms = terms[np.argsort(docs, kind="stable")]
    ends = np.cumsum(np.bincount(docs, minlength=postings.documents))
    words = np.array([index.terms.text_of(number) for number in range(len(index.terms))], dtype=object)
    low = 0
    for first in range(0, len(ends), _BATCH):
        batch = ends[first : first + _BATCH].tolist()
        flat = words[terms[low : batch[-1]]].tolist()
        for end in batch:
            yield " ".join(flat[low - batch[-1] + len(flat) : end - batch[-1] + len(flat)])
            low = end


if __name__ == "__main__":
    main()
