"""The demo's raw files: conversations as pairs and posts, a run with errors, and votes of SIMULATED assessors."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import MissingExtra
from kaiwa.files.atomic import write_text
from kaiwa.formats.pairs import clean_cell
from kaiwa.formats.readers import read_run, read_topics
from kaiwa.formats.repository import open_repository
from kaiwa.formats.topics import write_topics
from kaiwa.labelling.gains import simulated_levels
from kaiwa.nouns.ids import pack, unpack
from kaiwa.nouns.votes import SIMULATED, Votes
from kaiwa.pooling.pool import pool
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.pooling.items import PooledItems


NEXT_MESSAGES = 4
"""Messages that followed a topic in its own conversation, kept for the simulated assessors."""


# Votes of SIMULATED assessors, for demonstration: they compare a comment with the messages that really followed.


ASSESSORS = 5
HOW_SIMULATED = f"""{ASSESSORS} simulated assessors compare each comment with the {NEXT_MESSAGES} messages that really
followed its topic: the share of the comment's words, weighted by rarity, that occur there, with noise and an own
strictness for each assessor. This favours systems that match words. The votes show the tools; they rank no system.
"""
"""Written beside the votes."""


@dataclass(frozen=True)
class Item:
    """The words of a pooled comment, and of the messages that really followed its topic."""

    comment: frozenset[str]
    next_messages: frozenset[str]


def simulate_votes(
    runs: Sequence[Path], repository: Path, next_messages: Path, *, rng: np.random.Generator, depth: int = 10
) -> Votes:
    """A vote (0, 1 or 2) of every simulated assessor on every item of the runs' pool."""
    pooled = pool(list(runs), depth=depth).pooled
    relevance = relevance_of(_items(pooled, repository, read_topics(next_messages)))
    levels = simulated_levels(relevance, assessors=ASSESSORS, rng=rng)
    return Votes(
        topics=pack(pooled.topics[code] for code in pooled.topic.tolist()),
        comments=pooled.comments,
        assessors=tuple(f"{SIMULATED}{number}" for number in range(1, ASSESSORS + 1)),
        item=np.repeat(np.arange(len(pooled)), ASSESSORS),
        assessor=np.tile(np.arange(ASSESSORS), len(pooled)),
        level=levels.ravel(),
        top=2,
    )


def relevance_of(items: Sequence[Item]) -> FloatArray:
    """The cosine of each comment's words and the words of the next messages, weighted by rarity among the comments.

    >>> cat, dog = frozenset({"cat"}), frozenset({"dog"})
    >>> relevance_of([Item(cat, cat | dog), Item(dog, cat)]).round(3)
    array([0.707, 0.   ])
    """
    holding = Counter(word for item in items for word in item.comment)
    weight = {word: log(1 + len(items) / count) for word, count in holding.items()}
    rarest = log(1 + len(items))
    return np.array([_cosine(item, lambda word: weight.get(word, rarest)) for item in items])


def _cosine(item: Item, weight: Callable[[str], float]) -> float:
    """The cosine of two sets of words with these weights; 0 if either is empty."""
    shared, own, others = (
        sum(weight(word) ** 2 for word in sorted(words))
        for words in (item.comment & item.next_messages, item.comment, item.next_messages)
    )
    return shared / sqrt(own * others) if shared else 0.0


def _items(pool: PooledItems, repository: Path, next_messages: Mapping[str, str]) -> list[Item]:
    terms = tokeniser("en").terms
    wanted = set(unpack(pool.comments))
    texts = {
        name: frozenset(terms(text))
        for batch in open_repository(repository).comments()
        for name, text in zip(*batch, strict=True)
        if name in wanted
    }
    after = [frozenset(terms(next_messages[topic])) for topic in pool.topics]
    return [
        Item(texts[name], after[topic]) for name, topic in zip(unpack(pool.comments), pool.topic.tolist(), strict=True)
    ]


# The demo's corpus: conversations between two people, as the installed package chitchat-dataset holds them.


PACKAGE = "chitchat-dataset"
_DATA = "chitchat_dataset/dataset.json"
_CONTACT = re.compile(r"[\w.+-]+@[\w-]+(?:\.\w+)+|\(?\b\d{3}[-. )]{1,2}\d{3,4}[-. ]?\d{4}\b|(?<![\d.])\d{10}\b")


@dataclass(frozen=True)
class ChatCorpus:
    """Conversations, each its messages in turn; where they come from, and under which licence."""

    conversations: tuple[tuple[str, ...], ...]
    origin: str
    licence: str


def installed_corpus() -> ChatCorpus:
    """The corpus on this machine; nothing is fetched."""
    try:
        package = metadata.distribution(PACKAGE)
        held = json.loads(Path(str(package.locate_file(_DATA))).read_text(encoding="utf-8"))
    except (metadata.PackageNotFoundError, FileNotFoundError):
        missing = f"the demo's conversations come with the package {PACKAGE}, which is not installed"
        raise MissingExtra(f"{missing}; type: pip install 'kaiwa[demo]'") from None
    facts = package.metadata
    origin = f"{facts['Name']} {facts['Version']} ({facts['License']}), {facts['Home-page']}"
    return ChatCorpus(tuple(map(_messages, held.values())), origin, package.read_text("LICENSE") or "")


def _messages(conversation: dict[str, Any]) -> tuple[str, ...]:  # Any: JSON values
    """The messages, turn by turn; the lines that one person sent in a row are one message."""
    return tuple(masked(clean_cell(" ".join(line["text"] for line in turn))) for turn in conversation["messages"])


def masked(text: str) -> str:
    """The text without the telephone numbers and mail addresses that some gave each other.

    >>> masked("I am at (555) 123-4567 or ann@example.org, by 2018")
    'I am at [...] or [...], by 2018'
    """
    return _CONTACT.sub("[...]", text)


# The demo's raw files: a corpus of conversations as pairs for the repository and posts for topics.


HELD_OUT = 300
"""Conversations that are held out; the topics come from these, so that no system has seen them."""
TRAINING = 150
"""Further conversations that are held out, for the topics of the labels that a ranker learns from."""


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
