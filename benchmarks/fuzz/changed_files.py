"""Changed copies of the example of a format, and how they are read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fuzz.changes import CHANGES
from kaiwa.errors import KaiwaError
from kaiwa.formats.format_table import FORMATS
from kaiwa.formats.readers import read
from kaiwa.formats.scores.score_cells import Cells, complete_scores

if TYPE_CHECKING:
    import random

EXAMPLES = Path(__file__).parents[2] / "tests" / "formats" / "examples"


def example(name: str, work: Path) -> Path:
    """The example of a format, copied into a folder where it can be changed."""
    (source,) = (EXAMPLES / name).iterdir()
    work.mkdir(parents=True, exist_ok=True)
    target = work / source.name
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)
    return target


def mutated(rng: random.Random, name: str, work: Path) -> Path:
    """A changed copy of the example of a format."""
    target = example(name, work)
    files = sorted(file for file in target.rglob("*") if file.is_file()) if target.is_dir() else [target]
    file = rng.choice(files)
    data = file.read_bytes()
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = CHANGES[rng.choice(list(CHANGES))](rng, data)
    file.write_bytes(data)
    return target


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
