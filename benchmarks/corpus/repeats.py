"""How many of the best comments each filter of answers drops before there are ten replies.

``python -m benchmarks.corpus.repeats INDEX TOPICS`` ranks comments for each topic by each system. Each comment that is
dropped as reordered is replaced by another reply. ``--show`` prints these comments.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from kaiwa.formats.readers import read_topics
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.replies import Filters, Screen
from kaiwa.ranking.system import ranked
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.retrieval.matching import query_of

REASONS = ("identical", "repeat", "reordered", "near", "short")
REPLIES = 10
DEPTH = 100


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("topics", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    bot, topics = Bot(options.index), read_topics(options.topics)
    print(f"{len(topics):,} topics, {bot.index.tokeniser}.\n\n| system | replies | {' | '.join(REASONS)} |")
    print("|---|" + "---:|" * (len(REASONS) + 1))
    for system in ("run2", "run1", "bm25"):
        counts: Counter[str | None] = Counter()
        for text in topics.values():
            for reason, comment in _verdicts(bot, text, system):
                counts[reason] += 1
                if options.show and reason == "reordered":
                    print(f"{text} -> {comment}")
        print(
            f"| {system} | {counts[None]:,} | " + " | ".join(f"{counts[one]:,}" for one in REASONS) + " |", flush=True
        )


def _verdicts(bot: Bot, text: str, system: str) -> list[tuple[str | None, str]]:
    """The reason why each comment is dropped, None for a reply, until there are enough replies."""
    screen, verdicts, replies = Screen(text, Filters()), [], 0
    for comment in ranked(query_of(bot.index, text), SYSTEMS[system], k=DEPTH).comments.tolist():
        answer = bot.index.comments.texts.text_of(comment)
        verdicts.append((screen.refuses(answer), answer))
        replies += verdicts[-1][0] is None
        if replies == REPLIES:
            break
    return verdicts


if __name__ == "__main__":
    main()
