"""The demo's raw files and its simulated votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.demonstration.collection import (
    HELD_OUT,
    NEXT_MESSAGES,
    TRAINING,
    Item,
    installed_corpus,
    relevance_of,
    write_collection,
)
from kaiwa.labelling.gains import simulated_levels

if TYPE_CHECKING:
    from pathlib import Path


def test_the_collection_keeps_conversations_whole_and_follows_the_seed(tmp_path: Path) -> None:
    """As many pairs as asked for, to the end of a conversation; each candidate has its next messages."""
    corpus = installed_corpus()
    texts = []
    for seed in (1, 1, 2):
        made = write_collection(tmp_path, corpus, pairs=1000, rng=np.random.default_rng(seed))
        texts.append((tmp_path / "pairs.tsv").read_text())
    assert texts[0] == texts[1] != texts[2]
    rows = [line.split("\t") for line in texts[2].splitlines()[1:]]
    assert made.pairs == len(rows) >= 1000
    assert (
        len({row[0].split("-")[0] for row in rows})
        <= made.conversations
        < len(corpus.conversations) - HELD_OUT - TRAINING
    )
    following = [line.split("\t") for line in (tmp_path / "next-messages.tsv").read_text().splitlines()]
    training = (tmp_path / "training" / "candidates.tsv").read_text().splitlines()
    assert len(following) == made.candidates + len(training)
    assert min(line[1].count(" / ") for line in following) >= NEXT_MESSAGES - 1


def test_the_corpus_holds_no_mail_address() -> None:
    """What two people gave each other stays between them."""
    messages = [text for talk in installed_corpus().conversations for text in talk]
    assert len(messages) > 100_000
    assert not [text for text in messages if "@byu.edu" in text or "@gmail.com" in text]


def test_relevance_grows_with_the_share_of_words_in_the_next_messages() -> None:
    """Rare words count more than common ones; a comment without a word in the next messages has relevance 0."""
    words = [frozenset(text.split()) for text in ("dog run", "dog", "run far", "dog cat")]
    relevance = relevance_of([Item(words[0], words[0]), Item(words[0], words[1]), Item(words[2], words[1])])
    assert relevance[0] > relevance[1] > relevance[2] == 0


def test_a_comment_that_fits_any_post_has_little_relevance() -> None:
    """All of its words are in the next messages, but so are they everywhere; a share of words alone would prefer it."""
    general, particular = frozenset({"i", "do"}), frozenset({"i", "play", "violin", "too"})
    after = frozenset({"i", "do", "play", "violin", "since", "school"})
    others = [Item(general | {f"w{number}"}, frozenset({"x"})) for number in range(20)]
    first, second, *_ = relevance_of([Item(general, after), Item(particular, after), *others])
    assert 0 < 3 * first < second


def test_simulated_assessors_follow_the_relevance_and_do_not_all_agree() -> None:
    """The best items get higher levels on average; the levels are 0, 1 and 2, and some votes differ."""
    levels = simulated_levels(np.linspace(0, 1, 500), assessors=5, rng=np.random.default_rng(1))
    assert set(levels.ravel().tolist()) == {0, 1, 2}
    assert levels[400:].mean() > levels[:100].mean() + 1
    assert (levels.max(axis=1) > levels.min(axis=1)).any()
