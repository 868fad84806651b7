"""The task folder: its settings, and the files of a round under their usual names."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, UnknownName
from kaiwa.files.atomic import visible_files
from kaiwa.formats.takedown import NAME as TAKEDOWN
from kaiwa.formats.text_files import read_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from kaiwa.topicset.requirement import Requirement

    Limit = tuple[Callable[[Any], bool], str]  # Any: a value of the setting's own type


# The task folder that a path is in: the nearest folder with a ``kaiwa.toml``.


CONFIG = "kaiwa.toml"


def task_folder_of(path: Path) -> Path | None:
    """The task folder that a path is in or names, or None."""
    try:
        whole = path.resolve()
        return next((one for one in (whole, *whole.parents) if (one / CONFIG).is_file()), None)
    except (OSError, ValueError):  # a word that cannot be a path
        return None


# The settings of a task, ``kaiwa.toml``: defaults, types, and which values are allowed.


TEMPLATE = """\
# A Kaiwa task. Every setting below is optional and shows its default; see docs/round.md.

[task]
title = "My conversation task"
languages = ["zh"]             # zh, ja, en
notice = ""                    # shown in large letters on the report, e.g. "SIMULATED ASSESSORS"
origin = ""                    # where posts and comments come from, for the report's data card
licence = ""                   # the terms under which they may be used
repository = "repository"      # the folder with the comments' texts, a repository or an index; may be missing

[judging]
depth = 10                     # ranks of each run that are pooled
max_level = 2                  # the highest level an assessor can give
votes_per_item = 1             # the votes that each pooled item needs
scheme = "mean"                # votes to gains: mean, levels, sum, unanimity, weighted, majority, median
p = 0.2                        # the weight of agreement in the unanimity scheme
criteria = "first"             # assessors press the "first" criterion that fails, "all" that fail, or "levels"
order = "random"               # of posts and comments for each assessor: random or pool
lease_minutes = 30.0           # how long an item stays with an assessor who does not vote
repeat_share = 0.02            # the share of items that come back, to see whether an assessor votes alike
calibration = 0                # the first comments of each assessor are a sample of the pool, of as many posts
# guidelines = { zh = "guidelines.zh.md", en = "guidelines.en.md" }
# training = "training.csv"    # topic,comment,level,feedback: judged first, with feedback
# gold = "gold.csv"            # topic,comment,level: known levels, mixed with the others
# [[judging.answers]]          # other criteria and keys: one such table for each answer

[scoring]
measures = ["nG@1", "nERR@10", "P+"]

[comparing]
test = "robust"                # robust, robust-step-down, hsd (as in published tables), step-down or tukey
alpha = 0.05
trials = 5000
seed = 1
# margin = 0.05                # the smallest difference that matters: adds verdicts such as "equivalent"

[design]                       # the next round's requirement
systems = 10
min_diff = 0.10
power = 0.80
"""


@dataclass(frozen=True)
class TaskSettings:
    """The values of ``kaiwa.toml``, with the defaults of the template; ``stated`` names those in the file."""

    title: str = "My conversation task"
    languages: tuple[str, ...] = ("zh",)
    notice: str = ""
    origin: str = ""
    licence: str = ""
    repository: str = "repository"
    depth: int = 10
    max_level: int = 2
    votes_per_item: int = 1
    scheme: str = "mean"
    p: float = 0.2
    criteria: str = "first"
    order: str = "random"
    lease_minutes: float = 30.0
    repeat_share: float = 0.02
    calibration: int = 0
    guidelines: Mapping[str, str] = field(default_factory=dict)
    training: str = ""
    gold: str = ""
    answers: tuple[Mapping[str, Any], ...] = ()  # Any: TOML values, checked by task.task_criteria
    measures: tuple[str, ...] = ("nG@1", "nERR@10", "P+")
    test: str = "robust"
    alpha: float = 0.05
    trials: int = 5000
    seed: int = 1
    margin: float = 0.0
    systems: int = 10
    min_diff: float = 0.10
    power: float = 0.80
    stated: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def verdict_margin(self) -> float | None:
        """The margin of the verdicts; None without the setting."""
        return self.margin or None

    @property
    def requirement(self) -> Requirement:
        """What the next round's comparison must find, for a variance still to be given."""
        from kaiwa.topicset.requirement import Requirement
        from kaiwa.topicset.tests import designed_for

        return Requirement(
            1.0,
            systems=self.systems,
            min_diff=self.min_diff,
            power=self.power,
            alpha=self.alpha,
            test=designed_for(self.test),
        )

    def chosen_measures(self, scored: Iterable[str], place: Path) -> list[str]:
        """The measures in ``kaiwa.toml``, which must all be scored; without the setting, the usual ones or all."""
        known = list(scored)
        lacking = [measure for measure in self.measures if measure not in known]
        if lacking and "measures" in self.stated:
            unknown = UnknownName.among("measure", lacking[0], known)
            raise InputError(f"{place}: {unknown} (the setting 'measures' in kaiwa.toml names it)")
        return [measure for measure in self.measures if measure in known] or known


