"""The demo's raw files: a corpus of conversations as pairs for the repository and posts for topics."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import write_text
from kaiwa.formats.readers import read_run
from kaiwa.formats.topic_files import write_topics

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np

    from kaiwa.demo.chat_corpus import ChatCorpus

HELD_OUT = 300
"""Conversations that are held out; the topics come from these, so that no system has seen them."""
TRAINING = 150
"""Further conversations that are held out, for the topics of the labels that a ranker learns from."""
NEXT_MESSAGES = 4
"""Messages that followed a topic in its own conversation, kept for the simulated assessors."""


@dataclass(frozen=True)
class Collection:
    """How much was written: pairs, their conversations, and posts that can be topics."""

    pairs: int
    conversations: int
    candidates: int


def write_collection(folder: Path, corpus: ChatCorpus, *, pairs: int, rng: np.random.Generator) -> Collection:
    """Write pairs.tsv, candidates.tsv, those for training, and next-messages.tsv: about ``pairs`` pairs.

    Conversations are kept whole.
    """
    order = rng.permutation(len(corpus.conversations)).tolist()
    lines, used = list[str](), 0
    for number in order[HELD_OUT + TRAINING :]:
        if len(lines) >= pairs:
            break
        lines += _pair_lines(number, corpus.conversations[number])
        used += 1
    write_text(folder / "pairs.tsv", "".join(["post_id\tpost\tcomment_id\tcomment\n", *lines]))
    candidates, training = (
        {name: messages for number in numbers for name, messages in _posts(number, corpus.conversations[number])}
        for numbers in (order[:HELD_OUT], order[HELD_OUT : HELD_OUT + TRAINING])
    )
    (folder / "training").mkdir(exist_ok=True)
    for path, posts in ((folder, candidates), (folder / "training", training)):
        write_topics(path / "candidates.tsv", {name: messages[0] for name, messages in posts.items()})
    after = {name: " / ".join(messages[1:]).strip() for name, messages in (candidates | training).items()}
    write_topics(folder / "next-messages.tsv", after)
    write_text(folder / "ORIGIN.txt", f"The conversations are those of {corpus.origin}.\n\n{corpus.licence}")
    return Collection(len(lines), used, len(candidates))


def _pair_lines(number: int, messages: tuple[str, ...]) -> Iterator[str]:
    """Each message of a conversation as a post, the next one as its comment."""
    for turn, (post, comment) in enumerate(pairwise(messages), start=1):
        yield f"p{number:04}-{turn:02}\t{post}\tc{number:04}-{turn + 1:02}\t{comment}\n"


def _posts(number: int, messages: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The messages of a conversation that can be topics, each with the messages that follow it."""
    for turn in range(len(messages) - NEXT_MESSAGES):
        if messages[turn]:
            yield f"p{number:04}-{turn + 1:02}", messages[turn : turn + 1 + NEXT_MESSAGES]


def insert_errors(path: Path) -> str:
    """Insert three common errors into a run file, for the check to find; a description of them."""
    name = read_run(path).name
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[5] = lines[5].removesuffix(name) + "my-run"
    lines.insert(4, lines[3])
    write_text(path, "\r\n".join(lines))
    return "line 5 is a duplicate of line 4, line 7 names another run, and lines end in CRLF"
