"""Sentences per CPU second split into words: our tokenisers and those that we did not choose.

``python -m benchmarks.corpus.tokenise ZH.txt JA.txt EN.txt`` takes three files of real text, one sentence per line.
Each tokeniser splits the same lines in three interleaved rounds; the median is printed. Tokenisers that are not
installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import machine
from kaiwa.nouns.normalise import normalise
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = 20_000
ROUNDS = 3


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for language in ("zh", "ja", "en"):
        parser.add_argument(language, type=Path)
    options = parser.parse_args()
    print(f"{LINES:,} lines of each language. {machine()}\n")
    print("| language | tokeniser | sentences per CPU second | tokens per sentence |\n|---|---|---:|---:|")
    for language, contestants in _contestants().items():
        lines = getattr(options, language).read_text(encoding="utf-8").splitlines()[:LINES]
        for name, (speed, tokens) in _measured(contestants, lines).items():
            print(f"| {language} | {name} | {speed:,.0f} | {tokens:.1f} |", flush=True)


def _contestants() -> dict[str, dict[str, Callable[[str], int]]]:
    def ours(name: str) -> Callable[[str], int]:
        chosen = tokeniser(name)
        return lambda text: len(chosen.split(normalise(text)))

    zh = {"rjieba (chosen)": ours("zh"), "bigrams": ours("bigrams"), "both": ours("zh+bigrams")}
    ja = {"fugashi, unidic-lite (chosen)": ours("ja"), "bigrams": ours("bigrams")}
    import rjieba

    zh["rjieba without our normalising"] = lambda text: len(rjieba.cut(text))
    if importlib.util.find_spec("jieba"):
        import jieba

        zh["jieba without our normalising"] = lambda text: len(jieba.lcut(text))
    if importlib.util.find_spec("sudachipy") and importlib.util.find_spec("sudachidict_core"):
        import sudachipy

        sudachi = sudachipy.Dictionary().create()
        ja["sudachipy, core, without our normalising"] = lambda text: len(sudachi.tokenize(text))
    return {"zh": zh, "ja": ja, "en": {"words, Snowball (chosen)": ours("en")}}


def _measured(contestants: dict[str, Callable[[str], int]], lines: list[str]) -> dict[str, tuple[float, float]]:
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    tokens = {}
    for cut in contestants.values():
        cut(lines[0])
    for _ in range(ROUNDS):
        for name, cut in contestants.items():
            start = time.process_time()
            tokens[name] = sum(map(cut, lines))
            seconds[name].append(time.process_time() - start)
    return {name: (len(lines) / statistics.median(spent), tokens[name] / len(lines)) for name, spent in seconds.items()}


if __name__ == "__main__":
    main()
