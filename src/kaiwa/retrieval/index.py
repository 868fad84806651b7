"""A repository in, an index out, with the search kernels compiled.

``index`` is the public function, ``Index`` its result; ``build`` does the work, ``inverted_index`` is what is searched.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.ambient import progress
from kaiwa.errors import counted
from kaiwa.files.atomic import reading
from kaiwa.formats.reading import one_of, path_of
from kaiwa.formats.takedown import given_ids
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import compile_search
from kaiwa.show.result import Description, Result, Table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from kaiwa.formats.reading import AnyPath


LANGUAGES = ("zh", "ja", "en")
_COUNTS = ("post", "comment", "pair", "term")


@dataclass(frozen=True, repr=False)
class Index(Result, os.PathLike[str]):
    """An index on disk, with its facts as attributes; it stands for its folder, as in ``kaiwa.reply``.

    >>> import kaiwa
    >>> kaiwa.index("repository", "index", language="en")
    Index('index', 2 posts, 2 comments, 2 pairs, 8 terms)
    """

    path: Path
    facts: Mapping[str, Any]  # Any: JSON values

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Index({str(self.path)!r}, {', '.join(counted(self.facts[f'{noun}s'], noun) for noun in _COUNTS)})"

    def __getattr__(self, name: str) -> Any:  # Any: the fact's own type
        if name in (facts := vars(self).get("facts", {})):
            return facts[name]
        raise AttributeError(f"an Index has no {name!r}; it has {', '.join(['path', *facts])}")

    @property
    def index(self) -> str:
        """The folder."""
        return str(self.path)

    def describe(self) -> Description:
        """Its size, language, tokeniser and shards."""
        facts = self.facts
        counts = ", ".join(counted(facts[f"{noun}s"], noun) for noun in _COUNTS)
        single = {name: value for name, value in facts.items() if isinstance(value, str | int | float)}
        return Description(
            tables=(Table("facts", list(single), [list(single.values())]),),
            text=f"{self.path}: {counts} ({facts['tokeniser']}){self._shards}",
            fields={"index": self.index, **facts},
        )

    @property
    def _shards(self) -> str:
        """The number of shards, and how many of them have a comment on average; empty without shards."""
        if "shards" not in self.facts:
            return ""
        copies = sum(self.facts["shard_comments"]) / max(self.facts["comments"], 1)
        return f" in {counted(self.facts['shards'], 'shard')}, {copies:.2f} copies of a comment"


def index(
    repository: AnyPath,
    output: AnyPath,
    *,
    language: str | None = None,
    tokens: str | None = None,
    shards: int | None = None,
    takedown: AnyPath | Collection[str] | None = None,
    engine: str = "local",
) -> Index:
    r"""Tokenise and index the posts and comments of a repository.

    ``language`` is ``zh``, ``ja`` or ``en``, detected by default; ``tokens`` names a tokeniser (default: ``zh+bigrams``
    for ``zh``, the words of the language otherwise). Ids of ``takedown``, a collection or a file, are left out.
    With ``shards``, the index has this number of shards; its answers are the same. ``engine`` tokenises the texts and
    builds the shards; the index does not depend on it. An existing index stays in use until the new one is complete.

    >>> import kaiwa
    >>> kaiwa.index("repository", "index", language="en").comments
    2
    >>> kaiwa.index("repository", "index", language="en", shards=2).shards
    2
    """
    source, target = path_of("repository", repository), path_of("output", output)
    if language is not None:
        one_of("language", language, LANGUAGES)
    with reading([source / "manifest.json", *source.glob("*.parquet")]), progress("indexing") as moved:
        facts = build_index(
            source,
            target,
            language=language,
            tokens=tokens,
            progress=moved,
            takedown=given_ids(takedown),
            shards=shards,
            engine=engine,
        )
    compile_search(open_index(target))
    return Index(target, facts)
