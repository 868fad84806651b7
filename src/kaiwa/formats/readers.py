"""Nouns from files: a verb asks for a noun and gets it from a file or folder in any format.

A file that contains another noun is recognised, and the error says which command takes it.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import InputError, option
from kaiwa.formats.format import CHANCES, FACTORS, PAIRS, QRELS, RUNS, TOPICS, VOTES, late
from kaiwa.formats.format_table import FORMATS
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kaiwa.compare.standardisation import Factors
    from kaiwa.formats.collection.pair_files import Batch
    from kaiwa.formats.format import Format, Noun
    from kaiwa.formats.intent_files import IntentChances
    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run
    from kaiwa.model.votes import Votes

MAX_LEVEL = 1_000
"""The highest level that a scale of votes may have."""
T = TypeVar("T")
W = TypeVar("W")


def read(noun: Noun[T, W], path: Path | str, **options: object) -> T:
    """The noun in a file or folder, in any of its formats; ``options`` are those of the noun."""
    found: T = format_of(Path(path), noun).read(Path(path), **options)
    return found


def read_run(path: Path | str, *, order: str | None = None) -> Run:
    """The one run of a file, each topic's comments in rank order.

    Without ``order``, NTCIR runs rank by the order of their lines and TREC runs (``Q0``) by score
    descending, then id descending; ``order`` may be ``file``, ``score`` or ``rank``.
    """
    runs = read(RUNS, path, order=order)
    if len(runs) > 1:
        raise InputError.at(path, f"contains {len(runs)} runs", "read them with read_runs")
    return runs[0]


def read_runs(paths: Iterable[Path | str], *, order: str | None = None) -> list[Run]:
    """The runs of all files and folders; two runs of the same name are an error."""
    return [run for _, run in each_run(paths, order=order)]


def each_run(paths: Iterable[Path | str], *, order: str | None = None) -> Iterator[tuple[Path | str, Run]]:
    """The runs one after the other, each with its file, so that its memory can be freed before the next is read."""
    sources: dict[str, Path | str] = {}
    for path in paths:
        for run in read(RUNS, path, order=order):
            if run.name in sources:
                what = f"duplicate run name {run.name!r} (first in {sources[run.name]})"
                raise InputError.at(path, what, "rename one")
            sources[run.name] = path
            yield path, run


def read_qrels(path: Path | str) -> Gains:
    """Judgements, with each grade as its gain: ``L2`` and ``2`` give 2, ``0.75`` gives 0.75.

    The scale's top is the largest grade in the file; grades can be mapped to gains, and another top declared, later.
    """
    return read(QRELS, path)


def read_grouped_qrels(path: Path | str) -> dict[str, Gains]:
    """Judgements by group: the second column's intents, assessors or judgement groups, each as its own gains.

    With five columns, a group and a subgroup (trec_eval's preference judgements) are named ``group/subgroup``.
    """
    format_of(Path(path), QRELS)
    groups: dict[str, Gains] = late("qrels_files", "read_grouped_file")(Path(path))
    return groups


def read_votes(path: Path | str, *, top: int | None = None) -> Votes:
    """The votes in a file; ``top`` is the scale's highest level."""
    if top is not None and not 1 <= top <= MAX_LEVEL:
        what = f"{option('top', str(top))} is not a level from 1 to {MAX_LEVEL:,}"
        raise InputError(f"{what}; give the scale's highest level")
    return read(VOTES, path, top=top)


def votes_with_top(path: Path, votes_top: int | None) -> Votes:
    """The votes of a file, for a verb whose ``--top`` is not their highest level but whose ``--votes-top`` is."""
    try:
        return read_votes(path, top=votes_top)
    except InputError as fault:
        raise InputError(fault.marked.replace(option("top"), option("votes_top"))) from None


def read_topics(path: Path | str) -> dict[str, str]:
    """The topics of a task, id to text."""
    if Path(path).is_dir():
        raise InputError.at(path, "is a folder", "give a file of topics, with lines of: id TAB text")
    return read(TOPICS, path)


def read_pairs(path: Path) -> Iterator[Batch]:
    """The file's pairs, batch by batch, ids and texts unchanged."""
    return read(PAIRS, path)


def read_factors(path: Path) -> dict[str, Factors]:
    """The standardisation factors in a file, by measure."""
    return read(FACTORS, path)


def read_chances(path: Path) -> IntentChances:
    """The probability of each intent of a topic."""
    return read(CHANCES, path)


def format_of(path: Path, noun: Noun[T, W], *others: Noun[Any, Any]) -> Format[Any, Any]:  # Any: of any of the nouns
    """The format of a file that should hold one of the nouns; a file that fits another noun better is an error.

    If no format recognises the file, the format is the first noun's default, whose reader reports what is wrong.
    """
    head = Head(path)
    nouns = (noun, *others)
    best, match = _best(head, _rows(nouns))
    if match is Match.SURE:
        return best
    other, better = _best(head, _rows_of_others(nouns))
    if better > match:
        raise _wrong_noun(path, other, nouns)
    return best


def recognised(path: Path, *nouns: Noun[Any, Any]) -> tuple[Format[Any, Any], Match]:  # Any: of any of the nouns
    """The format of the nouns that fits a file or folder best, and how well it fits."""
    return _best(Head(path), _rows(nouns))


def refuse_other_nouns(path: Path, *nouns: Noun[Any, Any]) -> None:  # Any: as above
    """Refuse a file or folder that surely contains another noun."""
    other, match = _best(Head(path), _rows_of_others(nouns))
    if match is Match.SURE:
        raise _wrong_noun(path, other, nouns)


def _rows(nouns: Sequence[Noun[Any, Any]]) -> list[Format[Any, Any]]:  # Any: as above
    return [row for noun in nouns for row in FORMATS.values() if row.noun is noun]


def _rows_of_others(nouns: Sequence[Noun[Any, Any]]) -> list[Format[Any, Any]]:  # Any: as above
    return [row for row in FORMATS.values() if row.noun not in nouns]


def _best(head: Head, rows: Iterable[Format[Any, Any]]) -> tuple[Format[Any, Any], Match]:
    """The first row that is sure, else the first possible one, else the first row."""
    found = []
    for row in rows:
        match = row.recognise(head)
        if match is Match.SURE:
            return row, match
        found.append((row, match))
    return max(found, key=lambda pair: pair[1])


def _wrong_noun(path: Path, found: Format[Any, Any], nouns: tuple[Noun[Any, Any], ...]) -> InputError:
    what = f"this is {found.noun.file} ({found.shape}), not {' or '.join(noun.wanted for noun in nouns)}"
    return InputError.at(path, what, found.noun.use.format(path=shlex.quote(str(path))))
