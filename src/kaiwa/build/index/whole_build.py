"""An index without shards, from texts that tasks tokenised in chunks; postings are written here, by one process."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.build.index.chunk_merging import counted_chunks
from kaiwa.build.index.posting_lists import write_side
from kaiwa.build.index.shard_documents import ShardDocuments, bytes_of
from kaiwa.build.index.term_numbers import documents_in_part
from kaiwa.build.index.text_chunks import ALL
from kaiwa.disk.document_parts import DocumentParts
from kaiwa.retrieve.index.document_terms import partitioned

if TYPE_CHECKING:
    from kaiwa.build.array_writer import ArrayWriter
    from kaiwa.build.index.text_chunks import ChunkPlan
    from kaiwa.disk.partitions import RecordReader
    from kaiwa.engine.dataset import Engine
    from kaiwa.model.progress_callback import Progress


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
