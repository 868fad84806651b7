"""Building and searching an index of comments: ours against bm25s (numba) and tantivy, on the same tokens.

``python -m benchmarks.corpus.retrieve INDEX TOPICS`` takes an index (kaiwa index) and topics to ask with. The
engines build from the tokens in the index, one thread, BM25 with k1 = 1.2 and b = 0.75. Query times are CPU
time of the process, turn by turn between the engines, after a round that warms up and compares scores.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.harness import machine
from kaiwa.files.topics import read_topics
from kaiwa.flow.index import open_index
from kaiwa.retrieve import bm25, tfidf
from kaiwa.retrieve.invert import inverted, norms_of, peaks_of
from kaiwa.retrieve.search import Matcher, Query, search
from kaiwa.retrieve.tokens import tokeniser
from kaiwa.retrieve.vocabulary import Vocabulary, sorted_terms

if TYPE_CHECKING:
    from kaiwa.retrieve.index import Index

Engine = Callable[[list[str], int], list[tuple[int, float]]]
STOP_WORDS = 50


def main() -> None:
    """Print the tables."""
    options = _options()
    index = open_index(options.index)
    documents = _documents(index)
    cut = tokeniser(index.tokeniser).terms
    print(f"{len(documents):,} comments, {sum(map(len, documents)):,} tokens. {machine()}\n")
    print("| build from tokens | CPU s | of ours |\n|---|---:|---:|")
    _kaiwa(documents[:10])  # compiles, where nothing is cached yet
    engines, ours = {}, 0.0
    for name, build in (("kaiwa", _kaiwa), ("bm25s", _bm25s), ("tantivy", _tantivy)):
        if name not in options.engines:
            continue
        start = time.process_time()
        engines[name] = build(documents)
        spent = time.process_time() - start
        ours = ours or spent
        print(f"| {name} | {spent:.1f} | {spent / ours:.1f}x |", flush=True)
    often = Counter(term for document in documents[:: max(len(documents) // 100_000, 1)] for term in document)
    stop_words = {term for term, _ in often.most_common(STOP_WORDS)}
    asked = [cut(text) for text in read_topics(options.topics).values()][: options.queries]
    del documents
    engines["kaiwa"] = _opened(index)
    _searches(engines, asked, stop_words)
    if options.joint:
        _joint(index, asked, stop_words)
    print(f"\nResident after all of this, every engine together: {_resident():.0f} MB.")


def _documents(index: Index) -> list[list[str]]:
    """The comments' tokens, by document, sorted within it: the order of words is nothing to BM25."""
    postings = index.comments.postings
    often = postings.often[postings.shapes]
    terms = np.repeat(np.repeat(np.arange(len(index.terms)), np.diff(postings.starts)), often)
    docs = np.repeat(postings.docs, often)
    order = np.argsort(docs, kind="stable")
    words = np.array([index.terms.text_of(number) for number in range(len(index.terms))], dtype=object)
    flat = words[terms[order]].tolist()
    ends = np.cumsum(np.bincount(docs, minlength=postings.documents)).tolist()
    return [flat[low:high] for low, high in zip([0, *ends[:-1]], ends, strict=True)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--joint", action="store_true", help="time Q2P + Q2C over all pairs too")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--engines", default="kaiwa,bm25s,tantivy")
    return parser.parse_args()


def _kaiwa(documents: list[list[str]]) -> Engine:
    """All that our builder does after tokenising, in memory."""
    vocabulary = Vocabulary(tokeniser("zh"))
    flat = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(documents)), dtype=np.int32)
    starts = np.concatenate(([0], np.cumsum([len(document) for document in documents]))).astype(np.int64)
    _, _, renumbered = sorted_terms(vocabulary.terms())
    tokens = renumbered.astype(np.int32)[flat]
    order = np.arange(len(documents))
    postings = inverted(
        tokens, starts, order, len(renumbered), new_array=lambda _name, kind, size: np.zeros(size, dtype=kind)
    )
    idf = tfidf.inverse_document_frequency(np.diff(postings.starts).astype(np.float64), len(documents))
    norms = norms_of(tokens, starts, order, idf**2)
    arrays = (postings.starts, postings.docs, postings.shapes)
    peaks_of(*arrays, bm25.by_shape(postings), np.zeros(0, dtype=np.float32))
    peaks_of(*arrays, tfidf.by_shape(postings), norms)
    return lambda _terms, _k: []


