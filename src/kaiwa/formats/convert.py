"""Files of one tool in, the same noun for another tool out.

``convert`` is the public function. It returns the noun that the files hold, which writes itself in the chosen format;
or the pairs or labels of ids, with their texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.ambient import progress
from kaiwa.errors import InputError, Names, option
from kaiwa.formats.pair_ids import pair_ids_of, texts_put_back
from kaiwa.formats.readers import read
from kaiwa.formats.reading import measures_among, path_list, placed, qrels_of, runs_of, scores_of, topics_of, votes_of
from kaiwa.formats.recognition import CHANCES, FACTORS, PAIR_IDS, QRELS, RUNS, SCORES, TOPICS, VOTES
from kaiwa.formats.table import FORMATS
from kaiwa.nouns.noun import Noun
from kaiwa.nouns.run import Runs
from kaiwa.nouns.topics import Topics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kaiwa.formats.reading import AnyPath, QrelsInput, RunInput, ScoresInput, TopicsInput, VotesInput
    from kaiwa.formats.recognition import Content, Format
    from kaiwa.nouns.pair_ids import PairIds
    from kaiwa.nouns.scores import Scores

    NounInput = PairIds | AnyPath | Sequence[AnyPath] | RunInput | QrelsInput | VotesInput | ScoresInput | TopicsInput


WRITTEN: Names[Format[Any, Any]] = Names(  # Any: each row has the types of its noun
    "format", {name: row for name, row in FORMATS.items() if row.texts is not None}
)


def convert(
    files: NounInput,
    *,
    format: str | None = None,  # noqa: A002  the word that readers know
    texts: AnyPath | Sequence[AnyPath] = (),
    measures: str | Sequence[str] | None = None,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> Noun:
    """The noun that the files hold, for a format of ``kaiwa.names("written-formats")``, in which ``write`` writes it.

    The format tells the noun: ``trec-run`` gives ``Runs``, ``rel`` gives ``Qrels``, ``csv`` gives ``Scores``. The files
    may be in any format of that noun, which is recognised; data frames and nouns are taken too. ``measures`` chooses
    among scores, ``lower_is_better`` and ``higher_is_better`` say which of them are better.

    ``pair-ids`` gives the ids of the pairs of a repository, a file of pairs, or labels, as ``PairIds``. With ``texts``
    instead of a format, one file of such ids, or of labels, gives ``PairTexts``: the pairs with the texts that these
    files have, which are tweets, pairs, topics or a repository.

    >>> import kaiwa
    >>> qrels = kaiwa.convert(kaiwa.Qrels.from_dict({"q1": {"c9": 3}}), format="ntcir-qrels")
    >>> qrels
    Qrels(1 topic, 1 comment, gmax 3)
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "qrels.txt")
    >>> qrels.write(path)
    >>> print(path.read_text(), end="")
    q1 c9 L3
    """
    sources = path_list("texts", texts)
    if (format is None) is not bool(sources):
        raise InputError(f"give {option('format', 'FORMAT')} or, for ids, {option('texts', 'FILE')}; one of them")
    if format is None:
        if measures or lower_is_better or higher_is_better:
            raise InputError(f"{option('texts')} takes neither measures nor directions; leave them out")
        with progress("putting texts back"):
            return texts_put_back(files, sources)
    content = WRITTEN[format].noun
    if content is not SCORES and (measures or lower_is_better or higher_is_better):
        what = f"{option('measures')} chooses among scores" if measures else "only scores have a direction"
        raise InputError(f"{what}, but {format} holds none; leave it out")
    with progress("converting"):
        if content is SCORES:
            made: Noun = _scores(files, measures, lower_is_better, higher_is_better)
        else:
            made = _READERS[content](files)
    return made.in_format(format)


def _scores(
    given: Any,  # Any: of a caller, looked at by the reader
    measures: str | Sequence[str] | None,
    lower_is_better: str | Iterable[str],
    higher_is_better: str | Iterable[str],
) -> Scores:
    """The scores without gaps, of the chosen measures."""
    found = scores_of(given, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
    with placed(given):
        return found.only(measures_among(measures, found.measures)).complete()


def _one_file(content: Content[Any, Any]) -> Callable[[Any], Noun]:  # Any: of a caller; each noun's own type
    """The reader of a noun that is one file or folder."""

    def reader(given: Any) -> Noun:  # Any: as above
        if isinstance(given, Noun):
            return given
        paths = path_list("files", given)
        if len(paths) != 1:
            raise InputError.at(paths[1], f"is a second file of {content.wanted}", "convert one file at a time")
        found: Noun = read(content, paths[0])
        return found

    return reader


_READERS: Mapping[Content[Any, Any], Callable[[Any], Noun]] = {  # Any: each noun's own type
    RUNS: lambda given: Runs(runs_of(given)),
    QRELS: qrels_of,
    VOTES: votes_of,
    PAIR_IDS: pair_ids_of,
    TOPICS: lambda given: Topics(topics_of(given)),
    FACTORS: _one_file(FACTORS),
    CHANCES: _one_file(CHANCES),
}
"""How each noun but scores is read."""
