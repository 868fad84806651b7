"""A pseudo-language: every text of a page that is not of the task comes from the words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.web.lead import lead_page
from kaiwa.web.pages import Words, assessor_page, sign_in_page, words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    People = Callable[..., Any]  # Any: server and assessor of conftest.py

PSEUDO = Words("en", {key: f"⟦{text}⟧" for key, text in words_of("en").table.items()})
LITERALS = r"""(ours) => {
  const found = [];
  const look = (text) => {
    const rest = text.replace(/⟦[^⟦⟧]*(?:⟦[^⟦⟧]*⟧[^⟦⟧]*)*⟧/g, " ").trim();
    if (/\p{L}{2,}/u.test(rest) && !ours.some((one) => rest.includes(one))) found.push(rest);
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!parent.closest("script, noscript, .languages, time, code, kbd, svg")) look(walk.currentNode.data);
  }
  for (const one of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]")) {
    for (const name of ["aria-label", "title", "placeholder", "alt"]) look(one.getAttribute(name) ?? "");
  }
  look(document.title);
  return found;
}"""


def test_a_pseudo_language_shows_no_other_literal(label_server: People, assessor: People) -> None:
    """The assessor's page through votes, dialogs, loss of the server and the end; the lead's page; the sign-in page."""
    server = label_server("[judging]\nvotes_per_item = 2\n")
    ann, bob = (assessor(link) for link in server.invite("Ann", "Bob"))
    bob.judge_all("1")
    bob.is_saved()
    page = ann.page
    html = assessor_page(PSEUDO, title="Spring round", name="Ann")
    page.route(f"{server.url}/", _answering(html))
    page.goto(f"{server.url}/")
    ann.wait()
    texts = ["NA", "Spring round", "Ann", "Bob", *(text for pair in bob.pressed for text in pair)]
    for key in ("h", "g", "n"):
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        assert page.evaluate(LITERALS, texts) == []
        page.keyboard.press("Escape")
    for key in ("?", "5", "s", "k", "f"):
        page.keyboard.press(key)
    assert page.evaluate(LITERALS, texts) == []
    page.route("**/votes", lambda route: route.abort())
    page.keyboard.press("1")
    page.locator("#banner").wait_for()
    assert page.evaluate(LITERALS, texts) == []
    page.unroute("**/votes")
    ann.judge_all("5")
    assert page.evaluate(LITERALS, texts) == []
    lead = assessor(server.organiser).page
    data = lead.evaluate("fetch('/lead/data').then(answer => answer.json())")
    pages = {"/lead": lead_page(PSEUDO, data), "/in": sign_in_page(PSEUDO)}
    for path, text in pages.items():
        lead.route(f"{server.url}{path}", _answering(text))
        lead.goto(f"{server.url}{path}")
        assert lead.evaluate(LITERALS, [*texts, "SECRET", "organiser"]) == []


def _answering(text: str) -> Callable[[Any], None]:
    """What answers a request with this page."""
    return lambda route: route.fulfill(body=text, content_type="text/html")
