"""The report in a real browser: it fits every width, asks for nothing outside, and runs nothing but its own script."""

from __future__ import annotations

import itertools
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.formats.repository import Manifest, writing_repository
from kaiwa.formats.scores import write_scores
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.scores import Scores
from kaiwa.reporting.report import write_report
from kaiwa.task.folder import Task, TaskSettings, read_task

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("report_page")  # the reports are made once
HOSTILE = "<img src=x onerror=alert(1)>"
A4 = 718
"""The width in CSS pixels between the margins of A4 paper."""
SMALLEST = """() => Math.min(...[...document.querySelectorAll("figure text")].map(one => {
  const svg = one.ownerSVGElement;
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return Math.round(parseFloat(getComputedStyle(one).fontSize) * scale * 72 / 96 * 100) / 100;
}))"""
"""The smallest text of the figures as printed, in points."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on scores alone, whose names are hostile, long, Chinese and Japanese."""
    folder, rng = tmp_path_factory.mktemp("scores"), np.random.default_rng(7)
    runs = (HOSTILE, "短文会話-C-R1", "モデル-J-R1", "A" * 60, *(f"team{n}-C-R1" for n in range(12)))
    values = rng.random((40, len(runs))) * np.linspace(0.4, 1.0, len(runs))
    topics = tuple(f"q{place}" for place in range(40))
    write_scores(folder / "scores.csv", Scores([Matrix("nERR@10", topics, runs, values)]))
    task = Task(folder, TaskSettings(title="測試 テスト test", measures=("nERR@10",), trials=500))
    write_report(task, folder / "report.html", version="test")
    return folder / "report.html"


