"""Chinese replies of two models, labelled for contradiction (Zheng et al. 2022): what features of fitness find there.

``python -m benchmarks.ranking.cdconv FOLDER CHAT --work WORK`` reads ``cdconv.jsonl.gz``. The repository has the
dialogues of CHAT, a folder of ``*.json.gz`` files, each a list of dialogues, and a dialogue a list of texts. A topic is
the user's last turn; only contexts whose replies have different labels are topics.
"""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.ranking.strict_index import Candidate, LabelledTopics, Pair
from benchmarks.ranking.text_experiment import Experiment, arguments, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GAINS = {0: 3.0, 3: 1.0, 1: 0.0, 2: 0.0}
_ABOUT = (
    "Replies of two models to Chinese dialogues, labelled for contradiction. A reply without one has the gain 3, one "
    "that contradicts the dialogue 1, a reply that contradicts itself or confuses the speakers 0. The repository has "
    "dialogues of another corpus."
)


def labelled_topics(folder: Path) -> LabelledTopics:
    """The contexts whose replies have different labels."""
    replies: dict[tuple[str, str, str], dict[str, float]] = {}
    with gzip.open(folder / "cdconv.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            replies.setdefault((row["u1"], row["b1"], row["u2"]), {})[row["b2"]] = _GAINS[row["label"]]
    mixed = {context: own for context, own in replies.items() if len(set(own.values())) > 1}
    texts, candidates = {}, {}
    for number, (context, own) in enumerate(mixed.items()):
        texts[f"t{number}"] = context[-1]
        candidates[f"t{number}"] = [
            Candidate(f"candidate-{number}-{place}", text, gain) for place, (text, gain) in enumerate(own.items())
        ]
    return LabelledTopics(texts, candidates)


def chat_pairs(folder: Path) -> Iterator[Pair]:
    """Each turn of a dialogue with the next one."""
    for path in sorted(folder.glob("*.json.gz")):
        dialogues = json.loads(gzip.decompress(path.read_bytes()))
        for number, dialogue in enumerate(dialogues):
            turns = ["".join(text.split()) for text in dialogue]
            for place, (text, reply) in enumerate(pairwise(turns)):
                name = f"{path.name.partition('.')[0]}-{number}"
                yield Pair(f"{name}:{place}", text, f"{name}:{place + 1}", reply)


def main() -> None:
    """Write the page of results."""
    options = arguments(__doc__, "chat").parse_args()
    labelled, pairs = labelled_topics(options.folder), chat_pairs(options.chat)
    run(Experiment("cdconv", _ABOUT, "zh", labelled, pairs), options.work, options.seed)


if __name__ == "__main__":
    main()
