"""Votes in a store: once per key, bound to a text, taken back by rows, given to exactly as many as needed."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.nouns.criteria import TaskItem, ladder
from kaiwa.store.ballots import Ballots, ImportedVote, add_imported
from kaiwa.store.database import Database
from kaiwa.store.people import set_state
from kaiwa.store.records import Refused, StoreUnavailable
from kaiwa.store.vote_reading import current_votes
from kaiwa.store.vote_store import StoreSettings, open_store

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Round
    from kaiwa.store.assignment import Place
    from kaiwa.store.vote_store import VoteStore


def rows(empty: Round) -> int:
    """How many rows the log has on the disk."""
    with closing(sqlite3.connect(empty.path)) as connection:
        return int(connection.execute("SELECT count(*) FROM votes").fetchone()[0])


def test_the_same_key_twice_gives_one_row_and_another_body_is_refused(empty: Round) -> None:
    """Also in one transaction, and after the store was opened again."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        place = empty.places(store, code)[0]
        ballot = empty.ballot(place, 1)
        first = store.append(Ballots(code, (ballot,)))
        both = [store.submit(Ballots(code, (ballot,))) for _ in range(2)]
        assert [one.result() for one in both] == [first, first]
        with pytest.raises(Refused) as refused:
            store.append(Ballots(code, (replace(ballot, note="other"),)))
        assert refused.value.status == 409
    with empty.open() as store:
        assert store.append(Ballots(code, (ballot,))) == first
    assert rows(empty) == 1


def test_a_vote_on_another_text_is_refused(empty: Round) -> None:
    """Nothing is stored, and the same item with its own text is."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        first, second = empty.places(store, code)[:2]
        with pytest.raises(Refused) as refused:
            store.append(Ballots(code, (replace(empty.ballot(first), shown=second.item.shown),)))
        assert (refused.value.status, rows(empty)) == (409, 0)
        assert empty.vote(store, code, first).seq == 1


def test_a_text_that_the_organiser_changed_must_be_judged_again(empty: Round) -> None:
    """The vote on the old text is refused; the old vote stays bound to the old text."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        old, other = empty.places(store, code)[:2]
        empty.vote(store, code, old)
    empty.items = [
        replace(one, text="another text") if one.comment == other.item.comment else one for one in empty.items
    ]
    with empty.open() as store, pytest.raises(Refused, match="the text has changed"):
        store.append(Ballots(code, (empty.ballot(other),)))


def test_an_item_or_lease_of_another_assessor_is_as_unknown_as_an_invented_one(empty: Round) -> None:
    """The same status and words."""
    with empty.open() as store:
        ann, bob = empty.person(store, "ann"), empty.person(store, "bob")
        own, other = empty.places(store, ann)[0], empty.places(store, bob)[0]
        answers = set()
        for changed in (
            replace(empty.ballot(other)),
            replace(empty.ballot(own), lease=other.lease.lease),
            replace(empty.ballot(own), lease="0" * 32),
            replace(empty.ballot(own), item="0" * 24),
        ):
            with pytest.raises(Refused) as refused:
                store.append(Ballots(ann, (changed,)))
            answers.add((refused.value.status, str(refused.value)))
        assert answers == {(404, "this item is not in your list")}


def test_one_refused_vote_of_a_request_stores_none_of_it(empty: Round) -> None:
    """And other requests of the same transaction are stored."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        first, second, third = empty.places(store, code)[:3]
        bad = store.submit(Ballots(code, (empty.ballot(first), replace(empty.ballot(second), shown="0"))))
        good = store.submit(Ballots(code, (empty.ballot(third),)))
        assert good.result()[0].seq == 1
        with pytest.raises(Refused):
            bad.result()
    assert rows(empty) == 1


@pytest.mark.parametrize(("failed", "level"), [(("topic",), 2), (("wit",), 0), ((), 1), (("topic", "context"), 0)])
def test_a_level_that_does_not_follow_from_the_criteria_is_refused(
    empty: Round, failed: tuple[str, ...], level: int
) -> None:
    """The scheme decides, not the page."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        place = empty.places(store, code)[0]
        with pytest.raises(Refused) as refused:
            store.append(Ballots(code, (replace(empty.ballot(place), failed=failed, level=level),)))
        assert refused.value.status == 422


