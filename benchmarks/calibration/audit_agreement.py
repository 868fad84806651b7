"""How often two 95% intervals of Fleiss' kappa over topics contain the kappa of all topics, on real votes.

Topics are drawn with replacement from all of them. The percentile interval is that of 1,000 resamples of the drawn
topics. The jackknife t interval leaves out one topic at a time; its t has one degree of freedom less than there are
topics.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import stdtrit

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.nouns.ids import FloatArray

RESAMPLES = 1_000
LEVEL = 0.05
DIALOGUES = 10
STC3 = ("train_data_cn.json.zst", "stc3-nddq-test-annotations.json.zst")
JA = "test-final-labeled.txt.gz"
HELPDESK, CUSTOMER = ("HNaN", "HNUG", "HNUG*"), ("CNaN", "CNUG0", "CNUG", "CNUG*")

Counts = list[NDArray[np.int64]]
"""For each topic the number of votes of each item at each level, items x levels."""


def votes_of(folders: list[Path]) -> dict[str, Counts]:
    """The votes of the folders by name: of NTCIR-12 STC (Japanese) and of NTCIR-14 STC-3."""
    found: dict[str, Counts] = {}
    for folder in folders:
        if (folder / JA).is_file():
            found["JA STC: 204 posts, 10 votes"] = (graded := ja_stc(folder / JA))
            found["the same, L1 and L2 as one"] = [
                np.stack((item[:, 0], item[:, 1:].sum(axis=1)), 1) for item in graded
            ]
        if (folder / STC3[0]).is_file():
            dialogues = [one for name in STC3 for one in read_dialogues(folder / name)]
            found["STC-3, accomplishment: 409 topics of 10 dialogues, 19 votes"] = qualities(dialogues)
            found["STC-3, helpdesk nuggets: a dialogue is a topic, 19 votes"] = nuggets(dialogues, HELPDESK)
            found["STC-3, customer nuggets: the same"] = nuggets(dialogues, CUSTOMER)
    return found


def ja_stc(path: Path) -> Counts:
    """The labels 0, 1 and 2 of each comment on a post."""
    posts: dict[str, list[list[int]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            post, _, *labels = line.split()
            posts.setdefault(post, []).append([labels.count(level) for level in "012"])
    return [np.array(items) for items in posts.values()]


def read_dialogues(path: Path) -> list[list[Any]]:  # Any: JSON
    """The annotations of each dialogue of a file of STC-3."""
    with pa.input_stream(str(path), compression="zstd") as stream:
        return [dialogue["annotations"] for dialogue in json.loads(stream.read())]


def qualities(dialogues: list[list[Any]]) -> Counts:
    """The five grades of task accomplishment; ten dialogues that follow each other are a topic."""
    items = np.array(
        [[[one["quality"]["A"] for one in votes].count(grade) for grade in range(-2, 3)] for votes in dialogues]
    )
    return np.split(items, range(DIALOGUES, len(items), DIALOGUES))


def nuggets(dialogues: list[list[Any]], kinds: tuple[str, ...]) -> Counts:
    """The kinds of nugget of each turn of one side; a dialogue is a topic."""
    found = []
    for votes in dialogues:
        turns = zip(*(one["nugget"] for one in votes), strict=True)
        counts = np.array([[turn.count(kind) for kind in kinds] for turn in turns])
        if len(own := counts[counts.sum(axis=1) > 1]):
            found.append(own)
    return found


def sums_of(topics: Counts) -> FloatArray:
    """What each topic adds to Fleiss' kappa: agreement, items, and the share of each level, topics x (2 + levels)."""
    rows = []
    for counts in topics:
        votes = counts.sum(axis=1)
        agreement = (counts * (counts - 1)).sum(axis=1) / (votes * (votes - 1))
        rows.append([agreement.sum(), len(counts), *(counts / votes[:, None]).sum(axis=0)])
    return np.array(rows)


def kappas(sums: FloatArray) -> FloatArray:
    """Fleiss' kappa of sums over topics, "... x (2 + levels)"; NaN if all votes are at one level."""
    expected = ((sums[..., 2:] / sums[..., 1:2]) ** 2).sum(axis=-1)
    observed = sums[..., 0] / sums[..., 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa: FloatArray = (observed - expected) / (1 - expected)
    return kappa


def covered(sums: FloatArray, topics: int, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether the percentile interval and the jackknife t interval of drawn topics contain the kappa of all."""
    truth = kappas(sums.sum(axis=0))
    drawn = sums[rng.integers(len(sums), size=topics)]
    resampled = kappas(rng.multinomial(topics, np.full(topics, 1 / topics), RESAMPLES) @ drawn)
    low, high = np.nanquantile(resampled, (LEVEL / 2, 1 - LEVEL / 2))
    without = kappas(drawn.sum(axis=0) - drawn)
    error = np.sqrt((topics - 1) * without.var())
    reach = stdtrit(topics - 1, 1 - LEVEL / 2) * error
    return bool(low <= truth <= high), bool(abs(kappas(drawn.sum(axis=0)) - truth) <= reach)
