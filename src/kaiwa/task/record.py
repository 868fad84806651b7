"""What made each file of a task folder: verb, version, options, and the hashes of inputs and outputs."""

from __future__ import annotations

import json
import os.path
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.files.atomic import locked, write_text
from kaiwa.files.inputs import digest, seal_of
from kaiwa.formats.text_files import read_text
from kaiwa.task.folder import CONFIG, read_task, task_folder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


RECORD = ".kaiwa-steps.json"


@dataclass(frozen=True)
class Step:
    """How a file was made: the verb, Kaiwa's version, its options by name, and the hash of each input by its path.

    ``outputs`` are the hashes of what the verb wrote with it, the file among them; of a folder, of its mark. They tell
    whether all of it got its name: a kill between two renames leaves some old and some new. Paths are relative to the
    task folder, also those of files outside it.
    """

    verb: str
    version: str
    options: dict[str, Any]  # Any: JSON values
    inputs: dict[str, str]
    outputs: dict[str, str] = field(default_factory=dict)

    def described(self) -> str:
        """The options as a reader of the report sees them.

        >>> Step("gains", "1.0", {"scheme": "unanimity", "p": 0.2, "levels": None}, {}).described()
        'scheme unanimity, p 0.2'
        """
        given = {name: value for name, value in self.options.items() if value not in (None, False, [])}
        words = (f"{name.replace('_', ' ')} {option_text(value)}" for name, value in given.items())
        return ", ".join(word.removesuffix(" yes") for word in words)


def option_text(value: object) -> str:
    """An option's value in words.

    >>> option_text(["nG@1", "P+"]), option_text(True), option_text(0.05), option_text(None)
    ('nG@1 P+', 'yes', '0.05', 'none')
    """
    if isinstance(value, list | tuple):
        return " ".join(map(option_text, value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def read_steps(folder: Path) -> dict[str, Step]:
    """The recorded steps of a task folder, by the name of the file each made."""
    path = folder / RECORD
    if not path.exists():
        return {}
    try:
        return {name: _step(path, name, step) for name, step in json.loads(read_text(path)).items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError.at(path, "is not a record of steps", "remove it; the steps will be recorded again") from None


def _step(path: Path, name: str, written: dict[str, Any]) -> Step:  # Any: JSON values
    """The step of a record; one that was written before options were recorded has a seed instead."""
    if written.get("seal", seal := _seal(name, written)) != seal:
        raise InputError.at(path, f"the record of {name} is damaged", "remove it; the steps will be recorded again")
    written.pop("seal", None)
    seed = written.pop("seed", None)
    options = written.pop("options", {} if seed is None else {"seed": seed})
    return Step(**written, options=dict(options.items()))


def _seal(name: str, step: Mapping[str, Any]) -> int:  # Any: JSON values
    """The checksum of a step and of the name of its file."""
    return seal_of({**step, "file": name})


@contextmanager
def recorded_step(
    output: Path,
    inputs: Iterable[Path],
    *,
    verb: str,
    version: str,
    options: Mapping[str, Any],  # Any: JSON values
    outputs: Mapping[Path, Path] = MappingProxyType({}),
) -> Iterator[None]:
    """Record in the task folder how a file was made; nothing is recorded outside a task folder.

    ``outputs`` are all files that were made, each with the file that has its bytes before it has its name. No other
    process records a step of the folder before the block ends.
    """
    folder = task_folder_of(output)
    if folder is None:
        yield
        return
    parts = [part for path in inputs for part in (_sources(path) if path.is_dir() else [path])]
    hashes = {path_in(folder, path): digest(path) for path in parts if path.is_file()}
    written = {path_in(folder, path): digest(source) for path, source in outputs.items()}
    made = {path_in(folder, output): Step(verb, version, dict(options), hashes, written)}
    with locked(folder):  # another verb may record a step of this folder at the same time
        steps = read_steps(folder) | made
        fields = {name: asdict(step) for name, step in sorted(steps.items())}
        sealed = {name: {**step, "seal": _seal(name, step)} for name, step in fields.items()}
        text = json.dumps(sealed, indent=1, ensure_ascii=False)
        write_text(folder / RECORD, text + "\n")
        yield


def unlike_record(folder: Path, step: Step, *, besides: str = "") -> str:
    """The first output that is missing, or not what the verb of its record wrote; "" if there is none.

    So it is after a kill between two renames, and after a change by hand; the file ``besides`` may be changed.
    """
    for name in sorted(step.outputs.keys() - {besides}):
        if not (folder / name).is_file():
            return f"{name} is missing"
        if digest(folder / name) != step.outputs[name]:
            return f"{name} is not what kaiwa {step.verb} wrote"
    return ""


def path_in(folder: Path, path: Path) -> str:
    """The path as seen from the task folder, so that it can be found again from any place: ``../runs/a.txt``."""
    return os.path.relpath(path.resolve(), folder.resolve())


def _sources(folder: Path) -> list[Path]:
    """What a verb that takes a whole task folder reads from it."""
    return read_task(folder).sources if (folder / CONFIG).is_file() else []