def _opened(index: Index) -> Engine:
    def answer(terms: list[str], k: int) -> list[tuple[int, float]]:
        hits = search(index, _query(index, terms), Matcher("bm25", 0.0, 1.0), k=k)
        return list(zip(hits.comments.tolist(), hits.scores.tolist(), strict=True))

    return answer


def _query(index: Index, terms: list[str]) -> Query:
    counts = Counter(terms)
    known = sorted((number, term) for term in counts if (number := index.terms.find(term)) >= 0)
    return Query(
        np.array([number for number, _ in known], dtype=np.int64),
        np.array([counts[term] for _, term in known], dtype=np.float64),
        tuple(term for _, term in known),
    )


def _bm25s(documents: list[list[str]]) -> Engine:
    import bm25s

    # its "lucene" form leaves out the constant factor k1 + 1, which we put back to compare scores
    engine = bm25s.BM25(method="lucene", k1=bm25.K1, b=bm25.B, backend="numba")
    engine.index(documents, show_progress=False)

    def answer(terms: list[str], k: int) -> list[tuple[int, float]]:
        found, scores = engine.retrieve([terms], k=k, show_progress=False, n_threads=0)
        return [
            (int(doc), float(score) * (bm25.K1 + 1))
            for doc, score in zip(found[0], scores[0], strict=True)
            if score > 0
        ]

    return answer


def _tantivy(documents: list[list[str]]) -> Engine:
    import tantivy

    # it keeps lengths in one byte, so its scores may differ from exact ones by a hundredth
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("body", stored=False, tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(schema.build(), path=tempfile.mkdtemp())
    writer = index.writer(heap_size=1_000_000_000, num_threads=1)
    for document in documents:
        writer.add_document(tantivy.Document(body=" ".join(document)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, frame = index.searcher(), index.schema

    def answer(terms: list[str], k: int) -> list[tuple[int, float]]:
        parts = [(tantivy.Occur.Should, tantivy.Query.term_query(frame, "body", term, "freq")) for term in terms]
        return [(0, score) for score, _ in searcher.search(tantivy.Query.boolean_query(parts), k, count=False).hits]

    return answer


def _searches(engines: dict[str, Engine], asked: list[list[str]], stop_words: set[str]) -> None:
    for k in (10, 1000):
        for label, queries in _variants(asked, stop_words):
            times = _interleaved(engines, queries, k)
            print(f"\n| top {k}, {label}, {len(queries)} queries | median ms | p99 ms | mean ms |")
            print("|---|---:|---:|---:|")
            for name, spent in times.items():
                print(f"| {name} | {np.median(spent):.2f} | {np.percentile(spent, 99):.2f} | {np.mean(spent):.2f} |")


def _variants(asked: list[list[str]], stop_words: set[str]) -> list[tuple[str, list[list[str]]]]:
    without = [[term for term in query if term not in stop_words] for query in asked]
    return [("all words", asked), ("stop words dropped", [query for query in without if query])]


def _interleaved(engines: dict[str, Engine], queries: list[list[str]], k: int) -> dict[str, list[float]]:
    """CPU milliseconds of every query by every engine, after a round to warm up; scores compared as we go."""
    for query in queries:
        best = {name: engine(query, k)[:1] for name, engine in engines.items()}
        tops = [found[0][1] for found in best.values() if found]
        if tops and max(tops) - min(tops) > 0.02 * max(tops):
            print(f"scores differ for {query}: {best}")
    times: dict[str, list[float]] = {name: [] for name in engines}
    for query in queries:
        for name, engine in engines.items():
            start = time.process_time()
            engine(query, k)
            times[name].append(1000 * (time.process_time() - start))
    return times


def _joint(index: Index, asked: list[list[str]], stop_words: set[str]) -> None:
    print(f"\n| top 10 of {len(index.links.comment_posts):,} pairs | median ms | p99 ms |\n|---|---:|---:|")
    for label, queries in _variants(asked, stop_words):
        for matcher in (Matcher("bm25", 1, 1), Matcher("tfidf", 1, 1), Matcher("tfidf", 1, 0), Matcher("tfidf", 0, 1)):
            spent = []
            for again in (False, True):
                for terms in queries:
                    start = time.process_time()
                    search(index, _query(index, terms), matcher, k=10)
                    if again:
                        spent.append(1000 * (time.process_time() - start))
            name = f"{matcher.similarity}, {matcher.q2p:g} Q2P + {matcher.q2c:g} Q2C, {label}"
            print(f"| {name} | {np.median(spent):.2f} | {np.percentile(spent, 99):.2f} |", flush=True)


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
