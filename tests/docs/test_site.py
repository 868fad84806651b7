"""The offline site holds every page, its links lead somewhere, and it loads nothing from outside."""

from __future__ import annotations

import runpy
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
pytestmark = pytest.mark.xdist_group("site")


@dataclass
class Page(HTMLParser):
    """What a page names: places inside it, links out of it, and files that the browser loads with it."""

    places: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag's id and where it points."""
        named = {name: value or "" for name, value in attrs}
        self.places |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        if LOADED.get(tag, "") in named:
            self.loaded.append(named[LOADED[tag]])


@cache
def read(path: Path) -> Page:
    """The page in a file."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def pages(site: Path) -> Iterator[Path]:
    """Every page of the site but the one for addresses that do not exist, whose links start at the root."""
    return (path for path in site.rglob("*.html") if path.name != "404.html")


def broken(path: Path, link: str) -> bool:
    """Whether a link of the page leads to no file, or to no place in it."""
    split = urlsplit(link)
    target = (path.parent / unquote(split.path)).resolve() if split.path else path
    if not target.is_file():
        return True
    return target.suffix == ".html" and bool(split.fragment) and unquote(split.fragment) not in read(target).places


def test_every_link_and_anchor_of_the_site_leads_somewhere(site: Path) -> None:
    """Between pages, inside them, and to images and notebooks."""
    found = {path: [link for link in _inner_links(path) if broken(path, link)] for path in pages(site)}
    assert {str(path.relative_to(site)): links for path, links in found.items() if links} == {}


def _inner_links(path: Path) -> list[str]:
    return [link for link in (*read(path).links, *read(path).loaded) if _inner(link)]


def _inner(link: str) -> bool:
    return not urlsplit(link).scheme


def test_the_site_loads_nothing_from_outside(site: Path) -> None:
    """Scripts, styles, fonts and images are files of the site."""
    loaded = {link for path in site.rglob("*.html") for link in read(path).loaded}
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert [link for link in loaded if not _inner(link) or link.startswith("//")] == []
    assert "url(http" not in styles.replace('"', "").replace("'", "")


def test_the_navigation_names_every_page(site: Path) -> None:
    """A page that no menu names is found by nobody."""
    named = runpy.run_path(str(ROOT / "docs" / "build_site.py"))["nav_pages"]
    folder = site.parent
    listed = named((folder / "zensical.toml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(str(path.relative_to(folder / "pages")) for path in folder.rglob("pages/**/*.md"))


@pytest.mark.parametrize("part", ["docs/reference/commands.html", "docs/decisions/tests.html"])
def test_the_reference_the_decisions_and_the_benchmarks_are_there(site: Path, part: str) -> None:
    """Each folder has its own list of pages."""
    assert (site / part).is_file()
    assert {path.parent.name for path in site.rglob("index.html")} >= {"decisions", "results", "calibration"}
