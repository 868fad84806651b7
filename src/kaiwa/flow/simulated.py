"""A simulated round, for demonstration: posts, systems of known skill, and assessors who disagree.

Nothing here is a result: the answers' worth is drawn, so that what the tools find can be held against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.files.runs import run_text, write_run
from kaiwa.files.topics import write_topics
from kaiwa.files.writing import write_text
from kaiwa.model import Run, Votes, pack, unpack

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.pool import Pool

SKILLS = {
    "Aoi-C-R1": ("post similarity and comment similarity, summed", 2.6),
    "Aoi-C-R2": ("post similarity alone", 2.4),
    "Bai-C-R1": ("learned ranker over four features", 2.5),
    "Bai-C-R2": ("BM25 over comments", 1.4),
    "Cole-C-R1": ("rank fusion of two systems", 1.9),
    "Cole-C-R2": ("tf-idf cosine over comments", 1.3),
    "Dan-C-R1": ("most frequent comment of the nearest post", 0.9),
    "Dan-C-R2": ("random comment of the nearest posts", 0.3),
}
"""The simulated systems: what they pretend to be, and how much of an answer's worth they see."""

POSTS = (
    "The first day in Hawaii. Watching the sunset from the balcony with a big glass of wine.",
    "My cat learned to open the fridge. Send help, and tuna.",
    "Three hours of sleep, two exams, one coffee.",
    "Finally finished the marathon! My legs have left the chat.",
    "Rain again. The umbrella is, of course, at the office.",
    "Trying to bake bread for the first time. It is a very honest brick.",
    "New city, new job, no furniture. Dinner on the floor tonight.",
    "Grandma just sent me her first emoji. It was the aubergine.",
    "Does anyone else talk to their plants, or only me?",
    "The train stopped between two stations and everybody started to smile at each other.",
    "今天终于拿到驾照了，晚上请大家吃火锅！",
    "下雨天最适合窝在家里看老电影。",
    "加班到十点，地铁里只剩我和一只打瞌睡的猫。",
    "妈妈寄来的辣酱到了，整个宿舍都香了。",
    "第一次一个人旅行，有点紧张，也有点兴奋。",
    "跑完五公里，感觉自己又活过来了。",
    "楼下新开的面馆，老板每天都多给我一个蛋。",
    "毕业论文交了，今晚谁也别叫我早睡。",
    "看到小时候住过的巷子，已经变成了停车场。",
    "谁能告诉我，为什么周一总是来得这么快？",
    "今日は久しぶりに晴れたので、布団を全部干しました。",
    "電車で隣の人が同じ本を読んでいて、少し嬉しくなった。",
    "初めて作った味噌汁、だしを入れるのを忘れた。",
    "猫が膝の上で寝てしまって、もう二時間動けない。",
    "明日は面接です。誰か応援してください。",
    "引っ越しの荷物を片付けていたら、昔の手紙が出てきた。",
    "近所のパン屋さんが今日で閉店するらしい。寂しい。",
    "雪が降り始めた。帰り道が少し明るく見える。",
    "一人カラオケ、三時間。声がもう出ません。",
    "お弁当に箸が入っていなかった。今日の運勢が心配。",
)
CANDIDATES = 60
ASSESSORS = 5
_LEVEL_CUTS = (0.8, 1.7)


@dataclass(frozen=True, eq=False)
class SimulatedRound:
    """Topics, runs, and the drawn worth of every candidate comment (topics x candidates)."""

    topics: dict[str, str]
    runs: tuple[Run, ...]
    worth: NDArray[np.float64]


def simulate_round(rng: np.random.Generator) -> SimulatedRound:
    """Thirty posts, sixty candidate comments each, and eight systems that see the worth through noise."""
    topics = {f"demo-post-{place:02}": post for place, post in enumerate(POSTS, start=1)}
    worth = rng.gamma(0.5, 1.0, size=(len(topics), CANDIDATES))
    runs = tuple(
        _run(name, worth, tuple(topics), about=about, skill=skill, rng=rng) for name, (about, skill) in SKILLS.items()
    )
    return SimulatedRound(topics, runs, worth)


def simulate_votes(pool: Pool, worth: NDArray[np.float64], rng: np.random.Generator) -> Votes:
    """Five assessors' levels (0, 1, 2) for every pooled item: its worth, seen with each one's own noise."""
    place = {name: code for code, name in enumerate(_names())}
    candidate = np.array([place[name.rpartition("-")[2]] for name in unpack(pool.comments)])
    topic = np.array([int(pool.topics[code].rpartition("-")[2]) - 1 for code in pool.topic.tolist()])
    strictness = rng.normal(0.0, 0.15, size=ASSESSORS)
    seen = worth[topic, candidate][:, None] - strictness + rng.normal(0.0, 0.45, size=(len(pool), ASSESSORS))
    return Votes(
        topics=pack(pool.topics[code] for code in pool.topic.tolist()),
        comments=pool.comments,
        assessors=tuple(f"simulated-{number}" for number in range(1, ASSESSORS + 1)),
        item=np.repeat(np.arange(len(pool)), ASSESSORS),
        assessor=np.tile(np.arange(ASSESSORS), len(pool)),
        level=np.digitize(seen, _LEVEL_CUTS).ravel().astype(np.int64),
        top=len(_LEVEL_CUTS),
    )


def write_round(folder: Path, simulated: SimulatedRound) -> str:
    """Write topics and runs into the folder, one run with planted faults; the name of that run's file."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    write_topics(folder / "topics.tsv", simulated.topics)
    for run in simulated.runs:
        write_run(folder / "runs" / f"{run.name}.txt", run)
    faulty = simulated.runs[-1]
    lines = run_text(faulty).splitlines()
    lines[3] = lines[2]
    lines[5] = lines[5].replace(faulty.name, "Dan-C-R9")
    name = f"{faulty.name}.txt"
    write_text(folder / "runs" / name, "\r\n".join(lines))
    return name


def _run(
    name: str,
    worth: NDArray[np.float64],
    topics: tuple[str, ...],
    *,
    about: str,
    skill: float,
    rng: np.random.Generator,
) -> Run:
    scores = skill * worth + rng.normal(0.0, 3.0, size=worth.shape)
    best = np.argsort(-scores, axis=1)[:, :10]
    names = _names()
    lists = {
        topic: [(f"cmnt-{names[item]}", round(float(scores[row, item]), 4)) for item in best[row].tolist()]
        for row, topic in enumerate(topics)
    }
    return Run.from_lists(name, lists, description=f"{about} (simulated)")


def _names() -> list[str]:
    return [f"{place:02}" for place in range(CANDIDATES)]
