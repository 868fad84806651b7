"""Files in, nouns with verbs out."""

from __future__ import annotations

from dataclasses import fields
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.api.nouns import ScoreSet, Votes
from kaiwa.errors import InputError
from kaiwa.files import qrels, runs, scores, topics, votes

if TYPE_CHECKING:
    from kaiwa.model import Gains, Run


def read_run(path: Path | str, *, order: str | None = None) -> Run:
    """A run from an STC/NTCIR or TREC file, each topic's comments in rank order."""
    return runs.read_run(path, order=order)


def read_runs(*patterns: Path | str, order: str | None = None) -> list[Run]:
    """Runs from files named or matched by patterns such as ``runs/*.txt``."""
    return runs.read_runs([path for pattern in patterns for path in _matched(str(pattern))], order=order)


def read_qrels(path: Path | str) -> Gains:
    """Judgements from a TREC, NTCIR or BEIR file, each grade as its own gain."""
    return qrels.read_qrels(path)


def read_votes(path: Path | str, *, top: int | None = None) -> Votes:
    """Votes from STC labels or tidy CSV."""
    read = votes.read_votes(path, top=top)
    return Votes(**{one.name: getattr(read, one.name) for one in fields(read)})


def read_scores(path: Path | str) -> ScoreSet:
    """Scores from tidy CSV or a topics x runs matrix."""
    return ScoreSet(scores.read_scores(path).values())


def read_topics(path: Path | str) -> dict[str, str]:
    """Topics from lines ``id TAB text``."""
    return topics.read_topics(Path(path))


def _matched(pattern: str) -> list[str]:
    if Path(pattern).exists():
        return [pattern]
    found = sorted(glob(pattern, recursive=True))  # noqa: PTH207  an absolute pattern has no folder to start from
    if not found:
        raise InputError.at(pattern, "no such file", "check the name and the folder")
    return found
