"""Pairs without texts, where texts may not be passed on; and pairs whose texts were put back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted
from kaiwa.nouns.noun import Noun, Rows
from kaiwa.show.result import Description, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.nouns.votes import Votes


PairId = tuple[str, str]
"""The ids of a post and of its comment."""


@dataclass(frozen=True, repr=False)
class PairIds(Noun, Rows):
    """Ids of pairs: of a post and of its comment, each pair once.

    >>> import kaiwa
    >>> kaiwa.PairIds([("p1", "c1"), ("p1", "c2")])
    PairIds(2 pairs)
    """

    pairs: Sequence[PairId]

    _in_table = "ids of pairs"

    def __post_init__(self) -> None:
        known = set[PairId]()
        for pair in self.pairs:
            if pair in known:
                raise InputError(f"duplicate pair {pair}; keep one")
            known.add(pair)
        object.__setattr__(self, "pairs", tuple(self.pairs))

    def __repr__(self) -> str:
        return f"PairIds({counted(len(self.pairs), 'pair')})"

    def describe(self) -> Description:
        """How many there are; the table ``pairs`` has them."""
        return Description(
            tables=(Table("pairs", ["post_id", "comment_id"], [list(pair) for pair in self.pairs]),),
            text=counted(len(self.pairs), "pair"),
            fields={"pairs": [list(pair) for pair in self.pairs]},
        )

    def _own_file(self, table: str | None) -> str:  # noqa: ARG002  there is one table
        """The file of ids: a header, then lines ``post_id TAB comment_id``."""
        return self.texts("pair-ids")[""]

    def _written(self, form: str | None, table: str | None) -> str:
        """What a file of this form holds; TSV is its own file."""
        return self._own_file(table) if form == "tsv" else super()._written(form, table)


@dataclass(frozen=True, repr=False)
class PairTexts(Noun, Rows):
    """Pairs, or labels, whose texts were put back: rows of post id, post, comment id, comment.

    ``missing`` is the number of pairs that were left out, because a text is missing; ``votes`` are the labels, if there
    are any. Its own file is a file of pairs (TSV with a header), or the sheet of the labels.

    >>> import kaiwa
    >>> kaiwa.PairTexts([("p1", "It rains", "c1", "Stay at home")], missing=1)
    PairTexts(1 pair, 1 missing)
    """

    pairs: Sequence[tuple[str, str, str, str]]
    missing: int = 0
    votes: Votes | None = None

    def __repr__(self) -> str:
        missing = f", {self.missing:,} missing" if self.missing else ""
        return f"PairTexts({counted(len(self.pairs), 'pair')}{missing})"

    def describe(self) -> Description:
        """How many pairs have texts, and how many were left out; the table ``pairs`` has them."""
        left_out = f"{counted(self.missing, 'pair')} left out, whose texts are missing."
        return Description(
            tables=(Table("pairs", _COLUMNS, [list(row) for row in self.pairs]),),
            text=f"{counted(len(self.pairs), 'pair')} with texts",
            notes=[left_out] if self.missing else [],
            fields={"pairs": [dict(zip(_COLUMNS, row, strict=True)) for row in self.pairs], "missing": self.missing},
        )

    def _own_file(self, table: str | None) -> str:  # noqa: ARG002  there is one table
        """The file of pairs, or the sheet of the labels."""
        if self.votes is None:
            return "".join("\t".join(row) + "\n" for row in (_COLUMNS, *self.pairs))
        from kaiwa.formats.judging_sheets import voted_sheet_text

        posts, comments = ({row[at]: row[at + 1] for row in self.pairs} for at in (0, 2))
        return voted_sheet_text(self.votes, posts, comments)

    def _written(self, form: str | None, table: str | None) -> str:
        """What a file of this form holds; TSV, or CSV of labels, is its own file."""
        own = "tsv" if self.votes is None else "csv"
        return self._own_file(table) if form == own else super()._written(form, table)


_COLUMNS = ("post_id", "post", "comment_id", "comment")
