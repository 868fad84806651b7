"""Building an index from tokens: ours against tantivy, bm25s and Lucene.

``python -m benchmarks.corpus.build LINES`` takes lines of tokens (benchmarks.corpus.lines). Each engine builds in its
own process, in turn, from the file to an index on disk. CPU time is that of all threads and child processes, user and
system; imports and compiling are excluded by building a small index first.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from benchmarks.corpus.engines import BUILDERS
from benchmarks.harness import machine

_FEW = 1000


def main() -> None:
    """Print the table."""
    options = _options()
    if options.one:
        _measure(options.one, options.lines, options.folder)
        return
    with options.lines.open("rb") as source:
        documents = sum(1 for _ in source)
    names = options.engines.split(",")
    turns = [[_turn(name, options.lines) for name in names] for _ in range(options.rounds)]
    print(f"{documents:,} comments, {options.lines.stat().st_size / 1e6:,.0f} MB of tokens. {machine()}\n")
    print("| build from tokens | CPU s | of ours | MB on disk | peak MB |\n|---|---:|---:|---:|---:|")
    for place, name in enumerate(names):
        cpu = statistics.median(turn[place][0] for turn in turns)
        ratio = statistics.median(turn[place][0] / turn[0][0] for turn in turns)
        print(f"| {name} | {cpu:.1f} | {ratio:.1f}x | {turns[0][place][1]:,.0f} | {turns[0][place][2]:,.0f} |")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--engines", default="kaiwa,tantivy,bm25s")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _turn(name: str, lines: Path) -> tuple[float, float, float]:
    """CPU seconds, megabytes on disk, peak megabytes of one build in a process of its own."""
    with tempfile.TemporaryDirectory(dir=lines.parent) as folder:
        command = [sys.executable, "-m", "benchmarks.corpus.build", str(lines), "--one", name, "--folder", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        cpu, disk, peak = map(float, done.stdout.splitlines()[-1].split())
    return cpu, disk, peak


def _measure(name: str, lines: Path, folder: Path) -> None:
    few = folder / "few.txt"
    with lines.open("rb") as source:
        few.write_bytes(b"".join(islice(source, _FEW)))
    BUILDERS[name](few, folder / "few")
    shutil.rmtree(folder / "few")
    start = sum(os.times()[:4])
    BUILDERS[name](lines, folder / "index")
    cpu = sum(os.times()[:4]) - start
    disk = sum(file.stat().st_size for file in (folder / "index").rglob("*") if file.is_file())
    print(cpu, disk / 1e6, _peak())


def _peak() -> float:
    import resource

    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1024


if __name__ == "__main__":
    main()
