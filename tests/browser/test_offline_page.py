"""The page of ``kaiwa pool --sheet judge.html``: one file, the same keys, votes that are saved and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.formats.labelling_tools import page_log
from kaiwa.formats.readers import read_votes
from kaiwa.nouns.criteria import TaskItem
from kaiwa.pooling.pool import items_to_judge
from kaiwa.task.folder import read_task
from kaiwa.web.offline_page import page_text, write_page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

EVIL = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>{{ 1 }}\u202e\x00"


@pytest.fixture
def judge(small_round: Path) -> Path:
    """The page of A3: four items of two posts, one text hostile."""
    task = read_task(small_round)
    (small_round / "pool.tsv").write_text("q0\tc00\nq0\tc01\nq1\tc03\nq1\tc04\n")
    items = [*items_to_judge(task)[:3], TaskItem("q1", "evil", "今天终于拿到驾照了", EVIL)]
    path = small_round / "judge.html"
    write_page(path, task, items, "A3")
    return path


def opened(browser: Browser, path: Path, faults: list[str], **size: int) -> Page:
    """The page in a browser without a network; what goes wrong is collected."""
    context = browser.new_context(offline=True, accept_downloads=True, **({"viewport": size} if size else {}))
    page = context.new_page()
    page.on("console", lambda one: faults.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda one: faults.append(str(one)))
    page.on("request", lambda one: faults.append(one.url) if not one.url.startswith(("file:", "blob:")) else None)
    page.goto(path.as_uri())
    page.wait_for_selector("#post:not(:empty)")
    return page


def saved(page: Page, path: Path) -> Path:
    """The file that the page saves."""
    with page.expect_download() as waiting:
        page.click("#save-file")
    assert waiting.value.suggested_filename == "votes-A3.json"
    waiting.value.save_as(path)
    return path


def test_votes_by_keys_are_saved_and_read_back(browser: Browser, judge: Path, tmp_path: Path) -> None:
    """One key a vote, undo, unsure, skip; nothing is asked of any network; a reload loses nothing."""
    faults = list[str]()
    page = opened(browser, judge, faults)
    page.keyboard.press("5")
    page.keyboard.press("1")
    page.keyboard.press("z")
    page.keyboard.press("3")
    page.wait_for_function("document.getElementById('done').textContent.includes('2')")
    page.reload()
    page.wait_for_selector("#post:not(:empty)")
    page.keyboard.press("?")
    page.keyboard.press("9")
    page.keyboard.press("s")
    page.wait_for_timeout(300)
    page.keyboard.press("Space")
    page.wait_for_function("document.getElementById('save-file').textContent.includes('4')")
    votes = read_votes(saved(page, tmp_path / "votes.json"))
    assert sorted(votes.level.tolist()) == [-1, 1, 2, 2]
    assert votes.assessors == ("A3",)
    assert read_votes(saved(page, tmp_path / "again.json")).keys == votes.keys
    log = page_log(tmp_path / "votes.json")
    assert [vote.fields["unsure"] for vote in log if vote.level == "NA"] == [True]
    assert sum(vote.skip for vote in log) == 1
    assert faults == []


def test_texts_are_inert_and_the_hash_is_that_of_what_was_shown(browser: Browser, judge: Path, tmp_path: Path) -> None:
    """A script in a text is text; each vote carries the hash of its post and comment."""
    faults = list[str]()
    page = opened(browser, judge, faults)
    for _ in range(4):
        page.keyboard.press("5")
        page.wait_for_timeout(100)
    assert "owned" not in page.title()
    log = page_log(saved(page, tmp_path / "votes.json"))
    hostile = next(vote for vote in log if vote.comment == "evil")
    assert hostile.fields["shown"] == TaskItem("q1", "evil", "今天终于拿到驾照了", EVIL).shown
    assert faults == []


def test_the_page_fits_a_phone(browser: Browser, judge: Path) -> None:
    """One card, no sideways scrolling."""
    page = opened(browser, judge, [], width=360, height=740)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_page_names_no_run_and_allows_its_own_script_only(judge: Path, small_round: Path) -> None:
    """No run, no score, no address; a strict policy."""
    text = judge.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "unsafe-inline" not in text
    assert not any(name in text for name in ("Aoi-C-R1", "Bai-C-R1", "http://", "<link", " src="[:5] + '"/'))
    task = read_task(small_round)
    items = items_to_judge(task)
    assert page_text(task, items, "A3") != page_text(task, items, "A4")
