"""A repository to an index: texts tokenised batch by batch, terms inverted, arrays written with checksums."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import share
from kaiwa.engine.opening import LOCAL, engine_named, opened, task_notes
from kaiwa.errors import InputError, needs_extra, option
from kaiwa.files.array_folder import ArrayWriter, writing_arrays
from kaiwa.files.spill import DocumentParts
from kaiwa.formats.repository import OpenRepository, open_repository
from kaiwa.formats.takedown import add_to_list, listed_in
from kaiwa.retrieval.chunks import ALL, ChunkPlan, counted_chunks
from kaiwa.retrieval.documents import find_ids, joined_bytes, partitioned
from kaiwa.retrieval.inverted_index import INDEX, SIDES, shard_prefix
from kaiwa.retrieval.pair_links import write_pairs
from kaiwa.retrieval.posting_lists import TermNumbers, documents_in_part, token_lines, write_side, write_terms
from kaiwa.retrieval.query import SIMILARITIES
from kaiwa.retrieval.shard_build import SIZES, ShardDocuments, ShardPlan, build_shard, bytes_of
from kaiwa.retrieval.tokenisers import default_tokens, language_of, tokeniser
from kaiwa.retrieval.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.engine.dataset import Engine
    from kaiwa.files.spill import RecordReader
    from kaiwa.nouns.ids import IntArray
    from kaiwa.retrieval.tokenisers import Tokeniser


# The ids of merged comments in an index, so that a takedown of one of them finds the comment that was kept.


_BATCH = 16_384


def write_merged(repository: OpenRepository, writer: ArrayWriter, shards: int | None = None) -> None:
    """Write the merged ids in the order of their bytes, and the number of the comment that each was merged into.

    The comments' ids are already written; a merged id whose comment is not among them is left out.
    """
    with needs_extra("search"):
        import pyarrow as pa
        import pyarrow.compute as pc

    names, numbers = [pa.array([], pa.large_string())], [np.zeros(0, dtype=np.int64)]
    find = _comment_finder(writer.folder, shards)
    for merged, kept in repository.table("merged") if (repository.path / "merged.parquet").exists() else ():
        found = find(kept)
        names.append(pa.array(merged, pa.large_string()).filter(pa.array(found >= 0)))
        numbers.append(found[found >= 0])
    ids, kept_numbers = pa.concat_arrays(names), np.concatenate(numbers)
    order = pc.sort_indices(ids)
    writer.save("merged.kept", kept_numbers[order.to_numpy()].astype(np.uint32))
    with writer.strings("merged.ids", "merged.id_starts") as strings:
        for first in range(0, len(ids), _BATCH):
            strings.add(ids.take(order[first : first + _BATCH]).to_pylist())


def _comment_finder(folder: Path, shards: int | None) -> Callable[[list[str]], IntArray]:
    """A function that gives the numbers of comments by their ids, -1 for an unknown one."""

    def loaded(prefix: str, name: str) -> NDArray[Any]:  # Any: several dtypes
        array: NDArray[Any] = np.load(folder / f"{prefix}comments.{name}.npy", mmap_mode="r").view(np.ndarray)
        return array

    prefixes = [""] if shards is None else [shard_prefix(shard) for shard in range(shards)]
    ids = [[loaded(prefix, name) for name in ("ids", "id_starts", "row")] for prefix in prefixes]
    in_index = [loaded(prefix, "numbers") if prefix else None for prefix in prefixes]

    def find(wanted: list[str]) -> IntArray:
        found = np.full(len(wanted), -1, dtype=np.int64)
        for (own_ids, starts, row), numbers in zip(ids, in_index, strict=True):
            own = find_ids(own_ids, starts, row, *joined_bytes(wanted))
            found = np.where(own >= 0, own if numbers is None else numbers[own], found)
        return found

    return find


# A repository to the shards of an index: texts are tokenised in chunks, then each shard is built, by tasks.


MAX_SHARDS = 256  # each has a file open while the texts are read
_TEXTS = 0.85  # of the work


def write_shards(
    engine: Engine, plan: ChunkPlan, numbers: list[RecordReader], writer: ArrayWriter, progress: Progress
) -> dict[str, Any]:  # Any: JSON values
    """Write the shards of an index whose links are written, and what is common to them; facts of it.

    ``numbers`` are the numbers of posts and comments in the order of the repository's rows.
    """
    shards = plan.shards or 1
    chunks = counted_chunks(engine, plan, numbers, writer, share(progress, 0, _TEXTS))
    for name, whole in chunks.statistics.items():
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(whole.documents_with)))
        writer.save(f"{name}.starts", starts)
    totals = {name: (whole.documents, whole.tokens) for name, whole in chunks.statistics.items()}
    sizes = []
    common = ShardPlan(plan.arrays, chunks.files, totals)
    for size in task_notes(engine, build_shard, range(shards), common, name=SIZES):
        sizes.append(size)
        share(progress, _TEXTS, 1)(len(sizes), shards)
    facts: dict[str, Any] = {
        "terms": chunks.terms,
        **{f"{name}_tokens": tokens for name, (_, tokens) in totals.items()},
    }
    return facts | {"shards": shards} | {f"shard_{name}": [size[name] for size in sizes] for name in SIDES}


# An index without shards, from texts that tasks tokenised in chunks; postings are written here, by one process.


def write_whole(
    engine: Engine, plan: ChunkPlan, numbers: list[RecordReader], writer: ArrayWriter, progress: Progress
) -> dict[str, Any]:  # Any: JSON values
    """Write texts and postings of an index whose links are written; facts of it."""
    chunks = counted_chunks(engine, plan, numbers, writer, progress)
    facts = {"terms": chunks.terms}
    for name, files in chunks.files.items():
        repository = plan.repository
        each = documents_in_part(getattr(repository.manifest, name), repository.text_bytes(name))
        with closing(DocumentParts(writer.folder, each)) as parts:
            _write_documents(name, ShardDocuments(files, ALL), parts, writer)
            write_side(name, parts, chunks.terms, writer)
        facts[f"{name}_tokens"] = chunks.statistics[name].tokens
    return facts


def _write_documents(name: str, documents: ShardDocuments, parts: DocumentParts, writer: ArrayWriter) -> None:
    with (
        writer.strings(f"{name}.text", f"{name}.text_starts") as texts,
        writer.strings(f"{name}.ids", f"{name}.id_starts") as ids,
    ):
        for batch, (terms, lengths) in zip(documents.batches(), documents.term_lists(), strict=True):
            texts.add_bytes(*bytes_of(batch.column("text")))
            ids.add_bytes(*bytes_of(batch.column("id")))
            numbers = batch.column("number").to_numpy().astype(np.int64)
            part, starts = partitioned(terms, lengths, numbers, parts.each)
            parts.add(part, starts, lengths)


_SAMPLE = 1000
_PAIRS = 0.15  # of the work; nearly all of the rest is tokenising


def build_index(
    source: Path,
    target: Path,
    *,
    language: str | None,
    tokens: str | None,
    progress: Progress,
    takedown: frozenset[str] = frozenset(),
    shards: int | None = None,
    engine: str = LOCAL,
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    """Index a repository, with the postings in a number of shards if one is given; the facts of the new index.

    Nothing on the takedown lists of the repository and of the index is in it; its list then names both. The arrays do
    not depend on the engine.
    """
    runs_on = engine_named(engine)
    if shards is not None and not 1 <= shards <= MAX_SHARDS:
        raise InputError(f"{option('shards')} is {shards}; give 1 to {MAX_SHARDS}")
    repository = open_repository(source, takedown=takedown | listed_in(target))
    language = language or repository.manifest.language or _language_of(repository)
    chosen = tokeniser(default_tokens(language) if tokens is None else tokens)
    facts: dict[str, Any] = {"language": language, "tokeniser": chosen.name}
    for similarity in SIMILARITIES.values():
        facts |= similarity.parameters
    last = partial(add_to_list, target, repository.takedown)
    with writing_arrays(target, INDEX, facts, last=last) as writer:
        facts |= {name: getattr(repository.manifest, name) for name in SIDES}
        if repository.manifest.candidates == "both":
            facts["candidates"] = "both"
        facts["pairs"], numbers = write_pairs(repository, writer, share(progress, 0, _PAIRS))
        rest = share(progress, _PAIRS, 1)
        if shards is None and runs_on.name == LOCAL:
            facts |= _write_whole(repository, writer, chosen, numbers, rest)
        else:
            write = write_whole if shards is None else write_shards
            with (
                _planned(repository, writer.folder, chosen.name, shards) as plan,
                opened(runs_on, plan.spill) as running,
            ):
                facts |= write(running, plan, numbers, writer, rest)
        write_merged(repository, writer, shards)
    return facts


@contextmanager
def _planned(repository: OpenRepository, arrays: Path, tokens: str, shards: int | None) -> Iterator[ChunkPlan]:
    """The plan of the chunks, with a folder for spill files; paths are absolute, because tasks may run elsewhere."""
    arrays = arrays.resolve()
    spill = Path(mkdtemp(dir=arrays, prefix="spill-"))
    elsewhere = replace(repository, path=repository.path.resolve(), folder=None)
    try:
        yield ChunkPlan(elsewhere, arrays, spill, tokens, shards)
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def _write_whole(
    repository: OpenRepository, writer: ArrayWriter, chosen: Tokeniser, numbers: list[RecordReader], progress: Progress
) -> dict[str, int]:
    """Write texts and postings of an index without shards; facts of it."""
    with ExitStack() as stack:
        sides = [stack.enter_context(closing(_empty_parts(repository, name, writer))) for name in SIDES]
        tasks = list(zip(SIDES, numbers, sides, strict=True))
        facts = {"terms": _write_texts(repository, writer, chosen, tasks, progress)}
        for name, parts in zip(SIDES, sides, strict=True):
            write_side(name, parts, facts["terms"], writer)
            facts[f"{name}_tokens"] = parts.tokens
    return facts


def _language_of(repository: OpenRepository) -> str:
    for _, texts in repository.comments():
        return language_of(texts[:_SAMPLE])
    return "en"


def _empty_parts(repository: OpenRepository, name: str, writer: ArrayWriter) -> DocumentParts:
    """Empty parts for the documents of one side."""
    documents = getattr(repository.manifest, name)
    return DocumentParts(writer.folder, documents_in_part(documents, repository.text_bytes(name)))


def _write_texts(
    repository: OpenRepository,
    writer: ArrayWriter,
    chosen: Tokeniser,
    sides: list[tuple[str, RecordReader, DocumentParts]],
    progress: Progress,
) -> int:
    """Write texts, ids and terms, and the documents' terms into parts; the number of distinct terms."""
    vocabulary = Vocabulary(chosen)
    total = repository.manifest.posts + repository.manifest.comments
    done = 0
    for name, numbers, parts in sides:
        terms = TermNumbers(vocabulary, parts)
        with (
            writer.strings(f"{name}.text", f"{name}.text_starts") as texts,
            writer.strings(f"{name}.ids", f"{name}.id_starts") as ids,
        ):
            for batch_ids, batch_texts in repository.table(name):
                ids.add(batch_ids)
                texts.add(batch_texts)
                terms.add(token_lines(batch_texts, chosen), numbers.take(len(batch_ids))["number"].astype(np.int64))
                done += len(batch_ids)
                progress(done, total)
    return write_terms(vocabulary, writer)
