"""A whole round: ten browsers judge a pool, one person is revoked, the server is killed, a report is made.

``kaiwa demo TASK --judge``, then ``python -m benchmarks.serve.whole_round TASK``. Every key that was pressed is looked
for in the log. The small form of it is in tests/browser/test_labelling_lead.py.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.serve.server_process import ServerProcess, invited, run_kaiwa
from kaiwa.store.database import Database
from kaiwa.store.tables import read_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser, Page

_PEOPLE = 10
_KILLS = 3
_LEVELS = {"1": 0, "2": 0, "3": 1, "4": 1, "5": 2, "9": -1}
_OPEN = ".item[aria-current][data-state=open]"
_END = '#message[data-kind="assess.finished"]:not([hidden])'
_UNSENT = "Object.keys(localStorage).filter(name => name.startsWith('kaiwa/')).length"


@dataclass
class _Person:
    """Somebody in a browser of its own; ``pressed`` are the items and levels in the order of the keys."""

    code: str
    page: Page
    rng: random.Random
    pressed: list[tuple[str, int]] = field(default_factory=list)
    is_revoked: bool = False

    async def judge(self) -> None:
        """Press keys until nothing is left, or until the link is revoked."""
        while not self.is_revoked:
            await self.page.locator(f"{_OPEN}, {_END}").first.wait_for()
            item = await self.page.evaluate(f"document.querySelector({_OPEN!r})?.dataset.item")
            if item is None:
                return
            key = self.rng.choices("123459", [4, 8, 5, 1, 10, 1])[0]
            self.pressed.append((item, _LEVELS[key]))
            await self.page.keyboard.press(key)
            await asyncio.sleep(0.02)  # a person looks at the next comment

    async def is_saved(self) -> None:
        """Wait until the browser has nothing unsent."""
        await self.page.wait_for_function(f"{_UNSENT} === 0", polling=100)


@dataclass
class _Round:
    server: ServerProcess
    people: list[_Person]
    needed: int

    @property
    def pressed(self) -> int:
        return sum(len(one.pressed) for one in self.people)

    async def run(self) -> None:
        judging = [asyncio.create_task(one.judge()) for one in self.people]
        await asyncio.gather(self._disturb(), *judging)
        for one in self.people:
            await one.is_saved()

    async def _disturb(self) -> None:
        """Kill the server after each quarter of the votes, and revoke the last person in the middle."""
        for part in range(1, _KILLS + 1):
            while self.pressed < self.needed * part / (_KILLS + 1):  # noqa: ASYNC110  ten people count it
                await asyncio.sleep(0.05)
            await asyncio.to_thread(self.server.kill)
            print(f"killed after {self.pressed:,} keys", flush=True)
            await asyncio.sleep(2)
            await asyncio.to_thread(self.server.start)
            if part == _KILLS // 2 + 1:
                await self._revoke(self.people[-1])

    async def _revoke(self, person: _Person) -> None:
        person.is_revoked = True
        await asyncio.sleep(1)
        await person.is_saved()
        await asyncio.to_thread(run_kaiwa, "invite", str(self.server.task), "--revoke", f"P{_PEOPLE}")
        while not person.page.url.endswith("/in"):
            await asyncio.sleep(0.2)
            await person.page.reload()
        print(f"P{_PEOPLE} is revoked after {len(person.pressed):,} keys, and sees the sign-in page", flush=True)


async def _people(browser: Browser, server: ServerProcess) -> list[_Person]:
    tokens = invited(server.task, [f"P{number}" for number in range(1, _PEOPLE + 1)])
    made = []
    for number, token in enumerate(tokens, start=1):
        page = await (await browser.new_context()).new_page()
        page.set_default_timeout(600_000)
        await page.goto(f"{server.origin}/in#{token}")
        made.append(_Person(f"P{number}", page, random.Random(number)))
    return made


async def _judged(server: ServerProcess, needed: int) -> _Round:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        done = _Round(server, await _people(browser, server), needed)
        await done.run()
        await browser.close()
    return done


def _in_the_log(task: Path) -> Iterator[tuple[str, str, int]]:
    with Database(task / "votes.db").reading() as connection:
        for row in read_log(connection):
            if row.level is not None:
                yield row.assessor, row.item, row.level


def main() -> None:
    """Judge the pool of a task and print what became of it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("task", type=Path)
    task: Path = options.parse_args().task
    needed = len((task / "pool.tsv").read_text(encoding="utf-8").splitlines())
    began = time.monotonic()
    with ServerProcess(task) as server:
        done = asyncio.run(_judged(server, needed))
    pressed = Counter((one.code, *vote) for one in done.people for vote in one.pressed)
    stored = Counter(_in_the_log(task))
    print(f"{done.pressed:,} keys of {_PEOPLE} people on {needed:,} items in {time.monotonic() - began:.0f} s")
    print(f"lost {(pressed - stored).total()}, doubled or not pressed {(stored - pressed).total()}", flush=True)
    _report(task)


def _report(task: Path) -> None:
    """The report from the votes, by the commands that an organiser types."""
    run_kaiwa("votes", str(task), "-o", str(task / "votes.csv"))
    for words in (["verify", str(task)], ["make", str(task)], ["status", str(task)]):
        done = run_kaiwa(*words, check=False)
        print(f"$ kaiwa {words[0]} TASK\n{done.stdout.replace(str(task), 'TASK').strip()}", flush=True)


if __name__ == "__main__":
    main()
