"""The crossed model of votes: leniency whoever judged what."""

from __future__ import annotations

import numpy as np
import pytest

import kaiwa
from kaiwa.errors import InputError


def votes() -> kaiwa.Votes:
    """Items of 15 topics; ann is kind and judges the bad ones more often, bob is strict and judges the good ones."""
    rng = np.random.default_rng(6)
    rows: list[tuple[str, str, str, int | None]] = []
    for item in range(300):
        quality = rng.uniform(1, 5)
        chances = {"ann": 0.9 - 0.15 * quality, "bob": 0.15 * quality, "cleo": 0.7}
        for name, lift in (("ann", 1.0), ("bob", -1.0), ("cleo", 0.0)):
            if rng.random() < chances[name]:
                level = round(float(np.clip(quality + lift + rng.normal(0, 0.3), 0, 6)))
                rows.append((f"q{item % 15}", f"c{item}", name, level))
    return kaiwa.Votes.from_rows([*rows, ("q1", "c1000", "ann", None)])


def test_leniency_hardly_depends_on_the_items_judged() -> None:
    """The truth is a difference of 2. Mean levels differ by 1.2, because the strict assessor judges the better items.

    The model finds 1.83, not 2, because it takes items as draws that do not depend on who judges them.
    """
    given = votes()
    found = {one.assessor: one.effect for one in given.variance().leniency}
    means = {one.name: one.mean_level for one in given.agree(trials=10).assessors}
    assert means["ann"] - means["bob"] < 1.5
    assert found["ann"] - found["bob"] == pytest.approx(2.0, abs=0.2)
    assert list(found) == ["ann", "cleo", "bob"]


def test_one_more_vote_lowers_the_error_of_an_item() -> None:
    """The error falls with the root of the votes of an item."""
    now, more = votes().variance().extras
    assert now.error is not None
    assert more.error == pytest.approx(now.error * (now.assessors / more.assessors) ** 0.5)
    assert (now.change, more.change) == ("now", "one more assessor")


def test_components_are_named_by_what_varies() -> None:
    """NA votes are left out."""
    found = votes().variance()
    assert [one.name for one in found.components] == ["topic", "item", "assessor", "assessor x topic", "residual"]
    assert "an item's mean" in str(found)


def test_votes_of_one_assessor_are_refused() -> None:
    """Leniency is relative to others."""
    with pytest.raises(InputError, match="no two assessors"):
        kaiwa.Votes.from_rows([("q1", "a", "ann", 2), ("q1", "b", "ann", 0)]).variance()
