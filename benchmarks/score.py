"""From files on disk to means of nDCG@10, AP, RR and ERR@10: ours against other tools.

python -m benchmarks.score [--rounds 5] [--sizes small,middle,large] [--peers pytrec_eval,ranx,...]

pytrec_eval, ranx, ir_measures and trectools have no ERR@10 and compute three measures; Kaiwa computes four.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import Contestant, contest, machine, table

POOL, JUDGED = 400, 50


@dataclass(frozen=True)
class Size:
    """How much work: runs x topics x depth, and the peers that finish in reasonable time."""

    runs: int
    topics: int
    depth: int
    peers: tuple[str, ...]


SIZES = {
    "small": Size(44, 100, 10, ("pytrec_eval", "ranx", "ir_measures", "trectools", "pyNTCIREVAL")),
    "middle": Size(100, 1000, 100, ("pytrec_eval", "ir_measures", "trectools", "ranx")),
    "large": Size(1, 100_000, 100, ("pytrec_eval", "ir_measures", "trectools", "ranx")),
    "middle, a tenth": Size(10, 1000, 100, ("pytrec_eval", "ranx", "ir_measures", "trectools")),
    "large, a tenth": Size(1, 10_000, 100, ("pytrec_eval", "ranx", "ir_measures", "trectools")),
    "middle, a hundredth": Size(1, 1000, 100, ("pyNTCIREVAL",)),
}

_LOOP = """
answer = []
for path in sorted(Path({folder!r}).glob("run*")):
    {step}
