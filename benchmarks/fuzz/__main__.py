"""Mutated files in every format and random command lines: only Kaiwa's own errors may come out.

``python -m benchmarks.fuzz --inputs 100000 --seed 1``. An input that raises another exception is a finding: it is kept
in the folder of ``--keep``, and the exit code is 1. The same seed gives the same inputs.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fuzz.changed_files import tried_file
from benchmarks.fuzz.changed_folders import FOLDERS, make_round, tried_folder
from benchmarks.fuzz.command_lines import tried_words
from kaiwa.formats.table import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMAND_LINE = "command line"
KINDS = (*FORMATS, *FOLDERS, COMMAND_LINE)
WHOLE = "whole"
LONGEST = 60
"""Seconds after which an input is a finding: the examples are small."""


class TooSlow(Exception):  # noqa: N818  reads as the thing it is
    """An input took too long."""


@dataclass
class Counts:
    """Inputs by kind and outcome, and the findings with the folder that keeps each input."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def add(self, kind: str, outcome: str) -> None:
        """Count one input."""
        self.outcomes[kind, outcome] += 1

    def table(self) -> str:
        """The counts as a Markdown table."""
        kinds = dict.fromkeys(kind for kind, _ in self.outcomes)
        rows = [[kind, *(self.outcomes[kind, outcome] for outcome in ("read", "refused", "finding"))] for kind in kinds]
        total = ["all", *(sum(int(row[place]) for row in rows) for place in (1, 2, 3))]
        lines = ["| input | read | refused | findings |", "|---|---:|---:|---:|"]
        lines += [f"| {row[0]} | {row[1]:,} | {row[2]:,} | {row[3]:,} |" for row in [*rows, total]]
        return "\n".join(lines)


def fuzz(inputs: int, seed: int, keep: Path, *, seconds: float = float("inf"), kinds: Sequence[str] = KINDS) -> Counts:
    """The counts over so many inputs, or as many as fit the time: formats, folders and command lines in turn."""
    end = time.monotonic() + seconds
    signal.signal(signal.SIGALRM, _too_slow)
    counts = Counts()
    memory = Path("/dev/shm")  # noqa: S108  a folder in memory, where there is one
    place = memory if memory.is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        if FOLDERS.keys() & kinds:
            make_round(Path(folder) / WHOLE)
        for number in range(inputs):
            if time.monotonic() > end:
                break
            rng, kind = random.Random(f"{seed}-{number}"), kinds[number % len(kinds)]
            work = Path(folder) / "input"
            signal.setitimer(signal.ITIMER_REAL, LONGEST)
            try:
                outcome = _tried(rng, kind, work, Path(folder) / WHOLE)
            except Exception:  # noqa: BLE001  any exception that is not ours is what is looked for
                outcome = "finding"
                counts.findings.append(_kept(work, keep / f"{seed}-{number}-{kind.replace(' ', '-')}"))
            signal.setitimer(signal.ITIMER_REAL, 0)
            counts.add(kind, outcome)
            shutil.rmtree(work, ignore_errors=True)
    return counts


def _tried(rng: random.Random, kind: str, work: Path, whole: Path) -> str:
    if kind == COMMAND_LINE:
        return tried_words(rng, work)
    return tried_folder(rng, kind, work, whole) if kind in FOLDERS else tried_file(rng, kind, work)


def _too_slow(_number: int, _frame: object) -> None:
    raise TooSlow(f"more than {LONGEST} seconds")


def _kept(work: Path, target: Path) -> str:
    """Keep the input and the traceback; the folder and the last line of the traceback."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(work, target)
    report = traceback.format_exc()
    (target / "traceback.txt").write_text(report, encoding="utf-8", errors="backslashreplace")
    return f"{target}: {report.strip().splitlines()[-1][:200]}"


def main() -> None:
    """Fuzz, print the counts and the findings; exit code 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000, help="how many inputs")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=KINDS, help="only inputs of this kind; may be repeated")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"), help="folder of the findings")
    given = parser.parse_args()
    counts = fuzz(given.inputs, given.seed, given.keep, seconds=given.seconds, kinds=given.kind or KINDS)
    print(counts.table())
    for finding in counts.findings:
        print(finding)
    sys.exit(1 if counts.findings else 0)


if __name__ == "__main__":
    main()