@pytest.fixture(scope="module")
def whole(round_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a round with posts, comments and votes."""
    page = tmp_path_factory.mktemp("whole") / "report.html"
    write_report(read_task(round_template), page, version="test")
    return page


LONG_POST, LONG_COMMENT = "A long post about dogs. " * 125, "今天终于拿到驾照了。" * 300


@pytest.fixture(scope="module")
def long(round_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a round whose posts, comments and descriptions have 3,000 characters."""
    folder = Path(shutil.copytree(round_template, tmp_path_factory.mktemp("long") / "round"))
    (folder / "topics.tsv").write_text("".join(f"q{place}\t{LONG_POST}{place}\n" for place in range(8)))
    for run in (folder / "runs").iterdir():
        run.write_text(run.read_text().replace("方法", LONG_POST))
    shutil.rmtree(folder / "repository")
    with writing_repository(folder / "repository") as writer:
        names = [f"c{place:02}" for place in range(12)]
        writer.add("posts", ["p1"], ["one"])
        writer.add("comments", names, [f"{LONG_COMMENT}{place}" if place % 2 else "ok" for place in range(12)])
        writer.add("pairs", ["p1"] * 12, names)
        writer.finish(Manifest())
    write_report(read_task(folder), folder / "report.html", version="test")
    return folder / "report.html"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on the scores of 110 runs, some with long names."""
    folder, rng = tmp_path_factory.mktemp("crowded"), np.random.default_rng(7)
    runs = tuple(f"{'A-very-long-team-name-' if n % 5 else 'T'}{n}-C-R1" for n in range(110))
    values = rng.random((20, 110)) * np.linspace(0.05, 1.0, 110)
    scores = Matrix("nERR@10", tuple(f"q{place}" for place in range(20)), runs, values)
    write_scores(folder / "scores.csv", Scores([scores]))
    task = Task(folder, TaskSettings(title="Many runs", measures=("nERR@10",), trials=200))
    write_report(task, folder / "report.html", version="test")
    return folder / "report.html"


def watched(browser: Browser, path: Path, **options: str | bool) -> tuple[Page, list[str]]:
    """The page, open, and all it does that it should not: dialogs, errors, requests, refusals."""
    page = browser.new_page(**options)
    faults = list[str]()
    page.on("request", lambda request: None if request.url == path.as_uri() else faults.append(request.url))
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(path.as_uri())
    return page, faults


@pytest.mark.parametrize("width", [360, 820, 1400])
def test_the_page_fits_the_screen(browser: Browser, report: Path, whole: Path, width: int) -> None:
    """Nothing but a wide table or figure scrolls sideways, folds open or closed."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    for path in (report, whole):
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_the_page_asks_for_nothing_outside_and_runs_nothing(browser: Browser, report: Path) -> None:
    """One file, no requests but itself, no dialogs, no errors, and no script where there is nothing to choose."""
    page, faults = watched(browser, report)
    assert HOSTILE in page.inner_text("#nerr-10 table >> nth=0")
    assert page.locator("script").count() == 0
    assert faults == []
    page.close()


def test_two_runs_stand_side_by_side_without_any_script(browser: Browser, whole: Path) -> None:
    """The two best runs, with the post, the comments' texts and their votes, are plain HTML."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(whole.as_uri())
    assert page.locator("#choose").is_hidden()
    heads = page.locator("#contrast h3").all_inner_texts()
    assert [head.split()[0] for head in heads[:2]] == ["Aoi-C-R1", "Aoi-C-R2"]
    first = page.locator("#contrast details").first
    assert first.locator("blockquote").count() == 1
    assert first.locator("li").count() == 6
    assert re.search(r"(恭喜你|いいですね|</script>)", first.inner_text())
    assert first.locator(".votes b").count() > 0
    context.close()


def test_the_reader_chooses_which_runs_to_see(browser: Browser, whole: Path) -> None:
    """Any pair by any measure, shown as the page itself shows its first pair; hostile text stays text."""
    page, faults = watched(browser, whole)
    plain = page.inner_html("#contrast")
    page.select_option("[name=right]", label="<b>Bai</b>-C-R2")
    page.select_option("[name=measure]", label="nERR@10")
    heads = page.locator("#contrast h3").all_inner_texts()
    assert heads[1].startswith("<b>Bai</b>-C-R2 nERR@10")
    assert page.locator("#contrast details[open]").count() == 3
    assert "<script>alert(1)</script>" in page.inner_text("#contrast")
    page.select_option("[name=right]", label="Aoi-C-R2")
    page.select_option("[name=measure]", label="nG@1")
    tidy = [re.sub(r'="?([\w-]*)"?(?=[ >])', r"=\1", one) for one in (plain, page.inner_html("#contrast"))]
    assert tidy[0] == tidy[1]
    assert faults == []
    page.close()


def test_no_script_but_the_pages_own_can_run(browser: Browser, whole: Path) -> None:
    """A script smuggled into the file is refused by the page's own policy."""
    smuggled = whole.with_name("smuggled.html")
    smuggled.write_text(whole.read_text().replace("</main>", "<script>document.title = 'taken'</script></main>"))
    page, faults = watched(browser, smuggled)
    assert page.title() == "小さな会話 round"
    assert len(faults) == 1
    page.close()


def test_chinese_and_japanese_are_distinguished(browser: Browser, whole: Path) -> None:
    """Each text has its language, so that the reader's fonts and voice fit it."""
    page = browser.new_page()
    page.goto(whole.as_uri())
    texts = dict(page.eval_on_selector_all("td[lang]", "nodes => nodes.map(one => [one.textContent, one.lang])"))
    assert (texts["今天终于拿到驾照了"], texts["今日は晴れたので散歩します"]) == ("zh", "ja")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_paper(
    browser: Browser, whole: Path, scheme: str, faint_texts: Callable[[Page], list[str]]
) -> None:
    """A contrast of 4.5 or more (WCAG AA), in the figures too."""
    page = browser.new_page(color_scheme=scheme)
    page.goto(whole.as_uri())
    assert faint_texts(page) == []
    ink = page.evaluate("getComputedStyle(document.querySelector('figure text')).fill")
    assert ink == page.evaluate("getComputedStyle(document.body).color")
    page.close()


def test_on_paper_everything_is_open_and_nothing_waits_for_a_click(browser: Browser, whole: Path) -> None:
    """Folds are printed open, in dark ink, and the choosers are left out."""
    page = browser.new_page(color_scheme="dark")
    page.goto(whole.as_uri())
    page.emulate_media(media="print")
    heights = page.eval_on_selector_all(
        "details:not([open]) > :not(summary)", "nodes => nodes.map(one => one.getBoundingClientRect().height)"
    )
    assert heights
    assert min(heights) > 10
    assert page.locator("#choose").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    page.close()


def test_a_screen_reader_finds_headings_tables_and_named_figures(browser: Browser, whole: Path) -> None:
    """One h1, no level left out, a caption and scopes in every table, a name on every figure, every id once."""
    page = browser.new_page()
    page.goto(whole.as_uri())
    levels = page.eval_on_selector_all("h1, h2, h3", "nodes => nodes.map(one => Number(one.tagName[1]))")
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert page.locator("section").count() == page.locator("section > h2").count() > 1
    assert page.locator("table:not(:has(caption))").count() == page.locator("th:not([scope])").count() == 0
    assert page.locator("figure svg:not([role=img][aria-label])").count() == 0
    ids = page.eval_on_selector_all("[id]", "nodes => nodes.map(one => one.id)")
    assert len(ids) == len(set(ids))
    page.close()


def test_the_heat_map_is_drawn(browser: Browser, report: Path) -> None:
    """Its cells are shapes of the page, not an image that the page's policy refuses."""
    page = browser.new_page()
    page.goto(report.as_uri())
    page.click("text=p-values of all pairs")
    drawing = page.locator("details svg").first
    assert drawing.locator("image").count() == 0
    widths = [one.bounding_box()["width"] for one in drawing.locator("path[style*='--p']").all()]
    assert max(widths) > 200
    page.close()


def test_the_keyboard_can_reach_what_scrolls(browser: Browser, report: Path) -> None:
    """The first stop skips to the results; a focused table shows that it is."""
    page = browser.new_page()
    page.goto(report.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator(".scroll").first.focus()
    assert page.locator("[tabindex='0']").count() >= page.locator("table").count() + page.locator("figure").count()
    page.close()


def test_long_texts_show_their_first_lines_until_the_reader_opens_them(
    browser: Browser, whole: Path, long: Path
) -> None:
    """No text makes the page tall; Enter opens one and closes it again, without any script."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(whole.as_uri())
    usual = page.locator("main").bounding_box()["height"]
    page.goto(long.as_uri())
    folds = page.locator("blockquote .fold, td .fold, li .fold")
    assert folds.count() > 20
    assert page.locator("main").bounding_box()["height"] < 1.5 * usual
    first = page.locator("blockquote .fold").first
    assert first.inner_text().startswith(LONG_POST[:200])
    closed = first.bounding_box()["height"]
    assert closed < 130
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    assert first.bounding_box()["height"] > 4 * closed
    page.keyboard.press("Enter")
    assert first.bounding_box()["height"] == closed
    context.close()


def test_on_paper_a_long_text_is_cut_with_its_mark(browser: Browser, long: Path) -> None:
    """A few lines each, and no button that paper cannot press."""
    page = browser.new_page(viewport={"width": A4, "height": 900})
    page.goto(long.as_uri())
    page.emulate_media(media="print")
    spans = page.locator(".fold span")
    assert max(one.bounding_box()["height"] for one in spans.all()) < 150
    shown = "getComputedStyle(document.querySelector('.fold > summary'), '::after').content"
    assert page.evaluate(shown) == "none"
    page.close()


def test_the_script_folds_long_texts_as_the_page_does(browser: Browser, long: Path) -> None:
    """The same HTML after another pair and back."""
    page, faults = watched(browser, long)
    plain = page.inner_html("#contrast")
    page.select_option("[name=right]", index=3)
    assert page.locator("#contrast .fold").count() > 0
    page.select_option("[name=right]", index=1)
    tidy = [re.sub(r'="?([\w-]*)"?(?=[ >])', r"=\1", one) for one in (plain, page.inner_html("#contrast"))]
    assert tidy[0] == tidy[1]
    assert faults == []
    page.close()


def test_a_phone_shows_the_groups_of_every_run(browser: Browser, report: Path, whole: Path, crowded: Path) -> None:
    """The last column of a leaderboard is on the screen before anything is scrolled."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    for path in (report, whole, crowded):
        page.goto(path.as_uri())
        heads = page.locator("#nerr-10 table >> nth=0 >> thead th", has_text="groups")
        place = heads.bounding_box()
        assert place["x"] + place["width"] <= 390 - 16
    page.close()


def test_the_labels_of_every_figure_can_be_read_on_paper(
    browser: Browser, report: Path, whole: Path, crowded: Path
) -> None:
    """At least 6 pt on A4, with 110 runs too, and no figure higher than the sheet."""
    page = browser.new_page(viewport={"width": A4, "height": 900})
    for path in (report, whole, crowded):
        page.goto(path.as_uri())
        page.emulate_media(media="print")
        assert page.locator("figure text").count() > 10
        assert page.evaluate(SMALLEST) >= 6.0
        assert max(one.bounding_box()["height"] for one in page.locator("figure svg").all()) < 1_000
    page.close()
