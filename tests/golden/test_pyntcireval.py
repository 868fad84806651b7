"""Measures against pyNTCIREVAL 0.0.3 on 320 random topics, corners included."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.measures.judgements import Judgements
from kaiwa.measures.scoring import Reading, score
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

if TYPE_CHECKING:
    from kaiwa.nouns.scores import Scores

DATA = Path(__file__).parent / "data" / "pyntcireval.csv"
LINES = DATA.read_text(encoding="utf-8").splitlines()[1:]
TOPICS = list(csv.DictReader(LINES))
MEASURES = LINES[0].split("answer,")[1]
NAMES = next(csv.reader([MEASURES]))


def scored_under(gains: str, topics: list[dict[str, str]]) -> Scores:
    """All our scores of the topics that share one map from levels to gains, undefined topics counted 0."""
    values = [0.0, *map(float, gains.split(":"))]
    judged = {
        str(number): {f"d{place}": values[int(level)] for place, level in enumerate(topic["levels"])}
        for number, topic in enumerate(topics)
    }
    lists = {
        str(number): [(comment, 0.0) for comment in topic["answer"].split()] for number, topic in enumerate(topics)
    }
    top = np.full(len(topics), values[-1])
    judgements = Judgements(Qrels.from_lists(judged, top=values[-1]), top, tuple(values[1:]))
    return score([Run.from_lists("r", lists)], judgements, NAMES, reading=Reading(zero=True))


@pytest.mark.parametrize("gains", ["1:3", "1:2:3", "1:3:7"])
@pytest.mark.parametrize("measure", NAMES)
def test_every_topic_scores_as_pyntcireval_scores_it(gains: str, measure: str) -> None:
    """Where pyNTCIREVAL gives a score, ours is the same to 1e-11; where it fails, ours is 0."""
    topics = [topic for topic in TOPICS if topic["gains"] == gains]
    expected = np.array([float(topic[measure] or 0.0) for topic in topics])
    relevant = np.array([topic["levels"].strip("0") != "" for topic in topics])
    ours = _CACHE.setdefault(gains, scored_under(gains, topics))[measure].values[:, 0]
    assert np.abs(ours - expected)[relevant].max() < 1e-11
    assert (ours[~relevant] == 0).all()


_CACHE: dict[str, Scores] = {}


def test_the_topics_hold_the_corners_they_claim() -> None:
    """No top grade, no relevant item, empty lists, and lists longer than the pool are all among them."""
    for corner in (
        lambda topic: max(topic["levels"]) < str(topic["gains"].count(":") + 1),
        lambda topic: topic["levels"].strip("0") == "",
        lambda topic: not topic["answer"],
        lambda topic: len(topic["answer"].split()) > len(topic["levels"]),
    ):
        assert sum(map(corner, TOPICS)) >= 10
