"""Checksums of our own files, by which damage is found when they are opened or read."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_BLOCK_BYTES = 1 << 20


def file_checksum(path: Path) -> int:
    """The CRC-32 of a file; a gibibyte takes about half a second."""
    total = 0
    with path.open("rb") as source:
        while block := source.read(_BLOCK_BYTES):
            total = zlib.crc32(block, total)
    return total


def seal_of(manifest: Mapping[str, Any]) -> int:  # Any: JSON values
    """The checksum of a manifest (its field ``seal``), computed without that field."""
    rest = {key: value for key, value in manifest.items() if key != "seal"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())
