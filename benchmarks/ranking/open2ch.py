"""Posts of a Japanese bulletin board, 2,000 contexts with one true reply among 10 candidates each (Inaba 2019).

``python -m benchmarks.ranking.open2ch FOLDER CHAT --work WORK`` reads ``ranking.zip``. The topics are those of its test
file. The repository has the dialogues of another corpus, CHAT (a file of JSON lines, each with ``turns`` of [speaker,
text]), and the true replies of the development file, which are of an earlier month.
"""

from __future__ import annotations

import io
import json
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.ranking.given_encoders import spacy_encoder
from benchmarks.ranking.strict_index import Candidate, LabelledTopics, Pair
from benchmarks.ranking.text_experiment import Experiment, arguments, run
from kaiwa.formats.text_files import numbered_lines, read_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

_BREAK = "__BR__"
_ABOUT = (
    "Posts of a Japanese bulletin board, each with its true reply (gain 1) among nine random ones (gain 0). The "
    "repository has chat of other people on another site, and 2,000 true replies of an earlier month of the board."
)


def labelled_topics(folder: Path) -> LabelledTopics:
    """The last post of each context, with its true reply (gain 1) and the others (gain 0)."""
    texts: dict[str, str] = {}
    candidates: dict[str, list[Candidate]] = {}
    for number, (label, *context, reply) in enumerate(_rows(folder, "test")):
        topic = f"t{number // 10}"
        texts[topic] = context[-1]
        candidates.setdefault(topic, []).append(Candidate(f"candidate-{number}", reply, float(label)))
    return LabelledTopics(texts, candidates)


def _rows(folder: Path, part: str) -> Iterator[list[str]]:
    """The cells of each line: a label, the posts of the context, a reply."""
    with zipfile.ZipFile(folder / "ranking.zip") as archive, archive.open(f"ranking/{part}.tsv") as file:
        for line in io.TextIOWrapper(file, encoding="utf-8"):
            yield [" ".join(cell.replace(_BREAK, " ").split()) for cell in line.rstrip("\n").split("\t")]


def repository_pairs(folder: Path, chat: Path) -> Iterator[Pair]:
    """The pairs of the dialogues, and the true pairs of the development file."""
    yield from chat_pairs(chat)
    for number, (label, *context, reply) in enumerate(_rows(folder, "dev")):
        if label == "1":
            for place, (text, answer) in enumerate(pairwise((*context, reply))):
                yield Pair(f"dev-{number}:{place}", text, f"dev-{number}:{place + 1}", answer)


def chat_pairs(path: Path) -> Iterator[Pair]:
    """Each turn of a dialogue with the next one."""
    for block in read_blocks(path):
        for _, line in numbered_lines(block):
            dialogue = json.loads(line)
            turns = [" ".join(text.split()) for _, text in dialogue["turns"]]
            for place, (text, reply) in enumerate(pairwise(turns)):
                yield Pair(f"{dialogue['id']}:{place}", text, f"{dialogue['id']}:{place + 1}", reply)


def main() -> None:
    """Write the page of results."""
    parser = arguments(__doc__, "chat")
    parser.add_argument(
        "--vectors", type=Path, help="the folder vocab of a spaCy package, whose word vectors are the encoder"
    )
    options = parser.parse_args()
    given = None
    if options.vectors is not None:
        given = lambda prepared: spacy_encoder(options.vectors, prepared.models.corpus)  # noqa: E731
    labelled, pairs = labelled_topics(options.folder), repository_pairs(options.folder, options.chat)
    run(Experiment("open2ch", _ABOUT, "ja", labelled, pairs, given), options.work, options.seed)


if __name__ == "__main__":
    main()
