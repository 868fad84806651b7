"""What made each file of a task folder: verb, version, seed, and the hashes of its inputs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import read_text
from kaiwa.task.task_folder import CONFIG, read_task

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

RECORD = ".kaiwa-steps.json"
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Step:
    """How a file was made: the verb, Kaiwa's version, the seed, and each input's hash by its name."""

    verb: str
    version: str
    seed: int | None
    inputs: dict[str, str]


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def task_folder_of(path: Path) -> Path | None:
    """The task folder that holds a file, or None."""
    folder = path.resolve().parent
    return next((one for one in (folder, *folder.parents) if (one / CONFIG).is_file()), None)


def read_steps(folder: Path) -> dict[str, Step]:
    """The recorded steps of a task folder, by the name of the file each made."""
    path = folder / RECORD
    if not path.exists():
        return {}
    try:
        return {name: Step(**step) for name, step in json.loads(read_text(path)).items()}
    except (ValueError, TypeError, AttributeError):
        raise InputError.at(path, "is not a record of steps", "remove it; the steps will be recorded again") from None


def record_step(output: Path, inputs: Iterable[Path], *, verb: str, version: str, seed: int | None) -> None:
    """Record in the task folder how a file was made; nothing is recorded outside a task folder."""
    folder = task_folder_of(output)
    if folder is None:
        return
    parts = [part for path in inputs for part in (_sources(path) if path.is_dir() else [path])]
    hashes = {_name(path, folder): digest(path) for path in parts if path.is_file()}
    steps = read_steps(folder) | {_name(output, folder): Step(verb, version, seed, hashes)}
    text = json.dumps({name: asdict(step) for name, step in sorted(steps.items())}, indent=1, ensure_ascii=False)
    write_text(folder / RECORD, text + "\n")


def _sources(folder: Path) -> list[Path]:
    """What a verb that takes a whole task folder reads from it."""
    return read_task(folder).sources if (folder / CONFIG).is_file() else []


def _name(path: Path, folder: Path) -> str:
    resolved = path.resolve()
    return str(resolved.relative_to(folder)) if resolved.is_relative_to(folder) else str(path)
