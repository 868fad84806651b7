"""Pool files: ``topic TAB comment``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.topics import read_pool
from kaiwa.nouns.run import Run
from kaiwa.pooling.pool import pool

Made = Callable[[str, str | bytes], Path]


def test_a_written_pool_is_read_back(tmp_path: Path) -> None:
    """Item by item."""
    run = Run.from_lists("A", {"q1": [("c1", 2.0), ("c2", 1.0)], "q2": [("c9", 1.0)]})
    pool(run, depth=2).write(tmp_path / "pool.tsv")
    assert sorted(read_pool(tmp_path / "pool.tsv")) == [("q1", "c1"), ("q1", "c2"), ("q2", "c9")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1\tc1\nq1 c2\n", "p.tsv:2: is not an item of a pool; write: topic TAB comment"),
        ("q1\tc1\tx\n", "p.tsv:1: is not an item of a pool"),
        ("q1\tc1\n\nq1\tc1\n", "p.tsv:3: duplicate item 'q1' 'c1' (first on line 1); remove one"),
        ("\n", "p.tsv: contains no item"),
    ],
)
def test_a_line_that_is_not_an_item_is_refused(made: Made, text: str, message: str) -> None:
    """With its line."""
    with pytest.raises(InputError) as refused:
        read_pool(made("p.tsv", text))
    assert message in str(refused.value)
