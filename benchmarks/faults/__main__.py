"""Kills, full disks and flipped bits under every verb that writes: the old outputs or the new ones, never others.

``python -m benchmarks.faults --seconds 600 --seed 1``. Each verb runs in a small round, without and with older outputs.
It is killed before each call that changes a file and inside each write; each such call fails once; the disk is full
after so many bytes; bits of repositories, indexes and records are flipped. Findings are printed, with exit code 1.
The same seed gives the same trials. Not reached: writes through a memory map, and a loss of power.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from errno import EIO, ENOSPC
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.faults.commands import COMMANDS, DEMO, READING, Command, make_round
from benchmarks.faults.faulty_process import Failure, Fault, FullDisk, Kill, NoFault, run_here, run_with
from benchmarks.faults.flips import READERS, after_flip, answer_of, flips_of
from benchmarks.faults.system_calls import IS_SUPPORTED, WRITES
from benchmarks.faults.trials import Scene, after_failure, after_kill, make_scene

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

KINDS = ("kills", "failures", "full disks", "flips refused", "flips named", "flips without effect")
ROOMS = 40
"""Sizes of a full disk for a command."""


@dataclass(frozen=True)
class Trial:
    """What is tried, and how: the kind of its outcome, and what went wrong."""

    name: str
    try_it: Callable[[], tuple[str, str]]


@dataclass
class Counts:
    """Trials by what was run and what was done to it, and the findings."""

    trials: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def table(self) -> str:
        """The counts as a Markdown table."""
        names = dict.fromkeys(name for name, _ in self.trials)
        rows = [[name, *(self.trials[name, kind] for kind in KINDS)] for name in names]
        rows.append(["all", *(sum(self.trials[name, kind] for name in names) for kind in KINDS)])
        lines = [f"| | {' | '.join(KINDS)} |", f"|---|{'---:|' * len(KINDS)}"]
        lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
        return "\n".join(lines)


def faults(
    commands: Sequence[Command],
    *,
    seed: int,
    most: int,
    seconds: float = float("inf"),
    flips: bool = True,
    sample: bool = False,
) -> Counts:
    """The counts over at most ``most`` trials of each kind for a command, all commands in turn, within the time."""
    counts, rng, end = Counts(), random.Random(seed), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        template, work = Path(folder, "round"), Path(folder, "work")
        make_round(template, seed)
        _warm([one.line for one in commands if not (sample and one.verb == "make")], template, work)
        scenes = [(one, overwrites) for one in commands for overwrites in (False, True)[: 1 + bool(one.older)]]
        if sample:
            scenes = [(one, bool(one.older) and rng.random() < 0.5) for one in commands if one.verb != "make"]
        plans = [_trials(one, template, rng, most, work, overwrites=overwrites) for one, overwrites in scenes]
        if flips:
            plans += [_flips(reader, template, rng, most, work) for reader in READERS]
            plans.append(
                Trial("verbs that write nothing", partial(_reads_only, line, template, work)) for line in READING
            )
        for trial in _in_turn(
            [islice(plan, 2 if place < len(scenes) else 6) for place, plan in enumerate(plans)] if sample else plans
        ):
            if time.monotonic() > end:
                break
            kind, wrong = trial.try_it()
            counts.trials[trial.name, kind] += 1
            if wrong:
                counts.findings.append(f"{trial.name}: {wrong}")
    return counts


def _warm(lines: Sequence[str], template: Path, work: Path) -> None:
    """Run the commands in this process once, so that its children find modules and kernels loaded."""
    for line in lines:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(template, work)
        run_here(line, work)


def _trials(
    command: Command, template: Path, rng: random.Random, most: int, work: Path, *, overwrites: bool
) -> Iterator[Trial]:
    """Kills, failures and full disks of a command, at most so many of each kind, one of each in turn."""
    base = Path(tempfile.mkdtemp(dir=template.parent), "base")
    scene = make_scene(command, template, base, work, overwrites=overwrites)
    kills, failures, full = list[Fault](), list[Fault](), list[Fault]()
    for number, name in enumerate(scene.ended.calls):
        kills += [Kill(number), Kill(number, rng.random())][: 1 + (name in WRITES)]
        failures += [Failure(number, code) for code in (ENOSPC, EIO)]
    full += [FullDisk(scene.ended.bytes * part // ROOMS) for part in range(ROOMS)]
    faults_of = {"kills": kills, "failures": failures, "full disks": full}
    order = rng.sample(list(faults_of), len(faults_of))
    chosen = {kind: rng.sample(faults_of[kind], min(most, len(faults_of[kind]))) for kind in order}
    for row in zip_longest(*chosen.values()):
        for kind, fault in zip(chosen, row, strict=True):
            if fault is not None:
                yield Trial(scene.command.verb, partial(_with_fault, kind, scene, fault, work))


def _with_fault(kind: str, scene: Scene, fault: Fault, work: Path) -> tuple[str, str]:
    wrong = (after_kill if kind == "kills" else after_failure)(scene, fault, work)
    return kind, wrong and f"{scene.command.line}: {fault}: {wrong}"


def _flips(reader: tuple[str, str], template: Path, rng: random.Random, most: int, work: Path) -> Iterator[Trial]:
    """Flips of the files that a command reads."""
    what, line = reader
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(template, work)
    right = answer_of(line, work)
    flips = list(flips_of(template, what, rng, most))
    for flip in rng.sample(flips, len(flips)):
        yield Trial(f"{what} ({line.split(maxsplit=1)[0]})", partial(after_flip, line, flip, right, template, work))


def _reads_only(line: str, template: Path, work: Path) -> tuple[str, str]:
    """A verb that writes no file makes no call that changes one."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(template, work)
    calls = run_with(NoFault(), line.split(), work).calls
    return "flips without effect", f"{line} changes files: {calls}" if calls else ""


def _in_turn(plans: Sequence[Iterator[Trial]]) -> Iterator[Trial]:
    """One trial of each plan, then the next of each."""
    for row in zip_longest(*plans):
        yield from (trial for trial in row if trial is not None)


def main() -> None:
    """Try all, print the counts and the findings; exit code 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verbs", nargs="*", help="only these verbs, without flips (default: all)")
    parser.add_argument("--most", type=int, default=10_000, help="trials of each kind for a command, with its flips")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", action="store_true", help="two trials of each verb but make, some flips")
    parser.add_argument("--demo", action="store_true", help="kaiwa demo too: a minute for each trial")
    given = parser.parse_args()
    if not IS_SUPPORTED:
        sys.exit("the calls of a process can be changed on Linux on x86-64 only")
    commands = [*COMMANDS, DEMO] if given.demo else COMMANDS
    chosen = [one for one in commands if given.verbs is None or one.verb in given.verbs]
    flips = given.verbs is None
    counts = faults(chosen, seed=given.seed, most=given.most, seconds=given.seconds, flips=flips, sample=given.sample)
    print(counts.table())
    for finding in counts.findings:
        print(finding)
    sys.exit(1 if counts.findings else 0)


if __name__ == "__main__":
    main()
