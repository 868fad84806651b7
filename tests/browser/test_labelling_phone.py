"""The assessor's page on a phone: one card, answers for a thumb, and the comment above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    People = Callable[..., Any]  # Any: the assessor of conftest.py


def states(page: Page) -> list[str]:
    """What is known about each comment on the screen."""
    return list(page.eval_on_selector_all(".item", "rows => rows.map(row => row.dataset.state)"))


def test_a_phone_shows_one_card_with_answers_for_a_thumb(crowd_server: Any, assessor: People) -> None:
    """One comment at a time, answers of at least 48 pixels in the lower half; a tap votes, a swipe does not."""
    options = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    person = assessor(crowd_server.invite("phone")[0], **options)
    person.wait()
    page = person.page
    assert page.locator(".item:visible").count() == 1
    boxes = [one.bounding_box() for one in page.locator("[role=radio], .tools button").all()]
    assert all(box["height"] >= 48 and box["width"] >= 48 for box in boxes)
    assert min(box["y"] for box in boxes) > 370
    assert max(box["y"] + box["height"] for box in boxes) <= 740
    page.locator("[role=radio]").nth(4).tap()
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(20, 300)
    page.mouse.up()
    assert states(page).count("voted") == 1
    page.locator("[data-action=previous]").tap()
    assert page.locator(".item:visible").get_attribute("data-state") == "voted"
    person.is_saved()


def test_a_small_phone_shows_the_comment_above_the_answers_also_under_a_banner(
    crowd_server: Any, assessor: People
) -> None:
    """At 320 x 568 pixels: a line of the comment, and every answer, without scrolling."""
    options = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True}
    person = assessor(crowd_server.invite("small phone")[0], **options)
    person.wait()
    page = person.page
    page.route("**/votes", lambda route: route.abort())
    for has_banner in (False, True):
        if has_banner:
            page.locator("[role=radio]").nth(4).tap()
            page.locator("#banner").wait_for()
        text, panel, last = (
            page.locator(one).bounding_box()
            for one in (".item:visible .text", ".item:visible .panel", "[role=radio][data-key='9']")
        )
        assert text["y"] + 24 <= panel["y"]
        assert last["y"] + last["height"] <= 568
