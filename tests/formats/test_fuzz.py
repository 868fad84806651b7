"""A bounded run of the fuzzer of ``benchmarks/fuzz``: every format, folders that Kaiwa made, and command lines."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.fuzz.__main__ import KINDS, fuzz

from kaiwa.formats.table import FORMATS


def test_a_bounded_run_of_the_fuzzer_finds_nothing(tmp_path: Path) -> None:
    """Every mutated input is read or refused with an error of ours, on one line."""
    counts = fuzz(30 * len(KINDS), 7, tmp_path)
    assert counts.findings == []
    assert {kind for kind, _ in counts.outcomes} == {*KINDS} >= {*FORMATS, "command line"}
    assert sum(count for (_, outcome), count in counts.outcomes.items() if outcome == "read") > 100


def test_the_same_seed_makes_the_same_inputs(tmp_path: Path) -> None:
    """A finding can be made again."""
    first, second = (fuzz(60, 3, tmp_path, kinds=[*FORMATS, "command line"]).outcomes for _ in range(2))
    assert first == second
