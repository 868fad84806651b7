"""Turn a vote file into a judgement file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option
from kaiwa.formats.qrels_files import write_qrels
from kaiwa.formats.vote_files import read_votes
from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT, VotedGains, gains_of, weighing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.model.votes import Votes


def gains_file(
    path: Path,
    output: Path | None = None,
    *,
    scheme: str = "mean",
    levels: Mapping[float, float] | None = None,
    p: float = UNANIMITY_WEIGHT,
    top: int | None = None,
) -> tuple[Votes, VotedGains]:
    """The gains of a file's votes, written to ``output`` when given."""
    votes = read_votes(path, top=top)
    made = gains_of(votes, weighing(votes, scheme, values=_values(levels, votes.top), p=p))
    if output is not None:
        write_qrels(output, made.gains)
    return votes, made


def _values(levels: Mapping[float, float] | None, top: int) -> list[float] | None:
    if levels is None:
        return None
    if odd := sorted(set(levels) - set(range(top + 1))):
        what = f"{option('levels')} names level {odd[0]:g}, but votes go from 0 to {top}"
        raise InputError(f"{what}; leave it out, or see {option('top')}")
    return [levels.get(float(level), 0.0) for level in range(top + 1)]