def test_an_undo_and_a_change_are_rows_and_the_current_vote_follows(empty: Round) -> None:
    """The item comes back after an undo; nothing is deleted."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        place = empty.places(store, code)[0]
        empty.vote(store, code, place, 0, key="first-key")
        empty.vote(store, code, place, 2, key="second-key", undo_of="first-key")
        assert [row.level for row in store.current_votes()] == [2]
        undo = replace(empty.ballot(place), level=None, failed=(), undo_of="second-key")
        store.append(Ballots(code, (undo,)))
        assert store.current_votes() == []
        assert place.item.item in {one.item.item for one in empty.places(store, code) if one.vote is None}
        with pytest.raises(Refused, match="no such vote to undo"):
            store.append(Ballots(code, (replace(undo, key="again-again"),)))
        assert store.progress_of(code).done == 0
    assert rows(empty) == 3


def test_nobody_takes_back_the_vote_of_another(empty: Round) -> None:
    """A key is known to its own assessor only."""
    with empty.open() as store:
        ann, bob = empty.person(store, "ann"), empty.person(store, "bob")
        empty.vote(store, ann, empty.places(store, ann)[0], key="ann-ann-ann")
        with pytest.raises(Refused) as refused:
            empty.vote(store, bob, empty.places(store, bob)[0], undo_of="ann-ann-ann")
        assert refused.value.status == 404


def test_a_skipped_item_comes_last(empty: Round) -> None:
    """It is a row without a level, and its place is open to others meanwhile."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        place = empty.places(store, code)[0]
        store.append(Ballots(code, (replace(empty.ballot(place), level=None, failed=(), skip=True),)))
        seen = list[str]()
        while waiting := [one for one in empty.places(store, code) if one.vote is None]:
            still = [one for one in waiting if not store.state.has_skipped(one.lease)]
            seen.append(still[0].item.item)
            empty.vote(store, code, still[0])
        assert seen[-1] == place.item.item
        assert len(seen) == 36


def votes_on(store: VoteStore) -> dict[str, int]:
    """How many votes that count each item has."""
    counts = dict.fromkeys(store.state.items, 0)
    for one in current_votes(store.state):
        counts[one.row.item] += not one.surplus
    return counts


def test_thirty_concurrent_assessors_give_each_item_exactly_its_votes(empty: Round) -> None:
    """Some leave with items in their hands; their leases end, and others get the items."""
    empty.settings = StoreSettings(3, ladder(), lease_minutes=0.6 / 60, repeat_share=0.0)
    with empty.open() as store:
        codes = [empty.person(store, f"person {number}") for number in range(30)]

        def judge(number: int) -> int:
            code, given = codes[number], 0
            end = time.monotonic() + 600
            while time.monotonic() < end:
                waiting = [one for one in empty.places(store, code) if one.vote is None]
                if number % 3 == 0:  # takes a list and never votes
                    return 0
                for place in waiting[:4]:
                    empty.vote(store, code, place, number % 3)
                    given += 1
                if not waiting and all(votes == 3 for votes in votes_on(store).values()):
                    return given
                time.sleep(0.01)
            return given

        with ThreadPoolExecutor(30) as people:
            given = sum(people.map(judge, range(30)))
        assert set(votes_on(store).values()) == {3}
        assert given - 3 * len(store.state.items) == sum(one.surplus for one in current_votes(store.state))


def test_a_vote_that_comes_late_is_kept_and_marked_as_surplus(empty: Round) -> None:
    """The lease had ended, and others had given the item its votes."""
    empty.settings = StoreSettings(1, ladder(), lease_minutes=0.0001)
    with empty.open() as store:
        late, quick = empty.person(store, "late"), empty.person(store, "quick")
        place = empty.places(store, late)[0]
        time.sleep(0.02)
        while not any(row.item == place.item.item for row in store.current_votes()):
            for one in empty.places(store, quick):
                if one.vote is None:
                    empty.vote(store, quick, one)
        saved = empty.vote(store, late, place)
        assert saved.surplus
        assert sum(row.item == place.item.item for row in store.current_votes()) == 2
        assert votes_on(store)[place.item.item] == 1


def test_items_in_the_hands_of_a_revoked_person_go_to_others_at_once(empty: Round) -> None:
    """Also after the store was opened again; a paused person keeps them."""
    empty.settings = StoreSettings(1, ladder(), repeat_share=0.0)
    with empty.open() as store:
        ann, bob = empty.person(store, "ann"), empty.person(store, "bob")
        held = {one.item.item for one in empty.places(store, ann)}
        store.access.set_state("ann", "pause").result()
        assert empty.vote_all(store, bob) == 36 - len(held)
        store.access.set_state("ann", "revoke").result()
        assert {one.item.item for one in empty.places(store, bob)} == held
    with empty.open() as store:
        assert empty.vote_all(store, bob) == len(held)


