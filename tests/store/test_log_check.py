"""The check of a log: whatever is changed behind the store's back is found and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.nouns.criteria import TaskItem
from kaiwa.store.database import Database
from kaiwa.store.log_check import check_store
from kaiwa.store.log_copy import copy_store
from kaiwa.store.vote_reading import read_current_votes

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Round


def codes(judged: Round, *published: str) -> set[str]:
    """The codes of what is found."""
    return {one.code for one in check_store(Database(judged.path), published=published, items=judged.items).findings}


def test_a_sound_store_has_no_findings(judged: Round) -> None:
    """Its rows and head are told."""
    checked = check_store(Database(judged.path), items=judged.items)
    assert (checked.rows, checked.findings) == (72, ())
    assert codes(judged, checked.head) == set()


TAMPERED = {
    "a flipped level": ("UPDATE votes SET level = 1 - level % 2 WHERE seq = 5", {"hash"}),
    "a flipped byte of a note": ("UPDATE votes SET note = note || 'x' WHERE seq = 72", {"hash"}),
    "a deleted row": ("DELETE FROM votes WHERE seq = 30", {"row"}),
    "a cut tail": ("DELETE FROM votes WHERE seq > 60", {"count"}),
    "another assessor": ("UPDATE votes SET assessor = 'A2' WHERE seq = 1", {"hash", "lease"}),
    "a stranger": ("UPDATE votes SET assessor = 'A9' WHERE seq = 1", {"hash", "lease", "person"}),
    "another item": (
        "UPDATE votes SET item = (SELECT item FROM votes WHERE seq = 2) WHERE seq = 1",
        {"hash", "lease", "text"},
    ),
    "an item left out": (
        "UPDATE items SET served = 0 WHERE item = (SELECT item FROM votes WHERE seq = 1)",
        {"item"},
    ),
    "a known level": ("UPDATE items SET answer = 2", {"item"}),
    "a moved hash": ("UPDATE votes SET prev = hash WHERE seq = 9", {"chain", "hash"}),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_is_changed_behind_the_store_is_found(judged: Round, what: str) -> None:
    """With its row."""
    statement, expected = TAMPERED[what]
    judged.edit(statement)
    assert codes(judged) == expected


BROKEN = [what for what, (_, codes) in TAMPERED.items() if codes != {"item"}]
"""Changes of the log itself, or of what its votes are on."""


@pytest.mark.parametrize("what", BROKEN)
def test_a_changed_log_is_neither_exported_nor_copied(judged: Round, tmp_path: Path, what: str) -> None:
    """No vote of it is written as if it had been given so, and no copy gets a name."""
    judged.edit(TAMPERED[what][0])
    with pytest.raises(InputError, match=r"; see all with: kaiwa verify"):
        read_current_votes(Database(judged.path), votes_per_item=2)
    with pytest.raises(InputError, match=r"copy.db: the copy is not sound: .*; see all with: kaiwa verify"):
        copy_store(Database(judged.path), tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_no_vote_of_the_pool_is_no_reason_to_refuse_an_export(empty: Round) -> None:
    """Only training was judged, on a lease that the store has lost: nothing of it would be exported anyway."""
    empty.items += [TaskItem("q0", "train", "post 0", "a lesson", "training", 2, "because it fits")]
    with empty.open() as store:
        code = empty.person(store, "ann")
        empty.vote(store, code, empty.places(store, code)[0])
    empty.edit("DELETE FROM leases")
    found = read_current_votes(Database(empty.path), votes_per_item=2)
    assert (found.votes, found.left_out, [one.code for one in found.findings]) == ([], (), ["lease"])


def test_an_export_without_a_sound_vote_says_which_finding_is_the_reason(judged: Round) -> None:
    """The list of items that are served was changed; that another text was changed too affects no vote."""
    judged.edit(
        "INSERT INTO texts SELECT item, 'f00d', 'post', 'never voted on', 0 FROM items LIMIT 1",
        "UPDATE items SET served = 0",
    )
    with pytest.raises(InputError, match="no vote is sound: an item was changed after the pool was stored"):
        read_current_votes(Database(judged.path), votes_per_item=2)


def test_two_swapped_rows_are_found(judged: Round) -> None:
    """Even with their hashes."""
    judged.edit(
        "UPDATE votes SET seq = 1000 WHERE seq = 7",
        "UPDATE votes SET seq = 7 WHERE seq = 8",
        "UPDATE votes SET seq = 8 WHERE seq = 1000",
    )
    assert {"chain", "hash"} <= codes(judged)


def test_a_cut_tail_with_its_count_is_found_by_a_head_published_earlier(judged: Round) -> None:
    """Whoever edits the whole store cannot edit what was published."""
    head = check_store(Database(judged.path)).head
    judged.edit(
        "DELETE FROM votes WHERE seq = 72",
        "UPDATE facts SET value = (SELECT seq || ' ' || hash FROM votes ORDER BY seq DESC LIMIT 1) WHERE name = 'tail'",
    )
    assert codes(judged) == set()
    assert codes(judged, head) == {"head"}


def test_texts_swapped_in_the_store_are_named(judged: Round) -> None:
    """Both items, by topic and comment."""
    judged.edit(
        "UPDATE texts SET text = CASE text WHEN 'comment 0 1' THEN 'comment 0 2' ELSE 'comment 0 1' END "
        "WHERE text IN ('comment 0 1', 'comment 0 2')"
    )
    found = check_store(Database(judged.path)).findings
    assert [one.code for one in found] == ["text", "text"]
    assert {"topic 'q0', comment 'q0-c1'" in one.message for one in found} == {True, False}


def test_items_swapped_in_the_store_are_named(judged: Round) -> None:
    """An id belongs to one topic and comment."""
    judged.edit(
        "UPDATE items SET comment = CASE comment WHEN 'q0-c1' THEN 'q0-c2' ELSE 'q0-c1' END "
        "WHERE comment IN ('q0-c1', 'q0-c2')"
    )
    assert codes(judged) == {"item"}


def test_a_damaged_kind_of_an_item_is_named(judged: Round) -> None:
    """Without it, votes beyond those of the item would count."""
    judged.edit("UPDATE items SET kind = 'pgol' WHERE comment = 'q0-c1'")
    found = check_store(Database(judged.path)).findings
    assert found[0].message == "topic 'q0', comment 'q0-c1' has the unknown kind 'pgol'"


def test_a_text_of_the_task_that_changed_after_the_votes_is_named(judged: Round) -> None:
    """The store is sound, the task's files have another text."""
    judged.items[3] = type(judged.items[3])("q0", "q0-c3", "post 0", "edited")
    found = check_store(Database(judged.path), items=judged.items).findings
    assert len(found) == 1
    assert "now have another text" in found[0].message


def test_a_file_that_is_no_store_or_damaged_is_one_line(judged: Round) -> None:
    """Never a traceback."""
    damaged = judged.path.with_name("damaged.db")
    damaged.write_bytes(b"not a database at all " * 100)
    with pytest.raises(InputError, match="is not a vote store, or is damaged"):
        check_store(Database(damaged))


def test_a_store_of_a_newer_version_is_one_line(judged: Round) -> None:
    """It says what to do."""
    judged.edit("UPDATE facts SET value = '9' WHERE name = 'version'")
    with pytest.raises(InputError, match="is a store of version 9, and this Kaiwa knows 1; update Kaiwa"):
        judged.open()
