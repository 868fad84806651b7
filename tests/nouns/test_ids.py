"""Ids: packed arrays, their keys, and exact lookup."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiwa.nouns import ids as ids_module
from kaiwa.nouns.ids import IdTable, keys, pack, repeated_row, unpack

names = st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20), max_size=30)


@given(names)
def test_unpacking_gives_back_what_was_packed(texts: list[str]) -> None:
    """Ids of any script survive the packed array."""
    assert unpack(pack(texts)) == texts


@given(names, st.integers(21, 90))
def test_a_key_does_not_depend_on_the_width_of_its_array(texts: list[str], width: int) -> None:
    """The same id in a wider array has the same key."""
    packed = pack(texts)
    groups = np.arange(len(texts))
    assert np.array_equal(keys(groups, packed), keys(groups, packed.astype(f"S{width + packed.dtype.itemsize}")))


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "c", "dd"])), max_size=12))
def test_the_first_repeat_is_found_where_a_set_finds_it(rows: list[tuple[int, str]]) -> None:
    """The repeated row is the first whose (group, id) already stood."""
    seen: dict[tuple[int, str], int] = {}
    expected = None
    for place, row in enumerate(rows):
        if row in seen:
            expected = (seen[row], place)
            break
        seen[row] = place
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    assert repeated_row(groups, pack(name for _, name in rows)) == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.text("abc", min_size=1, max_size=9)), max_size=20, unique=True))
def test_lookup_finds_what_a_dictionary_finds(rows: list[tuple[int, str]]) -> None:
    """Every stored row is found at its place, and nothing else is found."""
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    table = IdTable(groups, pack(name for _, name in rows))
    asked = [*rows, (4, "a"), (0, "absent-and-long-enough-to-widen-the-array")]
    found = table.find(np.array([group for group, _ in asked]), pack(name for _, name in asked))
    place = {row: number for number, row in enumerate(rows)}
    assert found.tolist() == [place.get(row, -1) for row in asked]


def test_lookup_stays_exact_when_all_keys_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collision of keys costs time, never a wrong match."""
    monkeypatch.setattr(ids_module, "keys", lambda groups, _: np.zeros(len(groups), dtype=np.uint64))
    table = IdTable(np.zeros(3, dtype=np.int64), pack(["a", "b", "c"]))
    assert table.find(np.zeros(4, dtype=np.int64), pack(["c", "x", "a", "b"])).tolist() == [2, -1, 0, 1]
    assert repeated_row(np.zeros(3, dtype=np.int64), pack(["a", "b", "a"])) == (0, 2)
