"""Every mutant of the modules, and the tests that kill it.

``python -m benchmarks.mutation src/kaiwa/stats src/kaiwa/nouns --out results.jsonl``. The tests are those of
TESTS and the doctests of the modules. ``--again FILE`` runs only the survivors of an earlier file of results. The
children end by themselves: each has a limit of three times what its tests take.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.mutation.forked import in_shares
from benchmarks.mutation.live_mutants import LiveMutants
from benchmarks.mutation.module_mutants import COMPILED
from benchmarks.mutation.mutants import mutants

if TYPE_CHECKING:
    from benchmarks.mutation.forked import Outcome
    from benchmarks.mutation.mutants import Mutant

TESTS = (
    *(
        f"tests/{name}"
        for name in ("stats", "compare", "measure", "topicset", "golden", "studies", "api", "irmeasures")
    ),
    *(f"tests/laws/test_{name}.py" for name in ("compare_laws", "design", "measures", "preferences", "shown")),
    *(f"tests/cli/test_{name}.py" for name in ("compare", "score", "design", "agree_gains", "unanimity")),
)
ARGUMENTS = ("-q", "-x", "-s", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")


@dataclass(frozen=True)
class Plan:
    """What to run, and where the results go."""

    mutants: list[Mutant]
    tests: list[str]
    out: Path
    jobs: int
    budget: float
    examples: int

    def write(self, mutant: Mutant, outcome: Outcome) -> None:
        """Add a line to the results."""
        place = {"module": mutant.module, "number": mutant.number, "line": mutant.line}
        fault = {"change": mutant.change, "before": mutant.before}
        line = json.dumps({**place, **fault, "result": outcome.result, "test": outcome.test})
        with self.out.open("a") as file:
            file.write(line + "\n")


def main() -> None:
    """Run the mutants and print the counts."""
    plan = _plan()
    files = frozenset(str(mutant.path) for mutant in plan.mutants)

    def work(session: LiveMutants) -> None:
        in_shares(plan.jobs, lambda share: _run_share(session, plan.mutants[share :: plan.jobs], plan))

    plugin = LiveMutants(files, work, plan.budget, plan.examples)
    code = pytest.main([*plan.tests, *ARGUMENTS], plugins=[plugin])
    if code:
        sys.exit(f"the tests did not run: {code}")
    lines = [json.loads(line) for line in plan.out.read_text().splitlines()]
    for result, count in sorted(Counter(line["result"] for line in lines).items()):
        print(f"{result}: {count}")


def _plan() -> Plan:
    options = argparse.ArgumentParser()
    options.add_argument("modules", nargs="+", type=Path)
    options.add_argument("--out", type=Path, default=Path("mutants.jsonl"))
    options.add_argument("--again", type=Path, help="results whose survivors alone are run")
    options.add_argument("--known", type=Path, help="results that are not computed again")
    options.add_argument("--tests", nargs="+", help="instead of the usual ones and the doctests")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--budget", type=float, default=float("inf"), help="CPU seconds of tests for each mutant")
    options.add_argument("--examples", type=int, default=100, help="of each property-based test")
    asked = options.parse_args()
    files = [file for one in asked.modules for file in (sorted(one.rglob("*.py")) if one.is_dir() else [one])]
    found = [mutant for file in files for mutant in mutants(file.resolve())]
    if asked.known:
        known = _numbers(asked.known, {"killed", "timeout", "crash", "survived"})
        found = [one for one in found if (one.module, one.number) not in known]
    if asked.again:
        left = _numbers(asked.again, {"survived"})
        found = [one for one in found if (one.module, one.number) in left]
    folders = {str(file.parent) for file in files}  # a file named by itself would be taken for a module of tests
    return Plan(found, asked.tests or [*TESTS, *sorted(folders)], asked.out, asked.jobs, asked.budget, asked.examples)


def _numbers(results: Path, wanted: set[str]) -> set[tuple[str, int]]:
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    return {(line["module"], line["number"]) for line in lines if line["result"] in wanted}


def _run_share(session: LiveMutants, share: list[Mutant], plan: Plan) -> None:
    for mutant in share:
        if not mutant.function or mutant.module == COMPILED:
            plan.write(mutant, session.run_alone(mutant))
    live = [mutant for mutant in share if mutant.function and mutant.module != COMPILED]
    for mutant, outcome in zip(live, session.run(live), strict=True):
        plan.write(mutant, outcome)


if __name__ == "__main__":
    main()