def test_leases_survive_a_restart(empty: Round) -> None:
    """What an assessor had on the screen can be voted on, and the list is the same."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        before = empty.places(store, code)
    with empty.open() as store:
        again = empty.places(store, code)
        assert [one.lease.lease for one in again] == [one.lease.lease for one in before]
        assert empty.vote(store, code, before[3]).seq == 1


def test_training_comes_first_and_counts_for_nothing(empty: Round) -> None:
    """Gold outside the pool is judged by everybody; neither is exported."""
    empty.items += [TaskItem("q0", "train", "post 0", "a lesson", "training", 2, "because it fits")]
    empty.items += [TaskItem("q1", "known", "post 1", "a known one", "gold", 0)]
    with empty.open() as store:
        for name in ("ann", "bob", "cid"):
            code = empty.person(store, name)
            first: list[Place] = empty.places(store, code)
            assert [one.item.comment for one in first] == ["train"]
            empty.vote(store, code, first[0])
            empty.vote_all(store, code)
        known = {one.comment: item for item, one in store.state.items.items()}
        assert len(store.state.given[known["known"]]) == 3
        assert {row.kind for row in store.current_votes()} == {"human", "gold", "training"}
        exported = {one.comment for one in current_votes(store.state)}
        assert exported.isdisjoint({"train", "known"})
        assert votes_on(store)[known["q1-c1"]] == 2


def test_a_mixed_start_is_one_comment_each_of_several_posts(empty: Round) -> None:
    """Then whole posts follow; nothing is judged twice or left out, and a skipped comment comes at the end."""
    empty.settings = StoreSettings(2, ladder(), repeat_share=0.0, calibration=3)
    with empty.open() as store:
        code = empty.person(store, "ann")
        starts: list[Place] = []
        for _ in range(3):
            unit = empty.places(store, code)
            assert [one.lease.position for one in unit] == [1]
            starts += unit
            empty.vote(store, code, unit[0])
        assert len({one.item.topic for one in starts}) == 3
        assert len(empty.places(store, code)) == 10, "a list of one post"
        assert empty.vote_all(store, code) == 36 - 3
        other = empty.person(store, "bob")
        first = empty.places(store, other)[0]
        store.append(Ballots(other, (replace(empty.ballot(first), level=None, failed=(), skip=True),)))
        again = empty.places(store, other)[0]
        assert again.item.item != first.item.item
        assert empty.vote_all(store, other) == 36


def test_a_mixed_start_that_needs_more_posts_than_there_are_ends_with_the_posts(empty: Round) -> None:
    """Three posts, a start of nine: three comments, then lists."""
    empty.settings = StoreSettings(2, ladder(), repeat_share=0.0, calibration=9)
    with empty.open() as store:
        code = empty.person(store, "ann")
        for _ in range(3):
            empty.vote(store, code, empty.places(store, code)[0])
        assert len(empty.places(store, code)) == 10
        assert empty.vote_all(store, code) == 33


def test_some_items_come_back_and_do_not_change_the_first_vote(empty: Round) -> None:
    """At least twenty votes later; the second vote is for self-consistency only."""
    empty.settings = StoreSettings(2, ladder(), repeat_share=0.1)
    with empty.open() as store:
        code = empty.person(store, "ann")
        assert empty.vote_all(store, code) == 36 + 3
        assert len(store.state.repeated) == 3
        assert len(store.current_votes()) == 36


def orders(empty: Round, *names: str) -> dict[str, list[str]]:
    """The comments in the order in which each assessor sees them."""
    with empty.open() as store:
        codes = {name: empty.person(store, name) for name in names}
        for code in codes.values():
            empty.vote_all(store, code)
        items = store.state.items
        return {name: [items[row.item].comment for row in store.votes_of(code)] for name, code in codes.items()}


def test_the_order_is_each_assessors_own_and_neither_the_pools_nor_that_of_others(empty: Round) -> None:
    """With another order of the pool, and with others before, an assessor sees the same order."""
    empty.settings = StoreSettings(9, ladder(), repeat_share=0.0)
    first = orders(empty, "A1", "A2")
    with empty.open() as store:
        salt = store.salt
    empty.path.unlink()
    empty.open().close()
    empty.edit(f"UPDATE facts SET value = '{salt}' WHERE name = 'salt'", "DELETE FROM items", "DELETE FROM texts")  # noqa: S608
    empty.items.reverse()
    again = orders(empty, "A3", "A2", "A1")
    assert again["A1"] == first["A1"]
    assert again["A2"] == first["A2"] != first["A1"]
    assert first["A1"] not in ([one.comment for one in empty.items], [one.comment for one in empty.items[::-1]])


def test_the_order_can_be_that_of_the_pool(empty: Round) -> None:
    """By the setting ``order``."""
    empty.settings = StoreSettings(2, ladder(), in_pool_order=True)
    assert orders(empty, "A1")["A1"] == [one.comment for one in empty.items]


def test_a_full_disk_stores_nothing_and_the_same_keys_succeed_later(empty: Round) -> None:
    """SQLite has rolled back by itself when it reports the full disk."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        driver = store._writer._connection.connection.driver_connection
        assert driver is not None
        places = empty.places(store, code)
        pages = driver.execute("PRAGMA page_count").fetchone()[0]
        driver.execute(f"PRAGMA max_page_count = {pages}")
        ballots = [empty.ballot(place, note="x" * 4000) for place in places]
        stored, refused = [], []
        for ballot in ballots:
            fault = store.submit(Ballots(code, (ballot,))).exception()
            (refused if fault else stored).append(ballot)
            assert fault is None or (isinstance(fault, StoreUnavailable) and "disk is full" in str(fault))
        assert refused
        assert rows(empty) == len(stored) == len(store.current_votes())
        driver.execute("PRAGMA max_page_count = 1000000")
        for ballot in ballots:
            store.append(Ballots(code, (ballot,)))
    assert rows(empty) == len(ballots)


