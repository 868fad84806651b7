"""The engines of a benchmark: each builds an index on disk from lines of tokens, and finds the top k by BM25.

Every line is one document, its tokens separated by spaces; tantivy and Lucene split it by their whitespace
tokenisers. One writing thread each, k1 = 1.2, b = 0.75. ``build_NAME(lines, folder)`` writes an index into
the folder, ``open_NAME(folder)`` opens it.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.files.array_folder import writing_arrays
from kaiwa.files.spill import DocumentParts
from kaiwa.retrieval import query as bm25
from kaiwa.retrieval.inverted_index import INDEX, open_index_files
from kaiwa.retrieval.matching import Matcher, query_from, search
from kaiwa.retrieval.posting_lists import TermNumbers, write_side, write_terms
from kaiwa.retrieval.tokenisers import Tokeniser
from kaiwa.retrieval.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kaiwa.retrieval.inverted_index import InvertedIndex

Answer = tuple[float, float]  # CPU milliseconds, best score (0 if nothing is found)
Engine = Callable[[list[str], int], Answer]
_BLOCK = 1 << 19
_EACH = (1 << 16) - 1  # documents in a part


def build_kaiwa(lines: Path, folder: Path) -> None:
    """What ``kaiwa index`` does after tokenising: terms, postings, norms, peaks, checksums, on disk."""
    facts: dict[str, object] = {}
    with writing_arrays(folder, INDEX, facts) as writer, lines.open("rb") as source:
        vocabulary = Vocabulary(Tokeniser("lines", str.split, str))
        parts = DocumentParts(writer.folder, _EACH)
        terms = TermNumbers(vocabulary, parts)
        rest, known = b"", 0
        while chunk := source.read(_BLOCK):
            end = chunk.rfind(b"\n") + 1
            block = rest + chunk[:end]
            size = block.count(b"\n")
            terms.add(block, np.arange(known, known + size))
            known += size
            rest = chunk[end:]
        write_side("comments", parts, write_terms(vocabulary, writer), writer)
        facts["tokens"] = parts.tokens
    open_index_files(folder)


def open_kaiwa(index: InvertedIndex) -> Engine:
    """An index of posts and comments, searched by Q2C only."""

    def answer(terms: list[str], k: int) -> Answer:
        start = time.process_time()
        hits = search(query_from(index, terms), Matcher("bm25", 0.0, 1.0), k=k)
        return _answer(start, float(hits.scores[0]) if len(hits) else 0.0)

    return answer


def build_tantivy(lines: Path, folder: Path) -> None:
    """An index of frequencies, nothing stored; with the segments of its default merge policy."""
    import tantivy

    folder.mkdir()
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("body", stored=False, tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(schema.build(), path=str(folder))
    writer = index.writer(heap_size=1_000_000_000, num_threads=1)
    with lines.open(encoding="utf-8", newline="\n") as source:
        for line in source:
            writer.add_document(tantivy.Document(body=line[:-1]))
    writer.commit()
    writer.wait_merging_threads()


def open_tantivy(folder: Path) -> Engine:
    """It stores lengths in one byte, so its scores may differ from exact ones by a hundredth."""
    import tantivy

    index = tantivy.Index.open(str(folder))
    searcher, frame = index.searcher(), index.schema

    def answer(terms: list[str], k: int) -> Answer:
        start = time.process_time()
        parts = [(tantivy.Occur.Should, tantivy.Query.term_query(frame, "body", term, "freq")) for term in terms]
        hits = searcher.search(tantivy.Query.boolean_query(parts), k, count=False).hits
        return _answer(start, hits[0][0] if hits else 0.0)

    return answer


def build_bm25s(lines: Path, folder: Path) -> None:
    """From lists of tokens; its "lucene" variant of BM25."""
    import bm25s

    engine = bm25s.BM25(method="lucene", k1=bm25.K1, b=bm25.B, backend="numba")
    with lines.open(encoding="utf-8", newline="\n") as source:
        documents = [line.split() for line in source]
    engine.index(documents, show_progress=False)
    engine.save(str(folder))


def open_bm25s(folder: Path) -> Engine:
    """Loaded into memory; it leaves out the constant factor k1 + 1, which is multiplied back to compare scores."""
    import bm25s

    engine = bm25s.BM25.load(str(folder), mmap=False)
    engine.backend = "numba"
    engine.activate_numba_scorer()

    def answer(terms: list[str], k: int) -> Answer:
        start = time.process_time()
        known = [term for term in terms if term in engine.vocab_dict]
        if not known:
            return _answer(start, 0.0)
        _, scores = engine.retrieve([known], k=k, show_progress=False, n_threads=0)
        return _answer(start, float(scores[0][0]) * (bm25.K1 + 1))

    return answer


def build_lucene(lines: Path, folder: Path) -> None:
    """By a Java program; KAIWA_LUCENE is its classpath (for example the fat jar in the pyserini package)."""
    subprocess.run([*_java(), "build", str(lines), str(folder)], check=True)


def open_lucene(folder: Path) -> Engine:
    """Searched through a pipe; the program measures its thread's CPU time. It leaves out k1 + 1, too."""
    pipe = subprocess.PIPE
    program = subprocess.Popen([*_java(), "search", str(folder)], stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
    if program.stdin is None or program.stdout is None or program.stdout.readline() != "ready\n":
        raise SystemExit("Lucene did not start")
    queries, answers = program.stdin, program.stdout

    def answer(terms: list[str], k: int) -> Answer:
        queries.write(f"{k}\t{' '.join(terms)}\n")
        queries.flush()
        nanoseconds, best = answers.readline().split("\t")
        return int(nanoseconds) / 1e6, float(best) * (bm25.K1 + 1)

    return answer


def _java() -> list[str]:
    home = os.environ.get("JAVA_HOME", "")
    java = str(Path(home) / "bin" / "java") if home else "java"
    program = Path(__file__).with_name("Lucene.java")
    return [java, "-XX:+UseSerialGC", "-Xmx4g", "-cp", os.environ["KAIWA_LUCENE"], str(program)]


def _answer(start: float, best: float) -> Answer:
    return 1000 * (time.process_time() - start), best


BUILDERS = {"kaiwa": build_kaiwa, "tantivy": build_tantivy, "bm25s": build_bm25s, "lucene": build_lucene}
OPENERS = {"tantivy": open_tantivy, "bm25s": open_bm25s, "lucene": open_lucene}