answer = round(sum(answer) / len(answer), 9)
"""

_OURS = """
from pathlib import Path
from kaiwa.measures.score import score
"""

_OUR_WORK = """
runs = sorted(Path({folder!r}).glob("run*"))
means = score(runs, Path({folder!r}) / "qrels.txt", ["nDCG@10", "AP", "RR", "ERR@10"]).means()
answer = round(sum(own["nDCG@10"] for own in means.values()) / len(means), 9)
"""

_PEERS = {
    "pytrec_eval": (
        "from pathlib import Path\nimport numpy as np\nimport pytrec_eval",
        (
            "names = ('ndcg_cut_10', 'map', 'recip_rank')\n"
            "judge = pytrec_eval.RelevanceEvaluator("
            "pytrec_eval.parse_qrel(open({qrels!r})), {{'ndcg_cut.10', 'map', 'recip_rank'}})"
        ),
        (
            "scores = judge.evaluate(pytrec_eval.parse_run(open(path))).values()\n"
            "    means = [np.mean([one[name] for one in scores]) for name in names]\n"
            "    answer.append(float(means[0]))"
        ),
    ),
    "ranx": (
        (
            "from pathlib import Path\nimport ranx\n"
            "ranx.evaluate(ranx.Qrels({'q': {'d': 1}}), ranx.Run({'q': {'d': 1.0}}), ['ndcg@10', 'map', 'mrr'])"
        ),
        "qrels = ranx.Qrels.from_file({qrels!r}, kind='trec')",
        (
            "run = ranx.Run.from_file(str(path), kind='trec')\n"
            "    answer.append(float(ranx.evaluate(qrels, run, ['ndcg@10', 'map', 'mrr'])['ndcg@10']))"
        ),
    ),
    "ir_measures": (
        "from pathlib import Path\nimport ir_measures\nfrom ir_measures import nDCG, AP, RR",
        "judge = ir_measures.evaluator([nDCG @ 10, AP, RR], list(ir_measures.read_trec_qrels({qrels!r})))",
        "answer.append(float(judge.calc_aggregate(ir_measures.read_trec_run(str(path)))[nDCG @ 10]))",
    ),
    "trectools": (
        (
            "from pathlib import Path\nimport warnings\nwarnings.simplefilter('ignore')\n"
            "from trectools import TrecEval, TrecQrel, TrecRun"
        ),
        "qrels = TrecQrel({qrels!r})",
        (
            "judge = TrecEval(TrecRun(str(path)), qrels)\n"
            "    judge.get_map(), judge.get_reciprocal_rank()\n"
            "    answer.append(float(judge.get_ndcg(depth=10)))"
        ),
    ),
    "pyNTCIREVAL": (
        (
            "from pathlib import Path\nfrom pyNTCIREVAL import Labeler\n"
            "from pyNTCIREVAL.metrics import AP, ERR, MSnDCG, RR"
        ),
        (
            "judged = {{}}\n"
            "for line in open({qrels!r}):\n"
            "    topic, _, comment, grade = line.split()\n"
            "    judged.setdefault(topic, {{}})[comment] = int(grade)\n"
            "judged = {{topic: grades for topic, grades in judged.items() if any(grades.values())}}\n"
            "labelers = {{topic: Labeler(grades) for topic, grades in judged.items()}}\n"
            "counts = {{topic: labeler.compute_per_level_doc_num(3) for topic, labeler in labelers.items()}}"
        ),
        (
            "lists, total = {{}}, 0.0\n"
            "    for line in open(path):\n"
            "        fields = line.split()\n"
            "        lists.setdefault(fields[0], []).append(fields[2])\n"
            "    for topic, labeler in labelers.items():\n"
            "        ranked, own = labeler.label(lists[topic]), (counts[topic], [1, 2])\n"
            "        total += MSnDCG(*own, 10).compute(ranked)\n"
            "        RR().compute(ranked), AP(*own).compute(ranked), ERR(*own).compute(ranked[:10])\n"
            "    answer.append(total / len(labelers))"
        ),
    ),
}


def write_files(folder: Path, size: Size) -> None:
    """A qrels file with grades 0 to 2 and runs whose scores fall by at least a thousandth."""
    rng = np.random.default_rng(1)
    pool = POOL if size.depth > JUDGED else 2 * JUDGED
    with (folder / "qrels.txt").open("w") as out:
        for topic in range(1, size.topics + 1):
            comments, grades = rng.choice(pool, JUDGED, replace=False), rng.choice([0, 0, 0, 1, 2], JUDGED)
            grades[0] = 2
            out.writelines(f"{topic} 0 {_id(topic, one)} {two}\n" for one, two in zip(comments, grades, strict=True))
    for number in range(size.runs):
        with (folder / f"run{number:03}.txt").open("w") as out:
            for topic in range(1, size.topics + 1):
                comments = rng.choice(pool, size.depth, replace=False).tolist()
                scores = 20.0 - np.cumsum(0.001 + rng.random(size.depth) / 10)
                out.writelines(
                    f"{topic} Q0 {_id(topic, comment)} {rank} {score:.6f} run{number:03}\n"
                    for rank, (comment, score) in enumerate(zip(comments, scores.tolist(), strict=True), start=1)
                )


def _id(topic: int, comment: int) -> str:
    return f"doc-{topic * 7 % 9973:04}-{comment:05}"


def contestants(folder: Path, peers: list[str]) -> list[Contestant]:
    """Ours first, then the peers."""
    ours = Contestant("kaiwa", _OURS, _OUR_WORK.format(folder=str(folder)))
    names = {"folder": str(folder), "qrels": str(folder / "qrels.txt")}
    others = [
        Contestant(peer, _PEERS[peer][0], (_PEERS[peer][1] + _LOOP.replace("{step}", _PEERS[peer][2])).format(**names))
        for peer in peers
    ]
    return [ours, *others]


def main() -> None:
    """Make the files of each size, run the contest, print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--sizes", default=",".join(name for name in SIZES if "," not in name))
    options.add_argument("--tenths", action="store_true", help="the reduced sizes, for the slower peers")
    options.add_argument("--peers", default=",".join(_PEERS))
    given = options.parse_args()
    wanted = [name for name in SIZES if ("," in name if given.tenths else name in given.sizes.split(","))]
    for name in wanted:
        size = SIZES[name]
        with tempfile.TemporaryDirectory() as made:
            write_files(Path(made), size)
            peers = [peer for peer in size.peers if peer in given.peers.split(",")]
            results = contest(contestants(Path(made), peers), rounds=given.rounds)
        print(f"## {name}: {size.runs} runs x {size.topics:,} topics x {size.depth}\n")
        print(f"Median of {given.rounds} interleaved rounds. {machine()}\n\n{table(results)}", flush=True)
        others = [one.name for one in results if abs(float(one.answer) - float(results[0].answer)) > 1e-6]
        print(f"Mean nDCG@10 {results[0].answer}, the same for all{' but ' + ', '.join(others) if others else ''}.\n")


if __name__ == "__main__":
    main()
