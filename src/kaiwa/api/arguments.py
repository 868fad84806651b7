"""What a caller gives: paths, names, seeds. A wrong one is an error that names the argument."""

from __future__ import annotations

from operator import index as whole
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kaiwa.errors import InputError, UnknownName, option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")


def one_of(kind: str, value: str, known: Sequence[str]) -> None:
    """Refuse an unknown value."""
    if value not in known:
        raise UnknownName.among(kind, value, known)


def name_list(argument: str, names: str | Sequence[str]) -> list[str]:
    """The names; a text is one name.

    >>> name_list("measures", "nG@1"), name_list("measures", ("nG@1", "P+"))
    (['nG@1'], ['nG@1', 'P+'])
    """
    return [names] if isinstance(names, str) else _listed(argument, names, "names")


def path_list(argument: str, paths: Path | str | Sequence[Path | str]) -> list[Path]:
    """The paths; a text is one path."""
    listed = [paths] if isinstance(paths, Path | str) else _listed(argument, paths, "files or folders")
    return [path_of(argument, path) for path in listed]


def _listed(argument: str, given: Iterable[T], what: str) -> list[T]:
    try:
        return list(given)
    except TypeError:
        raise InputError(f"{option(argument, python=repr(given))} is not a list; give {what}") from None


def path_of(argument: str, path: object) -> Path:
    """The path; an empty text is none.

    >>> path_of("index", None)
    Traceback (most recent call last):
    kaiwa.errors.InputError: index=None is not a path; give a file or folder
    """
    if not isinstance(path, Path | str) or not str(path):
        raise InputError(f"{option(argument, python=repr(path))} is not a path; give a file or folder")
    return Path(path)


def maybe_path(argument: str, path: object) -> Path | None:
    """The path, if one is given."""
    return None if path is None else path_of(argument, path)


def seed_of(seed: int) -> int:
    """The seed: a whole number from 0.

    >>> seed_of(-1)
    Traceback (most recent call last):
    kaiwa.errors.InputError: seed=-1 is not a whole number from 0; give one, such as seed=1
    """
    try:
        if (number := whole(seed)) >= 0:
            return number
    except TypeError:
        pass
    shown = option("seed", python=repr(seed))
    raise InputError(f"{shown} is not a whole number from 0; give one, such as {option('seed', '1')}")
