"""The index folder: arrays of an inverted index, with a takedown list beside them.

INDEX/takedown.txt    ids that no answer may contain, one per line; may be missing, may change at any time
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.files.array_folder import ArrayFolder, described, open_arrays
from kaiwa.formats import takedown
from kaiwa.retrieval.inverted_index import InvertedIndex, index_from

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.files.array_folder import ArrayFiles


INDEX = ArrayFolder(
    "index",
    "an",
    version=4,
    verb="index",
    lazy=("docs", "shapes", "text", "ids", "text_starts", "id_starts", "row"),
    eager=("terms.",),
    carried=(takedown.NAME,),
)


def open_index(path: Path) -> InvertedIndex:
    """The index in a folder, ready to be searched."""
    with described(path, INDEX):
        files = open_index_files(path)
        return index_from(files.arrays, files.facts, files.check, files.identity)


def open_index_files(path: Path) -> ArrayFiles:
    """The arrays of the index in a folder."""
    return open_arrays(path, INDEX)
