"""CPU time of reading a run file, compared with computing every measure on it.

python -m benchmarks.arithmetic [--rounds 7]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.score import Size, write_files
from kaiwa.formats.readers import read_qrels, read_run
from kaiwa.measures.judgements import Answers, Scale, judge
from kaiwa.measures.scoring import Reading, values_of
from kaiwa.measures.table import MEASURES, choose

SIZE = Size(2, 1000, 100, ())


def main() -> None:
    """Print the medians."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=7)
    rounds = options.parse_args().rounds
    on_lists = {name: measure.cutoff for name, measure in MEASURES.items() if measure.uses == "lists"}
    chosen = [choose(name + {"1": "@1", "k": "@10"}.get(cutoff or "", "")) for name, cutoff in on_lists.items()]
    times: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as made:
        write_files(Path(made), SIZE)
        judged = judge(read_qrels(Path(made) / "qrels.txt"), Scale({1.0: 1.0, 2.0: 3.0}))
        for number in range(rounds + 1):
            start = process_time()
            run = read_run(Path(made) / f"run{number % 2:03}.txt")
            read = process_time()
            answers = Answers.of([run], judged.table, SIZE.topics)
            joined = process_time()
            values_of(answers, judged, chosen, Reading())
            times.append((read - start, joined - read, process_time() - joined))
    parts = [median(one[place] for one in times[1:]) for place in range(3)]
    print(f"## One run of {SIZE.topics:,} topics x {SIZE.depth}: CPU seconds, median of {rounds} rounds\n")
    print("| reading the file | joining it to the judgements | all measures |\n|---:|---:|---:|")
    print(f"| {parts[0]:.4f} | {parts[1]:.4f} | {parts[2]:.4f} ({len(chosen)} measures) |")


if __name__ == "__main__":
    main()
