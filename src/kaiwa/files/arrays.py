"""Arrays on disk that grow: ``.npy`` files written from front to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from typing import BinaryIO

    from numpy.typing import NDArray


class GrowingArray:
    """An array on disk whose length is known at the end; memory holds none of it."""

    def __init__(self, file: BinaryIO, kind: Any) -> None:  # Any: a dtype
        self._file, self._kind, self._size = file, np.dtype(kind), 0
        self._write_header()
        self._begin = file.tell()

    def add(self, values: NDArray[Any]) -> None:  # Any: of a kind that fits
        """Append values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._kind).data)
        self._size += len(values)

    def finish(self) -> None:
        """Say in the file how long the array has become; numpy leaves room for that in the header."""
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._begin:
            raise RuntimeError("numpy left no room in the header of an array")

    def _write_header(self) -> None:
        said = {"descr": np.lib.format.dtype_to_descr(self._kind), "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._file, said)
