"""The models by name: one row each, how it is trained and how its arrays are opened."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kaiwa.ambient import no_progress
from kaiwa.errors import Names
from kaiwa.ranking.models.bigram_language_model import opened_language_model, trained_language_model
from kaiwa.ranking.models.bridge_dialogues import made_dialogues, opened_dialogues
from kaiwa.ranking.models.character_ngrams import opened_character_ngrams, trained_character_ngrams
from kaiwa.ranking.models.convolution import opened_convolution, trained_convolution
from kaiwa.ranking.models.decoder import opened_decoders, trained_decoders
from kaiwa.ranking.models.dense_codes import (
    made_dense_codes,
    made_vector_cells,
    opened_dense_codes,
    opened_vector_cells,
)
from kaiwa.ranking.models.onnx_encoder import made_encoder_codes, opened_encoder_codes
from kaiwa.ranking.models.pair_forest import opened_pair_forest, trained_pair_forest
from kaiwa.ranking.models.pattern_pairs import opened_pattern_pairs, trained_pattern_pairs
from kaiwa.ranking.models.text_factors import trained_text_factors
from kaiwa.ranking.models.topic_words import opened_topic_words, trained_topic_words, trained_topics
from kaiwa.ranking.models.towers import opened_towers, trained_towers
from kaiwa.ranking.models.translation import opened_translations, trained_translations
from kaiwa.ranking.models.word_vectors import opened_word_vectors, trained_word_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from kaiwa.ambient import Progress
    from kaiwa.ranking.texts import Corpus

    Arrays = Mapping[str, Any]  # Any: arrays of several dtypes
    Texts = Callable[[int, int], list[str]]  # those of a range of numbers


@dataclass(frozen=True)
class TrainingSettings:
    """The seed of all chance, where progress is reported, and the models that the new one needs, by name.

    ``given`` is what a model is made of beside the index, by its name. ``texts`` give the texts of the posts and of
    the comments, for models that do not read tokens.
    """

    seed: int = 1
    progress: Progress = no_progress
    needed: Mapping[str, Any] = field(default_factory=dict)  # Any: what the rows of the models open
    given: Mapping[str, Any] = field(default_factory=dict)  # Any: as each row says
    texts: tuple[Texts, Texts] | None = None


@dataclass(frozen=True)
class ModelKind:
    """What the model is, how it is trained from a corpus, how its arrays are opened, and the models that it needs.

    ``given`` is the option that names what it is made of beside the index. If ``must_be_given``, it cannot be made of
    the index alone. ``effort`` is about how long the training takes beside the others, for the estimate of time left.
    """

    description: str
    train: Callable[[Corpus, TrainingSettings], Arrays]
    opened: Callable[[Arrays], object]
    needs: tuple[str, ...] = ()
    given: str = ""
    must_be_given: bool = False
    effort: float = 1.0


def _sides(corpus: Corpus, settings: TrainingSettings) -> dict[str, tuple[int, Texts]]:
    """The number of posts and of comments, with their texts."""
    posts, comments = settings.texts or (_no_texts, _no_texts)
    return {"posts": (len(corpus.posts), posts), "comments": (len(corpus.comments), comments)}


def _some_texts(corpus: Corpus, settings: TrainingSettings) -> Iterator[str]:
    """The first texts of each side, as they were written."""
    for count, texts in _sides(corpus, settings).values():
        yield from texts(0, min(count, _MOST_TEXTS))


def _no_texts(low: int, high: int) -> list[str]:
    return [""] * (high - low)


_MOST_TEXTS = 100_000  # of a side, from which names are known by their capital letters


MODELS = Names(
    "model",
    {
        "translation": ModelKind(
            "word translation probabilities between posts and comments, both directions (IBM Model 1)",
            lambda corpus, settings: trained_translations(corpus, progress=settings.progress),
            opened_translations,
            effort=10,
        ),
        "topicword": ModelKind(
            "the words that a text is about (logistic regression)",
            lambda corpus, settings: trained_topic_words(
                corpus, seed=settings.seed, texts=_some_texts(corpus, settings)
            ),
            opened_topic_words,
        ),
        "vectors": ModelKind(
            "word vectors (mutual information, reduced by an SVD)",
            lambda corpus, settings: trained_word_vectors(corpus, seed=settings.seed),
            opened_word_vectors,
            effort=5,
        ),
        "towers": ModelKind(
            "an encoder of posts and one of comments, trained on the pairs (two towers)",
            lambda corpus, settings: trained_towers(corpus, seed=settings.seed, progress=settings.progress),
            opened_towers,
            effort=15,
        ),
        "language": ModelKind(
            "a bigram language model of comments and pairs (Kneser-Ney)",
            lambda corpus, settings: trained_language_model(corpus, progress=settings.progress),
            opened_language_model,
            effort=4,
        ),
        "dense": ModelKind(
            "the vectors of all posts and comments by the two towers, in eight bits",
            lambda corpus, settings: made_dense_codes(corpus, settings.needed["towers"], progress=settings.progress),
            opened_dense_codes,
            needs=("towers",),
        ),
        "topics": ModelKind(
            "the topics of words (latent Dirichlet allocation)",
            lambda corpus, settings: trained_topics(corpus, seed=settings.seed, progress=settings.progress),
            opened_word_vectors,
            effort=8,
        ),
        "factors": ModelKind(
            "vectors of short texts by the words they have and lack (weighted matrix factorisation)",
            lambda corpus, settings: trained_text_factors(corpus, seed=settings.seed, progress=settings.progress),
            opened_word_vectors,
            effort=6,
        ),
        "ngrams": ModelKind(
            "character n-grams and how many texts have them",
            lambda corpus, _settings: trained_character_ngrams(corpus),
            opened_character_ngrams,
            effort=2,
        ),
        "convolution": ModelKind(
            "a small convolutional network that matches posts and comments",
            lambda corpus, settings: trained_convolution(
                corpus, settings.needed["vectors"]["vectors"], seed=settings.seed, progress=settings.progress
            ),
            opened_convolution,
            needs=("vectors",),
            effort=12,
        ),
        "decoder": ModelKind(
            "a small encoder-decoder, from posts to comments and back",
            lambda corpus, settings: trained_decoders(corpus, seed=settings.seed, progress=settings.progress),
            opened_decoders,
            effort=14,
        ),
        "patterns": ModelKind(
            "patterns of posts and of comments that answer them (logistic regression)",
            lambda corpus, settings: trained_pattern_pairs(corpus, seed=settings.seed, progress=settings.progress),
            opened_pattern_pairs,
            effort=2,
        ),
        "forest": ModelKind(
            "a random forest over tf-idf features of posts and comments",
            lambda corpus, settings: trained_pair_forest(corpus, seed=settings.seed),
            opened_pair_forest,
        ),
        "bridge": ModelKind(
            "dialogues of another repository, or of the index itself, as a bridge",
            lambda corpus, settings: made_dialogues(corpus, settings.given.get("bridge"), seed=settings.seed),
            opened_dialogues,
            given="bridge_from",
        ),
        "cells": ModelKind(
            "the vectors of `dense` in cells, for approximate search (an inverted file)",
            lambda _corpus, settings: made_vector_cells(
                settings.needed["dense"], seed=settings.seed, progress=settings.progress
            ),
            opened_vector_cells,
            needs=("towers", "dense"),
            effort=2,
        ),
        "encoder": ModelKind(
            "the vectors of all posts and comments by an encoder given as an ONNX file",
            lambda corpus, settings: made_encoder_codes(
                settings.given["encoder"], _sides(corpus, settings), progress=settings.progress
            ),
            opened_encoder_codes,
            given="encoder",
            must_be_given=True,
            effort=60,
        ),
    },
)


class OpenModels:
    """The trained models of one index, opened when they are first used.

    ``arrays_of`` gives the arrays of a model; it raises an error if the model has not been trained. ``described`` is
    the block in which they are opened: it answers for arrays that are not those of the model.
    """

    def __init__(
        self,
        corpus: Corpus,
        arrays_of: Callable[[str], Arrays],
        described: Callable[[str], AbstractContextManager[None]] = lambda _name: nullcontext(),
    ) -> None:
        self.corpus = corpus
        self._arrays_of, self._described = arrays_of, described
        self._opened: dict[str, object] = {}

    def opened(self, name: str) -> Any:  # Any: what the row of the model opens
        """The model of that name."""
        if name not in self._opened:
            with self._described(name):
                self._opened[name] = MODELS[name].opened(self._arrays_of(name))
        return self._opened[name]
