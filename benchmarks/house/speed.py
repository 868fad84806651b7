"""Speed and memory of everyday commands in two source trees, before and after the rooms.

``python -m benchmarks.house.speed OLD NEW DEMO --pairs 15 --out benchmarks/results/house_speed.md``, where OLD and NEW
are the folders of the two trees and DEMO is the folder of ``kaiwa demo``. The two trees take turns, and which is first
alternates. CPU time and peak memory are those that the system reports of each finished process, imports included; both
trees run under this interpreter. ``--only WORD`` measures the rows whose names have this word.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

REQUIREMENT = ("--systems", "10", "--min-diff", "0.15")
RUNS, COMPARED = 12, ("scores.csv", "--trials", "5000")


@dataclass(frozen=True)
class Task:
    """What is measured, and the words after ``python`` in the old tree and in the new one."""

    name: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    repeats: int = 1
    """How many pairs count as one: short commands need more of them."""


def same(name: str, *words: str, repeats: int = 1) -> Task:
    """A command that is spelled alike in both trees."""
    return Task(name, ("-m", "kaiwa", *words), ("-m", "kaiwa", *words), repeats)


def tasks() -> list[Task]:
    """The commands; only their spelling differs between the trees."""
    runs = [f"runs/{place}.txt" for place in range(RUNS)]
    before, after = ("-m", "kaiwa", "compare", *COMPARED), ("-m", "kaiwa", "compare", *COMPARED)
    return [
        Task("import kaiwa", ("-c", "import kaiwa"), ("-c", "import kaiwa"), 4),
        same("kaiwa --help", "--help", repeats=4),
        same(f"score {RUNS} runs", "score", *runs, "--qrels", "qrels.txt"),
        *(
            Task(
                f"compare {RUNS} runs, {test}",
                (*before, "--measure", "nERR@10", "--test", test),
                (*after, "--measures", "nERR@10", "--test", test),
            )
            for test in ("robust", "hsd")
        ),
        same("design, a variance", "design", "--variance", "0.0643", *REQUIREMENT),
        Task(
            "design, a pilot",
            ("-m", "kaiwa", "design", "--pilot", "scores.csv", "-m", "nERR@10", "--test", "robust", *REQUIREMENT),
            ("-m", "kaiwa", "design", "scores.csv", "-m", "nERR@10", "--test", "robust", *REQUIREMENT),
        ),
        same("reply to a post", "reply", "index", "I had a dog when I was little", "--system", "run2"),
        same("retrieve, 200 topics", "retrieve", "index", "topics.tsv", "-o", "run.txt", "--system", "run2"),
        Task(
            "index the repository",
            ("-m", "kaiwa", "index", "repository", "-o", "made", "--lang", "en"),
            ("-m", "kaiwa", "index", "repository", "-o", "made", "--language", "en"),
        ),
    ]


@dataclass(frozen=True)
class Tree:
    """A source tree and the folder in which its commands run."""

    source: Path
    folder: Path

    def run(self, words: Sequence[str]) -> tuple[float, float]:
        """CPU seconds and peak MB of one process and what it waited for."""
        environment = {**os.environ, "PYTHONPATH": str(self.source / "src")}
        environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode")}
        with tempfile.TemporaryFile() as messages:
            # Popen's own wait would lose the resource usage; wait4 reaps the process
            process = subprocess.Popen(
                [sys.executable, *words],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=messages,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                messages.seek(0)
                raise SystemExit(f"{self.source}: {' '.join(words)}: {messages.read().decode()[-800:]}")
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def prepared(source: Path, demo: Path, folder: Path, spelling: Callable[[Task], tuple[str, ...]]) -> Tree:
    """The folder of a tree: the demo's repository, runs, judgements and scores, 200 topics, and an index of its own."""
    folder.mkdir()
    shutil.copytree(demo / "repository", folder / "repository")
    (folder / "runs").mkdir()
    for place, path in zip(range(RUNS), sorted((demo / "runs").glob("*.txt")), strict=True):
        shutil.copy(path, folder / "runs" / f"{place}.txt")
    for name in ("qrels.txt", "scores.csv"):
        shutil.copy(demo / name, folder / name)
    posts = (demo / "candidates.tsv").read_text(encoding="utf-8").splitlines()
    texts = itertools.islice((one for line in posts if len(one := line.split("\t")[1]) > 20), 200)
    (folder / "topics.tsv").write_text("".join(f"q{at}\t{text}\n" for at, text in enumerate(texts)), encoding="utf-8")
    tree = Tree(source, folder)
    every = tasks()
    tree.run(spelling(every[-1]))
    shutil.copytree(folder / "made", folder / "index")
    for task in every:  # bytecode and compiled kernels are cached before anything is measured
        tree.run(spelling(task))
    return tree


def measured(task: Task, old: Tree, new: Tree, pairs: int) -> str:
    """The row of a command: medians, the ratio of the pairs with its 95% limits, and peak memory."""
    before, after, ratios = [], [], []
    for turn in range(pairs * task.repeats):
        order = ((old, task.old, before), (new, task.new, after))
        for tree, words, found in order if turn % 2 else reversed(order):
            found.append(tree.run(words))
        ratios.append(after[-1][0] / before[-1][0])
    cpu = [statistics.median(seconds for seconds, _ in one) for one in (before, after)]
    peak = [statistics.median(megabytes for _, megabytes in one) for one in (before, after)]
    low, high = limits(ratios)
    cells = [task.name, len(ratios), *(f"{one:.3f}" for one in cpu), f"{statistics.median(ratios):.2f}"]
    cells += [f"{low:.2f} to {high:.2f}", *(f"{one:.0f}" for one in peak)]
    return "| " + " | ".join(map(str, cells)) + " |"


def limits(values: Sequence[float]) -> tuple[float, float]:
    """95% limits of the median, by the signs of the deviations."""
    ordered, n = sorted(values), len(values)
    tail, cut = 0.0, 0
    while (tail := tail + comb(n, cut) / 2**n) <= 0.025:
        cut += 1
    cut = max(cut, 1)
    return ordered[cut - 1], ordered[n - cut]


def page(old: Path, new: Path, demo: Path, pairs: int, only: str) -> str:
    """The table."""
    with tempfile.TemporaryDirectory() as place:
        trees = [
            prepared(old, demo, Path(place, "old"), lambda task: task.old),
            prepared(new, demo, Path(place, "new"), lambda task: task.new),
        ]
        rows = []
        for task in tasks():
            if only in task.name:
                rows.append(measured(task, *trees, pairs))
                print(rows[-1], file=sys.stderr, flush=True)
    head = ["command", "pairs", "CPU s before", "after", "after / before", "95% limits", "peak MB before", "after"]
    return "\n".join(
        [
            "# Speed and memory, before and after the rooms",
            "",
            f"Made by `python -m benchmarks.house.speed OLD NEW DEMO --pairs {pairs}`. OLD is the tree at",
            f"{commit(old)}, NEW that at {commit(new)}, DEMO the folder of `kaiwa demo` (31,521 pairs). {machine()}",
            "",
            "Whole processes, imports included. The trees take turns; the ratio is the median of the pairs, its limits",
            "are by order statistics. Other work ran on the machine, so CPU time is given, not wall time.",
            "",
            f"| {' | '.join(head)} |",
            f"|---|{'---:|' * (len(head) - 1)}",
            *rows,
            "",
        ]
    )


def commit(tree: Path) -> str:
    """The commit of a source tree."""
    command = ["git", "-C", str(tree), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("demo", type=Path)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = page(given.old.resolve(), given.new.resolve(), given.demo.resolve(), given.pairs, given.only)
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
