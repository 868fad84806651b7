"""Run every benchmark in turn: ``python -m benchmarks``."""

import pkgutil
import subprocess
import sys

import benchmarks

APART = {"__main__", "harness"}
"""Neither a benchmark; nor is a folder: calibrations and oracles are run by name."""

for module in pkgutil.iter_modules(benchmarks.__path__):
    if module.name not in APART and not module.ispkg:
        subprocess.run([sys.executable, "-m", f"benchmarks.{module.name}"], check=True)
