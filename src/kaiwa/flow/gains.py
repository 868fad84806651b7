"""Turn a vote file into a judgement file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.formats.qrels_files import write_qrels
from kaiwa.formats.readers import read_votes
from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT, VotedGains, voted_gains

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
    made = voted_gains(votes, scheme, levels=levels, p=p)
    if output is not None:
        write_qrels(output, made.gains)
    return votes, made
