"""A repository to an index: texts tokenised batch by batch, terms inverted, arrays written with checksums."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.build.index.index_writer import IndexWriter, writing_index
from kaiwa.build.index.pair_links import write_pairs
from kaiwa.build.index.posting_lists import write_side
from kaiwa.build.index.term_numbers import TermNumbers, documents_in_part, write_terms
from kaiwa.disk.atomic_files import write_text
from kaiwa.disk.document_parts import DocumentParts
from kaiwa.formats.collection.repository import Repository, open_repository
from kaiwa.formats.collection.takedown import NAME, read_takedown
from kaiwa.model.normalise import normalise
from kaiwa.model.progress_callback import share
from kaiwa.retrieve.index.inverted_index import SIDES
from kaiwa.retrieve.index.vocabulary import Vocabulary
from kaiwa.retrieve.similarity import SIMILARITIES
from kaiwa.retrieve.text.tokenisers import Tokeniser, default_tokens, language_of, tokeniser

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.disk.partitions import RecordReader
    from kaiwa.model.progress_callback import Progress

_SAMPLE = 1000
_PAIRS = 0.15  # of the work; nearly all of the rest is tokenising


def build_index(
    source: Path, target: Path, *, language: str | None, tokens: str | None, progress: Progress
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    """Index a repository; the facts of the new index at ``target``."""
    repository = open_repository(source)
    language = language or repository.manifest.language or _language_of(repository)
    chosen = tokeniser(tokens or default_tokens(language))
    facts: dict[str, Any] = {"language": language, "tokeniser": chosen.name}
    for similarity in SIMILARITIES.values():
        facts |= similarity.parameters
    last = partial(_copy_takedown, repository, target)
    with writing_index(target, facts, last=last) as writer, ExitStack() as stack:
        facts |= {name: getattr(repository.manifest, name) for name in SIDES}
        facts["pairs"], numbers = write_pairs(repository, writer, share(progress, 0, _PAIRS))
        sides = [stack.enter_context(closing(_empty_parts(repository, name, writer))) for name in SIDES]
        tasks = list(zip(SIDES, numbers, sides, strict=True))
        facts["terms"] = _write_texts(repository, writer, chosen, tasks, share(progress, _PAIRS, 1))
        for name, parts in zip(SIDES, sides, strict=True):
            write_side(name, parts, facts["terms"], writer)
            facts[f"{name}_tokens"] = parts.tokens
    return facts


def _copy_takedown(repository: Repository, target: Path) -> None:
    """Add the takedown list of the repository to that of its index."""
    listed = target / NAME
    known = read_takedown(listed) if listed.exists() else frozenset()
    if missing := sorted(repository.takedown_ids() - known):
        before = listed.read_text(encoding="utf-8").rstrip("\n") + "\n" if known else ""
        write_text(listed, before + "\n".join(missing) + "\n", durable=True)


def _language_of(repository: Repository) -> str:
    for _, texts in repository.comments():
        return language_of(texts[:_SAMPLE])
    return "en"


def _empty_parts(repository: Repository, name: str, writer: IndexWriter) -> DocumentParts:
    """Empty parts for the documents of one side."""
    documents = getattr(repository.manifest, name)
    return DocumentParts(writer.folder, documents_in_part(documents, repository.text_bytes(name)))


def _write_texts(
    repository: Repository,
    writer: IndexWriter,
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
                terms.add(_token_lines(batch_texts, chosen), numbers.take(len(batch_ids))["number"].astype(np.int64))
                done += len(batch_ids)
                progress(done, total)
    return write_terms(vocabulary, writer)


def _token_lines(texts: list[str], chosen: Tokeniser) -> bytes:
    """The texts split into tokens, one text per line, spaces between tokens."""
    split = chosen.split
    lines = [" ".join(split(normalise(text.replace("\n", " ")))) for text in texts]
    return "\n".join([*lines, ""]).encode()
