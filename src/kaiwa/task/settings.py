"""The settings of a task, ``kaiwa.toml``: defaults, types, and which values are allowed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from kaiwa.topicset.requirement import Requirement

    Limit = tuple[Callable[[Any], bool], str]  # Any: a value of the setting's own type

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
top = 2                        # the highest level an assessor can give
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
test = "robust"                # robust, robust-step-down, hsd, step-down or tukey; hsd if this line is left out
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
    top: int = 2
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
    test: str = "hsd"
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
        from kaiwa.topicset.designed_tests import designed_for
        from kaiwa.topicset.requirement import Requirement

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
        *("depth", "top", "votes_per_item", "scheme", "p", "criteria", "order", "lease_minutes", "repeat_share"),
        *("calibration", "guidelines", "training", "gold", "answers"),
    ),
    "scoring": ("measures",),
    "comparing": ("test", "alpha", "trials", "seed", "margin"),
    "design": ("systems", "min_diff", "power"),
}
_FROM_ONE: Limit = (lambda value: value >= 1, "a whole number from 1")
_SHARE: Limit = (lambda value: 0 < value < 1, "a number between 0 and 1")
LIMITS: dict[str, Limit] = {
    "languages": (lambda value: set(value) <= {"zh", "ja", "en"}, 'some of "zh", "ja", "en"'),
    "depth": _FROM_ONE,
    "top": _FROM_ONE,
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
        from kaiwa.label.criteria import MODES

        _known(path, "criteria", value, MODES)
    if name == "scheme":
        from kaiwa.label.gain_schemes import SCHEMES

        _known(path, "scheme", value, SCHEMES)
    if name == "test":
        from kaiwa.compare.allpairs import ALL_PAIRS

        _known(path, "test", value, ALL_PAIRS)
    return value


def _known(path: Path, kind: str, value: str, known: Iterable[str]) -> None:
    names = list(known)
    if value not in names:
        raise InputError(f"{path}: {UnknownName.among(kind, value, names)}")
