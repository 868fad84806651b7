"""The assessor's page in a real browser: keys, marks, undo, training, schemes; keyboard, names, sizes, colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kaiwa.web.pages import words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    People = Callable[..., Any]  # Any: the assessor of conftest.py

IME = """code => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", {code, key: "Process", keyCode: 229, bubbles: true, cancelable: true}))"""
"""A key as a page sees it while a Chinese or Japanese input method is on."""


def states(page: Page) -> list[str]:
    """What is known about each comment on the screen."""
    return list(page.eval_on_selector_all(".item", "rows => rows.map(row => row.dataset.state)"))


def test_one_key_is_one_vote_and_nothing_is_preselected(crowd_server: Any, assessor: People) -> None:
    """The first criterion that fails is the vote; the reason, the place, the view and the time are stored with it."""
    person = assessor(crowd_server.invite("one key")[0])
    person.wait()
    assert person.page.locator("[role=radio][aria-checked=true]").count() == 0
    assert states(person.page) == ["open"] * 5
    for key in "12359":
        person.press(key)
    person.is_saved()
    votes = person.own_votes()
    assert [(vote["level"], vote["failed"]) for vote in votes] == [
        (0, ["coherent"]),
        (0, ["topic"]),
        (1, ["context"]),
        (2, []),
        ("NA", []),
    ]
    assert "#" in person.page.inner_text("#saved")
    assert "5 of 15" in person.page.inner_text("#done")


def test_an_input_method_does_not_change_the_keys(crowd_server: Any, assessor: People) -> None:
    """The physical key counts: digits, letters and ? work while the character is hidden."""
    person = assessor(crowd_server.invite("input method")[0])
    person.wait()
    person.page.evaluate(IME, "Slash")
    person.page.evaluate(IME, "Digit3")
    person.page.evaluate(IME, "Numpad5")
    assert states(person.page)[:3] == ["voted", "voted", "open"]
    person.page.evaluate(IME, "KeyZ")
    assert states(person.page)[:2] == ["voted", "open"]
    person.is_saved()
    assert [(vote["level"], vote["unsure"]) for vote in person.own_votes()] == [(1, True)]


def test_a_key_that_is_held_down_votes_once(crowd_server: Any, assessor: People) -> None:
    """Repeated key events are ignored."""
    person = assessor(crowd_server.invite("held")[0])
    person.wait()
    for _ in range(4):
        person.page.keyboard.down("5")
    person.page.keyboard.up("5")
    assert states(person.page) == ["voted", *["open"] * 4]


def test_undo_goes_back_over_posts_and_over_visits(crowd_server: Any, assessor: People) -> None:
    """The key z takes back the last vote, also of an earlier post, and of an earlier visit."""
    person = assessor(crowd_server.invite("undo")[0])
    person.wait()
    first = person.current()
    for _ in range(5):
        person.press("5")
    person.page.keyboard.press("z")
    person.page.locator(".item[data-state=voted]").nth(3).wait_for()
    assert person.current()[0] == first[0]
    assert states(person.page).count("open") == 1
    person.page.keyboard.press("1")
    person.is_saved()
    person.page.reload()
    person.wait()
    person.page.keyboard.press("z")
    person.page.get_by_text(first[0]).wait_for()
    person.is_saved()
    assert len(person.own_votes()) == 4
    person.judge_all("5")
    person.is_saved()
    assert [vote["level"] for vote in person.own_votes()] == [2] * 15


def test_a_skipped_comment_comes_back_at_the_end(crowd_server: Any, assessor: People) -> None:
    """The key s puts it off; the round is not finished without it."""
    person = assessor(crowd_server.invite("skip")[0])
    skipped = person.current()
    person.page.keyboard.press("s")
    assert person.current() != skipped
    seen = []
    person.wait()
    while not person.page.locator("#message").is_visible():
        seen.append(person.current())
        person.press("5")
    assert seen[-1] == skipped
    assert len(seen) == 15


def test_unsure_note_and_flag_go_with_the_vote_before_and_after_it(crowd_server: Any, assessor: People) -> None:
    """A mark on a comment that has its vote is a new vote in the place of the old one."""
    person = assessor(crowd_server.invite("marks")[0])
    person.wait()
    page = person.page
    page.keyboard.press("?")
    page.keyboard.press("5")
    page.keyboard.press("n")
    page.keyboard.type("5 or 4? 看不懂")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("3")
    page.keyboard.press("k")
    page.keyboard.press("f")
    person.is_saved()
    votes = person.own_votes()
    assert [(vote["level"], vote["unsure"], vote["note"], vote["flag"]) for vote in votes] == [
        (2, True, "", False),
        (1, False, "5 or 4? 看不懂", True),
    ]


