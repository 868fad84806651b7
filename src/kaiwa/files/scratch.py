"""Values set aside on disk while something is made from them; nothing of them is left afterwards, even after a kill."""

from __future__ import annotations

from errno import EIO
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Values = NDArray[Any]  # Any: of whatever kind


class Scratch:
    """A file without a name: values of one kind are appended, and read back by their places."""

    def __init__(self, folder: Path, kind: Any) -> None:  # Any: a dtype
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  closed when nobody needs it any more
        self.kind = np.dtype(kind)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, values: Values) -> None:
        """Append values; not after a first reading."""
        self._file.write(np.ascontiguousarray(values, dtype=self.kind).data)
        self._size += len(values)

    def read(self, low: int = 0, high: int | None = None) -> Values:
        """The values from one place to another, all of them if no place is said."""
        values: Values = np.empty((self._size if high is None else high) - low, dtype=self.kind)
        self.read_into(values, low)
        return values

    def read_into(self, values: Values, low: int) -> None:
        """Fill an array with the values from a place on."""
        self._file.seek(low * self.kind.itemsize)
        if self._file.readinto(values.data.cast("B")) != values.nbytes:
            raise OSError(EIO, "what was set aside cannot be read back")

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
