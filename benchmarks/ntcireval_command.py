"""From files to per-topic scores by command: ``kaiwa score`` against pyNTCIREVAL's ``label`` and ``compute``.

python -m benchmarks.ntcireval_command [--topics 50] [--rounds 3]

pyNTCIREVAL scores one topic of one run per pair of commands; start-up is included for both.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import machine

DEPTH, JUDGED = 10, 30
BIN = Path(sys.executable).parent


def write_files(folder: Path, topics: int) -> None:
    """One run and its judgements: one file each for Kaiwa, one file per topic for pyNTCIREVAL."""
    chance = random.Random(1)
    run, qrels = list[str](), list[str]()
    for topic in range(1, topics + 1):
        comments = [f"c{chance.randrange(10**6)}" for _ in range(JUDGED)]
        levels = [1, *(min(2, int(chance.expovariate(1.5))) for _ in comments[1:])]
        answer = chance.sample(comments[1:], DEPTH - 1)
        answer.insert(chance.randrange(DEPTH), comments[0])  # pyNTCIREVAL stops at a list without a relevant item
        run += [f"{topic} Q0 {comment} {rank} {DEPTH - rank} R" for rank, comment in enumerate(answer)]
        qrels += [f"{topic} 0 {comment} {level}" for comment, level in zip(comments, levels, strict=True)]
        (folder / f"{topic}.rel").write_text("".join(f"{c} L{n}\n" for c, n in zip(comments, levels, strict=True)))
        (folder / f"{topic}.res").write_text("".join(f"{comment}\n" for comment in answer))
    (folder / "run.txt").write_text("\n".join(run) + "\n")
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")


def ours(folder: Path, _: int) -> None:
    """Every topic in one command."""
    command = f"{BIN / 'kaiwa'} score run.txt --qrels qrels.txt --levels L1=1,L2=3 -m MSnDCG@10 -m Q --json --quiet"
    subprocess.run(command.split(), cwd=folder, check=True, stdout=subprocess.DEVNULL)


def theirs(folder: Path, topics: int) -> None:
    """Two commands per topic, as in its documentation."""
    tool = BIN / "pyNTCIREVAL"
    for topic in range(1, topics + 1):
        labelled = subprocess.run(
            [tool, "label", "-r", f"{topic}.rel", f"{topic}.res"], cwd=folder, check=True, capture_output=True
        )
        (folder / "labelled").write_bytes(labelled.stdout)
        words = ["compute", "-r", f"{topic}.rel", "-g", "1:3", "--cutoffs", "10", "labelled"]
        subprocess.run([tool, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Run both in turn and print the medians of the children's CPU time."""
    options = argparse.ArgumentParser()
    options.add_argument("--topics", type=int, default=50)
    options.add_argument("--rounds", type=int, default=3)
    size = options.parse_args()
    spent: dict[str, list[float]] = {"kaiwa score": [], "pyNTCIREVAL label, compute": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, size.topics)
        for _ in range(size.rounds):
            for contestant, work in zip(spent, (ours, theirs), strict=True):
                before = _children_cpu()
                work(folder, size.topics)
                spent[contestant].append(_children_cpu() - before)
    mine, other = (statistics.median(times) for times in spent.values())
    print(f"Made by: `python -m benchmarks.ntcireval_command --topics {size.topics} --rounds {size.rounds}`\n")
    print(f"One run of {size.topics} topics x {DEPTH}, whole commands, median of {size.rounds} rounds. {machine()}\n")
    print("| contestant | CPU s | of ours |\n|---|---:|---:|")
    print(f"| kaiwa score | {mine:.3f} | 1.00x |\n| pyNTCIREVAL label, compute | {other:.3f} | {other / mine:.1f}x |")


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    main()