def test_training_shows_feedback_and_waits(label_server: People, assessor: People) -> None:
    """A training comment is marked as such; after the vote its feedback is read before the next comment."""
    training = "topic,comment,level,feedback\nq1,c1,0,<b>It repeats</b> the post: L1.\n"
    server = label_server('[judging]\ntraining = "training.csv"\n', files={"training.csv": training})
    person = assessor(server.invite("Ann")[0])
    person.wait()
    assert person.page.locator(".item .tag.training").count() == 1
    person.page.keyboard.press("4")
    person.page.locator(".feedback:not([hidden])").wait_for()
    assert person.page.inner_text(".feedback:not([hidden])") == "<b>It repeats</b> the post: L1."
    person.page.keyboard.press("Enter")
    person.judge_all("5")
    person.is_saved()
    assert len(person.pressed) == 14


def test_with_all_every_failing_criterion_is_marked_and_enter_accepts(label_server: People, assessor: People) -> None:
    """The lowest level of the failed criteria is the vote."""
    server = label_server('[judging]\ncriteria = "all"\n')
    person = assessor(server.invite("Ann")[0])
    person.wait()
    page = person.page
    for key in ("2", "3", "4", "4"):
        page.keyboard.press(key)
    assert states(page)[0] == "open"
    assert page.locator("[role=checkbox][aria-checked=true]").count() == 2
    page.keyboard.press("Enter")
    page.keyboard.press("5")
    person.is_saved()
    assert [(vote["level"], vote["failed"]) for vote in person.own_votes()] == [(0, ["topic", "context"]), (2, [])]


def test_another_scheme_needs_no_code(label_server: People, assessor: People) -> None:
    """Answers of kaiwa.toml are shown as they are written there, with their own keys."""
    answers = "".join(
        f'[[judging.answers]]\nkey = "{key}"\nname = "{name}"\nlevel = {level}\n{failed}'
        for key, name, level, failed in (
            ("a", "<i>kaputt</i>", 0, 'failed = "whole"\n'),
            ("b", "gut", 1, ""),
            ("9", "weiß nicht", '"NA"', ""),
        )
    )
    server = label_server(f"[judging]\nmax_level = 1\n{answers}")
    person = assessor(server.invite("Ann")[0])
    person.wait()
    assert person.page.locator("[role=radio]").all_inner_texts() == ["a\n<i>kaputt</i>", "b\ngut", "9\nweiß nicht"]
    person.judge_all("ab")
    person.is_saved()
    assert {vote["level"] for vote in person.own_votes()} == {0, 1}


