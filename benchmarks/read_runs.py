"""Reading run files into memory: ours against pytrec_eval's parser and ir_measures'.

python -m benchmarks.read_runs [--files 100] [--topics 1000] [--depth 100] [--rounds 5]
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from benchmarks.harness import Contestant, contest, machine, table


def write_runs(folder: Path, *, files: int, topics: int, depth: int) -> None:
    """Run files with ClueWeb-like ids and scores of six decimals, falling within each topic."""
    chance = random.Random(1)
    for number in range(files):
        with (folder / f"run{number:03}.txt").open("w") as out:
            for topic in range(1, topics + 1):
                score = 20.0 + chance.random()
                for rank in range(1, depth + 1):
                    score -= chance.random() / 10 + 1e-6
                    place = f"{chance.randrange(133):04}-{chance.randrange(100):02}-{chance.randrange(100_000):05}"
                    out.write(f"{topic} Q0 clueweb09-en{place} {rank} {score:.6f} run{number:03}\n")


def contestants(folder: Path) -> list[Contestant]:
    """The same work for each: read every file and count its lines."""
    paths = f"sorted(__import__('pathlib').Path({str(folder)!r}).glob('*.txt'))"
    loop = "answer = 0\nfor path in {paths}:\n    {step}"
    return [
        Contestant(
            "kaiwa read_run",
            "from kaiwa.formats.readers import read_run",
            loop.format(paths=paths, step="answer += len(read_run(path))"),
        ),
        Contestant(
            "pytrec_eval parse_run",
            "import pytrec_eval",
            loop.format(
                paths=paths,
                step="with open(path) as f: answer += sum(map(len, pytrec_eval.parse_run(f).values()))",
            ),
        ),
        Contestant(
            "ir_measures read_trec_run",
            "import ir_measures",
            loop.format(paths=paths, step="answer += len(list(ir_measures.read_trec_run(str(path))))"),
        ),
    ]


def main() -> None:
    """Make the files, run the contest, print the table."""
    options = argparse.ArgumentParser()
    for name, default in (("files", 100), ("topics", 1000), ("depth", 100), ("rounds", 5)):
        options.add_argument(f"--{name}", type=int, default=default)
    size = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_runs(folder, files=size.files, topics=size.topics, depth=size.depth)
        results = contest(contestants(folder), rounds=size.rounds)
    lines = size.files * size.topics * size.depth
    print(f"## Reading {size.files} run files of {size.topics:,} topics x {size.depth} comments ({lines:,} lines)\n")
    print(f"Median of {size.rounds} interleaved rounds. {machine()}\n")
    print(table(results))
    if len({one.answer for one in results}) != 1:
        raise SystemExit("the contestants did not read the same number of lines")


if __name__ == "__main__":
    main()
