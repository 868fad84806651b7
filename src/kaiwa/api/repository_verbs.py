"""The verbs on a repository of pairs: clean, sample topics, index.

The examples run in a folder with ``pairs.tsv`` (two pairs), its ``repository`` and the ``index`` of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.api.arguments import maybe_path, one_of, path_list, path_of, seed_of
from kaiwa.formats.collection.takedown import given_ids

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from kaiwa.build.repository.cleaning import Cleaned
    from kaiwa.flow.collection.topics import Topics


def clean_pairs(
    pairs: Path | str | Sequence[Path | str],
    repository: Path | str,
    *,
    rules: str = "plain",
    sample: int | None = None,
    seed: int = 1,
    keep_first: bool = False,
    takedown: Path | str | Collection[str] = frozenset(),
    engine: str = "local",
) -> Cleaned:
    r"""Clean raw post-comment pairs (TSV, CSV, JSONL or Parquet) into a repository folder; what each rule removed.

    ``pairs`` is a file of pairs, dialogues or tweets. Several files of one of these kinds, or a folder with them (read
    by name), are cleaned as one file with all their rows, in the given order. Other paths, or a folder, are a file of
    posts, one of comments and perhaps one of the pairs of their ids.

    ``rules`` is the name of a rule set or a TOML file; ``sample`` keeps that many pairs, drawn with the seed. Input in
    which more than 1% of the ids have several texts is refused; with ``keep_first`` the first text is kept.
    ``takedown`` are ids that may not be shown, or a file of them; the list in the repository's folder applies too.
    ``engine`` is where the work runs: ``local``, ``local[N]`` (processes), ``spark://HOST:PORT`` or ``sc://HOST:PORT``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> _ = Path("pairs.tsv").write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> kaiwa.clean_pairs("pairs.tsv", "repository")
    Cleaned(1 post, 1 comment, 1 pair of 1 read)
    """
    from kaiwa.flow.collection.clean import clean_pairs as clean

    return clean(
        path_list("pairs", pairs),
        path_of("repository", repository),
        rules=rules,
        sample=sample,
        seed=seed_of(seed),
        keep_first=keep_first,
        takedown=given_ids(takedown),
        engine=engine,
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
    >>> kaiwa.sample_topics("repository", count=1).topics
    {'p2': 'It rains'}
    """
    from kaiwa.flow.collection.topics import sample_topics as sample

    return sample(
        path_of("repository", repository),
        count=count,
        pool=maybe_path("pool", pool),
        rest=maybe_path("rest", rest),
        rng=np.random.default_rng(seed_of(seed)),
        takedown=given_ids(takedown),
    )


def index_repository(
    repository: Path | str,
    index: Path | str,
    *,
    language: str | None = None,
    tokens: str | None = None,
    takedown: Path | str | Collection[str] = frozenset(),
    shards: int | None = None,
    engine: str = "local",
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    r"""Tokenise and index the posts and comments of a repository; the facts of the index.

    ``language`` is ``zh``, ``ja`` or ``en``, detected by default; ``tokens`` names a tokeniser (default: ``zh+bigrams``
    for ``zh``, the words of the language otherwise). Ids of ``takedown``, a collection or a file, are left out.
    With ``shards``, the index has this number of shards; its answers are the same. ``engine`` tokenises the texts and
    builds the shards; the index does not depend on it.

    >>> import kaiwa
    >>> kaiwa.index_repository("repository", "index", language="en")["comments"]
    2
    >>> kaiwa.index_repository("repository", "index", language="en", shards=2)["shards"]
    2
    """
    from kaiwa.flow.collection.index import index_repository as make

    if language is not None:
        one_of("language", language, ("zh", "ja", "en"))
    return make(
        path_of("repository", repository),
        path_of("index", index),
        language=language,
        tokens=tokens,
        takedown=given_ids(takedown),
        shards=shards,
        engine=engine,
    )
