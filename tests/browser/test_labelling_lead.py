"""The lead's page in a real browser, and a whole round of ten people."""

from __future__ import annotations

import json
import signal
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from kaiwa.web.pages import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    People = Callable[..., Any]  # Any: server and assessor of conftest.py

LEVELS = {"1": "0", "2": "0", "3": "1", "4": "1", "5": "2", "9": "NA"}


@pytest.fixture(scope="module")
def judged(crowd_server: Any, browser: Browser) -> Iterator[Any]:
    """The server after three people have judged everything; two of them always disagree on one comment."""
    for place, link in enumerate(crowd_server.invite("Ann", "李娜", "佐藤")):
        context = browser.new_context()
        page = context.new_page()
        page.goto(link)
        for number in range(15):
            page.locator(".item[aria-current][data-state=open]").wait_for()
            page.keyboard.press("13523"[(number + place) % 5])
        page.locator("#message").wait_for()
        context.close()
    return crowd_server


def opened(browser: Browser, server: Any, *, lang: str = "en", **options: Any) -> Page:  # Any: the browser's options
    """The lead's page; every fold open."""
    page = browser.new_context(**options).new_page()
    page.goto(server.organiser)
    page.wait_for_url("**/lead")
    page.goto(f"{server.url}/lead?lang={lang}")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    return page


def test_the_lead_sees_progress_agreement_assessors_and_what_more_votes_would_do(judged: Any, browser: Browser) -> None:
    """Numbers with intervals, and a line for each assessor."""
    page = opened(browser, judged)
    assert "45 of 750 votes" in page.inner_text("#progress")
    assert page.locator("#agreement tbody tr").count() == 3
    assert page.locator("#assessors tbody tr").count() == 3
    assert page.locator("#assessors svg.interval").count() == 3
    assert page.locator("svg.course-figure").count() == 2
    assert page.locator("#confusion tbody tr").count() == 3
    assert page.locator("#enough tbody tr").count() == 3
    assert "SECRET0-C-R1 / SECRET1-C-R1" in page.inner_text("#enough")
    contested = page.inner_text("#contested")
    assert not any(name in contested for name in ("SECRET", "Ann", "李娜", "佐藤", "A1"))
    page.context.close()


def test_a_decision_is_stored_beside_the_votes(judged: Any, browser: Browser) -> None:
    """It appears on the page, and changes no exported vote."""
    before = judged.exported()
    page = opened(browser, judged)
    card = page.locator("article").first
    item = card.get_attribute("data-item")
    card.get_by_role("radio", name="L2").check()
    card.get_by_label("Note").fill("a fine reply")
    card.get_by_role("button").click()
    page.locator(f"[data-item='{item}'] legend", has_text="decided: L2").wait_for(state="attached")
    assert judged.exported() == before
    page.context.close()


def test_the_lead_invites_pauses_and_revokes(judged: Any, browser: Browser) -> None:
    """The link is shown once and works; a paused person is told to wait, a revoked one is out."""
    page = opened(browser, judged)
    page.fill("#invite [name=name]", "New <i>person</i>")
    page.locator("#invite button").click()
    page.locator("#invited:not([hidden])").wait_for()
    link = page.input_value("#invited input")
    row = page.locator("#people tbody tr", has_text="New <i>person</i>")
    row.wait_for()
    guest = browser.new_context().new_page()
    guest.goto(link)
    guest.locator(".item[aria-current]").wait_for()
    row.get_by_role("button", name="Pause").click()
    row.get_by_role("button", name="Resume").wait_for()
    guest.reload()
    guest.locator('[data-kind="assess.paused"]').wait_for()
    row.get_by_role("button", name="Resume").click()
    row.get_by_role("button", name="Pause").wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Revoke").click()
    row.get_by_text("revoked").wait_for()
    guest.reload()
    guest.wait_for_url("**/in")
    page.reload()
    assert page.locator("#invited").is_hidden()
    guest.context.close()
    page.context.close()


def test_the_page_follows_the_round_and_keeps_what_is_being_written(label_server: People, assessor: People) -> None:
    """New votes appear by themselves; a note in a form stays."""
    server = label_server("[judging]\nvotes_per_item = 2\n")
    first, second = (assessor(link) for link in server.invite("Ann", "Bob"))
    first.judge_all("1")
    lead = assessor(server.organiser).page
    assert "15 of 30 votes" in lead.inner_text("#progress")
    lead.fill("#invite [name=name]", "half a na")
    second.judge_all("5")
    lead.get_by_text("30 of 30 votes").wait_for()
    assert lead.input_value("#invite [name=name]") == "half a na"
    server.stop()
    lead.locator("#stale").wait_for()


