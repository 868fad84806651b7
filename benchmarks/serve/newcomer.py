"""A newcomer's first vote: clone, ``make serve``, a key in a browser; ``python -m benchmarks.serve.newcomer``.

Everything is new: an empty folder, an empty environment, no cache of packages, no compiled kernel.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.serve.server_process import free_port

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT = Path(__file__).parents[2]
_LINK = ", to judge: "


def main() -> None:
    """Print the seconds after which each step was done."""
    began = time.monotonic()

    def note(what: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)

    with tempfile.TemporaryDirectory() as name:
        clone = Path(name, "kaiwa")
        subprocess.run(["git", "clone", "--quiet", str(_ROOT), str(clone)], check=True)  # noqa: S607  as a newcomer types it
        note("cloned")
        given = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
        served = subprocess.Popen(
            ["make", "serve", f"PORT={free_port()}"],  # noqa: S607  the same
            cwd=clone,
            env=given | {"PIP_NO_CACHE_DIR": "1"},
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            text=True,
            start_new_session=True,
        )
        try:
            _vote(_link(served, note), note)
        finally:
            os.killpg(served.pid, signal.SIGTERM)
            served.communicate(timeout=60)


def _link(served: subprocess.Popen[str], note: Callable[[str], None]) -> str:
    """The assessor's private link, when the server is ready; commands are noted when they begin."""
    for line in served.stdout or ():
        if line.startswith((".venv/bin", "python3 ", "$ kaiwa")):
            note(line.strip()[:70])
        if _LINK in line:
            note("the server is ready")
            return line.split(_LINK)[1].strip()
    raise RuntimeError("make serve ended")


def _vote(link: str, note: Callable[[str], None]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(link)
        page.locator(".item[aria-current]").wait_for()
        note("the page shows a post and its comments")
        page.keyboard.press("5")
        page.get_by_text("#1", exact=False).wait_for()
        note(f"the first vote is on the disk: {page.inner_text('#saved')}")
        browser.close()


if __name__ == "__main__":
    main()
