"""Files and data frames in, nouns out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import index as whole
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from kaiwa.errors import InputError, UnknownName, option
from kaiwa.nouns.measure_name import known_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kaiwa.formats.data_frames import Frame
    from kaiwa.nouns.cells import Cells
    from kaiwa.nouns.factors import Factors
    from kaiwa.nouns.matrix import Direction
    from kaiwa.nouns.measure_name import MeasuresInput, OtherMeasure
    from kaiwa.nouns.qrels import IntentChances, Qrels
    from kaiwa.nouns.run import Run, Runs
    from kaiwa.nouns.scores import Scores
    from kaiwa.nouns.topics import Topics
    from kaiwa.nouns.votes import Votes

    AnyPath: TypeAlias = PathLike[str] | str
    Readable: TypeAlias = PathLike[str] | str | Frame
    Grades: TypeAlias = Mapping[str, Mapping[str, float]]
    RunInput: TypeAlias = (
        Run | Readable | Mapping[str, Any] | Iterable[Run | Readable | Mapping[str, Any]]
    )  # Any: checked when read
    QrelsInput: TypeAlias = Qrels | Readable | Grades | Iterable[Qrels | Readable | Grades]
    VotesInput: TypeAlias = Votes | Readable | Iterable[Votes | Readable]
    ScoresInput: TypeAlias = Scores | Readable | Grades | Iterable[Scores | Readable | Grades]
    TopicsInput: TypeAlias = Mapping[str, str] | Readable | Iterable[Mapping[str, str] | Readable]


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


def read_runs(*sources: Path | str | Frame, order: str | None = None) -> Runs:
    """Runs from files and folders, named or matched by patterns such as ``runs/*.txt``, or from data frames.

    >>> import kaiwa, polars
    >>> frame = {"run": ["A", "B"], "topic": ["q1", "q1"], "comment": ["a", "a"], "score": [1.0, 2.0]}
    >>> kaiwa.read_runs(polars.DataFrame(frame))
    Runs(2 runs, 1 topic)
    """
    from kaiwa.formats import data_frames, readers
    from kaiwa.nouns.run import Runs

    paths, frames = _paths_and_frames(sources)
    framed = [run for frame in frames for run in data_frames.runs_of(frame, order=order)]
    return Runs([*readers.read_runs(paths, order=order), *framed])


def read_qrels(source: Path | str | Frame) -> Qrels:
    """Judgements from a file or folder in any format of qrels, or from a data frame, each grade as its own gain.

    >>> import kaiwa, polars
    >>> kaiwa.read_qrels(polars.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "relevance": [2]})).of("q1")
    {'a': 2.0}
    """
    from kaiwa.formats import data_frames, readers

    return readers.read_qrels(source) if isinstance(source, Path | str) else data_frames.qrels_of(source)


def read_intents(path: Path | str) -> dict[str, Qrels]:
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


def read_votes(source: Path | str | Frame, *, max_level: int | None = None) -> Votes:
    """Votes from a file in any format of votes, or from a data frame; ``max_level`` is the scale's highest level.

    >>> import kaiwa, polars
    >>> frame = {"topic": ["q1"], "comment": ["a"], "assessor": ["ann"], "level": [2]}
    >>> kaiwa.read_votes(polars.DataFrame(frame))
    Votes(1 item, 1 assessor, 1 vote)
    """
    from kaiwa.formats import data_frames, readers

    if isinstance(source, Path | str):
        return readers.read_votes(source, top=max_level)
    return data_frames.votes_of(source, top=max_level)


def read_scores(
    *sources: Path | str | Frame,
    missing: str | None = None,
    measure: str = "score",
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> Scores:
    """Scores from files and folders in any format of scores, LLM logs among them, or from data frames.

    A data frame is long (topic, run, score, and measure when there are several) or wide: topics x runs, or a column
    for each measure. A tidy file or a long frame may have the columns assessor and repeat; a log that scores a sample
    several times has repeats. ``measure`` names the scores of a frame without measures. A run may have no score on a
    topic; ``missing`` is the rule for that, as in ``Scores.complete``: ``error``, ``drop-topics``, ``drop-runs`` or
    ``zero``. ``lower_is_better`` and ``higher_is_better`` name measures whose log, file or name does not say it, or is
    wrong.

    >>> import kaiwa, polars
    >>> frame = polars.DataFrame({"topic": ["q1", "q2"], "A": [0.5, 1.0], "B": [0.25, None]})
    >>> kaiwa.read_scores(frame, measure="AP")
    Scores('AP', 2 topics, 2 runs, 1 missing score)
    >>> kaiwa.read_scores(frame, measure="AP", missing="drop-topics").means()
    {'A': {'AP': 0.5}, 'B': {'AP': 0.25}}
    >>> kaiwa.read_scores(frame, measure="seconds", lower_is_better="seconds")["seconds"].direction
    'lower'
    """
    from kaiwa.formats.readers import with_directions
    from kaiwa.nouns.scores import Scores

    cells = _read_cells(sources, measure=measure)
    directions = _directions(lower_is_better, higher_is_better, cells.tables)
    found = Scores([with_directions(cells, directions)])
    return found if missing is None else found.complete(missing=missing)


def _directions(
    lower: str | Iterable[str], higher: str | Iterable[str], known: Collection[str]
) -> dict[str, Direction]:
    """The directions that the caller chose, by measure; of several names with commas the whole is tried first."""
    low, high = (set(names_apart([names] if isinstance(names, str) else names, known)) for names in (lower, higher))
    if both := low & high:
        raise InputError(
            f"{option('lower_is_better')} and {option('higher_is_better')} both name {min(both)!r}; give one of them"
        )
    return {**dict.fromkeys(low, "lower"), **dict.fromkeys(high, "higher")}


def refuse_idle_directions(chosen: Collection[str], lower: str | Iterable[str], higher: str | Iterable[str]) -> None:
    """Refuse the direction of a measure that is not among the chosen ones.

    >>> refuse_idle_directions(["P+"], "ppl", ())
    Traceback (most recent call last):
    kaiwa.errors.InputError: lower_is_better="ppl" is not among the chosen measures (P+); choose it too, or leave it out
    """
    for measure, direction in _directions(lower, higher, chosen).items():
        if measure not in chosen:
            given = option(f"{direction}_is_better", measure)
            what = f"{given} is not among the chosen measures ({', '.join(chosen)})"
            raise InputError(f"{what}; choose it too, or leave it out")


def read_factors(path: Path | str) -> Factors:
    """Standardisation factors, as their ``write`` or ``kaiwa standardise --save-factors`` wrote them.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "factors.csv")
    >>> made = kaiwa.Scores.from_matrix("AP", ["q1"], "AB", [[0.5, 0.25]]).standardise()
    >>> made.factors.write(path)
    >>> kaiwa.read_factors(path)["AP"].topics
    ('q1',)
    """
    from kaiwa.formats.readers import read_factors as read_file

    return read_file(Path(path))


def read_topics(source: Path | str | Frame) -> Topics:
    r"""Topics from lines ``id TAB text``, or from a data frame with columns such as ``qid`` and ``query``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "topics.tsv")
    >>> _ = path.write_text("q1\tThe first day in Hawaii.\n")
    >>> kaiwa.read_topics(path)["q1"]
    'The first day in Hawaii.'
    """
    from kaiwa.formats import data_frames, readers
    from kaiwa.nouns.topics import Topics

    return Topics(readers.read_topics(source) if isinstance(source, PathLike | str) else data_frames.topics_of(source))


def _read_cells(sources: Iterable[Path | str | Frame], *, measure: str = "score") -> Cells:
    """The scores of files and data frames together, with gaps; frames without measures have this ``measure``."""
    from kaiwa.formats.readers import read_cells

    paths, frames = _paths_and_frames(sources)
    cells = read_cells(paths)
    if frames:  # to load the readers of data frames takes a tenth of the time to read a small file
        from kaiwa.formats.data_frames import add_scores

        for frame in frames:
            add_scores(cells, frame, measure=measure)
    return cells


def _paths_and_frames(sources: Iterable[Path | str | Frame]) -> tuple[list[Path], list[Frame]]:
    """The files that the sources name, and the data frames."""
    paths, frames = list[Path](), list["Frame"]()
    for source in sources:
        if isinstance(source, PathLike | str):
            paths += matched(fspath(source))
        else:
            frames.append(source)
    if not paths and not frames:
        raise InputError("nothing to read; give the name of a file, or a data frame")
    return paths, frames


@contextmanager
def placed(*sources: object) -> Iterator[None]:
    """A block whose errors begin with the first file of each source.

    >>> with placed("a.csv", ["b.csv", "c.csv"]):
    ...     raise InputError("one run; give two")
    Traceback (most recent call last):
    kaiwa.errors.InputError: a.csv, b.csv: one run; give two
    """
    try:
        yield
    except InputError as fault:
        firsts = [next(iter(_each(source)), None) for source in sources]
        files = [fspath(one) for one in firsts if isinstance(one, PathLike | str)]
        if not files or any(fault.marked.startswith(file) for file in files):
            raise
        raise type(fault)(f"{', '.join(files)}: {fault.marked}") from None


# Inputs of the verbs: a noun, a path, a pattern, a folder, a data frame, a dict, or a list of these.


def runs_of(given: RunInput, *, order: str | None = None, call: str = "") -> list[Run]:
    """The runs that are given: runs, files, patterns, folders, data frames, ``{topic: {comment: score}}``, or a list.

    A dict of dicts of dicts is ``{run: {topic: {comment: score}}}``. ``call`` is the order of arguments, for the error
    on another noun: ``score(runs, qrels)``.

    >>> from kaiwa.nouns.qrels import Qrels
    >>> runs_of([{"q1": {"a": 1.0}}])
    [Run('run', 1 topic, 1 comment)]
    >>> runs_of(Qrels.from_dict({"q1": {"a": 1}}), call="score(runs, qrels)")
    Traceback (most recent call last):
    kaiwa.errors.InputError: got qrels where runs are expected; the order is score(runs, qrels)
    """
    return [run for _, run in each_run_of(given, order=order, call=call)]


def each_run_of(
    given: RunInput,
    *,
    order: str | None = None,
    call: str = "",
    moved: Callable[[int, int], None] = lambda _done, _total: None,
) -> Iterator[tuple[str, Run]]:
    """The runs one after the other, each with its file, so that its memory can be freed before the next is read.

    A run that is not from a file has the place ``""``. ``moved`` is told how many sources are read, of how many.
    """
    sources = [source for one in _each(given) for source in run_files(one)]
    places: dict[str, str] = {}
    for done, one in enumerate(sources):
        moved(done, len(sources))
        place = fspath(one) if isinstance(one, PathLike | str) else ""
        for run in _runs_in(one, order, call):
            if (first := places.get(run.name)) is not None:
                what = f"duplicate run name {run.name!r}"
                if place and first:
                    raise InputError.at(place, f"{what} (first in {first})", "rename one")
                raise InputError(f"{what}; rename one of the runs")
            places[run.name] = place
            yield place, run
    if not places:
        raise InputError("no runs; give at least one")


def _runs_in(one: Any, order: str | None, call: str) -> list[Run]:  # Any: of a caller, checked here
    from kaiwa.nouns.run import Run

    if isinstance(one, Run):
        return [one]
    if isinstance(one, Mapping):
        return _runs_of_dict(one)
    _refuse_other_nouns(one, "runs", call)
    if isinstance(one, PathLike | str):
        from kaiwa.formats import readers

        return readers.read_runs([Path(one)], order=order)
    return read_runs(one, order=order)


def run_files(one: object) -> list[Any]:  # Any: paths or a frame
    """The files of runs that a name, pattern or folder means, or the frame."""
    from kaiwa.files.atomic import visible_files
    from kaiwa.formats.readers import recognised
    from kaiwa.formats.recognition import RUNS, Match

    files: list[Any] = []
    for source in _sources(one):
        if isinstance(source, Path) and source.is_dir() and recognised(source, RUNS)[1] is not Match.SURE:
            files += visible_files(path for path in source.iterdir() if path.is_file())
        else:
            files.append(source)
    return files


def _runs_of_dict(given: Mapping[Any, Any]) -> list[Run]:  # Any: of a caller, checked here
    from kaiwa.nouns.run import Run

    inner = [one for own in given.values() if isinstance(own, Mapping) for one in own.values()]
    if inner and all(isinstance(one, Mapping) for one in inner):
        return [Run.from_dict(own, name=str(name)) for name, own in given.items()]
    return [Run.from_dict(given)]


def qrels_of(given: QrelsInput, *, call: str = "") -> Qrels:
    """The qrels that are given: qrels, a file, a folder, a data frame, ``{topic: {comment: grade}}``, or a list.

    >>> qrels_of([{"q1": {"a": 2}}, {"q2": {"b": 1}}])
    Qrels(2 topics, 2 comments, gmax 2)
    """
    from kaiwa.nouns.qrels import Qrels

    found: list[Qrels] = []
    for one in _each(given):
        if isinstance(one, Qrels):
            found.append(one)
        elif isinstance(one, Mapping):
            found.append(Qrels.from_dict(one))
        else:
            _refuse_other_nouns(one, "qrels", call)
            found += [read_qrels(source) for source in _sources(one)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError("no qrels; give them")
    grades: dict[str, dict[str, float]] = {}
    for qrels in found:
        for topic in qrels.topics:
            own = grades.setdefault(topic, {})
            if twice := next((comment for comment in qrels.of(topic) if comment in own), None):
                raise InputError(f"topic {topic!r}, comment {twice!r}: judged in two of the qrels; keep one judgement")
            own |= qrels.of(topic)
    return Qrels.from_lists(grades, top=max(qrels.top for qrels in found))


def votes_of(given: VotesInput, *, max_level: int | None = None, call: str = "") -> Votes:
    """The votes that are given: votes, a file, a folder, a data frame, rows, or a list of these.

    >>> from kaiwa.nouns.votes import Votes
    >>> ann, bob = (Votes.from_rows([("q1", "a", name, 2)]) for name in ("ann", "bob"))
    >>> votes_of([ann, bob])
    Votes(1 item, 2 assessors, 2 votes)
    """
    from kaiwa.nouns.votes import Votes

    found: list[Votes] = []
    for one in _each(given):
        if isinstance(one, Votes):
            found.append(one)
        else:
            _refuse_other_nouns(one, "votes", call)
            found += [read_votes(source, max_level=max_level) for source in _sources(one)]
    if not found:
        raise InputError("no votes; give them")
    return found[0] if len(found) == 1 else Votes.together(found)


def scores_of(
    given: ScoresInput,
    *,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
    call: str = "",
) -> Scores:
    """The scores that are given: scores, files, patterns, folders, logs, data frames, dicts, or a list of these.

    A dict is ``{run: {topic: score}}``. Scores of a list are taken together: each adds measures, runs or topics.
    ``lower_is_better`` and ``higher_is_better`` name measures whose direction is not known, or wrong.

    >>> scores_of([{"A": {"q1": 0.5}}, {"B": {"q1": 0.25}}]).runs
    ('A', 'B')
    """
    from kaiwa.nouns.scores import Scores, together

    found: list[Scores] = []
    files: list[Path | str | Frame] = []  # read together: logs are understood together only
    for one in _each(given):
        if isinstance(one, Scores):
            found.append(one)
        elif isinstance(one, Mapping):
            found.append(Scores.from_dict(one))
        else:
            _refuse_other_nouns(one, "scores", call)
            files.append(one)
    if files:
        found.append(read_scores(*files, lower_is_better=lower_is_better, higher_is_better=higher_is_better))
    if not found:
        raise InputError("no scores; give them")
    whole = found[0] if len(found) == 1 else together(found)
    directions = _directions(lower_is_better, higher_is_better, whole.measures)
    return whole.directed(directions) if directions else whole


def scores_of_each(
    sources: Iterable[ScoresInput],
    *,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> list[Scores]:
    """The scores of each source by itself; a chosen direction needs a measure of one of them only.

    >>> [one.runs for one in scores_of_each([{"A": {"q1": 0.5}}, {"B": {"q1": 0.25}}])]
    [('A',), ('B',)]
    """
    each = [scores_of(source) for source in sources]
    known = list(dict.fromkeys(measure for scores in each for measure in scores))
    chosen = _directions(lower_is_better, higher_is_better, known)
    for measure in chosen:
        one_of("measure", measure, known)
    return [scores.directed({name: chosen[name] for name in scores if name in chosen}) for scores in each]


def measures_among(names: MeasuresInput | None, known: Iterable[str]) -> list[str]:
    """The chosen ones of the known measures, by default all; a name with commas may be several.

    A measure may be spelled in another way.

    >>> measures_among("nG@1,P+", ["P+", "nG@1"]), measures_among("NCUgu,P", ["NCUgu,P"])
    (['nG@1', 'P+'], ['NCUgu,P'])
    >>> measures_among(["ndcg_cut_10", "map"], ["AP", "nDCG@10"])
    ['nDCG@10', 'AP']
    """
    listed = list(known)
    chosen = names_apart([] if names is None else measure_list(names), listed)
    return list(dict.fromkeys(known_name(name, listed) for name in chosen)) or listed


def names_apart(names: Iterable[Any], known: Collection[str]) -> list[Any]:  # Any: names, or measures of ir_measures
    """The names; one with commas that is not known is several.

    >>> names_apart(["nG@1,P+", "NCUgu,P"], ["NCUgu,P"])
    ['nG@1', 'P+', 'NCUgu,P']
    """
    return [
        part for name in names for part in ([name] if name in known or not isinstance(name, str) else name.split(","))
    ]


def measure_list(measures: MeasuresInput) -> list[str | OtherMeasure]:
    """The measures; a text, or one measure of ir_measures, is one.

    >>> measure_list("nG@1"), measure_list(("nG@1", "P+"))
    (['nG@1'], ['nG@1', 'P+'])
    """
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return [measures]
    return list(measures)


def one_name(argument: str, names: str | Sequence[str] | None, known: Collection[str]) -> str | None:
    """The one name of an argument that may be a list elsewhere; None without one, an error with several.

    >>> one_name("measures", ["NCUgu,P"], ["NCUgu,P"]), one_name("measures", None, ["P+"])
    ('NCUgu,P', None)
    >>> one_name("measures", "nG@1,P+", ["P+"])
    Traceback (most recent call last):
    kaiwa.errors.InputError: measures= is one name here, and nG@1, P+ are given; give one
    """
    given = [] if names is None else names_apart(name_list(argument, names), known)
    if len(given) > 1:
        raise InputError(f"{option(argument)} is one name here, and {', '.join(given)} are given; give one")
    return given[0] if given else None


def topics_of(given: TopicsInput, *, call: str = "") -> dict[str, str]:
    """The topics that are given, id to text: a dict, a file, a data frame, sampled topics, or a list of these.

    >>> topics_of({"q1": "Hello"})
    {'q1': 'Hello'}
    """
    from kaiwa.nouns.topics import Topics

    topics: dict[str, str] = {}
    for one in _each(given):
        if isinstance(one, Mapping):
            each = [one if isinstance(one, Topics) else Topics.from_dict(one)]
        else:
            _refuse_other_nouns(one, "topics", call)
            each = [read_topics(source) for source in _sources(one)]
        for own in each:
            if twice := next((topic for topic in own if topic in topics), None):
                raise InputError(f"duplicate topic {twice!r}; give each topic once")
            topics |= own
    if not topics:
        raise InputError("no topics; give at least one")
    return topics


def _each(given: object) -> list[Any]:  # Any: of a caller, looked at by the verb that asks
    """The things of a list, or the one thing."""
    if isinstance(given, list | tuple | set | frozenset) or (
        isinstance(given, Iterator) and not hasattr(given, "__arrow_c_stream__")
    ):
        return list(given)
    return [given]


def _sources(one: object) -> list[Any]:  # Any: as above
    """The files that a name or pattern matches, or the frame."""
    return list[Any](matched(fspath(one))) if isinstance(one, PathLike | str) else [one]


def _refuse_other_nouns(given: object, wanted: str, call: str) -> None:
    """Refuse a noun of another kind, or what is neither a path nor a data frame."""
    from kaiwa.show.result import Result

    if isinstance(given, PathLike | str):
        return
    if isinstance(given, Result):
        known = {
            "Run": "a run",
            "Runs": "runs",
            "Qrels": "qrels",
            "Votes": "votes",
            "Scores": "scores",
            "Topics": "topics",
            "Factors": "standardisation factors",
            "IntentChances": "chances of intents",
        }
        kind = type(given).__name__
        order = f"the order is {call}" if call else f"give {wanted}"
        raise InputError(f"got {known.get(kind, kind)} where {wanted} are expected; {order}")
    if isinstance(given, tuple) and hasattr(given, "_fields"):  # a row of ir_measures
        fix = "give all rows as one data frame, pandas.DataFrame(rows)"
        raise InputError(f"{type(given).__name__} is one row of {wanted}; {fix}")
    if not hasattr(given, "__arrow_c_stream__"):
        what = f"{type(given).__name__} is neither {wanted}, nor a path, nor a data frame"
        raise InputError(f"{what}; give {wanted}, the name of a file or folder, a data frame or a dict")


def matched(pattern: str) -> list[Path]:
    """The files that the name or pattern matches."""
    from glob import glob

    if Path(pattern).exists():
        return [Path(pattern)]
    found = sorted(glob(pattern, recursive=True))  # noqa: PTH207  an absolute pattern has no folder to start from
    if not found:
        raise InputError.at(pattern, "no such file", "check the name and the folder")
    return [Path(path) for path in found]


# What a caller gives: paths, names, seeds. A wrong one is an error that names the argument.


T = TypeVar("T")


def one_of(kind: str, value: str, known: Sequence[str]) -> None:
    """Refuse an unknown value."""
    if value not in known:
        raise UnknownName.among(kind, value, known)


def name_list(argument: str, names: str | Sequence[str]) -> list[str]:
    """The names; a text is one name.

    >>> name_list("measures", "nG@1"), name_list("measures", ("nG@1", "P+"))
    (['nG@1'], ['nG@1', 'P+'])
    """
    return [names] if isinstance(names, str) else _listed(argument, names, "names")


def path_list(argument: str, paths: AnyPath | Sequence[AnyPath]) -> list[Path]:
    """The paths; a text is one path."""
    listed = [paths] if isinstance(paths, PathLike | str) else _listed(argument, paths, "files or folders")
    return [path_of(argument, path) for path in listed]


def _listed(argument: str, given: Iterable[T], what: str) -> list[T]:
    try:
        return list(given)
    except TypeError:
        raise InputError(f"{option(argument, python=repr(given))} is not a list; give {what}") from None


def path_of(argument: str, path: object) -> Path:
    """The path; an empty text is none.

    >>> path_of("index", None)
    Traceback (most recent call last):
    kaiwa.errors.InputError: index=None is not a path; give a file or folder
    """
    if not isinstance(path, PathLike | str) or not fspath(path):
        raise InputError(f"{option(argument, python=repr(path))} is not a path; give a file or folder")
    return Path(path)


def maybe_path(argument: str, path: object) -> Path | None:
    """The path, if one is given."""
    return None if path is None else path_of(argument, path)


def seed_of(seed: int) -> int:
    """The seed: a whole number from 0.

    >>> seed_of(-1)
    Traceback (most recent call last):
    kaiwa.errors.InputError: seed=-1 is not a whole number from 0; give one, such as seed=1
    """
    try:
        if (number := whole(seed)) >= 0:
            return number
    except TypeError:
        pass
    shown = option("seed", python=repr(seed))
    raise InputError(f"{shown} is not a whole number from 0; give one, such as {option('seed', '1')}")
