"""Files and data frames in, nouns out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kaiwa.compare.standardisation import Factors
    from kaiwa.formats.data_frames import Frame
    from kaiwa.formats.intent_files import IntentChances
    from kaiwa.formats.scores.score_cells import Cells
    from kaiwa.model.direction import Direction
    from kaiwa.model.gains import Gains
    from kaiwa.model.observations import Observations
    from kaiwa.model.run import Run
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.votes import Votes


def read_run(source: Path | str | Frame, *, order: str | None = None) -> Run:
    """A run from a file in any format of runs, or from a data frame, each topic's comments in rank order.

    ``order`` is what ranks it: ``file``, ``score`` or ``rank``; the default depends on the format.

    >>> import kaiwa, polars
    >>> frame = polars.DataFrame({"topic": ["q1", "q1"], "comment": ["a", "b"], "score": [1.0, 2.0]})
    >>> kaiwa.read_run(frame).ranking("q1")
    [('b', 2.0), ('a', 1.0)]
    """
    from kaiwa.formats import data_frames, readers

    if isinstance(source, Path | str):
        return readers.read_run(source, order=order)
    found = data_frames.runs_of(source, order=order)
    if len(found) > 1:
        raise InputError.at(data_frames.PLACE, f"holds {len(found)} runs", "read them with read_runs")
    return found[0]


def read_runs(*sources: Path | str | Frame, order: str | None = None) -> list[Run]:
    """Runs from files and folders, named or matched by patterns such as ``runs/*.txt``, or from data frames.

    >>> import kaiwa, polars
    >>> frame = {"run": ["A", "B"], "topic": ["q1", "q1"], "comment": ["a", "a"], "score": [1.0, 2.0]}
    >>> kaiwa.read_runs(polars.DataFrame(frame))
    [Run('A', 1 topic, 1 comment), Run('B', 1 topic, 1 comment)]
    """
    from kaiwa.formats import data_frames, readers

    paths, frames = _paths_and_frames(sources)
    framed = [run for frame in frames for run in data_frames.runs_of(frame, order=order)]
    return [*readers.read_runs(paths, order=order), *framed]


def read_qrels(source: Path | str | Frame) -> Gains:
    """Judgements from a file or folder in any format of qrels, or from a data frame, each grade as its own gain.

    >>> import kaiwa, polars
    >>> kaiwa.read_qrels(polars.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "relevance": [2]})).of("q1")
    {'a': 2.0}
    """
    from kaiwa.formats import data_frames, readers

    return readers.read_qrels(source) if isinstance(source, Path | str) else data_frames.gains_of(source)


def read_intents(path: Path | str) -> dict[str, Gains]:
    r"""Judgements by intent from lines ``topic intent comment grade``, for diversity measures such as D#-nDCG.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "intents.txt")
    >>> _ = path.write_text("q1 1 a 2\nq1 2 b 1\n")
    >>> kaiwa.read_intents(path)["2"].of("q1")
    {'b': 1.0}
    """
    from kaiwa.formats.readers import read_grouped_qrels

    return read_grouped_qrels(path)


def read_chances(path: Path | str) -> IntentChances:
    r"""The probability of each intent, from lines ``topic intent chance [inf|nav]``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "chances.txt")
    >>> _ = path.write_text("q1 1 0.75\nq1 2 0.25\n")
    >>> kaiwa.read_chances(path).chances["q1", "2"]
    0.25
    """
    from kaiwa.formats.readers import read_chances as read_file

    return read_file(Path(path))


def read_votes(source: Path | str | Frame, *, top: int | None = None) -> Votes:
    """Votes from a file in any format of votes, or from a data frame; ``top`` is the scale's highest level.

    >>> import kaiwa, polars
    >>> frame = {"topic": ["q1"], "comment": ["a"], "assessor": ["ann"], "level": [2]}
    >>> kaiwa.read_votes(polars.DataFrame(frame))
    Votes(1 item, 1 assessor, 1 vote)
    """
    from kaiwa.formats import data_frames, readers

    if isinstance(source, Path | str):
        return readers.read_votes(source, top=top)
    return data_frames.votes_of(source, top=top)


def read_observations(
    *sources: Path | str | Frame,
    measure: str | None = None,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> Observations:
    """Every score of one measure, with its assessor and repeat, from files, folders, LLM logs or data frames.

    Missing scores need no rule. A tidy file or a long data frame may have the columns assessor and repeat; a log that
    scores a sample several times has repeats. ``measure`` is needed if there are several.

    >>> import kaiwa, polars
    >>> frame = {"topic": ["q1", "q1"], "run": ["A", "A"], "assessor": ["ann", "bob"], "score": [0.5, 1.0]}
    >>> kaiwa.read_observations(polars.DataFrame(frame))
    Observations('score', 1 topic, 1 run, 2 assessors, 2 scores)
    """
    from kaiwa.formats.score_loading import chosen_measure

    cells = _read_cells(sources, _directions(lower_is_better, higher_is_better))
    place = next((source for source in sources if isinstance(source, Path | str)), "scores")
    return cells.observations(chosen_measure(cells.tables, measure, place))


def read_scores(
    *sources: Path | str | Frame,
    missing: str = "error",
    measure: str = "score",
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> ScoreSet:
    """Scores from files and folders in any format of scores, LLM logs among them, or from data frames.

    A data frame is long (topic, run, score, and measure when there are several) or wide: topics x runs, or a column
    for each measure. ``measure`` names the scores of a frame without measures. ``missing`` is the rule for runs
    without a score on some topic: ``error``, ``drop-topics``, ``drop-runs`` or ``zero``; the result lists their effect.
    ``lower_is_better`` and ``higher_is_better`` name measures whose log, file or name does not say it, or is wrong.

    >>> import kaiwa, polars
    >>> frame = polars.DataFrame({"topic": ["q1", "q2"], "A": [0.5, 1.0], "B": [0.25, 0.5]})
    >>> kaiwa.read_scores(frame, measure="AP").means()
    {'A': {'AP': 0.75}, 'B': {'AP': 0.375}}
    >>> kaiwa.read_scores(frame, measure="seconds", lower_is_better="seconds")["seconds"].direction
    'lower'
    """
    from kaiwa.formats.score_loading import log_remarks
    from kaiwa.formats.scores.score_cells import complete_scores
    from kaiwa.model.score_set import ScoreSet

    cells = _read_cells(sources, _directions(lower_is_better, higher_is_better), measure=measure)
    found = complete_scores(cells, missing=missing)
    return ScoreSet(
        found.scores.values(),
        topics_left_out={name: left for name, left in found.topics_left_out.items() if left},
        runs_left_out={name: left for name, left in found.runs_left_out.items() if left},
        filled={name: count for name, count in found.filled.items() if count},
        remarks=log_remarks(cells),
    )


def _directions(lower: str | Iterable[str], higher: str | Iterable[str]) -> dict[str, Direction]:
    """The directions that the caller chose, by measure."""
    low, high = ({names} if isinstance(names, str) else set(names) for names in (lower, higher))
    if both := low & high:
        raise InputError(
            f"{option('lower_is_better')} and {option('higher_is_better')} both name {min(both)!r}; give one of them"
        )
    return {**dict.fromkeys(low, "lower"), **dict.fromkeys(high, "higher")}


def read_factors(path: Path | str) -> dict[str, Factors]:
    """Standardisation factors by measure, as ``write_factors`` wrote them.

    >>> import kaiwa, numpy
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "factors.csv")
    >>> kaiwa.write_factors(path, kaiwa.Scores("AP", ("q1",), ("A", "B"), numpy.array([[0.5, 0.25]])).factors())
    >>> kaiwa.read_factors(path)["AP"].topics
    ('q1',)
    """
    from kaiwa.formats.readers import read_factors as read_file

    return read_file(Path(path))


def read_topics(path: Path | str) -> dict[str, str]:
    r"""Topics from lines ``id TAB text``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "topics.tsv")
    >>> _ = path.write_text("q1\tThe first day in Hawaii.\n")
    >>> kaiwa.read_topics(path)
    {'q1': 'The first day in Hawaii.'}
    """
    from kaiwa.formats.readers import read_topics as read_file

    return read_file(Path(path))


def _read_cells(
    sources: Iterable[Path | str | Frame], directions: Mapping[str, Direction], *, measure: str = "score"
) -> Cells:
    """The scores of files and data frames together, with gaps; frames without measures have this ``measure``."""
    from kaiwa.formats.score_loading import read_cells, with_directions

    paths, frames = _paths_and_frames(sources)
    cells = read_cells(paths)
    if frames:  # to load the readers of data frames takes a tenth of the time to read a small file
        from kaiwa.formats.data_frames import add_scores

        for frame in frames:
            add_scores(cells, frame, measure=measure)
    return with_directions(cells, directions)


def _paths_and_frames(sources: Iterable[Path | str | Frame]) -> tuple[list[Path], list[Frame]]:
    """The files that the sources name, and the data frames."""
    paths, frames = list[Path](), list["Frame"]()
    for source in sources:
        if isinstance(source, Path | str):
            paths += matched(str(source))
        else:
            frames.append(source)
    if not paths and not frames:
        raise InputError("nothing to read; give the name of a file, or a data frame")
    return paths, frames


def matched(pattern: str) -> list[Path]:
    """The files that the name or pattern matches."""
    from glob import glob

    if Path(pattern).exists():
        return [Path(pattern)]
    found = sorted(glob(pattern, recursive=True))  # noqa: PTH207  an absolute pattern has no folder to start from
    if not found:
        raise InputError.at(pattern, "no such file", "check the name and the folder")
    return [Path(path) for path in found]
