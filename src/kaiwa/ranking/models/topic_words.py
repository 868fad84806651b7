"""TopicWord: the probability that a text is about a word of it, by logistic regression on the word and its places.

Ji, Lu and Li 2014, section 4.1.3: pi(w | x) = sigmoid(theta . f(w, x)). A word of a post is a positive
example if it occurs again in a comment of the post. The class of a word (noun, verb, ...) is that of its dictionary, so
what a word adds in every text is one stored number. English has no dictionary here: its names are the words that the
texts write with a capital letter (Lita et al. 2003).
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ambient import no_progress
from kaiwa.nouns.normalise import normalise
from kaiwa.ranking.models.word_vectors import with_lengths
from kaiwa.retrieval.tokenisers import WORD_CLASSES, word_class
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus, TokenLists, Tokens


WORD_FEATURES = ("one", "rarity", "rarity squared", "word length", *WORD_CLASSES[1:])
"""What a word has in every text; a word of class ``other`` has no class."""
TEXT_FEATURES = ("frequency", "first place", "last place", "text length", "first sentence", "last sentence")
"""What a word has in one text; the last two are 1 for a word of that sentence, else 0."""
_MOST_EXAMPLES = 400_000
_STEPS = 25
_PENALTY = 1.0
_CLASS_BY_WRITING = "en"
_SENTENCE_ENDS = frozenset(".?!。｡…")
_WRITTEN_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.?!…:\"“(]")
_FEWEST_CAPITALS = 2
_MOSTLY = 0.5
_ALWAYS_CAPITAL = frozenset(("I", "I'm", "I've", "I'd", "I'll", "I’m", "I’ve", "I’d", "I’ll"))


class TopicWords(NamedTuple):
    """The weights of the text's features, per word the sum of its own weighted features, and whether it ends sentences.

    Such a word is a full stop, a question mark or an exclamation mark.
    """

    theta: FloatArray
    word_odds: FloatArray
    ends: NDArray[np.bool_]


def trained_topic_words(corpus: Corpus, *, seed: int, texts: Iterable[str] = ()) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model, trained on the posts of a corpus, or on a sample of them.

    ``texts`` are those of the corpus as they were written, which say what is a name in English.
    """
    rng = np.random.default_rng(seed)
    posts = np.flatnonzero(np.diff(corpus.links.post_starts) > 0)
    tokens = max(int(np.diff(corpus.posts.starts).mean()) if len(posts) else 1, 1)
    if len(posts) * tokens > _MOST_EXAMPLES:
        posts = np.sort(rng.choice(posts, _MOST_EXAMPLES // tokens, replace=False))
    chosen, ends = corpus.posts.of(posts), sentence_ends(corpus)
    in_text, words, _ = distinct_words(*chosen, ends)
    of_words = word_features(corpus, written_names(texts) if corpus.language == _CLASS_BY_WRITING else ())
    links = corpus.links
    labels = recurring(*chosen, posts, links.post_starts, links.post_comments, *corpus.comments)
    theta = logistic_weights(np.concatenate((of_words[words], in_text), axis=1), labels)
    own = len(WORD_FEATURES)
    return {"theta": theta[own:], "word_odds": of_words @ theta[:own], "ends": ends}


def opened_topic_words(arrays: Mapping[str, Any]) -> TopicWords:  # Any: arrays
    """The model, from its arrays."""
    return TopicWords(*(arrays[part] for part in TopicWords._fields))


def word_rarity(corpus: Corpus) -> FloatArray:
    """The log of 1 / share of each word: its idf in the collection of all tokens."""
    return -np.log(np.maximum(corpus.shares, np.finfo(np.float64).tiny))


def sentence_ends(corpus: Corpus) -> NDArray[np.bool_]:
    """Per word of the corpus whether it is a mark that ends a sentence."""
    words = (corpus.words.text_of(number) for number in range(len(corpus.words)))
    return np.array([bool(word) and _SENTENCE_ENDS.issuperset(word) for word in words], dtype=np.bool_)


def written_names(texts: Iterable[str]) -> frozenset[str]:
    """The normalised words that texts write with a capital letter, more often than not, inside their sentences.

    The first word of a sentence says nothing, and neither does a text whose words all have capitals. A name has
    capitals at least twice.

    >>> sorted(written_names(["I saw Tom in New York", "Then Tom left York", "THE END OF TOM", "The dog saw it"]))
    ['tom', 'york']
    """
    capitals, every = Counter[str](), Counter[str]()
    for text in texts:
        words = _WRITTEN_WORDS.findall(text)
        inside = [word for last, word in pairwise(words) if last[0].isalnum() and word[0].isalnum()]
        if all(word[0].isupper() for word in inside):
            continue
        own = [(normalise(word), word[0].isupper() and word not in _ALWAYS_CAPITAL) for word in inside]
        every.update(word for word, _ in own)
        capitals.update(word for word, is_capital in own if is_capital)
    return frozenset(
        word for word, count in capitals.items() if count >= _FEWEST_CAPITALS and count > _MOSTLY * every[word]
    )


def word_features(corpus: Corpus, names: Collection[str] = ()) -> FloatArray:
    """What each word has in every text ("words x ``WORD_FEATURES``"); ``names`` are words of that class."""
    words = [corpus.words.text_of(number) for number in range(len(corpus.words))]
    rarity = word_rarity(corpus) / 10.0
    lengths = np.log(np.maximum(np.array([len(word) for word in words], dtype=np.float64), 1.0))
    own = ["name" if word in names else word_class(word, corpus.language) for word in words]
    classes = np.array([WORD_CLASSES.index(one) for one in own], dtype=np.int64)
    indicators = np.eye(len(WORD_CLASSES))[classes, 1:]
    return np.column_stack((np.ones(len(words)), rarity, rarity**2, lengths, indicators))


def topic_weights(texts: TokenLists, model: TopicWords) -> tuple[TokenLists, FloatArray]:
    """Per text its distinct words, and the probability pi of each that the text is about it.

    >>> from kaiwa.ranking.texts import token_lists
    >>> model = TopicWords(np.zeros(len(TEXT_FEATURES)), np.zeros(3), np.zeros(3, dtype=np.bool_))
    >>> words, pi = topic_weights(token_lists([[2, 0, 2]]), model)
    >>> words.tokens.tolist(), pi.tolist()
    ([2, 0], [0.5, 0.5])
    """
    from kaiwa.ranking.texts import TokenLists

    rows, words, distinct = distinct_words(*texts, model.ends)
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(distinct)))
    return TokenLists(starts, words), 1 / (1 + np.exp(-(model.word_odds[words] + rows @ model.theta)))


