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

from kaiwa.build.array_writer import ArrayWriter, writing_arrays
from kaiwa.build.index.merged_ids import write_merged
from kaiwa.build.index.pair_links import write_pairs
from kaiwa.build.index.posting_lists import write_side
from kaiwa.build.index.sharded_build import MAX_SHARDS, write_shards
from kaiwa.build.index.term_numbers import TermNumbers, documents_in_part, token_lines, write_terms
from kaiwa.build.index.text_chunks import ChunkPlan
from kaiwa.build.index.whole_build import write_whole
from kaiwa.disk.document_parts import DocumentParts
from kaiwa.engine.opening import LOCAL, engine_named, opened
from kaiwa.errors import InputError, option
from kaiwa.formats.collection.index_folder import INDEX
from kaiwa.formats.collection.repository import Repository, open_repository
from kaiwa.formats.collection.takedown import add_to_list, listed_in
from kaiwa.model.progress_callback import share
from kaiwa.retrieve.index.inverted_index import SIDES
from kaiwa.retrieve.index.vocabulary import Vocabulary
from kaiwa.retrieve.similarity import SIMILARITIES
from kaiwa.retrieve.text.tokenisers import default_tokens, language_of, tokeniser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.disk.partitions import RecordReader
    from kaiwa.model.progress_callback import Progress
    from kaiwa.retrieve.text.tokenisers import Tokeniser

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
def _planned(repository: Repository, arrays: Path, tokens: str, shards: int | None) -> Iterator[ChunkPlan]:
    """The plan of the chunks, with a folder for spill files; paths are absolute, because tasks may run elsewhere."""
    arrays = arrays.resolve()
    spill = Path(mkdtemp(dir=arrays, prefix="spill-"))
    elsewhere = replace(repository, path=repository.path.resolve(), folder=None)
    try:
        yield ChunkPlan(elsewhere, arrays, spill, tokens, shards)
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def _write_whole(
    repository: Repository, writer: ArrayWriter, chosen: Tokeniser, numbers: list[RecordReader], progress: Progress
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


def _language_of(repository: Repository) -> str:
    for _, texts in repository.comments():
        return language_of(texts[:_SAMPLE])
    return "en"


def _empty_parts(repository: Repository, name: str, writer: ArrayWriter) -> DocumentParts:
    """Empty parts for the documents of one side."""
    documents = getattr(repository.manifest, name)
    return DocumentParts(writer.folder, documents_in_part(documents, repository.text_bytes(name)))


def _write_texts(
    repository: Repository,
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
