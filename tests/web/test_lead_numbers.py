"""The lead's page without a server: what it says of agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.server_process import run_kaiwa
from benchmarks.serve.small_task import make_task

from kaiwa.store.judged_task import open_judging
from kaiwa.web.lead import lead_page
from kaiwa.web.lead_data import LeadNumbers
from kaiwa.web.pages import words_of

if TYPE_CHECKING:
    from pathlib import Path


LEVELS = (("ann", 0), ("bob", 2))
"""Votes that contest every item, so that the page shows its text."""


@pytest.mark.parametrize(("topics", "interval"), [(4, "none"), (5, "jackknife t")])
def test_the_page_has_no_interval_of_kappa_with_four_posts_and_says_why(
    tmp_path: Path, topics: int, interval: str
) -> None:
    """In each language; with five posts there is one, and no line."""
    task = make_task(tmp_path / "task", topics=topics, comments=2, votes_per_item=2)
    levels = {"ann": "2010210212", "bob": "2110020212"}
    rows = [
        f"q{place // 2},q{place // 2}-c{place % 2},{name},{given[place]}"
        for name, given in levels.items()
        for place in range(2 * topics)
    ]
    file = tmp_path / "votes.csv"
    file.write_text("topic,comment,assessor,level\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run_kaiwa("votes", str(task), "--add", str(file))
    judging = open_judging(task)
    with judging.store as store:
        data = LeadNumbers(judging.task, store).data()
    assert data["agreement"]["kappa_interval"] == interval
    assert (data["agreement"]["fleiss"]["low"] is None) == (interval == "none")
    for language in ("en", "zh", "ja"):
        words = words_of(language)
        page = lead_page(words, data).replace("&#39;", "'")
        assert (f"<p>{words('lead.no_kappa_interval')}</p>" in page) == (interval == "none")


def test_a_takedown_removes_its_texts_from_the_page_although_nobody_votes(tmp_path: Path) -> None:
    """The head of the log is as it was; the page that was asked for last is not kept for it."""
    task = make_task(tmp_path / "task", topics=2, comments=3, votes_per_item=2)
    rows = [f"q{place // 3},q{place // 3}-c{place % 3},{who},{level}" for place in range(6) for who, level in LEVELS]
    file = tmp_path / "votes.csv"
    file.write_text("topic,comment,assessor,level\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run_kaiwa("votes", str(task), "--add", str(file))
    judging = open_judging(task)
    with judging.store as store:
        numbers = LeadNumbers(judging.task, store)
        gone = next(one.text for one in store.state.items.values() if one.comment == "q0-c1")
        before, mark = str(numbers.data()), numbers.mark
        store.take_down({"q0-c1"})
        assert (gone in before, gone in str(numbers.data())) == (True, False)
        assert numbers.mark != mark
        assert numbers.data()["mark"] == numbers.mark
