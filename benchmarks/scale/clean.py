"""``kaiwa clean`` on one machine and on Spark: equal rows, and the CPU time of all processes, JVMs included.

``python -m benchmarks.scale.clean PAIRS.tsv -o FOLDER --pairs 300000 1799034`` cleans the first so many pairs with
every engine, in turn, each in its own process; a standalone master and two workers run on this machine. More pairs than
the file has are copies of it with other ids. CPU time is read from /proc while the processes run.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import machine
from benchmarks.scale.cluster import cluster
from kaiwa.formats.repository import open_repository

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.scale.cluster import Cluster

_TICK = os.sysconf("SC_CLK_TCK")
_TABLES = ("posts", "comments", "pairs", "merged")


@dataclass(frozen=True)
class Spent:
    """CPU seconds of Python and of Java, and elapsed seconds."""

    python: float
    java: float
    elapsed: float

    @property
    def cpu(self) -> float:
        """CPU seconds of all processes."""
        return self.python + self.java


class Watch:
    """Adds up the CPU time of all processes of some sessions, also of those that end meanwhile."""

    def __init__(self, sessions: set[int]) -> None:
        self.sessions = sessions
        self._seen: dict[tuple[int, str], tuple[str, float]] = {}
        self._before: dict[tuple[int, str], float] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def begin(self) -> None:
        """Start; what processes used before is not counted."""
        self._look()
        self._before = {one: spent for one, (_, spent) in self._seen.items()}
        self._thread.start()

    def end(self) -> dict[str, float]:
        """CPU seconds by the name of the program."""
        self._ended.set()
        self._thread.join()
        self._look()
        found = dict[str, float]()
        for one, (name, spent) in self._seen.items():
            found[name] = found.get(name, 0.0) + spent - self._before.get(one, 0.0)
        return found

    def _watch(self) -> None:
        while not self._ended.wait(0.2):
            self._look()

    def _look(self) -> None:
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                head, _, rest = stat.read_text(errors="replace").rpartition(")")
            except OSError:  # it has just ended
                continue
            fields = rest.split()
            if int(fields[3]) in self.sessions:
                spent = (int(fields[11]) + int(fields[12])) / _TICK
                self._seen[int(stat.parent.name), fields[19]] = (head.partition("(")[2], spent)


def main() -> None:
    """Print the table."""
    options = _options()
    options.output.mkdir(parents=True, exist_ok=True)
    print(machine())
    print(
        "\n| pairs | engine | CPU s | of which Java | of local | elapsed s |\n|---:|---|---:|---:|---:|---:|",
        flush=True,
    )
    for count in options.pairs:
        pairs = _first(options.source, count, options.output / f"pairs-{count}.tsv")
        with cluster(_folder(options.output / "spark")) as spark:
            engines = {"local": "local", "local[2]": "local[2]", "Spark": spark.address}
            chosen = {name: engines[name] for name in options.engines}
            turns = [_turn(pairs, options.output, chosen, spark, count) for _ in range(options.rounds)]
        for name in chosen:
            own = [turn[name] for turn in turns]
            ratio = statistics.median(turn[name].cpu / turn["local"].cpu for turn in turns)
            cpu, java, elapsed = (
                statistics.median(getattr(one, part) for one in own) for part in ("cpu", "java", "elapsed")
            )
            print(f"| {count:,} | {name} | {cpu:.1f} | {java:.1f} | {ratio:.2f}x | {elapsed:.0f} |", flush=True)
        pairs.unlink()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--pairs", type=int, nargs="+", default=[300_000])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rules", default="plain")
    parser.add_argument("--engines", nargs="+", default=["local", "local[2]", "Spark"])
    return parser.parse_args()


def _folder(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    return path


def _first(source: Path, count: int, target: Path) -> Path:
    """A file of so many pairs: copies of the source one after the other, with other ids."""
    with target.open("w", encoding="utf-8") as out:
        out.writelines(islice(_copies(source), count))
    return target


def _copies(source: Path) -> Iterator[str]:
    copy = 0
    while True:
        with source.open(encoding="utf-8") as lines:
            for line in lines:
                post_id, post, comment_id, comment = line.split("\t")
                yield f"{copy}-{post_id}\t{post}\t{copy}-{comment_id}\t{comment}" if copy else line
        copy += 1


def _turn(pairs: Path, folder: Path, engines: dict[str, str], spark: Cluster, count: int) -> dict[str, Spent]:
    spent = {name: _cleaned(pairs, folder / f"repository-{name}", engine, spark) for name, engine in engines.items()}
    for name in list(engines)[1:]:
        _refuse_difference(folder / "repository-local", folder / f"repository-{name}", count)
    return spent


def _cleaned(pairs: Path, target: Path, engine: str, spark: Cluster) -> Spent:
    command = [sys.executable, "-m", "kaiwa", "clean", str(pairs), "-o", str(target), "--engine", engine, "--json"]
    sessions = {process.running.pid for process in spark.processes} if "://" in engine else set[int]()
    start = time.perf_counter()
    with (target.parent / f"{target.name}.json").open("wb") as out:
        driver = subprocess.Popen(command, stdout=out, env=spark.environment, start_new_session=True)
        watch = Watch({driver.pid, *sessions})
        watch.begin()
        if driver.wait():
            sys.exit(f"{engine} failed")
    elapsed = time.perf_counter() - start
    time.sleep(3 if sessions else 0)  # the processes of the workers end
    used = watch.end()
    java = used.pop("java", 0.0)
    return Spent(sum(used.values()), java, elapsed)


def _refuse_difference(one: Path, other: Path, count: int) -> None:
    """Compare all rows, and what rules removed with examples."""
    repositories = [open_repository(path) for path in (one, other)]
    for name in _TABLES:
        rows = [(row for batch in each.table(name) for row in zip(*batch, strict=True)) for each in repositories]
        if any(first != second for first, second in zip(*rows, strict=True)):
            sys.exit(f"{count} pairs: other rows in {name}")
    texts = [path.with_name(f"{path.name}.json").read_text(encoding="utf-8") for path in (one, other)]
    if texts[0].replace(str(one), "") != texts[1].replace(str(other), ""):
        sys.exit(f"{count} pairs: other counts or examples")
    if repositories[0].manifest.digest != repositories[1].manifest.digest:
        sys.exit(f"{count} pairs: other digests")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
