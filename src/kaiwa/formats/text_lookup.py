"""The texts of a file by their ids, on disk: looked up for a whole list of ids, in partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError
from kaiwa.files.spill import Partitions, RecordReader, TemporaryStrings, part_of, range_of
from kaiwa.formats.pairs import in_batches
from kaiwa.nouns.ids import first_rows
from kaiwa.nouns.normalise import fingerprint, skeleton

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Records = NDArray[Any]  # Any: of the dtype below


_NONE = np.uint64(2**64 - 1)
_RECORD = np.dtype([
    ("row", np.uint64),
    ("key", np.uint64),  # of the id
    ("text", np.uint64),  # the key of a known text; the row of the text that was found for a wanted id
    ("line", np.uint64),
    ("wanted", np.bool_),
])  # fmt: skip


class TextLookup:
    """The texts of rows (id, text) with their lines; ids are looked up once, all together."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.found = path, 0
        self._folder = folder
        self._texts, self._records = TemporaryStrings(folder), Partitions(folder)

    def fill(self, rows: Iterator[tuple[int, list[str]]]) -> None:
        """Add all texts, before ids are looked up."""
        count = 0
        for batch in in_batches(rows):
            texts = [cells[1] for _, cells in batch]
            self._texts.add(texts)
            records = _records([cells[0] for _, cells in batch], first_row=count)
            records["text"] = [fingerprint(skeleton(text)) for text in texts]
            records["line"] = [line for line, _ in batch]
            self._records.add(records, part_of(records["key"]))
            count += len(batch)

    def find(self, wanted: Iterator[str]) -> Callable[[int], list[str]]:
        """A function that gives the texts of the next so many of these ids; "" for an id that is not in the file."""
        count = 0
        for batch in in_batches(wanted):
            records = _records(batch, first_row=count)
            records["wanted"] = True
            self._records.add(records, part_of(records["key"]))
            count += len(batch)
        in_order = Partitions(self._folder)
        for part in self._records.parts():
            looked_up = self._looked_up(part)
            in_order.add(looked_up, range_of(looked_up["row"], count))
        decisions = RecordReader(in_order.parts())
        return lambda size: self._at(decisions.take(size)["text"])

    def close(self) -> None:
        """Delete the texts."""
        self._texts.close()

    def _looked_up(self, part: Records) -> Records:
        """The wanted ids of a part, each with the row of its text."""
        known: Records = part[~part["wanted"]]
        wanted: Records = part[part["wanted"]]
        self._refuse_two_texts(known)
        keys, first = np.unique(known["key"], return_index=True)
        wanted["text"] = _NONE
        if len(keys):
            place = np.minimum(np.searchsorted(keys, wanted["key"]), len(keys) - 1)
            hits = keys[place] == wanted["key"]
            wanted["text"][hits] = known["row"][first[place[hits]]]
            self.found += int(hits.sum())
        return wanted

    def _refuse_two_texts(self, known: Records) -> None:
        first = first_rows(known["key"])
        if (differs := known["text"] != known["text"][first]).any():
            place = int(differs.argmax())
            what = f"this id has another text on line {known['line'][first[place]]}"
            raise InputError.at(self.path, what, "give every text its own id", line=int(known["line"][place]))

    def _at(self, rows: NDArray[np.uint64]) -> list[str]:
        distinct, places = np.unique(rows, return_inverse=True)
        known = distinct[distinct != _NONE].tolist()
        texts = [*self._texts.at(known), ""]
        return [texts[place] for place in places.tolist()]


def _records(ids: Sequence[str], *, first_row: int) -> Records:
    records = np.zeros(len(ids), dtype=_RECORD)
    records["row"] = np.arange(first_row, first_row + len(ids))
    records["key"] = [fingerprint(one) for one in ids]
    return records
