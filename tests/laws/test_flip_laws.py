"""A flipped bit in any file of a repository, an index or a record of steps is refused, or changes nothing."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.files import array_folder
from kaiwa.formats.repository import TABLES, open_repository
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import InvertedIndex, open_index
from kaiwa.task.record import RECORD, read_steps, recorded_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FLIPS = 60
"""Flips per file."""


def flips(path: Path, seed: int) -> Iterator[int]:
    """Places of a file, each flipped while it is yielded; the file is restored in the end."""
    whole = path.read_bytes()
    rng = random.Random(seed)
    places = sorted({rng.randrange(len(whole)) for _ in range(FLIPS)} | {0, len(whole) - 1})
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
        yield place
    path.write_bytes(whole)


def found_or_refused(use: Callable[[], object]) -> object:
    """What is read; None if it is refused with one clear line."""
    try:
        return use()
    except InputError as refusal:
        return None if "\n" not in str(refusal) else refusal


def whole_repository(path: Path) -> object:
    """Every row of every table, and what the manifest says."""
    opened = open_repository(path)
    rows = [batch for name in TABLES if (path / f"{name}.parquet").exists() for batch in opened.table(name)]
    return rows, opened.manifest.language, opened.manifest.rules, opened.manifest.removed, opened.manifest.posts


def test_a_flip_in_a_repository_is_refused_or_changes_nothing(repository: Path, tmp_path: Path) -> None:
    """In its tables and in its manifest."""
    copy = shutil.copytree(repository, tmp_path / "copy")
    expected = whole_repository(copy)
    for number, name in enumerate(sorted(path.name for path in copy.iterdir())):
        for place in flips(copy / name, number):
            found = found_or_refused(lambda: whole_repository(copy))
            assert found in (None, expected), (name, place)


def test_a_changed_table_is_used_without_the_manifest(repository: Path, tmp_path: Path) -> None:
    """The error says so."""
    copy = shutil.copytree(repository, tmp_path / "copy")
    shutil.copy(copy / "pairs.parquet", copy / "posts.parquet")
    with pytest.raises(InputError, match=r"if you changed it, delete .*manifest\.json"):
        open_repository(copy)
    (copy / "manifest.json").unlink()
    assert open_repository(copy).manifest.posts


@pytest.mark.parametrize("side", ["posts", "comments"])
@pytest.mark.parametrize("part", ["text", "text_starts", "ids", "id_starts", "row", "docs", "shapes", "starts"])
def test_a_flip_in_an_index_is_refused_or_changes_nothing(
    side: str, part: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it is in an array of several parts, each text, id and list of postings is right or refused."""
    monkeypatch.setattr(array_folder, "CHUNK", 128)  # the header alone
    target = tmp_path / "index"
    build_index(repository, target, language="zh", tokens=None, progress=lambda _done, _total: None)
    expected = [list(answers) for answers in _answers(target, side)]
    for place in flips(next(target.glob(f"data-*/{side}.{part}.npy")), len(part)):
        for right, answers in zip(expected, _answers(target, side), strict=True):
            assert all(one in (None, other) for one, other in zip(answers, right, strict=False)), place


def _answers(target: Path, name: str) -> Iterator[Iterator[object]]:
    """The texts, the ids and the lists of postings of a side, each kind from an index opened for it alone."""
    yield _each(target, name, lambda index, number: getattr(index, name).texts.text_of(number))
    yield _each(target, name, lambda index, number: getattr(index, name).texts.id_of(number))
    yield _each(target, name, lambda index, number: getattr(index.shards[0], name).slices(np.array([number])).tolist())


def _each(target: Path, name: str, use: Callable[[InvertedIndex, int], object]) -> Iterator[object]:
    """What is found for each number of a side; nothing if the index is refused."""
    index = found_or_refused(lambda: open_index(target))
    for number in range(len(getattr(index, name)) if isinstance(index, InvertedIndex) else 0):
        yield found_or_refused(lambda number=number: use(index, number))


def test_a_flip_in_a_record_of_steps_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    """At every byte; the report quotes what is recorded."""
    (tmp_path / "kaiwa.toml").write_text("", encoding="utf-8")
    (tmp_path / "votes.csv").write_text("votes", encoding="utf-8")
    options = {"scheme": "unanimity", "p": 0.2, "top": None}
    with recorded_step(tmp_path / "qrels.txt", [tmp_path / "votes.csv"], verb="gains", version="1.0", options=options):
        pass
    record, expected = tmp_path / RECORD, read_steps(tmp_path)
    whole = record.read_bytes()
    for place, byte in enumerate(whole):
        record.write_bytes(whole[:place] + bytes([byte ^ 1 << place % 8]) + whole[place + 1 :])
        assert found_or_refused(lambda: read_steps(tmp_path)) in (None, expected), place
