"""A repository to an index: texts streamed through the tokeniser, postings sorted, arrays sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError
from kaiwa.files.index import IndexWriter, open_index_files, writing_index
from kaiwa.files.repository import Repository, open_repository
from kaiwa.files.takedown import NAME, read_takedown
from kaiwa.files.writing import write_text
from kaiwa.flow.index_texts import Run
from kaiwa.flow.index_tokens import Tokenised, TokenRun, write_side, write_terms
from kaiwa.model.text import normalise
from kaiwa.retrieve import bm25
from kaiwa.retrieve.index import Index, index_from
from kaiwa.retrieve.tokens import Tokeniser, language_of, tokeniser
from kaiwa.retrieve.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.model import IntArray

    Progress = Callable[[int, int], None]

_SAMPLE = 1000
_SIDES = ("posts", "comments")


def build_index(
    source: Path, target: Path, *, language: str | None, tokens: str | None, progress: Progress
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    """Index a repository; the facts of the index that now stands at ``target``."""
    repository = open_repository(source)
    language = language or repository.manifest.language or _language_of(repository)
    chosen = tokeniser(tokens or language)
    facts: dict[str, Any] = {"language": language, "tokeniser": chosen.name, "k1": bm25.K1, "b": bm25.B}
    with writing_index(target, facts) as writer:
        orders = _write_pairs(repository, writer, facts)
        vocabulary = Vocabulary(chosen)
        streamed = _stream(repository, writer, vocabulary, chosen, progress)
        facts["terms"] = write_terms(vocabulary, writer)
        for name, order, tokenised in zip(_SIDES, orders, streamed, strict=True):
            facts[f"{name}_tokens"] = write_side(name, order, tokenised, facts["terms"], writer)
        _carry_takedown(repository, target)
    return facts


def _carry_takedown(repository: Repository, target: Path) -> None:
    """What is taken down in the repository is taken down in its index."""
    listed = target / NAME
    known = read_takedown(listed) if listed.exists() else frozenset()
    if missing := sorted(repository.taken_down() - known):
        before = listed.read_text(encoding="utf-8").rstrip("\n") + "\n" if known else ""
        write_text(listed, before + "\n".join(missing) + "\n")


def open_index(path: Path) -> Index:
    """The index in a folder, ready to be searched."""
    files = open_index_files(path)
    return index_from(files.arrays, files.facts, files.check)


def _language_of(repository: Repository) -> str:
    for _, texts in repository.comments():
        return language_of(texts[:_SAMPLE])
    return "en"


def _write_pairs(repository: Repository, writer: IndexWriter, facts: dict[str, Any]) -> list[IntArray]:  # Any: JSON
    """Write who answered whom, posts and comments numbered by id; the row of each number, per side."""
    ids = [repository.ids(name) for name in _SIDES]
    orders = [_by_id(column) for column in ids]
    numbers = []
    for order, rows in zip(orders, repository.pair_rows(*ids), strict=True):
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        numbers.append(number[rows])
    facts.update(zip(_SIDES, map(len, orders), strict=True))
    for name, order in zip(_SIDES, orders, strict=True):
        writer.save(f"{name}.row", order.astype(np.uint32))
    post, comment = numbers
    facts["pairs"] = _write_links(writer, ("post_starts", "post_comments"), (post, comment), len(orders[0]))
    _write_links(writer, ("comment_starts", "comment_posts"), (comment, post), len(orders[1]))
    if not np.bincount(comment, minlength=len(orders[1])).all():
        raise InputError.at(repository.path, "a comment stands under no post", "give every comment a pair")
    return orders


def _by_id(ids: Any) -> IntArray:  # Any: a pyarrow array
    import pyarrow.compute as pc

    order: IntArray = pc.sort_indices(ids).to_numpy().astype(np.int64)
    return order


def _write_links(writer: IndexWriter, names: tuple[str, str], sides: tuple[IntArray, IntArray], size: int) -> int:
    """Write, for each on the first side, the numbers of the other side it goes with; how many links there are."""
    first, second = (side.astype(np.uint64) for side in sides)
    joined = np.sort(first << np.uint64(32) | second)
    joined = joined[np.concatenate((joined[:1] == joined[:1], joined[1:] != joined[:-1]))]
    counts = np.bincount((joined >> np.uint64(32)).astype(np.int64), minlength=size)
    writer.save(f"pairs.{names[0]}", np.concatenate(([0], np.cumsum(counts))).astype(np.uint32))
    writer.save(f"pairs.{names[1]}", (joined & np.uint64(0xFFFFFFFF)).astype(np.uint32))
    return len(joined)


def _stream(
    repository: Repository, writer: IndexWriter, vocabulary: Vocabulary, chosen: Tokeniser, progress: Progress
) -> list[Tokenised]:
    total = repository.manifest.posts + repository.manifest.comments
    streamed = []
    done = 0
    for name in _SIDES:
        texts, ids = Run(writer, f"{name}.text"), Run(writer, f"{name}.ids")
        tokens = TokenRun(vocabulary)
        for batch_ids, batch_texts in repository.table(name):
            ids.add(batch_ids)
            texts.add(batch_texts)
            tokens.add(token_lines(batch_texts, chosen))
            done += len(batch_ids)
            progress(done, total)
        texts.close(f"{name}.text_starts")
        ids.close(f"{name}.id_starts")
        streamed.append(tokens.close())
    return streamed


def token_lines(texts: list[str], chosen: Tokeniser) -> bytes:
    """The texts cut into tokens, one text a line, spaces between tokens."""
    split = chosen.split
    lines = [" ".join(split(normalise(text.replace("\n", " ")))) for text in texts]
    return "\n".join([*lines, ""]).encode()
