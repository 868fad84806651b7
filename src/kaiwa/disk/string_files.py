"""Strings in two files with names, written once and read by their places, also by other processes."""

from __future__ import annotations

import os
import struct
from contextlib import ExitStack
from secrets import token_hex
from typing import TYPE_CHECKING, Self

import numpy as np

from kaiwa.disk.strings import StringWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any, BinaryIO

    from numpy.typing import NDArray

_BOUNDS = struct.Struct("<qq")
_SUFFIXES = (".text", ".starts")


class _Appended:
    """A file to which the values of arrays are appended."""

    def __init__(self, file: BinaryIO, dtype: str) -> None:
        self._file, self._dtype = file, np.dtype(dtype)

    def add(self, values: NDArray[Any]) -> None:  # Any: any dtype
        """Append values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)


class StringFile:
    """Writes strings in a ``with`` block; the files have their names when it ends without an error."""

    def __init__(self, path: Path) -> None:
        self._path, self._stack = path, ExitStack()
        token = token_hex(4)  # two processes may write the same strings at the same time
        self._temporary = [path.with_name(f"{path.name}.{token}{suffix}") for suffix in _SUFFIXES]
        text, starts = (self._stack.enter_context(name.open("wb")) for name in self._temporary)
        self._strings = StringWriter(_Appended(text, "u1"), _Appended(starts, "<i8"))

    def add(self, strings: Sequence[str]) -> None:
        """Append the strings of the next places."""
        self._strings.add(strings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._stack.close()
        if kind is None:
            for name, suffix in zip(self._temporary, _SUFFIXES, strict=True):
                name.replace(self._path.with_name(f"{self._path.name}{suffix}"))


def strings_at(path: Path, places: Iterable[int]) -> list[str]:
    """The strings at these places of a string file."""
    with ExitStack() as stack:
        files = [path.with_name(f"{path.name}{suffix}") for suffix in _SUFFIXES]
        text, starts = (stack.enter_context(file.open("rb")).fileno() for file in files)
        bounds = (_BOUNDS.unpack(os.pread(starts, _BOUNDS.size, 8 * place)) for place in places)
        return [os.pread(text, high - low, low).decode() for low, high in bounds]