def logistic_weights(rows: FloatArray, labels: FloatArray) -> FloatArray:
    """The weights of a logistic regression with a small penalty, by Newton's method."""
    theta = np.zeros(rows.shape[1])
    penalty = np.diag([0.0] + [_PENALTY] * (rows.shape[1] - 1))
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-(rows @ theta)))
        gradient = rows.T @ (labels - chances) - penalty @ theta
        curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows + penalty + 1e-9 * np.eye(len(theta))
        step = np.linalg.solve(curvature, gradient)
        theta += step
        if np.abs(step).max() < 1e-8:  # noqa: PLR2004  converged
            break
    return theta


@kernel
def first_place(tokens: Tokens, low: int, at: int) -> int:
    """Where the token at a place of its text occurs first."""
    place = low
    while tokens[place] != tokens[at]:
        place += 1
    return place


@kernel
def sentence_bounds(tokens: Tokens, ends: NDArray[np.bool_]) -> tuple[int, int]:
    """Where the first sentence of a text ends and where its last one starts; several marks in a row are one end.

    >>> tokens = np.array([1, 0, 0, 2, 0, 3], dtype=np.int32)
    >>> sentence_bounds(tokens, np.array([True, False, False, False]))
    (3, 5)
    """
    first, last = len(tokens), 0
    for place in range(1, len(tokens)):
        if ends[tokens[place - 1]] and not ends[tokens[place]]:
            first, last = min(first, place), place
    return first, last


