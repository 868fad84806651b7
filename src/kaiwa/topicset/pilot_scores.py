"""The scores that a design learns from: one topics x runs matrix per pilot and measure, checked for variance."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, UnknownName, option
from kaiwa.formats.reading import matched, measures_among, name_list, names_apart, refuse_idle_directions, scores_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.scores import Scores

    Names = str | Iterable[str]


@dataclass(frozen=True)
class Pilots:
    """By measure, the matrices of the pilots; lines on the files, and the names of the pilots in messages."""

    by_measure: Mapping[str, list[Matrix]]
    remarks: tuple[str, ...] = ()
    places: tuple[str, ...] = field(default=())

    def one_matrix(self) -> Matrix:
        """The only matrix, for what resamples one."""
        matrices = self.one_measure()
        if len(matrices) > 1:
            raise InputError.at("scores", f"{len(matrices)} files are given, one is resampled", "give one")
        return matrices[0]

    def one_measure(self) -> list[Matrix]:
        """The matrices of the only measure; an error that names the measures if there are several."""
        if len(self.by_measure) > 1:
            names = ", ".join(self.by_measure)
            raise InputError.at(
                self.places[0],
                f"contains {len(self.by_measure)} measures ({names})",
                f"choose one ({option('measures')})",
            )
        return next(iter(self.by_measure.values()))


def read_pilots(
    scores: ScoresInput,
    measures: str | Sequence[str] | None = None,
    *,
    lower_is_better: Names = (),
    higher_is_better: Names = (),
) -> Pilots:
    """The pilots: each file, frame, dict or ``Scores`` is one; logs of one evaluation, a file per model, are one.

    Pilots of one measure each are pooled, whatever their measures are called: that of a matrix is the name of its file.
    """
    given = _each(scores)
    found = [scores_of(one) for one in given]
    known = dict.fromkeys(measure for one in found for measure in one.measures)
    sides = {
        "lower_is_better": names_apart(_names(lower_is_better), known),
        "higher_is_better": names_apart(_names(higher_is_better), known),
    }
    each = [_directed(one, sides) for one in found]
    for name in (name for names in sides.values() for name in names):
        if name not in known:
            raise UnknownName.among("measure", name, known)
    places = tuple(_place(one, place) for place, one in enumerate(given, start=1))
    if measures is None and all(len(one.measures) == 1 for one in each):
        by_measure = {each[0].measure: [_matrix(one, one.measure, at) for one, at in zip(each, places, strict=True)]}
    else:
        named = _chosen(measures, known, places[0])
        refuse_idle_directions(named, *sides.values())
        by_measure = {
            name: [_matrix(one, name, at) for one, at in zip(each, places, strict=True) if name in one]
            for name in named
        }
    remarks = tuple(dict.fromkeys(line for one in each for line in one.only(set(by_measure) & set(one)).remarks))
    return Pilots(by_measure, remarks, places)


def _each(scores: ScoresInput) -> list[ScoresInput]:
    """Each pilot by itself, and all logs as one."""
    from kaiwa.formats.readers import are_logs  # loads every format, and a design may have no scores

    listed = list(scores) if isinstance(scores, list | tuple) else [scores]
    given: list[ScoresInput] = []
    paths: list[Path] = []
    for one in listed:
        if isinstance(one, str | os.PathLike):
            found = matched(os.fspath(one))
            paths += found
            given += found
        else:
            given.append(one)
    if not given:
        raise InputError("no scores; give them")
    return [paths] if paths and len(paths) == len(given) and are_logs(paths) else given


def _directed(found: Scores, sides: Mapping[str, list[str]]) -> Scores:
    """The scores of one pilot; a chosen direction needs a measure of one of them only."""
    lower, higher = ([name for name in names if name in found] for names in sides.values())
    return scores_of(found, lower_is_better=lower, higher_is_better=higher) if lower or higher else found


def _chosen(measures: str | Sequence[str] | None, known: Iterable[str], place: str) -> list[str]:
    try:
        return measures_among(measures, known)
    except UnknownName as unknown:
        raise InputError(f"{place}: {unknown.marked}") from None


def _names(given: Names) -> list[str]:
    return [given] if isinstance(given, str) else name_list("lower_is_better", list(given))


def _place(one: ScoresInput, number: int) -> str:
    """The name of a pilot in messages: its file, or its number."""
    if isinstance(one, list):
        one = one[0]
    return os.fspath(one) if isinstance(one, str | os.PathLike) else f"scores {number}"


def _matrix(scores: Scores, measure: str, place: str) -> Matrix:
    """One measure's matrix, which must have enough topics and runs for a variance."""
    found = scores[measure].complete().matrix(measure)
    (topic, run), (topics, runs) = found.axes, found.values.shape
    if topics < 2:  # noqa: PLR2004
        raise InputError.at(place, f"holds one {topic}, which has no variance", f"give scores of 2 {topic}s or more")
    if runs < 2:  # noqa: PLR2004
        raise InputError.at(place, f"holds one {run}", f"give scores of 2 {run}s or more")
    if not (found.values != found.values[0]).any():
        raise InputError.at(place, f"every {run} scores the same on every {topic}", "give scores that vary")
    return found
