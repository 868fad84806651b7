"""What a page must not do: show a token, run imported text, ask for anything outside, break its own policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    People = Callable[..., Any]  # Any: server and assessor of conftest.py

SCRIPT = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
HOSTILE = {
    "c1": SCRIPT,
    "c2": "<svg onload=alert(3)><a href=javascript:alert(4)>click</a>",
    "c3": "{{ 7 * 7 }} ${7 * 7} {% raw %} #{7*7}",
    "c4": "left \u202eright\u202c \u2066isolated\u2069",
    "c5": "&lt;b&gt; &amp; \"quoted' `ticks`",
    "c6": "x" * 1_000_000,
    "c7": "a\x1b[31mb\x07",
}
SHOWN = HOSTILE | {
    "c4": "left \\u202eright\\u202c \\u2066isolated\\u2069",
    "c7": "a\\x1b[31mb\\x07",
}
"""Control and bidirectional characters are shown, not obeyed."""


def is_clean(person: Any, server: Any) -> bool:
    """Whether the pages of somebody broke no policy, ran nothing of others, and asked our server alone."""
    violations = person.page.evaluate("window.violations")
    outside = [one.url for one in person.requests if not one.url.startswith(f"{server.url}/")]
    assert (person.faults, violations, outside) == ([], [], [])
    return True


def test_the_token_is_in_no_address_header_log_or_history(label_server: People, assessor: People) -> None:
    """It goes to the server in the body of one request; a whole session long, nothing else carries it."""
    server = label_server()
    link = server.invite("Ann")[0]
    token = link.split("#")[1]
    person = assessor(link)
    person.judge_all("5")
    person.is_saved()
    person.page.goto(f"{server.url}/in")
    person.page.go_back()
    person.wait()
    carrying = [one for one in person.requests if token in (one.post_data or "")]
    assert [(one.method, one.url) for one in carrying] == [("POST", f"{server.url}/session")]
    for request in person.requests:
        headers = request.all_headers()
        assert token not in request.url.split("#")[0]
        assert token not in str(headers)
        assert "#" not in headers.get("referer", "")
    assert token not in person.page.content()
    assert token not in str(person.page.evaluate("[location.href, Object.entries(localStorage), document.cookie]"))
    server.stop()
    assert token not in server.log.read_text()
    assert all(token.encode() not in one.read_bytes() for one in server.task.rglob("votes.db*"))


def test_imported_text_is_inert_and_visible_to_assessor_and_lead(label_server: People, assessor: People) -> None:
    """Scripts, template braces, control and bidirectional characters, a line of a million characters: all are text."""
    server = label_server("[judging]\nvotes_per_item = 2\n", posts={"q1": SCRIPT, "q2": "{{ 1 }}"}, comments=HOSTILE)
    people = [assessor(link) for link in server.invite("<b>Ann</b>", "Bob")]
    for person, key in zip(people, "15", strict=True):
        person.wait()
        person.page.keyboard.press("n")
        person.page.keyboard.type(SCRIPT)
        person.page.keyboard.press("Control+Enter")
        person.judge_all(key)
        person.is_saved()
        assert {text for _, text in person.pressed} == set(SHOWN.values())
        assert {post for post, _ in person.pressed} == {SCRIPT, "{{ 1 }}"}
        assert is_clean(person, server)
    lead = assessor(server.organiser)
    texts = set(lead.page.locator("article .reply").all_inner_texts())
    lead.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    texts = set(lead.page.locator("article .reply").all_inner_texts())
    assert texts == set(SHOWN.values())
    said = lead.page.inner_text("main")
    assert said.count(SCRIPT) >= 3
    assert "<b>Ann</b>" in said
    assert is_clean(lead, server)
    exported = {row["comment"] for row in server.exported()}
    assert exported == set(HOSTILE)


def test_no_page_breaks_the_policy_or_asks_for_anything_outside(label_server: People, assessor: People) -> None:
    """Sign-in, assessor with every dialog, lead with every form, in each language."""
    server = label_server('[judging]\nguidelines = { en = "en.md" }\n', files={"en.md": "# Read\n\n<b>this</b>\n"})
    person, lead = assessor(server.invite("Ann")[0]), assessor(server.organiser)
    for lang in ("en", "zh", "ja"):
        person.page.goto(f"{server.url}/?lang={lang}")
        person.wait()
        for key in ("h", "g", "n"):
            person.page.keyboard.press(key)
            person.page.locator("dialog[open]").wait_for()
            person.page.keyboard.press("Escape")
        person.press("5")
        lead.page.goto(f"{server.url}/lead?lang={lang}")
        lead.page.fill("[name=name]", f"Person {lang}")
        lead.page.locator("#invite button").click()
        lead.page.locator("#invited:not([hidden])").wait_for()
    person.page.goto(f"{server.url}/in")
    assert is_clean(person, server)
    assert is_clean(lead, server)
    policy = person.page.goto(f"{server.url}/in").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for page in (person.page, lead.page):
        assert page.locator("script:not([src]), style, [style], [onclick]").count() == 0


def test_an_assessor_sees_no_run_rank_score_or_vote_of_others(label_server: People, assessor: People) -> None:
    """Every byte that the browser receives over a whole round is free of them."""
    server = label_server("[judging]\nvotes_per_item = 2\n")
    first = assessor(server.invite("Ann")[0])
    first.judge_all("1")
    first.is_saved()
    received = []
    second = assessor(server.invite("Bob")[0])
    second.page.goto("about:blank")
    second.page.on("response", lambda answer: received.append(answer))  # noqa: PLW0108  it needs a function
    second.page.goto(server.url)
    second.judge_all("5")
    second.is_saved()
    bodies = "".join(one.text() for one in received if one.status == 200)
    assert len(received) > 15
    for word in ("SECRET", "Ann", 'coherent"]'):
        assert word not in bodies


@pytest.mark.parametrize("fragment", ["", "#", "#short", "#" + "x" * 43, "#%00%ff", "#<script>alert(1)</script>"])
def test_a_wrong_link_gets_the_same_sentence(crowd_server: Any, browser: Any, fragment: str) -> None:
    """Unknown, malformed and hostile tokens are answered alike; without a token the page says what to open."""
    page = browser.new_page(locale="en")
    page.goto(f"{crowd_server.url}/in{fragment}")
    if fragment in {"", "#"}:
        page.get_by_text("open the private link").wait_for()
    else:
        page.get_by_text("This link is not valid").wait_for()
        assert page.url == f"{crowd_server.url}/in"
    page.close()
