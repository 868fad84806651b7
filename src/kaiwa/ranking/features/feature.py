"""A feature: a pure function of a batch of candidate pairs to one number each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.features.batch import Batch

    WordPairs = tuple[tuple[str, str], ...]  # a word of the query, and the word of the pair that explains it


@dataclass(frozen=True)
class Feature:
    """One number for each pair of a batch: the function, its description, and the models that it needs.

    ``by_term`` is for a feature that is a sum over the terms of the query: what each term adds ("terms x pairs").
    ``word_pairs`` is for a feature that compares different words: those that add most, for each pair of texts.
    ``family`` is the group of features that is left out together to see what it adds.
    """

    values: Callable[[Batch], FloatArray]
    description: str
    needs: tuple[str, ...] = ()
    by_term: Callable[[Batch], FloatArray] | None = None
    word_pairs: Callable[[Batch], list[WordPairs]] | None = None
    family: str = ""

    @property
    def group(self) -> str:
        """The family; by default the model that the feature needs."""
        return self.family or (self.needs[0] if self.needs else "similarity")