_SECTIONS = {
    "task": ("title", "languages", "notice", "origin", "licence", "repository"),
    "judging": (
        *("depth", "max_level", "votes_per_item", "scheme", "p", "criteria", "order", "lease_minutes", "repeat_share"),
        *("calibration", "guidelines", "training", "gold", "answers"),
    ),
    "scoring": ("measures",),
    "comparing": ("test", "alpha", "trials", "seed", "margin"),
    "design": ("systems", "min_diff", "power"),
}
RENAMED = {"top": "max_level"}
"""Settings of earlier versions, and what each is called now."""
_FROM_ONE: Limit = (lambda value: value >= 1, "a whole number from 1")
_SHARE: Limit = (lambda value: 0 < value < 1, "a number between 0 and 1")
LIMITS: dict[str, Limit] = {
    "languages": (lambda value: set(value) <= {"zh", "ja", "en"}, 'some of "zh", "ja", "en"'),
    "depth": _FROM_ONE,
    "max_level": _FROM_ONE,
    "votes_per_item": _FROM_ONE,
    "p": (lambda value: 0 <= value < float("inf"), "a number from 0"),
    "order": (lambda value: value in {"random", "pool"}, '"random" or "pool"'),
    "lease_minutes": (lambda value: 0 < value < float("inf"), "a number above 0"),
    "repeat_share": (lambda value: 0 <= value < 1, "a number from 0 and below 1"),
    "calibration": (lambda value: value >= 0, "a whole number from 0"),
    "guidelines": (lambda value: set(value) <= {"zh", "ja", "en"}, 'a file for some of "zh", "ja", "en"'),
    "alpha": _SHARE,
    "trials": _FROM_ONE,
    "seed": (lambda value: value >= 0, "a whole number from 0"),
    "margin": (lambda value: 0 < value < float("inf"), "a number above 0"),
    "systems": (lambda value: value > 1, "a whole number from 2"),
    "min_diff": (lambda value: value > 0, "a number above 0"),
    "power": _SHARE,
}
"""The condition for a value, and its description in the error."""


def settings_of(path: Path, written: dict[str, Any]) -> TaskSettings:  # Any: TOML values
    """The settings that a parsed ``kaiwa.toml`` gives; missing settings have their defaults."""
    given = dict[str, Any]()  # Any: TOML values
    for section, entries in written.items():
        if section not in _SECTIONS:
            raise InputError(f"{path}: {UnknownName.among('section', section, _SECTIONS)}")
        if not isinstance(entries, dict):
            raise InputError.at(path, f"[{section}] is not a section", f"write [{section}] on a line of its own")
        for name, value in entries.items():
            if (new := RENAMED.get(name)) in _SECTIONS[section]:
                raise InputError.at(path, f"[{section}] {name} is now called {new}", f"write {new} = {value}")
            if name not in _SECTIONS[section]:
                raise InputError(f"{path}: [{section}] {UnknownName.among('setting', name, _SECTIONS[section])}")
            given[name] = allowed(path, name, _typed(path, name, value))
    return TaskSettings(**given, stated=frozenset(given))


def _typed(path: Path, name: str, value: object) -> object:
    default = next(one.default for one in fields(TaskSettings) if one.name == name)
    if name == "guidelines":
        if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
            return value
        raise InputError.at(path, f"{name} = {value!r}", 'write { en = "guidelines.en.md" }')
    if name == "answers":
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return tuple(value)
        raise InputError.at(path, f"{name} = {value!r}", "write [[judging.answers]] on a line of its own for each")
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


def allowed(path: Path, name: str, value: Any) -> Any:  # Any: a value of the setting's own type
    """The value, if the setting allows it.

    >>> from pathlib import Path
    >>> allowed(Path("kaiwa.toml"), "alpha", 5.0)
    Traceback (most recent call last):
    kaiwa.errors.InputError: kaiwa.toml: alpha = 5.0; write a number between 0 and 1
    """
    holds, wanted = LIMITS.get(name, (lambda _: True, ""))
    if not holds(value):
        raise InputError.at(path, f"{name} = {value!r}", f"write {wanted}")
    if name == "criteria":
        from kaiwa.nouns.criteria import MODES

        _known(path, "criteria", value, MODES)
    if name == "scheme":
        from kaiwa.labelling.gains import SCHEMES

        _known(path, "scheme", value, SCHEMES)
    if name == "test":
        from kaiwa.comparison.allpairs import ALL_PAIRS

        _known(path, "test", value, ALL_PAIRS)
    return value


def _known(path: Path, kind: str, value: str, known: Iterable[str]) -> None:
    names = list(known)
    if value not in names:
        raise InputError(f"{path}: {UnknownName.among(kind, value, names)}")


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
