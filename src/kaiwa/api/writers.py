"""Nouns to files, in the format asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kaiwa.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kaiwa.compare.standardisation import Factors
    from kaiwa.flow.convert import Form, Texts
    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run
    from kaiwa.model.scores import Scores

T = TypeVar("T")


def write_run(run: Run, path: Path | str, *, format: str = "ntcir-run") -> None:  # noqa: A002  the word that readers know
    """Write one run: to the file, or into the folder where the format is several files."""
    from kaiwa.flow.convert import RUN_FORMS, write_converted

    texts = _texts(RUN_FORMS, format, [run])
    one_file = len(texts) == 1 and format != "res"
    write_converted(Path(path), {"": next(iter(texts.values()))} if one_file else texts)


def write_runs(folder: Path | str, runs: Iterable[Run], *, format: str = "ntcir-run") -> None:  # noqa: A002
    """Write runs into a folder, as ``ntcir-run`` or ``trec-run`` files named after them, or as ``res`` files.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> kaiwa.write_runs(folder, [kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name="A")], format="trec-run")
    >>> [file.name for file in folder.iterdir()]
    ['A.txt']
    """
    from kaiwa.flow.convert import RUN_FORMS, write_converted

    listed = list(runs)
    names = [run.name for run in listed]
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise InputError(f"duplicate run name {twice!r}; rename one of the runs")
    write_converted(Path(folder), _texts(RUN_FORMS, format, listed))


def write_qrels(gains: Gains, path: Path | str, *, format: str = "trec-qrels") -> None:  # noqa: A002
    """Write judgements: to the file, or into the folder where the format is several files."""
    from kaiwa.flow.convert import QRELS_FORMS, write_converted

    write_converted(Path(path), _texts(QRELS_FORMS, format, gains))


def write_scores(tables: Sequence[Scores], path: Path | str, *, format: str = "csv") -> None:  # noqa: A002
    """Write scores: to the file, or into the folder where the format is several files."""
    from kaiwa.flow.convert import SCORE_FORMS, write_converted
    from kaiwa.model.scores import ScoreSet

    write_converted(Path(path), _texts(SCORE_FORMS, format, ScoreSet(tables)))


def write_topics(path: Path | str, topics: Mapping[str, str]) -> None:
    """Write topics as lines ``id TAB text``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "topics.tsv")
    >>> kaiwa.write_topics(path, {"q1": "The first day in Hawaii."})
    >>> kaiwa.read_topics(path)
    {'q1': 'The first day in Hawaii.'}
    """
    from kaiwa.formats.topic_files import write_topics as write_file

    write_file(Path(path), dict(topics))


def write_factors(path: Path | str, *factors: Factors) -> None:
    """Write standardisation factors, one measure each, for scores of a later round.

    >>> import kaiwa, numpy
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "factors.csv")
    >>> kaiwa.write_factors(path, kaiwa.Scores("AP", ("q1",), ("A", "B"), numpy.array([[0.5, 0.25]])).factors())
    >>> list(kaiwa.read_factors(path))
    ['AP']
    """
    from kaiwa.formats.scores.factor_files import write_factors as write_file

    write_file(Path(path), factors)


def write_csv(columns: Mapping[str, Sequence[object]], path: Path | str | None) -> str:
    """The columns as CSV text, also written to the file when there is one."""
    from kaiwa.disk.atomic_files import write_text
    from kaiwa.formats.text.delimited import csv_text

    rows = [["" if cell is None else cell for cell in row] for row in zip(*columns.values(), strict=True)]
    text = csv_text(list(columns), rows)
    if path is not None:
        write_text(Path(path), text)
    return text


def _texts(forms: Mapping[str, Form[T]], form: str, thing: T) -> Texts:
    if form not in forms:
        raise UnknownName.among("format", form, forms)
    return forms[form].texts(thing)
