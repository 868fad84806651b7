"""The task folder: ``kaiwa.toml`` and the files of a round under their usual names."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, UnknownName
from kaiwa.formats.collection.takedown import NAME as TAKEDOWN
from kaiwa.formats.text.blocks import read_text
from kaiwa.task.setting_limits import sensible

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = "kaiwa.toml"

TEMPLATE = """\
# A Kaiwa task. Every setting below is optional and shows its default; see docs/round.md.

[task]
title = "My conversation task"
languages = ["zh"]             # zh, ja, en
notice = ""                    # shown in large letters on the report, e.g. "SIMULATED ASSESSORS"
origin = ""                    # where posts and comments come from, for the report's data card
licence = ""                   # the terms under which they may be used
repository = "repository"      # the folder with the comments' texts, a repository or an index; may be absent

[judging]
depth = 10                     # ranks of each run that are pooled
top = 2                        # the highest level an assessor can give
scheme = "mean"                # votes to gains: mean, levels, sum, unanimity, weighted, majority, median

[scoring]
measures = ["nG@1", "nERR@10", "P+"]

[comparing]
alpha = 0.05
trials = 5000
seed = 1

[design]                       # the next round's requirement
systems = 10
min_diff = 0.10
power = 0.80
"""


@dataclass(frozen=True)
class TaskSettings:
    """What ``kaiwa.toml`` says, section by section, with the defaults of the template."""

    title: str = "My conversation task"
    languages: tuple[str, ...] = ("zh",)
    notice: str = ""
    origin: str = ""
    licence: str = ""
    repository: str = "repository"
    depth: int = 10
    top: int = 2
    scheme: str = "mean"
    measures: tuple[str, ...] = ("nG@1", "nERR@10", "P+")
    alpha: float = 0.05
    trials: int = 5000
    seed: int = 1
    systems: int = 10
    min_diff: float = 0.10
    power: float = 0.80


_SECTIONS = {
    "task": ("title", "languages", "notice", "origin", "licence", "repository"),
    "judging": ("depth", "top", "scheme"),
    "scoring": ("measures",),
    "comparing": ("alpha", "trials", "seed"),
    "design": ("systems", "min_diff", "power"),
}


@dataclass(frozen=True)
class Task:
    """A task folder: its settings, and where each file of the round stands."""

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
        return sorted((self.folder / "runs").glob("*.txt*"))

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
        """What a report is made from, as far as it is there."""
        made = (self.config, self.topics, *self.runs, self.votes, self.qrels, self.scores, self.takedown)
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
    try:
        written = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as fault:
        raise InputError.at(path, f"is not TOML ({fault})", "mend that line") from None
    return Task(folder, _settings(path, written))


def _settings(path: Path, written: dict[str, Any]) -> TaskSettings:  # Any: TOML values
    given = dict[str, Any]()  # Any: TOML values
    for section, entries in written.items():
        if section not in _SECTIONS:
            raise InputError(f"{path}: {UnknownName.among('section', section, _SECTIONS)}")
        if not isinstance(entries, dict):
            raise InputError.at(path, f"[{section}] is not a section", f"write [{section}] on a line of its own")
        for name, value in entries.items():
            if name not in _SECTIONS[section]:
                raise InputError(f"{path}: [{section}] {UnknownName.among('setting', name, _SECTIONS[section])}")
            given[name] = sensible(path, name, _typed(path, name, value))
    return TaskSettings(**given)


def _typed(path: Path, name: str, value: object) -> object:
    default = next(one.default for one in fields(TaskSettings) if one.name == name)
    if isinstance(default, tuple):
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return tuple(value)
    elif isinstance(default, float):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif type(value) is type(default):
        return value
    wanted = {"str": "text in quotes", "int": "a whole number", "float": "a number", "tuple": "a list of texts"}
    raise InputError.at(path, f"{name} = {value!r}", f"write {wanted[type(default).__name__]}")
