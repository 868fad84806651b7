"""Raw pairs in, a repository out: what is kept, and what each rule removed.

``clean`` is the public function; the work is in ``cleaning``, the rules are in ``rules``.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from textwrap import shorten
from typing import TYPE_CHECKING

from kaiwa.ambient import progress
from kaiwa.corpus.cleaning import write_cleaned
from kaiwa.corpus.rules import read_rules
from kaiwa.errors import InputError, counted, option
from kaiwa.files.atomic import reading
from kaiwa.formats.reading import path_list, path_of, seed_of
from kaiwa.formats.takedown import given_ids
from kaiwa.show.result import Description, Result, Table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from kaiwa.corpus.cleaning import Cleaned, ConflictingIds
    from kaiwa.formats.reading import AnyPath
    from kaiwa.formats.repository import Manifest
    from kaiwa.show.text import Cell


DEFAULT_RULES = "plain"
_OF = {"post": "characters of a post", "comment": "characters of a comment", "comments_per_post": "comments of a post"}
_WIDTH = 60
"""Width of the examples that people read; the column and the JSON fields have them in full."""


@dataclass(frozen=True, repr=False)
class Repository(Result, os.PathLike[str]):
    """A repository on disk, and what cleaning kept and removed; it stands for its folder, as in ``kaiwa.index``.

    >>> import kaiwa
    >>> kaiwa.index(kaiwa.clean("pairs.tsv", "repository"), "index", language="en").posts
    2
    """

    path: Path
    cleaned: Cleaned

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Repository({str(self.path)!r}, {self._kept})"

    @property
    def repository(self) -> str:
        """The folder."""
        return str(self.path)

    @property
    def manifest(self) -> Manifest:
        """How it was made, with a digest of each table."""
        return self.cleaned.manifest

    @property
    def rules(self) -> str:
        """The name of the rule set."""
        return self.manifest.rules

    @property
    def pairs_read(self) -> int:
        """How many pairs were read."""
        return self.cleaned.pairs_read

    @property
    def posts(self) -> int:
        """How many posts it has."""
        return self.manifest.posts

    @property
    def comments(self) -> int:
        """How many comments it has."""
        return self.manifest.comments

    @property
    def pairs(self) -> int:
        """How many pairs it has."""
        return self.manifest.pairs

    @property
    def merged(self) -> int:
        """How many comments were merged into near-duplicates."""
        return self.cleaned.merged

    @property
    def removed(self) -> dict[str, int]:
        """How many pairs each rule removed."""
        return self.cleaned.removed

    @property
    def examples(self) -> dict[str, list[str]]:
        """Texts that each rule removed."""
        return self.cleaned.examples

    @property
    def conflicting_ids(self) -> ConflictingIds:
        """The ids with more than one text, of which the first was kept."""
        return self.cleaned.conflicting

    @property
    def lengths(self) -> dict[str, dict[str, float]]:
        """The least, mean and greatest number of characters of a post and of a comment, and of comments per post."""
        return {name: {"min": one.min, "mean": one.mean, "max": one.max} for name, one in self.cleaned.lengths.items()}

    @property
    def candidates(self) -> str:
        """What a system may answer: ``comments``, or ``both`` posts and comments."""
        return self.manifest.candidates

    @property
    def translations(self) -> list[str]:
        """The columns of translations that posts and comments have."""
        return self.manifest.translations

    @property
    def _kept(self) -> str:
        kept = ", ".join([counted(self.posts, "post"), counted(self.comments, "comment"), counted(self.pairs, "pair")])
        return f"{kept} of {self.pairs_read:,} read"

    def describe(self) -> Description:
        """The counts, a table of what each rule removed, and one of the lengths."""
        rows: list[list[Cell]] = [
            [why, count, " | ".join(self.examples.get(why, []))] for why, count in self.removed.items()
        ]
        printed = [[*row[:2], shorten(str(row[2]), _WIDTH, placeholder=" ...")] for row in rows]
        conflicts = self.conflicting_ids
        counts = {"post": conflicts.posts, "comment": conflicts.comments}
        notes = [
            f"{counted(counts[one.side], f'{one.side} id')} with more than one text, the first kept: {one}"
            for one in conflicts.examples
        ]
        if self.candidates == "both":
            notes.append(
                f"Posts are candidates too: the {self.posts:,} posts are among the {self.comments:,} comments."
            )
        if self.translations:
            notes.append(f"Translations: {', '.join(self.translations)}.")
        if self.cleaned.without_effect:
            rules = ", ".join(self.cleaned.without_effect)
            notes.append(f"Without effect, because pairs have no name and no date: {rules}.")
        return Description(
            title=f"{self.path}: {self._kept}; {counted(self.merged, 'comment')} merged into near-duplicates",
            tables=(
                Table("removed", ["reason", "pairs", "examples"], rows, ["removed", "pairs", "for example"], printed),
                Table(
                    "lengths",
                    ["of", "min", "mean", "max"],
                    [[_OF[name], *one.values()] for name, one in self.lengths.items()],
                    ["", "min", "mean", "max"],
                    [[_OF[name], one["min"], f"{one['mean']:.1f}", one["max"]] for name, one in self.lengths.items()],
                ),
            ),
            shown=["removed", "lengths"] if rows else ["lengths"],
            notes=notes,
            fields={
                "repository": self.repository,
                "rules": self.rules,
                "pairs_read": self.pairs_read,
                "posts": self.posts,
                "comments": self.comments,
                "pairs": self.pairs,
                "merged": self.merged,
                "lengths": self.lengths,
                "candidates": self.candidates,
                "translations": self.translations,
                "removed": self.removed,
                "examples": self.examples,
                "conflicting_ids": asdict(conflicts),
            },
        )


def clean(
    pairs: AnyPath | Sequence[AnyPath],
    output: AnyPath,
    *,
    rules: str = DEFAULT_RULES,
    sample: int | None = None,
    seed: int = 1,
    keep_first: bool = False,
    takedown: AnyPath | Collection[str] | None = None,
    engine: str = "local",
) -> Repository:
    r"""Clean raw post-comment pairs (TSV, CSV, JSONL or Parquet) into a repository folder; what each rule removed.

    ``pairs`` is a file of pairs, dialogues or tweets. Several files of one of these kinds, or a folder with them (read
    by name), are cleaned as one file with all their rows, in the given order. Other paths, or a folder, are a file of
    posts, one of comments and perhaps one of the pairs of their ids.

    ``rules`` is the name of a rule set (``kaiwa.names("rules")``) or a TOML file; ``sample`` keeps that many pairs,
    drawn with the seed. Input in which more than 1% of the ids have several texts is refused; with ``keep_first`` the
    first text is kept. ``takedown`` are ids that may not be shown, or a file of them; the list in the repository's
    folder applies too. ``engine`` is where the work runs: ``local``, ``local[N]`` (processes), ``spark://HOST:PORT`` or
    ``sc://HOST:PORT``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> _ = Path("pairs.tsv").write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> kaiwa.clean("pairs.tsv", "repository")
    Repository('repository', 1 post, 1 comment, 1 pair of 1 read)
    """
    sources, target = path_list("pairs", pairs), path_of("output", output)
    if sample is None and seed != 1:
        raise InputError(f"{option('seed')} draws a sample; add {option('sample', 'N')}, or leave it out")
    chosen = read_rules(rules)
    with reading(sources), progress("cleaning") as moved:
        cleaned = write_cleaned(
            sources,
            target,
            rules=chosen,
            sample=sample,
            seed=seed_of(seed),
            progress=moved,
            keep_first=keep_first,
            takedown=given_ids(takedown),
            engine=engine,
        )
    return Repository(target, cleaned)
