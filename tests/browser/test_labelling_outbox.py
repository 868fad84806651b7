"""No vote is lost or doubled: the outbox of the assessor's page through kills, reloads and hours without a network."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = {"1": "0", "2": "0", "3": "1", "4": "1", "5": "2", "9": "NA"}


def voted(server: Any, posts: dict[str, str], comments: dict[str, str]) -> dict[tuple[str, str], str]:  # Any: as above
    """The exported level of each post and comment; every item at most once for an assessor."""
    rows = server.exported()
    assert len({(row["topic"], row["comment"], row["assessor"]) for row in rows}) == len(rows)
    return {(posts[row["topic"]], comments[row["comment"]]): row["level"] for row in rows}


POSTS = {f"q{n}": f"post number {n}" for n in range(5)}
COMMENTS = {f"c{n}": f"comment number {n}" for n in range(8)}


def test_exported_votes_equal_the_keys_pressed_through_kills_reload_and_five_seconds_offline(
    label_server: Callable[..., Any], assessor: Callable[..., Any]
) -> None:
    """Forty votes; the server is killed three times while keys are pressed, the page reloaded, the network lost."""
    server = label_server(posts=POSTS, comments=COMMENTS)
    person = assessor(server.invite("Ann")[0])
    page = person.page
    person.wait()
    for number, key in enumerate("53124595145325"):
        if number in {2, 9}:
            server.stop(signal.SIGKILL)
        if number in {5, 13}:
            server.start()
        person.press(key)
    page.reload()
    for key in "5135":
        person.press(key)
    page.context.set_offline(True)
    for key in "94":
        person.press(key)
    page.locator("#banner").wait_for()
    page.wait_for_timeout(5_000)
    assert page.locator("#banner").is_visible()
    page.context.set_offline(False)
    page.locator("#banner").wait_for(state="hidden")
    server.kill()
    person.judge_all("5231")
    person.is_saved()
    assert len(person.pressed) == 40
    assert voted(server, POSTS, COMMENTS) == {item: LEVELS[key] for item, key in person.pressed.items()}


def test_unsent_votes_survive_a_reload_while_the_server_is_down_and_send_themselves(
    label_server: Callable[..., Any], assessor: Callable[..., Any]
) -> None:
    """The votes are in the browser before anything is sent; another page of the same person sends them."""
    server = label_server(posts={"q1": "one post"}, comments=COMMENTS)
    person = assessor(server.invite("Ann")[0])
    person.press("5")
    person.is_saved()
    server.stop(signal.SIGKILL)
    for key in "123":
        person.press(key)
    person.page.locator("#banner").wait_for()
    assert "3" in person.page.inner_text("#banner")
    person.page.close()
    server.start()
    person.page = person.page.context.new_page()
    person.page.goto(server.url)
    person.wait()
    person.is_saved()
    assert person.page.locator("#banner").is_hidden()
    assert person.page.locator(".item[data-state=voted]").count() == 4
    person.judge_all("5")
    person.is_saved()
    assert len(server.exported()) == 8


def test_votes_of_one_person_are_never_sent_as_those_of_the_next(
    label_server: Callable[..., Any], assessor: Callable[..., Any]
) -> None:
    """Two people share a browser; what the first left unsent waits for the first."""
    server = label_server("[judging]\nvotes_per_item = 2\n", posts={"q1": "one post"}, comments=COMMENTS)
    ann, bob = server.invite("Ann", "Bob")
    person = assessor(ann)
    page = person.page
    person.wait()
    page.route("**/votes", lambda route: route.abort())
    person.press("1")
    page.locator("#banner").wait_for()
    page.unroute("**/votes")
    page.goto(bob)
    page.wait_for_url("**/")
    person.wait()
    assert page.locator("#banner").is_hidden()
    assert person.own_votes() == []
    page.goto(ann)
    page.wait_for_url("**/")
    person.wait()
    person.is_saved()
    assert [vote["failed"] for vote in person.own_votes()] == [["coherent"]]


def test_a_vote_that_the_server_refuses_is_told_and_blocks_nothing(
    label_server: Callable[..., Any], assessor: Callable[..., Any]
) -> None:
    """The text of a comment changes in the store: its vote is refused, those after it are saved."""
    server = label_server(posts={"q1": "one post"}, comments=COMMENTS)
    person = assessor(server.invite("Ann")[0])
    person.wait()

    def other_text(route: Any) -> None:  # Any: playwright's Route
        body = route.request.post_data_json
        for vote in body["votes"]:
            vote["shown"] = "0" * 64
        route.continue_(post_data=body)

    person.page.route("**/votes", other_text, times=1)
    _, text = person.current()
    person.page.keyboard.press("5")
    person.page.locator("#refused").wait_for()
    assert text in person.page.inner_text("#refused")
    person.pressed.clear()
    person.judge_all("5")
    person.is_saved()
    assert len(server.exported()) == 8


def test_a_revoked_person_is_told_and_keeps_what_is_unsent(
    label_server: Callable[..., Any], assessor: Callable[..., Any]
) -> None:
    """The session ends in the middle; after a new invitation the kept vote is sent."""
    server = label_server(posts={"q1": "one post"}, comments=COMMENTS)
    person = assessor(server.invite("Ann")[0])
    person.press("5")
    person.is_saved()
    server.run("invite", str(server.task), "--revoke", "Ann")
    server.kill()
    person.press("1")
    person.page.locator("#banner").wait_for()
    assert "session" in person.page.inner_text("#banner")
    person.page.goto(server.invite("Ann")[0])
    person.page.wait_for_url("**/")
    person.wait()
    person.is_saved()
    assert sorted(vote["level"] for vote in person.own_votes()) == [0, 2]
