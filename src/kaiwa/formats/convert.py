"""Files of one format to another of the same noun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import InputError, Names, UnknownName, option
from kaiwa.files.atomic import write_text, write_texts
from kaiwa.formats.pair_ids import ids_in
from kaiwa.formats.readers import loaded_set, read, read_cells, read_runs
from kaiwa.formats.recognition import PAIR_IDS, RUNS, SCORES
from kaiwa.formats.table import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.formats.fields import Texts
    from kaiwa.formats.readers import Directions
    from kaiwa.formats.recognition import Format, Noun


T = TypeVar("T")
W = TypeVar("W")
WRITTEN: Names[Format[Any, Any]] = Names(  # Any: each row has the types of its noun
    "format", {name: row for name, row in FORMATS.items() if row.texts is not None}
)


def converted(
    paths: Sequence[Path],
    name: str,
    *,
    measures: Sequence[str] = (),
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
) -> Texts:
    """The texts of the files in another format; ``measures`` chooses among scores, ``directions`` are theirs.

    ``remark`` is called with each line on the score files.
    """
    noun = WRITTEN[name].noun
    if (measures or directions) and noun is not SCORES:
        given = f"{option('measure')} chooses among scores" if measures else "only scores have a direction"
        raise InputError(f"{given}, but {name} holds none; leave it out")
    if noun is SCORES:
        loaded = loaded_set(read_cells(paths, directions), paths[0], measures=measures)
        for line in loaded.remarks:
            remark(line)
        return texts_of(SCORES, loaded.scores, name)
    return texts_of(noun, _contents(paths, noun), name)


def texts_of(noun: Noun[T, W], thing: W, name: str) -> Texts:
    """The texts of a noun in one of its formats."""
    writers = {row.name: row.texts for row in FORMATS.values() if row.noun is noun and row.texts is not None}
    if name not in writers:
        raise UnknownName.among("format", name, writers)
    return writers[name](thing)


def _contents(paths: Sequence[Path], noun: Noun[Any, Any]) -> object:
    """What the files hold together."""
    if noun is RUNS:
        return read_runs(paths)
    if len(paths) > 1:
        raise InputError.at(paths[1], f"is a second file of {noun.name}", "convert one file or folder at a time")
    return ids_in(paths[0]) if noun is PAIR_IDS else read(noun, paths[0])


def write_converted(output: Path, texts: Texts) -> None:
    """Write the texts: to the one file, or into the folder."""
    if "" in texts:
        write_text(output, texts[""])
    else:
        write_texts(output, texts)
