"""Run every benchmark in turn: ``python -m benchmarks``."""

import pkgutil
import subprocess
import sys

import benchmarks

NOT_BENCHMARKS = {"__main__", "harness"}
"""Modules that are not benchmarks. Folders (calibrations, oracles, corpus) are run by name."""

for module in pkgutil.iter_modules(benchmarks.__path__):
    if module.name not in NOT_BENCHMARKS and not module.ispkg:
        subprocess.run([sys.executable, "-m", f"benchmarks.{module.name}"], check=True)
