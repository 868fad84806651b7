"""A digest of the rows of a table, whatever its files are, so that two repositories can be compared."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_POLYNOMIAL = 0xEDB88320


@dataclass(frozen=True)
class LinesDigest:
    r"""The CRC-32 of a table as lines of cells between tabs; the digests of its parts add up to that of the table.

    >>> import pyarrow as pa
    >>> whole = LinesDigest().with_lines(pa.array(["c1", "c2"]), pa.array(["nice", "cool"]))
    >>> whole == LinesDigest().with_lines(pa.array(["c1"]), pa.array(["nice"])) + LinesDigest(
    ... ).with_lines(pa.array(["c2"]), pa.array(["cool"]))
    True
    >>> whole.crc32 == zlib.crc32(b"c1\tnice\nc2\tcool\n")
    True
    """

    lines: int = 0
    bytes: int = 0
    crc32: int = 0

    def with_lines(self, first: Any, second: Any) -> LinesDigest:  # Any: Arrow arrays of text
        """The digest with these lines added, given as columns."""
        with needs_extra("parquet"):
            import pyarrow as pa
            import pyarrow.compute as pc

        if not len(first):
            return self
        one, other = (column.cast(pa.large_string()) for column in (first, second))
        nothing, tab, end = (pa.scalar(text, pa.large_string()) for text in ("", "\t", "\n"))
        joined = pc.binary_join_element_wise(one, pc.binary_join_element_wise(other, nothing, end), tab)
        starts = pa.Array.from_buffers(pa.int64(), len(joined) + 1, [None, joined.buffers()[1]], offset=joined.offset)
        data = joined.buffers()[2].slice(starts[0].as_py(), starts[-1].as_py() - starts[0].as_py())
        return LinesDigest(self.lines + len(first), self.bytes + data.size, zlib.crc32(data, self.crc32))

    def __add__(self, other: LinesDigest) -> LinesDigest:
        shifted = _multiplied(_power_of_x(8 * other.bytes), self.crc32)
        return LinesDigest(self.lines + other.lines, self.bytes + other.bytes, shifted ^ other.crc32)


def _multiplied(one: int, other: int) -> int:
    """The product of two polynomials over GF(2) modulo that of CRC-32, the highest power in the lowest bit."""
    product = 0
    for bit in range(31, -1, -1):
        if one >> bit & 1:
            product ^= other
        other = other >> 1 ^ (_POLYNOMIAL if other & 1 else 0)
    return product


def _power_of_x(exponent: int) -> int:
    power, square = 1 << 31, 1 << 30
    while exponent:
        if exponent & 1:
            power = _multiplied(power, square)
        square = _multiplied(square, square)
        exponent >>= 1
    return power


# Checksums of our own files, by which damage is found when they are opened or read.


_BLOCK_BYTES = 1 << 20


def file_checksum(path: Path) -> int:
    """The CRC-32 of a file; a gibibyte takes about half a second."""
    total = 0
    with path.open("rb") as source:
        while block := source.read(_BLOCK_BYTES):
            total = zlib.crc32(block, total)
    return total


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def short_digest(data: bytes) -> str:
    """The first 16 digits of a SHA-256, enough to tell two files from each other."""
    return hashlib.sha256(data).hexdigest()[:16]


def seal_of(manifest: Mapping[str, Any]) -> int:  # Any: JSON values
    """The checksum of a manifest (its field ``seal``), computed without that field."""
    rest = {key: value for key, value in manifest.items() if key != "seal"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())