def test_everything_can_be_done_with_the_keyboard_alone(crowd_server: Any, assessor: People) -> None:
    """Tab reaches answers and tools, Space presses the focused one, Escape closes dialogs, a note takes digits."""
    person = assessor(crowd_server.invite("keyboard")[0])
    person.wait()
    page = person.page
    focused = "() => document.activeElement.dataset.key ?? document.activeElement.dataset.action ?? ''"
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(focused))
    assert [one for one in reached if one][:12] == [
        *"123459",
        *("undo", "skip", "unsure", "note", "flag", "guidelines"),
    ]
    page.locator(".item[aria-current]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "2"
    page.keyboard.press("Space")
    assert states(page)[0] == "voted"
    page.keyboard.press("Space")
    assert states(page)[1] == "voted"
    page.keyboard.press("n")
    page.keyboard.type("1 2 3 z")
    page.keyboard.press("Escape")
    assert states(page) == ["voted", "voted", "open", "open", "open"]
    page.keyboard.press("g")
    page.get_by_text("How to judge").wait_for()
    page.keyboard.press("5")
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert states(page).count("voted") == 2
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("5")
    assert states(page) == ["voted", "voted", "open", "voted", "open"]
    assert page.evaluate("document.activeElement.classList.contains('item')")
    person.is_saved()
    assert [vote["failed"] for vote in person.own_votes()] == [["topic"], [], []]


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_a_screen_reader_finds_names_and_roles_in_each_language(crowd_server: Any, assessor: People, lang: str) -> None:
    """Every control has a role and a name in the reader's language; texts carry their own."""
    person = assessor(crowd_server.invite(f"reader {lang}")[0])
    person.wait()
    page, words = person.page, words_of(lang)
    page.goto(f"{crowd_server.url}/?lang={lang}")
    person.wait()
    assert page.get_attribute("html", "lang") == words.html_lang
    group = page.get_by_role("radiogroup", name=words("assess.answers"))
    names = ("coherent", "topic", "context", "repeats", "appropriate", "na")
    for name in names:
        assert group.get_by_role("radio", name=words(f"answers.{name}"), exact=True).count() == 1
    for name in ("do_unsure", "do_note", "do_flag"):
        assert page.get_by_role("button", name=words(f"assess.{name}"), exact=True).count() == 1
    assert page.get_by_role("list", name=words("assess.comments")).get_by_role("listitem").count() == 5
    assert page.get_by_role("region", name=words("assess.post")).count() == 1
    assert page.get_by_role("navigation", name=words("page.languages")).get_by_role("link").count() == 3
    assert page.get_by_role("heading", level=1).count() == 1
    page.keyboard.press("5")
    assert words("assess.voted", key="5", answer=words("answers.appropriate")) in page.inner_text(".item >> nth=0")
    page.keyboard.press("h")
    assert page.get_by_role("dialog", name=words("keys.title")).count() == 1
    langs = set(page.eval_on_selector_all(".item .text, #post", "rows => rows.map(row => row.lang)"))
    assert langs == {"zh", "ja", "en"} or langs <= {"zh", "ja", "en"}
    nameless = page.eval_on_selector_all(
        "button, a, input, textarea", "all => all.filter(one => !one.textContent.trim() && !one.labels?.length).length"
    )
    assert nameless == 0


@pytest.mark.parametrize(("width", "height"), [(320, 568), (640, 400), (1280, 800)])
@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_nothing_scrolls_sideways(crowd_server: Any, assessor: People, lang: str, width: int, height: int) -> None:
    """320 pixels, and 1280 pixels at a zoom of 200%: the page, its dialogs, and the page before signing in."""
    size = {"width": width, "height": height}
    person = assessor(crowd_server.invite(f"narrow {lang} {width}")[0], viewport=size)
    page = person.page
    for address in (f"/in?lang={lang}", f"/?lang={lang}"):
        page.goto(crowd_server.url + address)
        page.locator("h1").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    person.wait()
    for key in ("h", "g", "n"):
        page.keyboard.press(key)
        box = page.locator("dialog[open]").bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert page.locator("dialog[open]").evaluate("one => one.scrollWidth <= one.clientWidth")
        page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_in_light_and_dark(
    crowd_server: Any, assessor: People, scheme: str, faint_texts: Callable[[Page], list[str]]
) -> None:
    """A contrast of 4.5 or more for every text, also of judged comments, marks and the banner."""
    person = assessor(crowd_server.invite(f"colours {scheme}")[0], color_scheme=scheme)
    person.wait()
    person.page.keyboard.press("5")
    person.page.keyboard.press("?")
    person.page.keyboard.press("f")
    person.page.route("**/votes", lambda route: route.abort())
    person.page.keyboard.press("5")
    person.page.locator("#banner").wait_for()
    assert faint_texts(person.page) == []


def test_motion_and_forced_colours_follow_the_system(crowd_server: Any, assessor: People) -> None:
    """Nothing moves if the reader asks for that; with forced colours, frame, answer and marks still show."""
    person = assessor(crowd_server.invite("system")[0], reduced_motion="reduce", forced_colors="active")
    person.wait()
    page = person.page
    style = "(all, name) => [...new Set(all.map(one => getComputedStyle(one)[name]))]"
    assert page.eval_on_selector_all("*", style, "transitionDuration") == ["0s"]
    assert page.eval_on_selector_all("*", style, "animationName") == ["none"]
    page.keyboard.press("?")
    page.keyboard.press("5")
    page.keyboard.press("k")
    outlines = page.eval_on_selector_all("[aria-checked=true], [aria-pressed=true]", style, "outlineStyle")
    assert outlines == ["solid"]
    frame, other = (
        page.eval_on_selector(selector, "one => getComputedStyle(one).borderTopColor")
        for selector in (".item[aria-current]", ".item:not([aria-current])")
    )
    assert frame != other


def test_an_old_browser_and_one_without_script_get_a_sentence(crowd_server: Any, assessor: People) -> None:
    """Without JavaScript the page says what to do."""
    person = assessor(crowd_server.invite("no script")[0])
    state = person.page.context.storage_state()
    context = person.page.context.browser.new_context(java_script_enabled=False, storage_state=state)
    page = context.new_page()
    page.goto(f"{crowd_server.url}/?lang=en")
    assert "JavaScript" in page.inner_text("body")
    assert page.locator("script[nomodule]").count() == 1
    context.close()


def test_a_wrong_address_gets_a_sentence_in_the_readers_language(crowd_server: Any, assessor: People) -> None:
    """A page that is not there, and the lead's page for an assessor."""
    page = assessor(crowd_server.invite("lost")[0], locale="ja").page
    for path, key in (("/nowhere", "not_found"), ("/lead", "forbidden")):
        page.goto(f"{crowd_server.url}{path}")
        assert page.inner_text("h1") == words_of("ja")(f"errors.{key}")
