"""Texts that a cleaning rule removes, drawn at random for labelling by a reader; and the precision from the labels.

``python -m benchmarks.corpus.rule_precision PAIRS --rules weibo`` counts the hits of each rule among the comments (or
with ``--side post`` the posts) of a file of pairs. With ``--rule NAME -n 200 -o FILE`` it writes a random sample of the
rule's hits, one ``TAB text`` per line: the reader types ``y`` or ``n`` before the tab. ``--labels FILE...`` prints the
precision with 95% Wilson limits. Each text counts once; samples are drawn with ``--seed``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.corpus.rules import read_rules
from kaiwa.formats.readers import read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.corpus.rules import RuleSet


def main() -> None:
    """Print counts or precision, or write a sample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path, nargs="?")
    parser.add_argument("--rules", default="weibo")
    parser.add_argument("--side", default="comment", choices=["post", "comment"])
    parser.add_argument("--rule")
    parser.add_argument("-n", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--labels", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    for path in options.labels:
        print(precision(path))
    if options.pairs is None:
        return
    rules = read_rules(options.rules)
    hits = removed(_texts(options.pairs, options.side), rules, options.side)
    print("\n".join(f"{rule}: {len(texts):,} texts" for rule, texts in sorted(hits.items())))
    if options.output is not None:
        drawn = np.random.default_rng(options.seed).permutation(sorted(hits[options.rule]))[: options.n]
        options.output.write_text("".join(f"\t{text}\n" for text in drawn), encoding="utf-8")


def _texts(pairs: Path, side: str) -> Iterable[str]:
    return {getattr(pair, side) for batch in read_pairs(pairs) for pair in batch}


def removed(texts: Iterable[str], rules: RuleSet, side: str) -> dict[str, list[str]]:
    """The texts that each rule removes; a text counts under the first rule that it breaks, as in cleaning."""
    found: dict[str, list[str]] = {}
    for text in texts:
        if (rule := rules.against(side, text)) is not None:
            found.setdefault(rule, []).append(text)
    return found


def precision(path: Path) -> str:
    """The share of texts labelled y, with its 95% Wilson interval."""
    labels = Counter(line[:1] for line in path.read_text(encoding="utf-8").splitlines())
    right, total = labels["y"], labels["y"] + labels["n"]
    z, share = 1.96, right / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * (share * (1 - share) / total + z * z / (4 * total * total)) ** 0.5
    return f"{path.name}: {right} of {total} = {share:.2f} [{middle - half:.2f}, {middle + half:.2f}]"


if __name__ == "__main__":
    main()
