"""What every task of a cleaning is given: the rules, the takedown list, and the folder for its files."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.model.progress_callback import share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kaiwa.corpus.rules import RuleSet
    from kaiwa.model.progress_callback import Progress

_READING = 0.75  # of the work; the rest is writing
_REPORT: ContextVar[Callable[[str, int], None] | None] = ContextVar("report", default=None)


@dataclass(frozen=True)
class CleanJob:
    """The settings of one cleaning; ``seed`` is None without a sample, ``in_parts`` tells that tables are folders."""

    folder: Path
    rules: RuleSet
    listed: frozenset[str]
    seed: int | None
    in_parts: bool

    def texts(self, task: int) -> Path:
        """The spill file with the pairs of a task that pass the rules."""
        return self.folder / f"pairs-{task:06d}.spill"

    def comment_ids(self, task: int) -> Path:
        """The string file with the ids of their comments."""
        return self.folder / f"ids-{task:06d}.spill"

    def tweets(self, task: int) -> Path:
        """The string file with the texts of the initial posts among the tweets of a task."""
        return self.folder / f"tweets-{task:06d}.spill"

    def remove_spills(self) -> None:
        """Delete what passed between tasks, complete or not."""
        for file in self.folder.glob("*.spill*"):
            file.unlink(missing_ok=True)


def advance(step: str, amount: int) -> None:
    """Report work that this process did; other processes report nothing."""
    if (report := _REPORT.get()) is not None:
        report(step, amount)


@contextmanager
def reporting(total_bytes: int, progress: Progress) -> Iterator[None]:
    """While the block runs, work of this process is reported: bytes read, then pairs written."""
    done = {"bytes": 0, "pairs": 0, "written": 0}

    def report(step: str, amount: int) -> None:
        done[step] += amount
        if step == "written":
            share(progress, _READING, 1)(done["written"], done["pairs"])
        else:
            share(progress, 0, _READING)(min(done["bytes"], total_bytes), total_bytes)

    before = _REPORT.set(report)
    try:
        yield
    finally:
        _REPORT.reset(before)
