"""A real browser, and a labelling server that tests start, kill and start again."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.serve.server_process import free_port

import kaiwa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from playwright.sync_api import Page


HANGING = 600_000
"""Milliseconds after which a page hangs; a busy machine is slow."""
CONTRAST = """() => {
  const channel = c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const parts = colour => {
    const numbers = colour.match(/[\\d.]+/g).map(Number);
    return colour.startsWith("color(") ? numbers.map(one => one * 255) : numbers;
  };
  const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
  const paper = node => {
    for (; node; node = node.parentElement) {
      const found = parts(getComputedStyle(node).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll(
    "p, li, a, button, summary, th, td, caption, figcaption, small, b, h1, h2, h3, label, span, code, time, legend"
  )) {
    const [a, b] = [light(parts(getComputedStyle(node).color)), light(paper(node))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) faint.push(node.outerHTML.slice(0, 80));
  }
  return faint;
}"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, as ``make test`` installs it."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        chromium.on("context", lambda context: context.set_default_timeout(HANGING))
        yield chromium
        chromium.close()


@pytest.fixture
def faint_texts() -> Callable[[Page], list[str]]:
    """A function that gives the elements of a page with a contrast below 4.5 (WCAG AA)."""
    return lambda page: list(page.evaluate(CONTRAST))


GUIDELINES = "# How to judge\n\nPress the **first** criterion that fails.\n\n- not coherent\n- off topic\n"


@dataclass
class LabelServer:
    """A labelling server in a process of its own, always at the same address."""

    task: Path
    url: str = ""
    organiser: str = ""
    log: Path = field(init=False)
    process: subprocess.Popen[str] | None = None

    def __post_init__(self) -> None:
        self.log = self.task.parent / "server.log"

    def start(self) -> LabelServer:
        """Start the server, at its earlier port if it had one."""
        port = self.url.rsplit(":", 1)[-1] if self.url else str(free_port())
        command = [sys.executable, "-m", "kaiwa", "serve", str(self.task), "--port", port, "--json"]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=os.environ)
        told = json.loads(self.process.stdout.readline() if self.process.stdout else "{}")
        self.url, self.organiser = told["url"], told["organiser"]
        return self

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the process; SIGKILL as a power cut would."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.communicate()
            self.process = None

    def kill(self) -> None:
        """End the process without a warning, and start another one."""
        self.stop(signal.SIGKILL)
        self.start()

    def run(self, *arguments: str) -> str:
        """What another command of ours prints."""
        command = [sys.executable, "-m", "kaiwa", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def invite(self, *names: str, role: str = "assessor") -> list[str]:
        """The private links of some people."""
        return [str(one.link) for one in kaiwa.invite(self.task, *names, role=role).people]

    def exported(self) -> list[dict[str, str]]:
        """The exported votes, one row each."""
        target = self.task.parent / "exported.csv"
        target.unlink(missing_ok=True)
        self.run("votes", str(self.task), "-o", str(target))
        with target.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write_task(
    folder: Path, posts: Mapping[str, str], comments: Mapping[str, str], *, settings: str = "", files: Mapping[str, str]
) -> Path:
    """A task folder in which every comment is pooled for every post, by three runs."""
    from kaiwa.formats.repository import Manifest, writing_repository

    (folder / "runs").mkdir(parents=True)
    (folder / "kaiwa.toml").write_text(
        f'[task]\ntitle = "Spring round"\nlanguages = ["zh", "ja", "en"]\n{settings}', encoding="utf-8"
    )
    (folder / "topics.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in posts.items()), encoding="utf-8")
    (folder / "pool.tsv").write_text("".join(f"{post}\t{name}\n" for post in posts for name in comments))
    for number in range(3):
        names = [*comments][number:] + [*comments][:number]
        lines = [
            f"{post} 0 {name} {rank} {-rank} SECRET{number}-C-R1\n"
            for post in posts
            for rank, name in enumerate(names, 1)
        ]
        (folder / "runs" / f"{number}.txt").write_text("<SYSDESC>made up</SYSDESC>\n" + "".join(lines))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with writing_repository(folder / "repository") as writer:
        writer.add("posts", ["p"], ["a post"])
        writer.add("comments", [*comments], [*comments.values()])
        writer.add("pairs", ["p"] * len(comments), [*comments])
        writer.finish(Manifest())
    return folder


POSTS = {"q1": "今年第一次去夏威夷", "q2": "今日は晴れたので散歩します", "q3": "The first day in Hawaii"}
COMMENTS = {
    "c1": "海水真的太蓝了",
    "c2": "どこの公園ですか",
    "c3": "Enjoy the beaches!",
    "c4": "转发微博",
    "c5": "Send us photos",
}


@pytest.fixture
def label_server(tmp_path: Path) -> Iterator[Callable[..., LabelServer]]:
    """A function that starts a labelling server of a small task; ``settings`` are added to its kaiwa.toml."""
    servers = list[LabelServer]()

    def start(
        settings: str = "[judging]\n",
        *,
        posts: Mapping[str, str] = POSTS,
        comments: Mapping[str, str] = COMMENTS,
        files: Mapping[str, str] | None = None,
    ) -> LabelServer:
        folder = write_task(
            tmp_path / f"task{len(servers)}" / "task", posts, comments, settings=settings, files=files or {}
        )
        servers.append(LabelServer(folder).start())
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def crowd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelServer]:
    """One server for many tests, each with people of its own: an item takes the votes of fifty."""
    settings = '[judging]\nvotes_per_item = 50\nguidelines = { en = "en.md", zh = "zh.md" }\n'
    files = {"en.md": GUIDELINES, "zh.md": "# 标注方法\n\n按下第一个不满足的标准。\n"}
    folder = tmp_path_factory.mktemp("crowd") / "task"
    server = LabelServer(write_task(folder, POSTS, COMMENTS, settings=settings, files=files)).start()
    yield server
    server.stop()


FINISHED = '#message[data-kind="assess.finished"]:not([hidden])'


WATCH = """window.violations = [];
document.addEventListener("securitypolicyviolation", event => window.violations.push(event.violatedDirective))"""


@dataclass
class Assessor:
    """Somebody at the assessor's page, who knows what he or she pressed."""

    page: Page
    pressed: dict[tuple[str, str], str] = field(default_factory=dict)
    requests: list[Any] = field(default_factory=list)  # Any: playwright's Request
    faults: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note every request, and all that a page should not do: dialogs, errors, refusals of its policy."""
        self.page.add_init_script(WATCH)
        self.page.on("request", lambda request: self.requests.append(request))  # noqa: PLW0108  it needs a function
        self.page.on("dialog", lambda dialog: (self.faults.append(dialog.message), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)

    def current(self) -> tuple[str, str]:
        """The post and the comment in the frame."""
        frame = self.page.locator(".item[aria-current] .text")
        frame.wait_for()
        return self.page.inner_text("#post"), frame.inner_text()

    def press(self, key: str) -> None:
        """Vote with a key, and wait until the frame is on another comment, or nothing is left."""
        self.pressed[self.current()] = key
        self.page.keyboard.press(key)
        self.wait()

    def wait(self) -> None:
        """Wait for an open comment in the frame, or for the end."""
        self.page.locator(f".item[aria-current][data-state=open], {FINISHED}").first.wait_for()

    def judge_all(self, keys: Sequence[str]) -> None:
        """Press keys in turn until everything is judged."""
        self.wait()
        place = 0
        while not self.page.locator(FINISHED).is_visible():
            self.press(keys[place % len(keys)])
            place += 1

    def own_votes(self) -> list[dict[str, Any]]:  # Any: JSON values
        """The current votes as the server knows them."""
        return list(self.page.evaluate("fetch('/votes/mine').then(answer => answer.json())")["votes"])

    def is_saved(self) -> None:
        """Wait until nothing is unsent."""
        unsent = "() => Object.keys(localStorage).filter(name => name.startsWith('kaiwa/')).length"
        while self.page.evaluate(unsent):
            self.page.wait_for_timeout(50)


@pytest.fixture
def assessor(browser: Browser) -> Iterator[Callable[..., Assessor]]:
    """A function that opens a private link in a browser of its own."""
    contexts = list[BrowserContext]()

    def open_link(link: str, **options: Any) -> Assessor:  # Any: options of the browser
        contexts.append(browser.new_context(**options))
        person = Assessor(contexts[-1].new_page())
        person.watch()
        person.page.goto(link)
        person.page.wait_for_url(lambda url: not url.endswith("/in"))
        return person

    yield open_link
    for context in contexts:
        context.close()
