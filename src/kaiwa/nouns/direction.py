"""Which scores of a measure are better, higher or lower ones; and what topics and runs are called.

The direction of a measure comes from the user, else from its log or file, else from its name
(docs/decisions/measures.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from kaiwa.errors import UnknownName

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray


Direction = Literal["higher", "lower"]
LOWER_IS_BETTER = frozenset(
    {
        "perplexity",
        "ppl",
        "perplexity_per_token",
        "perplexity_per_seq",
        "bits_per_byte",
        "bits_per_character",
        "bpb",
        "bpc",
        "loss",
        "nll",
        "log_loss",
        "cross_entropy",
        "negative_log_likelihood",
        "regret",
        "error",
        "error_rate",
        "mse",
        "rmse",
        "mae",
        "mape",
        "brier",
        "brier_score",
        "ece",
        "eer",
        "wer",
        "cer",
        "ter",
        "mer",
        "der",
        "distance",
        "divergence",
        "jsd",
        "kld",
        "kl",
        "emd",
        "nmd",
        "rnod",
        "rsnod",
        "rnss",
        "fid",
    }
)
"""The measures, or the last words of their names, whose lower scores are better."""
BEST = {"higher": "highest", "lower": "lowest"}
"""The word for the best score."""


BY_NAME: Any = ""  # Any: scores replace it by a direction when they are made
"""The default direction of scores: that of the measure's name."""


class Axes(NamedTuple):
    """What the rows and columns of a score matrix are called, in the singular."""

    topic: str
    run: str


TOPICS_AND_RUNS = Axes("topic", "run")
SAMPLES_AND_MODELS = Axes("sample", "model")
"""The words for a log of an LLM evaluation."""


def known_direction(measure: str) -> Direction:
    """The direction of a measure by its name: its task, filter and cutoff are ignored; unknown names are higher.

    >>> [known_direction(name) for name in ("nERR@10", "wikitext:word_perplexity", "wer,none", "eval/loss")]
    ['higher', 'lower', 'lower', 'lower']
    """
    name = re.split("[,@]", measure.rsplit(":", 1)[-1].lower())[0]
    words = re.findall("[a-z0-9]+", name)
    endings = {"_".join(words[place:]) for place in range(len(words))}
    return "lower" if endings & LOWER_IS_BETTER else "higher"


def require_direction(direction: str) -> None:
    """Refuse a word that is not a direction."""
    if direction not in get_args(Direction):
        raise UnknownName.among("direction", direction, get_args(Direction))


def oriented(values: FloatArray, direction: Direction) -> FloatArray:
    """The values such that higher is better: negated if lower is better.

    >>> import numpy as np
    >>> oriented(np.array([10.5, 15.5]), "lower").tolist()
    [-10.5, -15.5]
    """
    return -values if direction == "lower" else values


def labelled(measure: str, direction: Direction) -> str:
    """The measure's name for readers, who expect that higher is better.

    >>> labelled("nERR@10", "higher"), labelled("ppl", "lower")
    ('nERR@10', 'ppl (lower is better)')
    """
    return measure if direction == "higher" else f"{measure} (lower is better)"


class Labelled:
    """A result of one measure."""

    measure: str
    direction: Direction

    @property
    def label(self) -> str:
        """The measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)


def better_of(a: str, b: str, diff: float, direction: Direction) -> str | None:
    """The better of two runs, whose scores differ by ``diff`` = a - b; None if they are equal.

    >>> better_of("A", "B", -5.0, "lower"), better_of("A", "B", -5.0, "higher"), better_of("A", "B", 0.0, "lower")
    ('A', 'B', None)
    """
    if diff == 0:
        return None
    return a if (diff > 0) == (direction == "higher") else b
