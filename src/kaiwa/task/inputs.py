"""A task folder as what a verb works on: the files that it stands for, and the options that its settings give.

The public function of a verb has ``takes_task``: given a task folder where it takes runs, votes, judgements, scores or
topics, it works on those of the task, and the settings fill the options that are left open. The command gives click the
same options as defaults, also for a single file of the folder (``kaiwa.cli.command``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from kaiwa.errors import InputError
from kaiwa.task.folder import CONFIG, read_task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.show.result import Result
    from kaiwa.task.folder import Task, TaskSettings

    Arguments = Mapping[str, Any]  # Any: the arguments of a verb, by name; from the command as they are typed

P = ParamSpec("P")
R = TypeVar("R", bound="Result")


# What each verb takes of a task.


@dataclass(frozen=True)
class Takes:
    """The arguments that can be a task folder, and the options that are settings of the same name.

    ``whole`` are further such options, where a verb works on the task and not on one of its files.
    """

    nouns: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


_COMPARING = ("test", "alpha", "trials", "seed", "margin")
_REQUIRED = ("systems", "min_diff", "power", "alpha", "measures")
_NOTHING = Takes()
VERBS = {
    "agree": Takes(("votes",), ("max_level", "seed")),
    "check": Takes(("runs", "topics")),
    "compare": Takes(("scores", "qrels"), _COMPARING),
    "design": Takes(("scores",), ("test",), _REQUIRED),
    "design_cost": Takes(("scores", "runs", "qrels", "votes"), ("test",), _REQUIRED),
    "design_decide": Takes(("scores",), (), ("measures",)),
    "design_review": Takes(("scores", "pilot"), ("test",), _REQUIRED),
    "design_rounds": Takes(("scores",), ("test",), _REQUIRED),
    "design_simulate": Takes(("scores",), ("test",), _REQUIRED),
    "fuse": Takes(("runs",)),
    "gains": Takes(("votes",), ("scheme", "p", "max_level")),
    "pool": Takes(("runs", "qrels"), ("depth",)),
    "report": Takes((), ("measures", *_COMPARING)),
    "retrieve": Takes(("topics",)),
    "retrieve_all": Takes(("topics",)),
    "score": Takes(("runs", "qrels", "votes"), ("measures", "scheme", "p", "max_level")),
    "standardisation": Takes(("scores",)),
    "standardise": Takes(("scores",)),
    "tau": Takes(("scores", "other"), ("seed",)),
    "unanimity": Takes(("votes", "runs", "qrels"), ("measures", "p", "max_level")),
    "variance": Takes(("scores",), ("seed",)),
}
"""A verb that takes something of a task is added here, and its function has ``takes_task``."""
ALWAYS = {"report"}
"""Verbs that take a task folder and have no such options: all settings are recorded, as they are."""


# The settings that act, with what is given beside them.


def settings_for(
    verb: str, settings: TaskSettings, given: Arguments = MappingProxyType({}), *, whole: bool = False
) -> dict[str, Any]:  # Any: JSON values
    """The options that the settings give a verb: those that are not given, and that act with what is.

    An option that would be refused if it was typed is left out; ``whole`` is for work on the task itself.

    >>> from kaiwa.task.folder import TaskSettings
    >>> settings = TaskSettings(scheme="unanimity", trials=300)
    >>> settings_for("gains", settings), settings_for("gains", settings, {"scheme": "mean"})
    ({'scheme': 'unanimity', 'p': 0.2, 'max_level': 2}, {'max_level': 2})
    >>> settings_for("compare", settings, {"test": "tukey"})
    {'alpha': 0.05, 'seed': 1}
    """
    takes, said = VERBS.get(verb, _NOTHING), _said(given)
    left_out = set() if verb in ALWAYS else _idle(verb, settings, said)
    names = (*takes.settings, *(takes.whole if whole else ()))
    return {name: getattr(settings, name) for name in names if name not in said and name not in left_out}


def defaults_of(
    verb: str, task: Task, given: Arguments = MappingProxyType({}), *, whole: bool = False
) -> dict[str, Any]:  # Any: JSON values
    """The options that a task gives a verb: its settings, and of its own gains the highest possible one."""
    found = settings_for(verb, task.settings, given, whole=whole)
    if verb == "score" and whole and not {"qrels", "votes", "intents", "levels", "max_gain"} & _said(given).keys():
        highest = highest_gain(task)
        return found if highest is None else {**found, "max_gain": highest}
    return found


def _said(given: Arguments) -> dict[str, Any]:  # Any: as above
    """The arguments without those that are what they are when nothing is given."""
    return {name: value for name, value in given.items() if not _is_nothing(value)}


def _is_nothing(value: object) -> bool:
    return value is None or value is False or (isinstance(value, list | tuple) and not value)


def _idle(verb: str, settings: TaskSettings, said: Arguments) -> set[str]:
    """The settings that cannot act with what is given."""
    if verb == "compare":
        return _idle_in_comparison(settings, said)
    if verb.startswith("design"):
        return _idle_in_design(verb, settings, said)
    if verb == "score" and "votes" not in said:
        return {"scheme", "p", "max_level"}
    if verb in {"gains", "score"} and said.get("scheme", settings.scheme) != "unanimity":
        return {"p"}
    if verb == "unanimity" and "qrels" in said:
        return {"max_level"}
    return {"depth"} if verb == "pool" and "sheet" in said else set()


def _idle_in_comparison(settings: TaskSettings, said: Arguments) -> set[str]:
    """The setting ``test`` is for all pairs under one measure each; some tests draw no trials, or have no verdict."""
    from kaiwa.comparison.allpairs import CROSSED, WITHOUT_TRIALS

    idle = set() if settings.margin else {"margin"}
    if "baseline" in said:
        idle |= {"test", "trials"}
    elif "family" in said:
        idle |= {"test"}
    test = said.get("test", "" if "test" in idle else settings.test)
    if test in WITHOUT_TRIALS:
        idle |= {"trials"}
    if test in {"t", CROSSED}:
        idle |= {"seed"}
    return idle | ({"margin"} if test == CROSSED else set())


def _idle_in_design(verb: str, settings: TaskSettings, said: Arguments) -> set[str]:
    """A number as variance and the published method ask for the test of the papers; what is to be found stays open."""
    if "variance" in said:
        return {"test"} if verb == "design_review" else {"test", *_REQUIRED}
    idle = set() if "measures" in settings.stated else {"measures"}
    if said.get("method") == "sakai" and verb != "design_simulate":
        idle |= {"test"}
    if "topics" in said and "solve" not in said:
        idle |= {"power"}
    return idle | {said.get("solve", "")}


def highest_gain(task: Task) -> float | None:
    """The highest possible gain: as recorded with the gains, or of a scheme that does not depend on how many vote."""
    from kaiwa.task.record import read_steps

    settings = task.settings
    made, wanted = read_steps(task.folder).get(task.qrels.name), settings_for("gains", settings)
    if made and "max_gain" in made.options and all(made.options.get(name) == value for name, value in wanted.items()):
        return float(made.options["max_gain"])
    if settings.scheme in {"mean", "levels", "majority", "median"}:
        return float(2**settings.max_level - 1)
    return None


# The files that a task folder stands for.


def takes_task(function: Callable[P, R]) -> Callable[P, R]:
    """The public function of a verb, which also works on a task folder, with its settings.

    An argument that is given wins. The result names the settings that were taken, so that the call can be repeated
    without the folder.
    """
    verb, parameters = function.__name__, signature(function).parameters
    called: Callable[..., R] = function

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        given = {**dict(zip(parameters, args, strict=False)), **kwargs}
        if not any(task_folders(given.get(name)) for name in VERBS[verb].nouns):
            return function(*args, **kwargs)
        task = whole_task(verb, given)
        filled = with_files(verb, given)
        if task is None:
            return called(**filled)
        found = defaults_of(verb, task, given, whole=True)
        taken = {name: value for name, value in found.items() if value != parameters[name].default}
        return called(**{**filled, **taken}).with_settings(taken)

    return call


def task_folders(given: object) -> list[Path]:
    """The task folders among what is given, one thing or a list."""
    listed = given if isinstance(given, list | tuple) else [given]
    return [Path(one) for one in listed if isinstance(one, str | os.PathLike) and _is_task(one)]


def _is_task(path: str | os.PathLike[str]) -> bool:
    try:
        return bool(os.fspath(path)) and (Path(path) / CONFIG).is_file()
    except OSError:  # a text that cannot be a path
        return False


def whole_task(verb: str, given: Arguments) -> Task | None:
    """The task on which a verb works as a whole: the first argument that is one task folder and nothing else."""
    for name in VERBS.get(verb, _NOTHING).nouns:
        value = given.get(name)
        if (folders := task_folders(value)) and len(folders) == (len(value) if isinstance(value, list | tuple) else 1):
            return read_task(folders[0]) if len(folders) == 1 else None
    return None


def with_files(verb: str, given: Arguments) -> dict[str, Any]:  # Any: as above
    """The arguments, with the files of a task in place of its folder, and what else of the task the verb works with."""
    filled = dict(given)
    if verb == "pool" and given.get("sheet") is not None:
        return filled  # it takes the folder itself
    for name in VERBS.get(verb, _NOTHING).nouns:
        if task_folders(value := given.get(name)):
            noun = "runs" if (verb, name) == ("compare", "scores") and given.get("qrels") is not None else name
            if isinstance(value, list | tuple):
                filled[name] = [file for one in value for file in _of_folder(noun, one)]
            else:
                files = _of_folder(noun, value)
                filled[name] = files if noun == "runs" else files[0]
    if task := whole_task(verb, given):
        for name, own in _beside(verb, task, filled).items():
            if name == "takedown" or _is_nothing(filled.get(name)):
                filled[name] = own
    return filled


def _of_folder(noun: str, one: Any) -> list[Any]:  # Any: as above
    """The files of a task folder; anything else is itself."""
    return _files(noun, one) if task_folders(one) else [one]


def _files(noun: str, folder: str | os.PathLike[str]) -> list[Path]:
    """The files of a task that are its runs, votes, judgements, scores or topics; an error if there are none yet."""
    task = read_task(Path(folder))
    noun = "scores" if noun in {"other", "pilot"} else noun
    if noun == "runs":
        found, place = task.runs, task.folder / "runs"
    else:
        place = getattr(task, noun)
        found = [place] if place.is_file() else []
    if not found:
        raise InputError.at(place, f"no {noun} yet", "see: kaiwa status")
    return found


def _beside(verb: str, task: Task, given: Arguments) -> dict[str, Any]:  # Any: as above
    """What a verb on the whole task works with beside its runs or votes, if it is not given."""
    from kaiwa.formats.takedown import given_ids
    from kaiwa.task.comment_texts import is_repository, takedown_ids

    said = _said(given)
    if verb == "score":
        return {} if {"qrels", "votes", "intents"} & said.keys() else {"qrels": _files("qrels", task.folder)[0]}
    if verb == "unanimity":
        runs = {} if said.get("runs") else {"runs": _files("runs", task.folder)}
        return runs if {"votes", "qrels"} & said.keys() else {**runs, "votes": _files("votes", task.folder)[0]}
    if verb == "gains":
        return {"task": task.folder} if said.get("without") else {}
    if verb not in {"check", "pool"}:
        return {}
    hidden = {"takedown": takedown_ids(task, given_ids(given.get("takedown")))}
    if verb == "pool":
        return hidden
    topics = {"topics": task.topics} if task.topics.is_file() else {}
    return {**hidden, **topics, **({"repository": task.repository} if is_repository(task.repository) else {})}
