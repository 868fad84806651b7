"""Run every benchmark in turn: ``python -m benchmarks``."""

import pkgutil
import subprocess
import sys

import benchmarks

HARNESS = {"__main__", "calibration", "harness"}

for module in pkgutil.iter_modules(benchmarks.__path__):
    if module.name not in HARNESS and not module.name.startswith(("calibrate_", "golden_", "oracle_")):
        subprocess.run([sys.executable, "-m", f"benchmarks.{module.name}"], check=True)
