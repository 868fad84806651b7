"""A format: its noun, and how it is recognised, read and written; and the nouns that files contain."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.compare.standardisation import Factors
    from kaiwa.formats.collection.pair_files import Batch
    from kaiwa.formats.collection.tweet_files import Tweet
    from kaiwa.formats.file_names import Texts
    from kaiwa.formats.intent_files import IntentChances
    from kaiwa.formats.scores.score_cells import Cells
    from kaiwa.formats.text.head import Head, Match
    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.votes import Votes

T = TypeVar("T")
W = TypeVar("W")


@dataclass(frozen=True)
class Noun(Generic[T, W]):
    """What a file contains: its name, the words for it and its file in a message, and the command that takes the file.

    Reading gives a T and writing takes a W; they differ for scores, which may have gaps when they are read.
    """

    name: str
    wanted: str
    file: str
    use: str


RUNS: Noun[list[Run], list[Run]] = Noun("run", "a run", "a run file", "score it: kaiwa score {path} --qrels QRELS")
QRELS: Noun[Gains, Gains] = Noun(
    "qrels", "qrels", "a qrels file", "score runs against it: kaiwa score RUN... --qrels {path}"
)
VOTES: Noun[Votes, Votes] = Noun(
    "votes", "votes", "a vote file", "turn its votes into qrels: kaiwa gains {path} -o QRELS"
)
SCORES: Noun[Cells, ScoreSet] = Noun("scores", "scores", "a score file", "compare its runs: kaiwa compare {path}")
TOPICS: Noun[dict[str, str], dict[str, str]] = Noun(
    "topics", "topics", "a topic file", "answer its topics: kaiwa retrieve INDEX {path} -o RUN"
)
PAIRS: Noun[Iterator[Batch], Iterator[Batch]] = Noun(
    "pairs", "pairs", "a file of pairs", "make a repository from it: kaiwa clean {path} -o REPO"
)
TWEETS: Noun[Iterator[Tweet], Iterator[Tweet]] = Noun(
    "tweets", "tweets", "a file of tweets", "make a repository from it: kaiwa clean {path} -o REPO --rules twitter"
)
FACTORS: Noun[dict[str, Factors], dict[str, Factors]] = Noun(
    "factors",
    "standardisation factors",
    "a file of standardisation factors",
    "standardise scores with it: kaiwa standardise SCORES --factors {path}",
)
CHANCES: Noun[IntentChances, IntentChances] = Noun(
    "chances",
    "probabilities of intents",
    "a file of intent probabilities",
    "score runs with it: kaiwa score RUN... --intents QRELS --chances {path}",
)


@dataclass(frozen=True)
class Format(Generic[T, W]):
    """One format of one noun.

    ``read`` takes a path and the noun's own options; ``read_together`` takes the paths of files that are only
    understood together. ``texts`` is None if the format is only read. ``shape`` shows a line of the file;
    ``description`` is one line of documentation. ``by_lines`` tells that lines are read one by one: ``read`` takes a
    ``span`` of the file, so that several processes can read it. ``by_groups`` tells that ``read`` takes a range of the
    row ``groups`` of a Parquet file. ``count`` gives the number of things in a file that are named after their numbers;
    ``read`` then takes the number of the ``first``, so that several files are numbered as one. ``columns`` gives the
    names of the columns of a file of pairs, in their order; none if it has all of them and no header.
    """

    name: str
    noun: Noun[T, W]
    shape: str
    description: str
    recognise: Callable[[Head], Match]
    read: Callable[..., T]
    texts: Callable[[W], Texts] | None = None
    read_together: Callable[[Sequence[Path]], T] | None = None
    by_lines: bool = False
    by_groups: bool = False
    count: Callable[[Path], int] | None = None
    columns: Callable[[Path], tuple[str, ...]] | None = None


def late(module: str, name: str) -> Callable[..., Any]:  # Any: what the function itself takes and returns
    """A function of a module in ``kaiwa.formats``, imported at its first call: a verb loads the formats that it needs.

    >>> late("text.delimited", "is_number")("0.5")
    True
    """

    def call(*arguments: Any, **options: Any) -> Any:  # Any: as above
        return getattr(import_module(f"kaiwa.formats.{module}"), name)(*arguments, **options)

    return call