def test_exports_come_with_the_head_of_the_log(judged: Any, browser: Browser) -> None:
    """The head on the page is that of the export; names are codes."""
    page = opened(browser, judged)
    head = page.inner_text("#export code")
    with page.expect_download() as download:
        page.get_by_text("Votes as CSV").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert len(head) == 64
    assert download.value.suggested_filename == f"votes-{head[:12]}.csv"
    assert text.startswith("topic,comment,assessor,level")
    assert "佐藤" not in text
    page.context.close()


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("width", [320, 640, 1280])
def test_the_lead_page_fits_and_has_names(judged: Any, browser: Browser, lang: str, width: int) -> None:
    """Nothing but a table scrolls sideways; sections, tables, figures and buttons have names in the language."""
    page = opened(browser, judged, lang=lang, viewport={"width": width, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    words = words_of(lang)
    for name in ("progress", "agreement", "assessors", "enough", "contested", "confusion", "people", "export"):
        assert page.get_by_role("heading", name=words(f"lead.{name}"), exact=True).count() >= 1
    assert page.locator("svg:not([role=img][aria-label])").count() == 0
    assert page.locator("th:not([scope])").count() == 0
    assert page.get_by_role("button", name=words("lead.revoke")).count() >= 3
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_the_lead_page_stand_out(
    judged: Any, browser: Browser, scheme: str, faint_texts: Callable[[Page], list[str]]
) -> None:
    """A contrast of 4.5 or more (WCAG AA)."""
    page = opened(browser, judged, color_scheme=scheme)
    assert faint_texts(page) == []
    page.context.close()


def test_a_whole_round_of_ten_people_survives_kills_and_a_revocation_and_ends_in_a_report(
    label_server: People, assessor: People
) -> None:
    """Ten browsers judge a pool with two votes an item; the report is made from the votes."""
    server = label_server('[judging]\nvotes_per_item = 2\nlease_minutes = 0.2\n[scoring]\nmeasures = ["nG@1"]\n')
    names = [f"P{number}" for number in range(10)]
    people = [assessor(link) for link in server.invite(*names)]
    for number, person in enumerate(people):
        person.page.locator(".item[aria-current][data-state=open], #message:not([hidden])").first.wait_for()
        if number in {2, 5, 8}:
            server.stop(signal.SIGKILL)
        if person.page.locator(".item[aria-current]").is_visible():
            key = "1535245351"[number]
            person.pressed[person.current()] = key
            person.page.keyboard.press(key)
        if number in {2, 5, 8}:
            server.start()
        person.is_saved()
    revoked = people.pop()
    server.run("invite", str(server.task), "--revoke", "P9")
    for place, person in enumerate(people):
        person.page.reload()
        person.judge_all("5153"[place % 4 :] + "2")
        person.is_saved()
    progress = assessor(server.organiser).page.inner_text("#progress")
    assert "30 of 30 votes" in progress
    posts, comments = _texts(server)
    pressed = Counter((item, LEVELS[key]) for one in [*people, revoked] for item, key in one.pressed.items())
    exported = Counter(((posts[row["topic"]], comments[row["comment"]]), row["level"]) for row in server.exported())
    assert exported <= pressed
    assert set(Counter(item for item, _ in exported.elements()).values()) == {2}
    server.stop()
    task = str(server.task)
    done = json.loads(server.run("votes", task, "-o", f"{task}/votes.csv", "--json"))
    assert done["surplus"] == (pressed - exported).total()  # on a busy machine a lease may end before its vote
    server.run("gains", f"{task}/votes.csv", "-o", f"{task}/qrels.txt")
    server.run(
        "score",
        *map(str, (server.task / "runs").iterdir()),
        "--qrels",
        f"{task}/qrels.txt",
        "-m",
        "nG@1",
        "-o",
        f"{task}/scores.csv",
    )
    server.run("report", task, "-o", f"{task}/report.html")
    report = (server.task / "report.html").read_text()
    assert "SECRET0-C-R1" in report
    assert server.run("verify", task).split("head ")[1].strip() in report


def _texts(server: Any) -> tuple[dict[str, str], dict[str, str]]:
    """The text of each post and comment of the task."""
    from kaiwa.formats.readers import read_topics
    from kaiwa.task.comment_texts import comment_texts
    from kaiwa.task.folder import read_task

    task = read_task(server.task)
    return read_topics(task.topics), comment_texts(task, {f"c{number}" for number in range(10)})
