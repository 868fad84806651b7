"""The verbs on a repository of pairs: clean, sample topics, index, open, retrieve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.formats.collection.takedown import given_ids
from kaiwa.rank.answer_filters import Filters

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kaiwa.build.repository.cleaning import Cleaned
    from kaiwa.flow.retrieve import Bot
    from kaiwa.flow.topics import Topics
    from kaiwa.model.run import Run

_FILTERS = Filters()


def clean_pairs(
    pairs: Path | str | Sequence[Path | str],
    repository: Path | str,
    *,
    rules: str = "plain",
    sample: int | None = None,
    seed: int = 1,
    keep_first: bool = False,
    takedown: Path | str | Collection[str] = frozenset(),
) -> Cleaned:
    r"""Clean raw post-comment pairs (TSV, CSV, JSONL or Parquet) into a repository folder; what each rule removed.

    ``pairs`` is a file of pairs, dialogues or tweets; or a folder, or several paths, of posts and comments.
    ``rules`` is the name of a rule set or a TOML file; ``sample`` keeps that many pairs, drawn with the seed. A file
    in which more than 1% of the ids have several texts is refused; with ``keep_first`` the first text is kept.
    ``takedown`` are ids that may not be shown, or a file of them; the list in the repository's folder applies too.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> pairs = folder / "pairs.tsv"
    >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> kaiwa.clean_pairs(pairs, folder / "repository")
    Cleaned(1 post, 1 comment, 1 pair of 1 read)
    """
    from kaiwa.flow.clean import clean_pairs as clean

    paths = [Path(pairs)] if isinstance(pairs, Path | str) else [Path(path) for path in pairs]
    return clean(
        paths,
        Path(repository),
        rules=rules,
        sample=sample,
        seed=seed,
        keep_first=keep_first,
        takedown=given_ids(takedown),
    )


def sample_topics(
    repository: Path | str,
    *,
    count: int = 100,
    pool: Path | str | None = None,
    rest: Path | str | None = None,
    seed: int = 1,
    takedown: Path | str | Collection[str] = frozenset(),
) -> Topics:
    r"""Topics that pass the repository's rules, balanced by length, without near-duplicates.

    With ``pool`` they are drawn from those posts, without near-duplicates of the repository's posts. Without it they
    are posts of the repository, and the repository without them is written to ``rest``. Ids of
    ``takedown``, a collection or a file, and of the repository's list are left out.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> pairs, repository = folder / "pairs.tsv", folder / "repository"
    >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> _ = kaiwa.clean_pairs(pairs, repository)
    >>> kaiwa.sample_topics(repository, count=1).topics
    {'p1': 'The first day in Hawaii'}
    """
    from kaiwa.flow.topics import sample_topics as sample

    return sample(
        Path(repository),
        count=count,
        pool=None if pool is None else Path(pool),
        rest=None if rest is None else Path(rest),
        rng=np.random.default_rng(seed),
        takedown=given_ids(takedown),
    )


def index_repository(
    repository: Path | str,
    index: Path | str,
    *,
    language: str | None = None,
    tokens: str | None = None,
    takedown: Path | str | Collection[str] = frozenset(),
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    r"""Tokenise and index the posts and comments of a repository; the facts of the index.

    ``language`` is ``zh``, ``ja`` or ``en``, detected by default; ``tokens`` names a tokeniser (default: ``zh+bigrams``
    for ``zh``, the words of the language otherwise). Ids of ``takedown``, a collection or a file, are left out.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> pairs, repository = folder / "pairs.tsv", folder / "repository"
    >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> _ = kaiwa.clean_pairs(pairs, repository)
    >>> kaiwa.index_repository(repository, folder / "index", language="en")["comments"]
    1
    """
    from kaiwa.api.score_verbs import one_of
    from kaiwa.flow.index import index_repository as make

    if language is not None:
        one_of("language", language, ("zh", "ja", "en"))
    return make(Path(repository), Path(index), language=language, tokens=tokens, takedown=given_ids(takedown))


def open_index(path: Path | str, *, takedown: Path | str | Collection[str] = frozenset()) -> Bot:
    r"""A conversation system over an index; ``takedown`` are ids that may not be shown, or a file of them.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> pairs, repository = folder / "pairs.tsv", folder / "repository"
    >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> _ = kaiwa.clean_pairs(pairs, repository)
    >>> _ = kaiwa.index_repository(repository, folder / "index", language="en")
    >>> kaiwa.open(folder / "index").reply("A day in Hawaii")[0].text
    'Enjoy the beaches of Hawaii'
    """
    from kaiwa.flow.retrieve import Bot

    return Bot(Path(path), takedown=given_ids(takedown))


def retrieve_run(
    index: Path | str,
    topics: Mapping[str, str] | Path | str,
    *,
    name: str,
    k: int = 10,
    system: str = "run2",
    filters: Filters = _FILTERS,
    fusion: str = "rrf",
    takedown: Path | str | Collection[str] = frozenset(),
) -> Run:
    r"""A run that answers every topic from an index; ``run.unanswered()`` names the topics without an answer.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> pairs, repository = folder / "pairs.tsv", folder / "repository"
    >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> _ = kaiwa.clean_pairs(pairs, repository)
    >>> _ = kaiwa.index_repository(repository, folder / "index", language="en")
    >>> kaiwa.retrieve_run(folder / "index", {"q1": "A day in Hawaii"}, name="KAIWA-E-R1")
    Run('KAIWA-E-R1', 1 topic, 1 comment)
    """
    from kaiwa.api.noun_readers import read_topics

    asked = read_topics(topics) if isinstance(topics, Path | str) else topics
    bot = open_index(index, takedown=takedown)
    return bot.run(asked, name=name, k=k, system=system, filters=filters, fusion=fusion)
