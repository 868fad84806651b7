"""Chinese words against words and bigrams: recall, size and time of an index with each of the tokenisers.

``python -m benchmarks.corpus.chinese_tokens REPOSITORY DATA`` measures three collections of real texts:

``weibo``: REPOSITORY, made by ``kaiwa clean --rules weibo``. Posts are held out with ``kaiwa topics --rest``; wanted
are their comments that are still in the rest, under other posts.

``facts``: ``DATA/zh-kdconv``, dialogues whose turns name the facts that they use (film, music, travel). The query is a
turn; wanted are turns of other dialogues with a fact of the turn that follows it. Turns of the same dialogue are not
counted.

``paraphrases``: ``DATA/zh-cdconv`` among the pairs of ``DATA/zh-lccc-small``. The query is a post in other words
(translated and back, or with synonyms); wanted are the comments of the post itself.

Nobody looked at a result to decide what is wanted. Differences are paired by query; their 95% intervals are from 2,000
bootstrap samples of the queries.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import kaiwa
from benchmarks.corpus.recall import Sought, recalls, true_replies
from benchmarks.harness import machine
from kaiwa.formats.repository import Manifest, writing_repository
from kaiwa.ranking.answering import Bot
from kaiwa.retrieval.build import build_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.nouns.ids import FloatArray

TOKENS = ("zh", "bigrams", "zh+bigrams")
SYSTEMS = ("run2", "run0", "run1", "bm25")
DEPTHS = (10, 100, 1000)
HELD_OUT = 10_000
QUERIES = 2_000
SAMPLES = 2_000
TIMED = 200
PARAPHRASES = ("同义-回译", "同义-同义词")
Pairs = list[tuple[str, str, str, str]]


@dataclass(frozen=True)
class Collection:
    """A repository, and what is sought in it."""

    name: str
    repository: Path
    sought: Sequence[Sought]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        print(f"{machine()}\n")
        for collect, source in ((_paraphrases, options.data), (_facts, options.data), (_weibo, options.repository)):
            collection = collect(source, made / "repository")
            wanted = sum(len(one.wanted) for one in collection.sought)
            print(f"## {collection.name}\n\n{len(collection.sought):,} queries, {wanted:,} wanted comments.\n")
            _measure(collection, made / "index")


def _measure(collection: Collection, index: Path) -> None:
    found: dict[tuple[str, str], FloatArray] = {}
    costs = []
    build_index(collection.repository, index, language="zh", tokens="zh+bigrams", progress=lambda *_: None)  # warm
    for tokens in TOKENS:
        start = time.process_time()
        facts = build_index(collection.repository, index, language="zh", tokens=tokens, progress=lambda *_: None)
        seconds = time.process_time() - start
        bot = Bot(index)
        size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
        for system in SYSTEMS:
            found[tokens, system] = recalls(bot, system, collection.sought, DEPTHS)
        costs.append((tokens, facts, size / 1e6, seconds, _milliseconds(bot, collection.sought)))
    _print_recall(found)
    counts = f"{costs[0][1]['posts']:,} posts, {costs[0][1]['comments']:,} comments, {costs[0][1]['pairs']:,} pairs."
    print(f"\n{counts}\n\n| tokens | terms | MB on disk | build CPU s | reply, median CPU ms |")
    print("|---|---:|---:|---:|---:|")
    for tokens, facts, size, seconds, milliseconds in costs:
        print(f"| {tokens} | {facts['terms']:,} | {size:.0f} | {seconds:.1f} | {milliseconds:.2f} |")
    print(flush=True)


def _print_recall(found: dict[tuple[str, str], FloatArray]) -> None:
    names = [f"recall@{depth}" for depth in DEPTHS]
    print("| system | tokens | " + " | ".join(names) + " |\n|---|---|" + "---:|" * len(DEPTHS))
    for system in SYSTEMS:
        for tokens in TOKENS:
            means = found[tokens, system].mean(axis=0)
            print(f"| {system} | {tokens} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |")
        for tokens in TOKENS[1:]:
            limits = _intervals(found[tokens, system] - found["zh", system])
            print(f"| {system} | {tokens} minus zh | " + " | ".join(limits) + " |", flush=True)


def _intervals(differences: FloatArray) -> list[str]:
    """The mean of each column with its 95% percentile interval over samples of the rows."""
    rng = np.random.default_rng(1)
    rows = len(differences)
    means = np.array([differences[rng.integers(rows, size=rows)].mean(axis=0) for _ in range(SAMPLES)])
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    middle = differences.mean(axis=0)
    return [f"{mean:+.4f} [{below:+.4f}, {above:+.4f}]" for mean, below, above in zip(middle, low, high, strict=True)]


def _milliseconds(bot: Bot, sought: Sequence[Sought]) -> float:
    spent = []
    for one in sought[:TIMED]:
        start = time.process_time()
        bot.reply(one.text, k=10)
        spent.append(time.process_time() - start)
    return statistics.median(spent) * 1000


def _weibo(source: Path, rest: Path) -> Collection:
    drawn = kaiwa.topics(source, n=HELD_OUT, rest=rest, seed=1)
    truth = true_replies(source, rest, set(drawn.topics))
    return Collection("weibo", rest, [Sought(drawn.topics[name], frozenset(ids)) for name, ids in truth.items()])


def _facts(data: Path, target: Path) -> Collection:
    pairs: Pairs = []
    with_fact: dict[tuple[str, ...], set[str]] = defaultdict(set)
    facts_of: dict[str, list[tuple[str, ...]]] = {}
    turns_of: dict[str, set[str]] = defaultdict(set)
    for number, dialogue in enumerate(_dialogues(data / "zh-kdconv")):
        for turn, (before, after) in enumerate(pairwise(dialogue)):
            name = f"{number}-{turn + 1}"
            pairs.append((f"{number}-{turn}", before["message"], name, after["message"]))
            turns_of[str(number)].add(name)
            facts_of[name] = [(one["name"], one["attrname"], one["attrvalue"]) for one in after.get("attrs", [])]
            for fact in facts_of[name]:
                with_fact[fact].add(name)
    _write(target, pairs)
    sought = []
    for _, query, name, _ in pairs:
        same = frozenset().union(*(with_fact[fact] for fact in facts_of[name]))
        own = turns_of[name.partition("-")[0]]
        if same - own:
            sought.append(Sought(query, same - own, frozenset(own)))
    return Collection("facts", target, _sample(sought))


def _dialogues(folder: Path) -> Iterator[list[dict[str, Any]]]:  # Any: JSON values
    for path in sorted(folder.glob("*.json.gz")):
        for dialogue in json.loads(gzip.decompress(path.read_bytes())):
            yield dialogue["messages"]


def _paraphrases(data: Path, target: Path) -> Collection:
    lines = gzip.decompress((data / "zh-cdconv" / "cdconv.jsonl.gz").read_bytes()).decode().splitlines()
    rows = [json.loads(line) for line in lines]
    posts = {text: f"p{at}" for at, text in enumerate(dict.fromkeys(row["u1"] for row in rows))}
    comments = {text: f"c{at}" for at, text in enumerate(dict.fromkeys(row["b1"] for row in rows))}
    under: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        under[row["u1"]].add(row["b1"])
    pairs = [(posts[post], post, comments[text], text) for post, texts in under.items() for text in sorted(texts)]
    _write(target, pairs + _chat(data / "zh-lccc-small"))
    asked = {row["u2"]: row["u1"] for row in rows if row["method"] in PARAPHRASES}
    sought = [Sought(query, frozenset(comments[text] for text in under[post])) for query, post in asked.items()]
    return Collection("paraphrases", target, _sample(sought))


def _chat(folder: Path) -> Pairs:
    pairs: Pairs = []
    for path in sorted(folder.glob("LCCC-base_*.json.gz")):
        for number, dialogue in enumerate(json.loads(gzip.decompress(path.read_bytes()))):
            turns = [text.replace(" ", "") for text in dialogue]
            name = f"{path.name[:12]}-{number}"
            pairs += [
                (f"{name}-p{at}", before, f"{name}-c{at}", after) for at, (before, after) in enumerate(pairwise(turns))
            ]
    return pairs


def _sample(sought: list[Sought]) -> list[Sought]:
    chosen = np.random.default_rng(1).permutation(len(sought))[:QUERIES]
    return [sought[at] for at in sorted(chosen.tolist())]


def _write(target: Path, pairs: Pairs) -> None:
    with writing_repository(target) as writer:
        for table, columns in (("posts", (0, 1)), ("comments", (2, 3))):
            texts = {pair[columns[0]]: pair[columns[1]] for pair in pairs}
            writer.add(table, list(texts), list(texts.values()))
        writer.add("pairs", [pair[0] for pair in pairs], [pair[2] for pair in pairs])
        writer.finish(Manifest())


if __name__ == "__main__":
    main()
