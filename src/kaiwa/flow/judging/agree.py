"""Measure the agreement of a vote file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.formats.readers import read_votes
from kaiwa.label.agreement import Agreement, AssessorPair, Contested, agreement_of_levels, assessor_pairs, contested
from kaiwa.label.assessor_quality import PanelQuality, panel_quality

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class AgreementReport:
    """The agreement of a file's votes, its most contested items, and its pairs of assessors when asked for."""

    agreement: Agreement
    contested: list[Contested]
    pairs: list[AssessorPair]
    simulated: bool


def assessors_of_file(path: Path, *, seed: int, top: int | None = None, samples: int = 1000) -> PanelQuality:
    """The quality of each assessor of a file's votes."""
    return panel_quality(read_votes(path, top=top), rng=np.random.default_rng(seed), samples=samples)


def agree_file(
    path: Path,
    *,
    seed: int,
    top: int | None = None,
    merge: str | None = None,
    samples: int = 1000,
    number: int = 10,
    pairs: bool = False,
) -> AgreementReport:
    """The agreement of the votes in a file, levels merged like ``L1+L2`` if asked."""
    votes = read_votes(path, top=top)
    found = agreement_of_levels(votes, rng=np.random.default_rng(seed), merge=merge, samples=samples)
    return AgreementReport(found, contested(votes, number), assessor_pairs(votes) if pairs else [], votes.simulated)
