"""Flipped bits in our own files: each is refused in one line, or changes no answer but votes that are named."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.faults.faulty_process import NoFault, run_with
from benchmarks.faults.folder_states import RECORD, state_of

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

SMALL = 300
"""A file of so many bytes is flipped at every byte."""
READERS = (
    ("repository", "topics repository -n 4 --rest out -o drawn.tsv"),
    ("index", "retrieve index topics.tsv -o new.txt --system fusion"),
    ("models", "retrieve index topics.tsv -o new.txt --system run4 --models models"),
    ("ranker", "retrieve index topics.tsv -o new.txt --ranker ranker"),
    ("judged/votes.db", "votes judged -o new.csv"),
    (RECORD, "status . --json"),
)
"""What is flipped, and a command that reads all of it."""


@dataclass(frozen=True)
class Flip:
    """A bit of a file, by its path in the round."""

    file: str
    place: int
    bit: int


def flips_of(template: Path, what: str, rng: random.Random, most: int) -> Iterator[Flip]:
    """Flips of every file of a folder, or of one file: at every byte of a small one, at ``most`` bytes of another."""
    named = template / what
    for path in sorted(one for one in named.rglob("*") if one.is_file()) if named.is_dir() else [named]:
        size = path.stat().st_size
        places = range(size) if size <= SMALL and size <= most else sorted(rng.sample(range(size), min(most, size)))
        for place in places:
            yield Flip(str(path.relative_to(template)), place, rng.randrange(8))


@dataclass(frozen=True)
class Answer:
    """What a command prints and writes."""

    code: int
    printed: str
    messages: str
    made: dict[str, bytes]


def answer_of(line: str, work: Path) -> Answer | None:
    """What a command prints and writes; None if it refuses its input in one line."""
    before = state_of(work)
    ended = run_with(NoFault(), line.split(), work)
    if ended.code == 2 and ended.messages.count("\n") == 1:
        return None
    made = {name: data for name, data in state_of(work).items() if before.get(name) != data and RECORD not in name}
    return Answer(ended.code, ended.printed, ended.messages, made)


def after_flip(line: str, flip: Flip, right: Answer | None, template: Path, work: Path) -> tuple[str, str]:
    """The outcome of a flip, and what is wrong; empty if nothing is."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(template, work)
    data = bytearray((work / flip.file).read_bytes())
    data[flip.place] ^= 1 << flip.bit
    (work / flip.file).write_bytes(data)
    found = answer_of(line, work)
    if found is None:
        return "flips refused", ""
    if found == right:
        return "flips without effect", ""
    is_named = right is not None and _has_fewer_votes(found, right)
    return "flips named", "" if is_named else f"{flip}: another answer or error"


def _has_fewer_votes(found: Answer, right: Answer) -> bool:
    """Whether the answer is an export without some votes, and what is printed says what was found."""
    told = "finding" in found.printed
    if (found.code, found.made.keys()) != (right.code, right.made.keys()) or not told:
        return False
    return all(set(text.splitlines()) <= set(right.made[name].splitlines()) for name, text in found.made.items())
