"""Arrays on disk: temporary arrays, read by position, and ``.npy`` files, written from start to end."""

from __future__ import annotations

from errno import EIO
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    Values = NDArray[Any]  # Any: any dtype


class TemporaryArray:
    """A temporary file of values of one dtype: they are appended, then read by position."""

    def __init__(self, folder: Path, dtype: Any) -> None:  # Any: a dtype
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  closed by close()
        self.dtype = np.dtype(dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, values: Values) -> None:
        """Append values; not allowed after the first read."""
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype).data)
        self._size += len(values)

    def read(self, low: int = 0, high: int | None = None) -> Values:
        """The values ``low:high``, by default all."""
        values: Values = np.empty((self._size if high is None else high) - low, dtype=self.dtype)
        self.read_into(values, low)
        return values

    def read_into(self, values: Values, low: int) -> None:
        """Fill an array with the values from ``low`` on."""
        self._file.seek(low * self.dtype.itemsize)
        if self._file.readinto(values.data.cast("B")) != values.nbytes:
            raise OSError(EIO, "a temporary file cannot be read back")

    def close(self) -> None:
        """Close the file, which deletes it."""
        self._file.close()


class GrowingArray:
    """An array on disk to which values are appended; nothing stays in memory."""

    def __init__(self, file: BinaryIO, dtype: Any) -> None:  # Any: a dtype
        self._file, self._dtype, self._size = file, np.dtype(dtype), 0
        self._write_header()
        self._begin = file.tell()

    def add(self, values: Values) -> None:
        """Append values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._size += len(values)

    def finish(self) -> None:
        """Write the length of the array into the header, in which numpy leaves space for it."""
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._begin:
            raise RuntimeError("no space for the length in the header of a .npy file")

    def _write_header(self) -> None:
        header = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._file, header)
