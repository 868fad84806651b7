"""Topics of words by latent Dirichlet allocation, trained by collapsed Gibbs sampling.

Blei, Ng and Jordan 2003; Griffiths and Steyvers 2004, Eq. 5. A document is a post with its comments; words of more than
a tenth of as many occurrences as there are texts are left out. A large corpus is sampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.model.progress_callback import no_progress
from kaiwa.rank.models.topic_words import word_rarity
from kaiwa.rank.models.word_vectors import with_lengths
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.texts.corpus import Corpus

TOPICS = 50
SWEEPS = 60
ALPHA, BETA = 0.1, 0.01
MOST_WORDS = 30_000
MOST_TOKENS = 2_000_000
_FREQUENT = 0.1


class Documents(NamedTuple):
    """The document and the word of each token."""

    document: IntArray
    word: IntArray


class Counts(NamedTuple):
    """Tokens by document and topic, by word and topic, and by topic."""

    documents: IntArray
    words: IntArray
    topics: IntArray


def trained_topics(corpus: Corpus, *, seed: int, progress: Progress = no_progress) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: P(topic | word) for each of the most frequent words, and the rarity of every word."""
    rng = np.random.default_rng(seed)
    words = min(len(corpus.words), MOST_WORDS)
    counts = sampled_topics(sampled_documents(corpus, words, rng), words, rng, progress=progress)
    by_word = (counts.words + BETA) / (counts.topics + words * BETA) * (counts.topics + 1.0)
    by_word[corpus.counts[:words] > _most_occurrences(corpus)] = 0.0
    vectors = by_word / np.maximum(by_word.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    arrays = {"vectors": vectors.astype(np.float32), "rarity": word_rarity(corpus).astype(np.float32)}
    return with_lengths(arrays, corpus)


def sampled_topics(
    documents: Documents,
    words: int,
    rng: np.random.Generator,
    *,
    topics: int = TOPICS,
    sweeps: int = SWEEPS,
    progress: Progress = no_progress,
) -> Counts:
    """The counts after some sweeps over all tokens, from random topics."""
    topic = rng.integers(0, topics, len(documents.word))
    size = int(documents.document.max(initial=-1)) + 1
    counts = Counts(*(np.zeros(shape, dtype=np.int64) for shape in ((size, topics), (words, topics), topics)))
    np.add.at(counts.documents, (documents.document, topic), 1)
    np.add.at(counts.words, (documents.word, topic), 1)
    np.add.at(counts.topics, topic, 1)
    for sweep in range(sweeps):
        gibbs_sweep(*documents, topic, counts, rng.random(len(topic)), ALPHA, BETA)
        progress(sweep + 1, sweeps)
    return counts


def sampled_documents(corpus: Corpus, words: int, rng: np.random.Generator) -> Documents:
    """The posts with their comments, in a random order, up to a number of tokens; without very frequent words."""
    links, order = corpus.links, rng.permutation(len(corpus.posts))
    sizes = (links.post_starts[order + 1] - links.post_starts[order]).astype(np.int64)
    tokens = np.diff(corpus.posts.starts)[order] + sizes * (len(corpus.comments.tokens) // max(len(corpus.comments), 1))
    order = order[: int(np.searchsorted(np.cumsum(tokens), MOST_TOKENS)) + 1]
    posts, parts = np.arange(len(order)), [(np.arange(len(order)), corpus.posts.of(order))]
    sizes = sizes[: len(order)]
    first = np.repeat(links.post_starts[order].astype(np.int64) - np.cumsum(sizes) + sizes, sizes)
    comments = links.post_comments[first + np.arange(int(sizes.sum()))].astype(np.int64)
    parts.append((np.repeat(posts, sizes), corpus.comments.of(comments)))
    document = np.concatenate([np.repeat(owner, np.diff(texts.starts)) for owner, texts in parts])
    word = np.concatenate([texts.tokens for _, texts in parts]).astype(np.int64)
    kept = (word < words) & (corpus.counts[word] <= _most_occurrences(corpus))
    return Documents(document[kept], word[kept])


def _most_occurrences(corpus: Corpus) -> float:
    """The occurrences above which a word is left out."""
    return _FREQUENT * (len(corpus.posts) + len(corpus.comments))


@kernel
def gibbs_sweep(
    document: IntArray, word: IntArray, topic: IntArray, counts: Counts, chances: FloatArray, alpha: float, beta: float
) -> None:
    """Draw the topic of each token given those of all others; changes ``topic`` and ``counts``."""
    topics, words = len(counts.topics), len(counts.words)
    summed = np.empty(topics)
    for token in range(len(word)):
        own, its, old = document[token], word[token], topic[token]
        counts.documents[own, old] -= 1
        counts.words[its, old] -= 1
        counts.topics[old] -= 1
        total = 0.0
        for one in range(topics):
            share = (counts.words[its, one] + beta) / (counts.topics[one] + words * beta)
            total += (counts.documents[own, one] + alpha) * share
            summed[one] = total
        new = 0
        while new < topics - 1 and summed[new] <= chances[token] * total:
            new += 1
        topic[token] = new
        counts.documents[own, new] += 1
        counts.words[its, new] += 1
        counts.topics[new] += 1
