"""The defaults of a verb from the settings of the task folder in which it works."""

from __future__ import annotations

import os.path
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.shell.output import remark
from kaiwa.task.folder_search import CONFIG, task_folder_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_FOLDER = "kaiwa.task_folder"


def take_task_defaults(command: click.Command) -> None:
    """Make the command take its defaults from the ``kaiwa.toml`` of the task folder in which it works."""
    make = command.make_context

    def make_context(
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # Any: click's own
    ) -> click.Context:
        asked = {"-h", "--help"}.isdisjoint(args) and not (parent and parent.resilient_parsing)
        folder = task_folder_in(args) if asked else None
        if folder and info_name:
            extra["default_map"] = _defaults(folder, info_name, args)
        context = make(info_name, args, parent, **extra)
        context.meta[_FOLDER] = folder
        return context

    command.make_context = make_context  # type: ignore[method-assign]  # every verb, whatever its class


def task_folder_in(words: Sequence[str]) -> Path | None:
    """The task folder that a command works in: that of its output, of the first file it names, or the current one."""
    outputs = [after for word, after in pairwise(words) if word in {"-o", "--output"}]
    paths = [*outputs, *(word for word in words if not word.startswith("-")), "."]
    return next((folder for word in paths if (folder := task_folder_of(Path(word)))), None)


def task_folder() -> Path | None:
    """The task folder that the running command works in."""
    folder: Path | None = click.get_current_context().meta.get(_FOLDER)
    return folder


def listed_ids(given: Path | None) -> frozenset[str]:
    """The ids of the takedown list that was given, and of those of the task folder in which the command works."""
    from kaiwa.formats.collection.takedown import given_ids
    from kaiwa.task.comment_texts import listed_in_task
    from kaiwa.task.task_folder import read_task

    folder = task_folder()
    return given_ids(given) | (listed_in_task(read_task(folder)) if folder else frozenset())


def takedown_of_task(given: Path | None) -> frozenset[str]:
    """The listed ids, and those that follow from them in the repository or index of the task."""
    from kaiwa.task.comment_texts import takedown_ids
    from kaiwa.task.task_folder import read_task

    folder, listed = task_folder(), listed_ids(given)
    return takedown_ids(read_task(folder), listed) if folder else listed


def _defaults(folder: Path, verb: str, words: Sequence[str]) -> dict[str, Any]:  # Any: values of the options
    from kaiwa.task.round_steps import settings_for
    from kaiwa.task.task_folder import read_task

    given = settings_for(verb, read_task(folder).settings)
    from_votes = verb != "score" or any(word.startswith("--votes") for word in words)
    return given if from_votes else {name: given[name] for name in given if name not in {"scheme", "p"}}


def _unusual(name: str, value: object) -> bool:
    """Whether a value is not the one that settings have by default, as the verbs do."""
    from kaiwa.task.settings import TaskSettings

    return str(value) != str(getattr(TaskSettings(), name))


def tell_task_defaults() -> None:
    """A remark on the options that come from ``kaiwa.toml`` and are not the usual ones."""
    context = click.get_current_context()
    folder = task_folder()
    taken = {
        option.opts[-1]: context.params[option.name]
        for option in context.command.params
        if option.name and context.get_parameter_source(option.name) is ParameterSource.DEFAULT_MAP
        if _unusual(option.name, context.params[option.name])
    }
    if folder is not None and taken:
        from kaiwa.task.step_record import option_text

        shown = ", ".join(f"{name} {option_text(value)}" for name, value in taken.items())
        remark(f"from {os.path.relpath(folder / CONFIG)}: {shown}")
