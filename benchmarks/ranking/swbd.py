"""Switchboard turns, 1,000 topics with 7 judged candidates each (Cervone and Riccardi 2020).

``python -m benchmarks.ranking.swbd FOLDER --work WORK`` reads ``topics.jsonl.gz``, ``judged_pairs.tsv.gz`` and
``swda_turns.tsv.gz``. The repository has no turn of a dialogue from which a topic or a candidate comes.
"""

from __future__ import annotations

import gzip
import json
import statistics
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.ranking.given_encoders import onnx_encoder
from benchmarks.ranking.strict_index import Candidate, LabelledTopics, Pair
from benchmarks.ranking.text_experiment import Experiment, arguments, run

if TYPE_CHECKING:
    from collections.abc import Iterator

_GAINS = {0: 0.0, 1: 1.0, 2: 3.0}
_ABOUT = (
    "Switchboard turns with judged next turns. The gain of a candidate is 0, 1 or 3, from the median of five "
    "assessors. No turn of a dialogue from which a topic or a candidate comes is in the repository."
)


def labelled_topics(folder: Path) -> LabelledTopics:
    """The topics, and the gain of each candidate from the median of its five assessors."""
    with gzip.open(folder / "topics.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = {topic["topic"]: topic["post"] for topic in map(json.loads, lines)}
    candidates: dict[str, list[Candidate]] = {}
    for topic, _, comment, labels, _, text in rows(folder / "judged_pairs.tsv.gz"):
        gain = _GAINS[int(statistics.median(map(int, labels.split())))]
        candidates.setdefault(topic, []).append(Candidate(f"{comment}-candidate", text.strip() or "…", gain))
    return LabelledTopics(texts, candidates)


def strict_pairs(folder: Path) -> Iterator[Pair]:
    """Each turn with the next one, of the dialogues that no topic and no candidate comes from."""
    with gzip.open(folder / "topics.jsonl.gz", "rt", encoding="utf-8") as lines:
        seen = {topic["dialog"] for topic in map(json.loads, lines)}
    seen |= {row[2].partition(":")[0] for row in rows(folder / "judged_pairs.tsv.gz")}
    for (dialogue, turn, _, text), (other, later, _, reply) in pairwise(rows(folder / "swda_turns.tsv.gz", head=0)):
        if dialogue == other and dialogue not in seen:
            yield Pair(f"{dialogue}:{turn}", text, f"{dialogue}:{later}", reply)


def rows(path: Path, *, head: int = 1) -> Iterator[list[str]]:
    """The cells of each line after the head."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number >= head:
                yield line.rstrip("\n").split("\t")


def main() -> None:
    """Write the page of results."""
    parser = arguments(__doc__)
    parser.add_argument("--encoder", type=Path, help="a sentence encoder as an ONNX file")
    parser.add_argument("--tokeniser", type=Path, help="the tokenizer.json of the encoder")
    options = parser.parse_args()
    encoder = partial(onnx_encoder, options.encoder, options.tokeniser) if options.encoder else None
    labelled, pairs = labelled_topics(options.folder), strict_pairs(options.folder)
    given = None if encoder is None else (lambda _prepared: encoder())
    run(Experiment("swbd", _ABOUT, "en", labelled, pairs, given), options.work, options.seed)


if __name__ == "__main__":
    main()
