"""A bounded run of ``benchmarks/faults``: every verb that writes is killed, and meets failing calls and full disks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.faults.commands import COMMANDS, READ_ONLY, SLOW, verbs_with_outputs
from benchmarks.faults.system_calls import IS_SUPPORTED

from kaiwa.cli.group import VERBS

ROOT = Path(__file__).parents[2]


def test_every_verb_has_a_command_or_writes_nothing() -> None:
    """A new verb is not forgotten."""
    written = {one.verb for one in COMMANDS} | set(SLOW)
    assert written | set(READ_ONLY) == set(VERBS)
    assert written.isdisjoint(READ_ONLY)
    assert verbs_with_outputs() <= written


def test_a_bounded_run_of_the_faults_finds_nothing() -> None:
    """Kills leave old or new outputs and no leftovers; failures and full disks are one line; flips are refused.

    Where the calls of a process cannot be changed, the script says so and counts nothing.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.faults", "--sample", "--seed", "7"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    if not IS_SUPPORTED:
        assert (done.returncode, done.stdout, "x86-64" in done.stderr) == (1, "", True)
        return
    assert done.returncode == 0, done.stdout + done.stderr
    counted = {line.split("|")[1].strip(): line for line in done.stdout.splitlines() if line.startswith("| ")}
    assert {one.verb for one in COMMANDS} - {"make"} <= counted.keys()
