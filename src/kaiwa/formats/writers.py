"""Nouns to files, in a chosen format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kaiwa.nouns.factors import Factors
    from kaiwa.nouns.qrels import Qrels
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.scores import Scores
    from kaiwa.nouns.votes import Votes


def write_run(run: Run, path: Path | str, *, format: str = "ntcir-run") -> None:  # noqa: A002  the word that readers know
    """Write one run: to the file, or into the folder if the format has several files."""
    from kaiwa.formats.convert import texts_of, write_converted
    from kaiwa.formats.recognition import RUNS

    texts = texts_of(RUNS, [run], format)
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
    from kaiwa.formats.convert import texts_of, write_converted
    from kaiwa.formats.recognition import RUNS

    listed = list(runs)
    names = [run.name for run in listed]
    if duplicate := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise InputError(f"duplicate run name {duplicate!r}; rename one of the runs")
    write_converted(Path(folder), texts_of(RUNS, listed, format))


def write_qrels(gains: Qrels, path: Path | str, *, format: str = "trec-qrels") -> None:  # noqa: A002
    """Write judgements: to the file, or into the folder if the format has several files."""
    from kaiwa.formats.convert import texts_of, write_converted
    from kaiwa.formats.recognition import QRELS

    write_converted(Path(path), texts_of(QRELS, gains, format))


def write_votes(votes: Votes, path: Path | str, *, format: str = "votes-csv") -> None:  # noqa: A002
    """Write votes to the file."""
    from kaiwa.formats.convert import texts_of, write_converted
    from kaiwa.formats.recognition import VOTES

    write_converted(Path(path), texts_of(VOTES, votes, format))


def write_scores(scores: Scores, path: Path | str, *, format: str = "csv") -> None:  # noqa: A002
    """Write scores: to the file, or into the folder if the format has several files."""
    from kaiwa.formats.convert import texts_of, write_converted
    from kaiwa.formats.recognition import SCORES

    write_converted(Path(path), texts_of(SCORES, scores, format))


def write_topics(path: Path | str, topics: Mapping[str, str], *, format: str = "topics") -> None:  # noqa: A002
    """Write topics as lines ``id TAB text``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "topics.tsv")
    >>> kaiwa.write_topics(path, {"q1": "The first day in Hawaii."})
    >>> kaiwa.read_topics(path)["q1"]
    'The first day in Hawaii.'
    """
    from kaiwa.formats.convert import texts_of, write_converted
    from kaiwa.formats.recognition import TOPICS

    write_converted(Path(path), texts_of(TOPICS, dict(topics), format))


def write_factors(path: Path | str, *factors: Factors) -> None:
    """Write standardisation factors of one or more measures, for scores of a later round.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "factors.csv")
    >>> made = kaiwa.Scores.from_matrix("AP", ["q1"], "AB", [[0.5, 0.25]]).standardise()
    >>> kaiwa.write_factors(path, made.factors["AP"])
    >>> list(kaiwa.read_factors(path))
    ['AP']
    """
    from kaiwa.formats.factors import write_factors as write_file

    write_file(Path(path), factors)
