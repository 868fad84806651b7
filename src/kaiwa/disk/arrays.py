"""Arrays on disk: temporary ones that are read back by place, and ``.npy`` files written from front to end."""

from __future__ import annotations

from errno import EIO
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    Values = NDArray[Any]  # Any: of whatever kind


class TemporaryArray:
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
        """The values from one place to another, all of them if no place is given."""
        values: Values = np.empty((self._size if high is None else high) - low, dtype=self.kind)
        self.read_into(values, low)
        return values

    def read_into(self, values: Values, low: int) -> None:
        """Fill an array with the values from a place on."""
        self._file.seek(low * self.kind.itemsize)
        if self._file.readinto(values.data.cast("B")) != values.nbytes:
            raise OSError(EIO, "a temporary file cannot be read back")

    def close(self) -> None:
        """Close the file, which deletes it."""
        self._file.close()


class GrowingArray:
    """An array on disk whose length is known at the end; memory holds none of it."""

    def __init__(self, file: BinaryIO, kind: Any) -> None:  # Any: a dtype
        self._file, self._kind, self._size = file, np.dtype(kind), 0
        self._write_header()
        self._begin = file.tell()

    def add(self, values: Values) -> None:  # Any: of a kind that fits
        """Append values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._kind).data)
        self._size += len(values)

    def finish(self) -> None:
        """Write the length of the array into the header, where numpy leaves room for it."""
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._begin:
            raise RuntimeError("numpy left no room in the header of an array")

    def _write_header(self) -> None:
        header = {"descr": np.lib.format.dtype_to_descr(self._kind), "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._file, header)
