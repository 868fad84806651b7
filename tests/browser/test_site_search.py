"""The documentation's site, opened as a file: the search works and nothing is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.xdist_group("site")


def test_the_search_finds_a_page_without_a_server(browser: Browser, site: Path) -> None:
    """Typed words lead to the page about them; every request is for a file of the site."""
    page = browser.new_page()
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.get_by_role("button", name="Search").first.click()
    page.get_by_placeholder("Search").fill("takedown")
    page.get_by_role("option").filter(has_text="akedown").first.click()
    page.wait_for_url(lambda url: "/docs/" in url)
    assert "takedown" in page.inner_text("article").lower()
    assert [url for url in asked if not url.startswith(site.as_uri())] == []
    page.close()
