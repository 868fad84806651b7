"""Cleaning and indexing at several sizes, to see whether memory grows with the pairs.

``python -m benchmarks.corpus.memory pairs.tsv --pairs 300000 1800000 -o FOLDER`` takes the first lines of a file of
pairs; for a larger size the file is repeated with other ids and comments. It runs ``kaiwa clean --rules plain``
and ``kaiwa index``, each in its own process, and prints CPU time, elapsed time and the peak of the resident set as
measured by the system. Run ``kaiwa index`` once before: the first run compiles, which takes memory.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import machine

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs_file", type=Path, metavar="pairs.tsv")
    parser.add_argument("--pairs", type=int, nargs="+", required=True)
    parser.add_argument("-o", "--output", type=Path, required=True, help="a new folder, deleted at the end")
    options = parser.parse_args()
    options.output.mkdir()
    print("| step | pairs | CPU s | elapsed s | peak MB |\n|---|---:|---:|---:|---:|")
    for size in options.pairs:
        pairs, repository, index = (options.output / name for name in ("pairs.tsv", "repository", "index"))
        with pairs.open("w", encoding="utf-8") as out:
            out.writelines(itertools.islice(_lines(options.pairs_file), size))
        for words in (["clean", pairs, "-o", repository, "--rules", "plain"], ["index", repository, "-o", index]):
            print(f"| {words[0]} | {size:,} | {_measured([str(word) for word in words])} |", flush=True)
        shutil.rmtree(repository)
        shutil.rmtree(index)
    shutil.rmtree(options.output)
    print(f"\n{machine()}")


def _lines(path: Path) -> Iterator[str]:
    """The lines of the file, repeated; later copies have a suffix on both ids and on the comment."""
    for copy in itertools.count():
        mark = f"-{copy}" if copy else ""
        with path.open(encoding="utf-8") as source:
            for line in source:
                post_id, post, comment_id, comment = line.rstrip("\n").split("\t")
                yield f"{post_id}{mark}\t{post}\t{comment_id}{mark}\t{comment}{mark}\n"


def _measured(words: list[str]) -> str:
    """CPU seconds, elapsed seconds and peak megabytes of the command, as cells."""
    start = time.perf_counter()
    command = Path(sys.executable).with_name("kaiwa")
    process = subprocess.Popen([str(command), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"kaiwa {' '.join(words)} failed")
    return f"{used.ru_utime + used.ru_stime:.1f} | {time.perf_counter() - start:.0f} | {used.ru_maxrss / 1024:.0f}"


if __name__ == "__main__":
    main()
