"""Score files standardised, by its own factors or by those of an earlier round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.compare.standardisation import A, B, Factors, standardisation_factors, standardised
from kaiwa.errors import InputError, UnknownName
from kaiwa.formats.readers import read_factors
from kaiwa.formats.score_loading import loaded_set, read_cells
from kaiwa.formats.scores.factor_files import write_factors
from kaiwa.model.score_set import ScoreSet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.formats.score_loading import Directions


@dataclass(frozen=True)
class Standardised:
    """The new scores, and per measure the topics on which all runs tied, where every run gets the middle value."""

    scores: ScoreSet
    tied_topics: dict[str, tuple[str, ...]]


def standardise_files(
    paths: Sequence[Path],
    *,
    method: str = "std-ab",
    a: float = A,
    b: float = B,
    factors: Path | None = None,
    save_factors: Path | None = None,
    measures: Sequence[str] = (),
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
) -> Standardised:
    """The measures of the files, by default every one, standardised, all runs together; each keeps its direction.

    Factors can be read from or saved to a file. ``remark`` is called with each line on the files.
    """
    loaded = loaded_set(read_cells(paths, directions), paths[0], measures=measures)
    for line in loaded.remarks:
        remark(line)
    scores = loaded.scores
    earlier = read_factors(factors) if factors else {}
    used: dict[str, Factors] = {}
    for measure, table in scores.items():
        if factors and measure not in earlier:
            raise InputError(f"{factors}: {UnknownName.among('measure', measure, earlier)}")
        try:
            used[measure] = earlier[measure] if factors else standardisation_factors(table)
        except InputError as fault:
            raise InputError(f"{paths[0]}: {fault.marked}") from None
    tables = [standardised(table, used[measure], method=method, a=a, b=b) for measure, table in scores.items()]
    if save_factors:
        write_factors(save_factors, used.values())
    tied = {
        measure: tuple(
            topic
            for topic, sd in zip(each.topics, each.sds.tolist(), strict=True)
            if sd == 0 and topic in scores[measure].topics
        )
        for measure, each in used.items()
    }
    return Standardised(ScoreSet(tables), tied)
