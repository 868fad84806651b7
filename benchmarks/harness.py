"""Interleaved benchmarks: each contestant runs in its own process, in turn, for several rounds.

CPU time is that of the work without imports; memory is the process's peak resident
set. A ratio is the median over rounds of one contestant's CPU time over ours in the same round.
"""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import textwrap
from dataclasses import dataclass

_FRAME = """
import json, resource, sys, time
{setup}
_import_cpu = time.process_time()
{work}
_cpu = time.process_time() - _import_cpu
_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"cpu": _cpu, "imports": _import_cpu, "peak": _peak, "answer": repr(answer)}}))
"""


@dataclass(frozen=True)
class Contestant:
    """A name, the imports, which are not timed, and the work, which must set ``answer``."""

    name: str
    setup: str
    work: str


@dataclass(frozen=True)
class Result:
    """Medians over the rounds: CPU seconds, CPU seconds of the imports, peak MB, ratio to the first."""

    name: str
    cpu: float
    imports: float
    peak: float
    ratio: float
    answer: str


def contest(contestants: list[Contestant], *, rounds: int) -> list[Result]:
    """Every contestant's medians; the first one listed is ours."""
    turns = [[_run(contestant) for contestant in contestants] for _ in range(rounds)]
    results = []
    for place, contestant in enumerate(contestants):
        own = [turn[place] for turn in turns]
        results.append(
            Result(
                name=contestant.name,
                cpu=statistics.median(float(one["cpu"]) for one in own),
                imports=statistics.median(float(one["imports"]) for one in own),
                peak=statistics.median(float(one["peak"]) for one in own),
                ratio=statistics.median(float(turn[place]["cpu"]) / float(turn[0]["cpu"]) for turn in turns),
                answer=own[0]["answer"],
            )
        )
    return results


def table(results: list[Result]) -> str:
    """The results as a Markdown table."""
    head = "| contestant | CPU s | of ours | peak MB | import CPU s |\n|---|---:|---:|---:|---:|\n"
    return head + "".join(
        f"| {one.name} | {one.cpu:.3f} | {one.ratio:.2f}x | {one.peak:.0f} | {one.imports:.2f} |\n" for one in results
    )


def machine() -> str:
    """What the numbers were measured on."""
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}."


def _run(contestant: Contestant) -> dict[str, str]:
    program = _FRAME.format(setup=textwrap.dedent(contestant.setup), work=textwrap.dedent(contestant.work))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    answer: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return answer
