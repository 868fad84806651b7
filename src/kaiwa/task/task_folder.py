"""The task folder: its settings, and the files of a round under their usual names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import visible_files
from kaiwa.errors import InputError
from kaiwa.formats.collection.takedown import NAME as TAKEDOWN
from kaiwa.formats.text.toml_files import read_toml
from kaiwa.task.folder_search import CONFIG
from kaiwa.task.settings import TaskSettings, settings_of

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Task:
    """A task folder: its settings, and the path of each file of the round."""

    folder: Path
    settings: TaskSettings = field(default_factory=TaskSettings)

    @property
    def config(self) -> Path:
        """The settings file."""
        return self.folder / CONFIG

    @property
    def topics(self) -> Path:
        """The topics, ``id TAB text``."""
        return self.folder / "topics.tsv"

    @property
    def runs(self) -> list[Path]:
        """The run files."""
        return visible_files((self.folder / "runs").glob("*.txt*"))

    @property
    def pool(self) -> Path:
        """The items to judge."""
        return self.folder / "pool.tsv"

    @property
    def votes(self) -> Path:
        """The assessors' votes."""
        return self.folder / "votes.csv"

    @property
    def qrels(self) -> Path:
        """The gains made of the votes."""
        return self.folder / "qrels.txt"

    @property
    def scores(self) -> Path:
        """The scores, tidy CSV."""
        return self.folder / "scores.csv"

    @property
    def sources(self) -> list[Path]:
        """The existing files from which a report is made."""
        lists = (self.takedown, self.repository / TAKEDOWN)
        made = (self.config, self.topics, *self.runs, self.votes, self.qrels, self.scores, *lists)
        return [path for path in made if path.is_file()]

    @property
    def takedown(self) -> Path:
        """The ids of posts and comments that must no longer be shown."""
        return self.folder / TAKEDOWN

    @property
    def repository(self) -> Path:
        """The folder with the comments' texts."""
        return self.folder / self.settings.repository

    @property
    def report(self) -> Path:
        """The report."""
        return self.folder / "report.html"


def read_task(folder: Path) -> Task:
    """The task in a folder that has a ``kaiwa.toml``."""
    path = folder / CONFIG
    if not folder.is_dir():
        raise InputError.at(folder, "no such folder", "make a task folder with: kaiwa init DIR")
    if not path.exists():
        raise InputError.at(folder, f"holds no {CONFIG}", "make a task folder with: kaiwa init DIR")
    return Task(folder, settings_of(path, read_toml(path, "fix that line")))
