"""The report's page: ids that its script needs, whatever the measures are called."""

from __future__ import annotations

import re

import pytest

from kaiwa.show.page import RawHtml, Section, page

SCRIPTED = Section("Side by side", (RawHtml('<form id="choose"></form><script id="answers">{}</script>', "1"),))


@pytest.mark.parametrize("name", ["answers", "Choose", "content", "side by side", "answers title", "answers-2"])
def test_no_section_takes_an_id_that_the_page_needs(name: str) -> None:
    """A section is named after its measure; every id of the page is there once, and the script finds its own."""
    html = page("A", [Section("answers", ()), Section(name, ()), SCRIPTED])
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(set(ids)) == len(ids)
    assert '<script id="answers">' in html
