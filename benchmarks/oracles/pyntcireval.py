"""Make tests/golden/data/pyntcireval.csv: the scores pyNTCIREVAL 0.0.3 gives to random topics.

Run where pyNTCIREVAL is installed (it is no dependency of ours): python -m benchmarks.oracles.pyntcireval
"""

from __future__ import annotations

import csv
import random
from math import isnan
from pathlib import Path

from pyNTCIREVAL import Labeler
from pyNTCIREVAL import metrics as m

TOPICS = 320
CUTOFFS = (1, 3, 10)
GAINS = ((1, 3), (1, 2, 3), (1, 3, 7))
TARGET = Path(__file__).parents[1] / "tests" / "golden" / "data" / "pyntcireval.csv"


def measures(counts: list[int], gains: tuple[int, ...]) -> dict[str, object]:
    """Every measure pyNTCIREVAL has, by the name Kaiwa knows it under."""
    graded = (counts, gains)
    known = {
        "RR": m.RR(),
        "O": m.OMeasure(*graded, 1.0),
        "P": m.PMeasure(*graded, 1.0),
        "P+": m.PPlusMeasure(*graded, 1.0),
        "AP": m.AP(*graded),
        "Q": m.QMeasure(*graded, 1.0),
        "NCUgu,P": m.NCUguP(*graded, gains),
        "NCUgu,BR": m.NCUguBR(*graded, gains, 1.0),
        "NCUrb,P": m.NCUrbP(*graded, 0.95),
        "NCUrb,BR": m.NCUrbBR(*graded, 0.95, 1.0),
        "RBP": m.RBP(*graded, 0.95),
        "ERR": m.ERR(*graded),
    }
    for k in CUTOFFS:
        known |= {
            f"AP@{k}": m.AP(*graded, k),
            f"Q@{k}": m.QMeasure(*graded, 1.0, k),
            f"nDCG(b=2)@{k}": m.nDCG(*graded, 2.0, k),
            f"MSnDCG@{k}": m.MSnDCG(*graded, k),
            f"Prec@{k}": m.Precision(k),
            f"nERR@{k}": m.nERR(*graded, k),
            f"Hit@{k}": m.Hit(k),
        }
    return known


def topic(rng: random.Random, number: int) -> tuple[tuple[int, ...], list[int], list[str]]:
    """Gains, the pool's levels, and a returned list; every fourth kind of topic is a corner."""
    gains = rng.choice(GAINS)
    pool = [rng.choice([0, 0, *range(len(gains) + 1)]) for _ in range(rng.randint(1, 12))]
    if number % 8 == 1:
        pool = [min(level, 1) for level in pool]
    if number % 16 == 2:
        pool = [0] * len(pool)
    answer = [f"d{place}" for place in range(len(pool)) if rng.random() < 0.7]
    answer += [f"u{place}" for place in range(rng.randint(0, 30 if number % 8 == 3 else 5))]
    rng.shuffle(answer)
    return gains, pool, [] if number % 16 == 4 else answer


def value(measure: object, ranked: list[tuple[str, int | None]]) -> str:
    """What the measure gives the list; empty where pyNTCIREVAL fails."""
    try:
        found = float(measure.compute(ranked))
    except (ValueError, ZeroDivisionError):
        return ""
    return "" if isnan(found) else f"{found:.12g}"


def main() -> None:
    """Write the file."""
    rng = random.Random(20161)
    rows, names = [], []
    for number in range(TOPICS):
        gains, pool, answer = topic(rng, number)
        labeler = Labeler({f"d{place}": level for place, level in enumerate(pool)})
        counts = labeler.compute_per_level_doc_num(len(gains) + 1)
        ranked = labeler.label(answer)
        known = measures(counts, gains)
        names = list(known)
        shown = [":".join(map(str, gains)), "".join(map(str, pool)), " ".join(answer)]
        rows.append(shown + [value(measure, ranked) for measure in known.values()])
    with TARGET.open("w", encoding="utf-8", newline="") as out:
        out.write("# Printed by pyNTCIREVAL 0.0.3 through benchmarks/oracles/pyntcireval.py; empty where it fails.\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["gains", "levels", "answer", *names])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
