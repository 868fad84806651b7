"""What commit 5f7d81a has made opens: its vote log, repository, index and ranker.

The folder ``data/round_5f7d81a`` was made by that commit's own commands; its PROVENANCE.txt says how.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kaiwa

if TYPE_CHECKING:
    from collections.abc import Callable

MADE = Path(__file__).parent / "data" / "round_5f7d81a"
HEAD = "d7c343805e251a68fd04d9bcd51578c784c5c24e78115b3df236e61fb59851cf"
"""The head of the log, as ``kaiwa verify`` of that commit printed it."""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A copy of the round."""
    return Path(shutil.copytree(MADE, tmp_path / "round"))


def test_the_votes_that_the_log_holds_are_exported(task: Path) -> None:
    """Byte for byte as that commit exported them, with as many left out."""
    made = kaiwa.votes(task)
    assert made.own_form() == (task / "votes.csv").read_text(encoding="utf-8")
    assert (made.votes, made.surplus, made.left_out, made.head) == (16, 2, 0, HEAD)


def test_the_log_is_verified_without_findings(task: Path) -> None:
    """With the head that its export recorded in the folder."""
    checked = kaiwa.verify(task)
    assert (checked.rows, checked.findings, checked.head) == (18, (), HEAD)
    assert HEAD in (task / ".kaiwa-steps.json").read_text(encoding="utf-8")


def test_the_log_goes_on(task: Path) -> None:
    """Votes are added and people invited; what it held stays in its chain."""
    before = (task / "votes.csv").read_text(encoding="utf-8").splitlines()
    made = kaiwa.votes(task, add=kaiwa.Votes.from_rows([("q1", "c1", "Ann", 1), ("q1", "c1", "Dan", 1)]))
    assert made.added is not None
    assert (made.added.new, made.added.changed) == (1, 1)
    assert set(made.own_form().splitlines()) >= set(before) - {"q1,c1,A1,0,0,1,NA,NA"}
    assert kaiwa.invite(task, "Ann").people[0].code == "A1"
    assert kaiwa.verify(task, heads=HEAD).findings == ()


def test_the_index_answers_by_the_ranker(task: Path) -> None:
    """As that commit answered, and as an index that is made now from its repository does."""
    old = kaiwa.reply(task / "index", "A day in Hawaii", ranker=task / "ranker")
    new = kaiwa.index(task / "repository", task / "new", language="en")
    assert old[0].comment == "c1"
    assert old.to_json() == kaiwa.reply(new, "A day in Hawaii", ranker=task / "ranker").to_json()


VERBS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "repository": ("kaiwa clean", lambda task: kaiwa.index(task / "repository", task / "new")),
    "index": ("kaiwa index", lambda task: kaiwa.reply(task / "index", "A day in Hawaii")),
    "ranker": ("kaiwa train", lambda task: kaiwa.reply(task / "index", "A day", ranker=task / "ranker")),
}


@pytest.mark.parametrize("folder", VERBS)
def test_another_version_is_one_line_that_names_the_verb(task: Path, folder: str) -> None:
    """An error, before anything is read or written."""
    manifest = task / folder / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": 0}), encoding="utf-8")
    verb, call = VERBS[folder]
    with pytest.raises(kaiwa.InputError, match=f"version 0; this Kaiwa reads version .*{verb}") as refused:
        call(task)
    assert "\n" not in str(refused.value)
    assert not (task / "new").exists()