@kernel
def distinct_words(starts: IntArray, tokens: Tokens, ends: NDArray[np.bool_]) -> tuple[FloatArray, Tokens, IntArray]:
    """The distinct words of each text, in the order of first occurrence: what they have there, their numbers, how many.

    The first array is "words x ``TEXT_FEATURES``".
    """
    rows, words = np.zeros((len(tokens), 6)), np.empty(len(tokens), dtype=np.int32)
    counts = np.zeros(len(starts) - 1, dtype=np.int64)
    made = 0
    for text in range(len(counts)):
        low, high = starts[text], starts[text + 1]
        first_end, last_start = sentence_bounds(tokens[low:high], ends)
        for place in range(low, high):
            if first_place(tokens, low, place) != place:
                continue
            often, last = 0, place
            for other in range(place, high):
                if tokens[other] == tokens[place]:
                    often, last = often + 1, other
            rows[made, 0] = np.log(often)
            rows[made, 1] = (place - low) / (high - low)
            rows[made, 2] = (high - 1 - last) / (high - low)
            rows[made, 3] = np.log(high - low)
            rows[made, 4] = 1.0 if place - low < first_end else 0.0
            rows[made, 5] = 1.0 if last - low >= last_start else 0.0
            words[made] = tokens[place]
            made += 1
            counts[text] += 1
    return rows[:made], words[:made], counts


def pi_cosines(texts: TokenLists, model: TopicWords, weights: FloatArray) -> FloatArray:
    """The cosine of each text's pi and a vector of weights by word, which has length 1; 0 for an empty text.

    The same as ``topic_weights``, without rows.
    """
    last_text = np.zeros(len(model.word_odds), dtype=np.int64)
    longest = int(np.diff(texts.starts).max(initial=0)) + 1
    logs = np.log(np.maximum(np.arange(max(longest, 64)), 1))
    return text_pi_cosines(*texts, model, weights, last_text, logs)


@kernel
def find_places(tokens: Tokens, stamp: int, last_text: IntArray, places: IntArray) -> int:
    """Set for each distinct word of a text its first place, its last place and its count; the number of these words.

    ``last_text`` is, by word, its number in the text and the stamp of the last text that had it.
    """
    made = 0
    for place in range(len(tokens)):
        mark = last_text[tokens[place]]
        if mark >> 32 != stamp:
            mark = (stamp << 32) | made
            last_text[tokens[place]] = mark
            places[made, 0], places[made, 2] = place, 0
            made += 1
        places[mark & 0xFFFFFFFF, 1] = place
        places[mark & 0xFFFFFFFF, 2] += 1
    return made


@kernel
def text_pi_cosines(
    starts: IntArray, tokens: Tokens, model: TopicWords, weights: FloatArray, last_text: IntArray, logs: FloatArray
) -> FloatArray:
    """As ``pi_cosines``; ``logs`` are the logarithms of small numbers, and ``last_text`` is 0 for every word."""
    found, theta, places = np.zeros(len(starts) - 1), model.theta, np.empty((len(logs), 3), dtype=np.int64)
    for text in range(len(found)):
        own = tokens[starts[text] : starts[text + 1]]
        size, product, square = len(own), 0.0, 0.0
        first_end, last_start = sentence_bounds(own, model.ends)
        for one in range(find_places(own, text + 1, last_text, places)):
            word = own[places[one, 0]]
            score = model.word_odds[word] + theta[0] * logs[places[one, 2]] + theta[3] * logs[size]
            score += (theta[1] * places[one, 0] + theta[2] * (size - 1 - places[one, 1])) / size
            score += theta[4] if places[one, 0] < first_end else 0.0
            score += theta[5] if places[one, 1] >= last_start else 0.0
            pi = 1 / (1 + np.exp(-score))
            product += pi * weights[word]
            square += pi * pi
        if square > 0.0:
            found[text] = product / np.sqrt(square)
    return found


@kernel
def recurring(
    starts: IntArray, tokens: Tokens, posts: IntArray, post_starts: NDArray[np.uint32],
    post_comments: NDArray[np.uint32], comment_starts: IntArray, comments: Tokens,
) -> FloatArray:  # fmt: skip
    """1 for each distinct word of a post that occurs in one of its comments, else 0."""
    labels = np.zeros(len(tokens))
    made = 0
    for text in range(len(posts)):
        low = starts[text]
        for place in range(low, starts[text + 1]):
            if first_place(tokens, low, place) == place:
                for link in range(post_starts[posts[text]], post_starts[posts[text] + 1]):
                    comment = post_comments[link]
                    for at in range(comment_starts[comment], comment_starts[comment + 1]):
                        if comments[at] == tokens[place]:
                            labels[made] = 1.0
                made += 1
    return labels[:made]


# Topics of words by latent Dirichlet allocation, trained by collapsed Gibbs sampling.


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
