"""Changed copies of the example of a format, and how they are read."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fuzz.changes import CHANGES
from kaiwa.errors import KaiwaError
from kaiwa.files import zstd
from kaiwa.formats.readers import read
from kaiwa.formats.table import FORMATS
from kaiwa.nouns.cells import Cells, complete_scores

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

EXAMPLES = Path(__file__).parents[2] / "tests" / "formats" / "examples"
PACKED = ((".gz", partial(zlib.compress, wbits=31)), (".zst", zstd.compress))


@cache
def files_of(name: str) -> dict[str, bytes]:
    """The files of the example of a format, by their paths below the folder of the format."""
    found = sorted(file for file in (EXAMPLES / name).rglob("*") if file.is_file())
    return {str(file.relative_to(EXAMPLES / name)): file.read_bytes() for file in found}


def example(name: str, work: Path) -> Path:
    """The example of a format, written into a folder."""
    return _written(files_of(name), work)


def mutated(rng: random.Random, name: str, work: Path) -> Path:
    """A changed copy of the example of a format; one in ten is compressed, before the changes or after them."""
    files = dict(files_of(name))
    file = rng.choice(list(files))
    data = files.pop(file)
    ending, packed = rng.choice(PACKED) if rng.random() < 0.1 else ("", bytes)
    first = rng.random() < 0.5
    data = packed(data) if first else data
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = CHANGES[rng.choice(list(CHANGES))](rng, data)
    return _written({**files, f"{file}{ending}": data if first else packed(data)}, work)


def _written(files: Mapping[str, bytes], work: Path) -> Path:
    """Write the files; the only file, or the folder of several."""
    for file, data in files.items():
        target = work / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return work / next(iter(files)).split("/", 1)[0]


def tried_file(rng: random.Random, name: str, work: Path) -> str:
    """Read a changed example, by its format's own reader or as a verb does: ``read`` or ``refused``."""
    path, row = mutated(rng, name, work), FORMATS[name]
    reader = row.read if rng.random() < 0.5 else lambda path: read(row.noun, path)
    try:
        found = reader(path)
        if isinstance(found, Cells):
            complete_scores(found)
        elif isinstance(found, Iterator):
            for _ in found:
                pass
    except KaiwaError as refusal:
        if "\n" in str(refusal):
            raise AssertionError("a refusal of several lines") from refusal
        return "refused"
    return "read"
