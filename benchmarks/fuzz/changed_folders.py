"""Changed copies of folders that Kaiwa made: models, a ranker, a vote log, a task folder; and how they are read."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from benchmarks.fuzz.changes import CHANGES
from kaiwa.errors import KaiwaError
from kaiwa.files.array_folder import MANIFEST
from kaiwa.files.inputs import seal_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

_WORDS = ("rain", "sun", "tea", "train", "beach", "photo", "exam", "music", "cat", "dog", "walk", "cook", "book")
_MODELS = ("translation", "topicword", "vectors")
_FEATURES = ("q2p", "q2c", "translm")
_SYSTEMS = ("run3", "run4", "run5")


def make_round(folder: Path) -> None:
    """Make an index, its models, a ranker and a judged task in a folder."""
    import kaiwa

    folder.mkdir()
    texts = [f"{_WORDS[at % 13]} {_WORDS[at * 5 % 12]} {_WORDS[at * 7 % 11]}" for at in range(40)]
    pairs = [f"p{at // 2}\tpost {texts[at // 2]}\tc{at}\tanswer {texts[39 - at]}" for at in range(40)]
    _write(folder / "pairs.tsv", pairs)
    _write(folder / "task" / "topics.tsv", [f"q{at}\tnew {texts[at]}" for at in range(6)])
    _write(folder / "qrels.txt", [f"q{at % 6} 0 c{at} {at % 5 % 3}" for at in range(40)])
    _write(folder / "task" / "kaiwa.toml", ['[task]\ntitle = "small"'])
    items = [(f"q{at % 6}", f"c{at}") for at in range(12)]
    _write(folder / "task" / "pool.tsv", [f"{topic}\t{comment}" for topic, comment in items])
    votes = [f"{topic},{comment},a,{at % 3}" for at, (topic, comment) in enumerate(items)]
    _write(folder / "votes.csv", ["topic,comment,assessor,level", *votes])
    kaiwa.clean(folder / "pairs.tsv", folder / "task" / "repository")
    kaiwa.index(folder / "task" / "repository", folder / "index", language="en")
    kaiwa.models(folder / "index", folder / "models", names=_MODELS)
    kaiwa.train(
        folder / "index",
        folder / "qrels.txt",
        topics=folder / "task" / "topics.tsv",
        models=folder / "models",
        output=folder / "ranker",
        features=_FEATURES,
        ablations=False,
    )
    kaiwa.votes(folder / "task", add=folder / "votes.csv")


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _ask_models(rng: random.Random, models: Path, whole: Path) -> None:
    import kaiwa

    kaiwa.open(whole / "index", models=models).reply("rain tea beach", system=rng.choice(_SYSTEMS))


def _ask_ranker(_: random.Random, ranker: Path, whole: Path) -> None:
    import kaiwa

    kaiwa.open(whole / "index", models=whole / "models", ranker=ranker).reply("rain tea beach")


def _read_store(rng: random.Random, task: Path, whole: Path) -> None:
    import kaiwa

    rng.choice([
        lambda: kaiwa.verify(task),
        lambda: kaiwa.votes(task).write(task / "new.csv"),
        lambda: kaiwa.votes(task, add=whole / "votes.csv"),
        lambda: kaiwa.backup(task),
        lambda: kaiwa.invite(task, list=True),
        lambda: kaiwa.invite(task, "Ann"),
    ])()  # fmt: skip


def _read_task(rng: random.Random, task: Path, _: Path) -> None:
    import kaiwa

    if rng.random() < 0.5:
        kaiwa.pool(task, sheet=task / "sheet.csv")
    else:
        kaiwa.status(task)


FOLDERS: dict[str, tuple[str, tuple[str, ...], Callable[[random.Random, Path, Path], None]]] = {
    "models": ("models", ("*/manifest.json", "*/data-*/*.npy"), _ask_models),
    "ranker": ("ranker", ("manifest.json", "data-*/*.npy"), _ask_ranker),
    "vote log": ("task", ("votes.db",), _read_store),
    "task folder": ("task", ("kaiwa.toml", "topics.tsv", "pool.tsv"), _read_task),
}
"""Kinds of folders: the folder of the round, its files that are changed, and what reads them."""


def tried_folder(rng: random.Random, kind: str, work: Path, whole: Path) -> str:
    """Read a changed copy of a folder: ``read`` or ``refused``. Most changed manifests get a right checksum."""
    name, patterns, reader = FOLDERS[kind]
    shutil.copytree(whole / name, work / name)
    file = rng.choice(sorted(one for pattern in patterns for one in (work / name).glob(pattern)))
    data = file.read_bytes()
    for _ in range(rng.choice([1, 1, 2, 4])):
        data = CHANGES[rng.choice(list(CHANGES))](rng, data)
    file.write_bytes(data)
    if file.name == MANIFEST and rng.random() < 0.8:
        _seal_again(file)
    try:
        reader(rng, work / name, whole)
    except KaiwaError as refusal:
        if "\n" in str(refusal):
            raise AssertionError("a refusal of several lines") from refusal
        return "refused"
    return "read"


def _seal_again(manifest: Path) -> None:
    """Give a changed manifest its right checksum, as if another program had written it so."""
    try:
        held = json.loads(manifest.read_bytes())
        manifest.write_text(json.dumps({**held, "seal": seal_of(held)}), encoding="utf-8")
    except (ValueError, TypeError, RecursionError):
        return