def test_what_another_process_changes_is_seen_while_votes_come_without_a_pause(empty: Round) -> None:
    """Somebody is revoked beside the server: the session ends although the writer always has something to write."""
    with empty.open() as store:
        code = empty.person(store, "ann")
        ballot = empty.ballot(empty.places(store, code)[0])
        with Database(empty.path).writing() as connection:
            set_state(connection, "ann", "revoke")
        end = time.monotonic() + 600
        while store.people()[0].is_active and time.monotonic() < end:
            store.append(Ballots(code, (ballot,)))
        assert not store.people()[0].is_active


def test_a_store_that_is_a_link_to_nothing_or_a_folder_is_refused(tmp_path: Path) -> None:
    """A new store behind a link would hide the votes of a disk that is not mounted, and others could read it."""
    (tmp_path / "votes.db").symlink_to("absent.db")
    with pytest.raises(InputError, match="is a link to a missing file; mount its disk"):
        open_store(tmp_path / "votes.db", [], StoreSettings(2, ladder()))
    assert not (tmp_path / "absent.db").exists()
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(InputError, match="is a folder, not a vote store"):
        Database(tmp_path / "folder.db")


def test_a_second_writer_is_refused_in_one_line(empty: Round) -> None:
    """Until the first one ends."""
    with empty.open(), pytest.raises(InputError, match="in use by another server") as refused:
        empty.open()
    assert "\n" not in str(refused.value)
    empty.open().close()


def test_a_store_of_another_pool_is_refused(judged: Round) -> None:
    """Votes of two tasks are never in one log."""
    judged.items = [replace(one, comment=f"other {one.comment}") for one in judged.items]
    with pytest.raises(InputError, match="holds the votes of another pool"):
        judged.open()


def test_an_item_that_left_the_pool_is_not_given_out_and_its_votes_stay(judged: Round) -> None:
    """A vote that was on its way is stored."""
    gone = judged.items.pop(0)
    with judged.open() as store:
        assert store.state.count == 72
        code = judged.person(store, "cid")
        judged.vote_all(store, code)
        assert gone.comment not in {store.state.items[row.item].comment for row in store.votes_of(code)}


def test_an_imported_vote_is_recognised_by_the_key_of_its_tool(empty: Round) -> None:
    """A level that was changed and changed back elsewhere is current again; an older file changes nothing."""
    with empty.open() as store:
        one, other, back = (
            ImportedVote("q0", "q0-c0", "ann", level, key) for level, key in ((1, "t1"), (2, "t2"), (1, "t3"))
        )
        found = [add_imported(store, [vote]) for vote in (one, other, back, one, other)]
        assert [(each.new, each.changed, each.known) for each in found] == [
            *((1, 0, 0), (0, 1, 0), (0, 1, 0)),
            *((0, 0, 1), (0, 0, 1)),
        ]
        assert [row.level for given in store.state.given.values() for row in given.values()] == [1]
