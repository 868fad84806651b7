"""The JSON members of a zip file, also those compressed with zstd, which Python's zipfile reads from 3.14 on only.

A damaged archive is one clear error. An archive whose members, those that are read together, decompress to far more
than its size is refused, so that memory stays bounded.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any, cast

from kaiwa.disk.input_files import input_size
from kaiwa.disk.zstd import ZstdError, ZstdFile
from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import BOMB_FLOOR_BYTES, BOMB_RATIO, open_binary

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 1 << 30
_ZSTD = 93
_LOCAL_HEADER = struct.Struct("<26xHH")
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    ZstdError,
    EOFError,
    struct.error,
    ValueError,
    NotImplementedError,
    RuntimeError,
    RecursionError,
    OverflowError,
)
"""What reading a damaged archive raises."""


class ZipMembers:
    """The members of a zip file by name; of two with the same name the last counts."""

    def __init__(self, path: Path) -> None:
        self._path, self._unpacked = path, 0
        try:
            with open_binary(path) as stream, zipfile.ZipFile(cast("IO[bytes]", stream)) as archive:  # seekable: no .gz
                self._members = {member.filename: member for member in archive.infolist()}
        except _DAMAGE as fault:
            raise self._damaged(fault) from None

    @property
    def names(self) -> list[str]:
        """The names of the members."""
        return list(self._members)

    def json(self, name: str) -> Any:  # Any: JSON values
        """The JSON value of a member."""
        try:
            return json.loads(self._read(self._members[name]))
        except _DAMAGE as fault:
            raise self._damaged(f"{name}: {fault}") from None

    def _read(self, member: zipfile.ZipInfo) -> bytes:
        limit = min(MAX_BYTES, max(BOMB_FLOOR_BYTES, BOMB_RATIO * input_size(self._path))) - self._unpacked
        data = _decompressed(self._packed(member), member.compress_type, limit + 1)
        self._unpacked += len(data)
        if len(data) > limit:
            what = f"with {member.filename!r} decompresses to over {BOMB_RATIO} times its size, or to over 1 GiB"
            raise InputError.at(self._path, what, "check its content")
        if zlib.crc32(data) != member.CRC:
            raise zipfile.BadZipFile("its checksum is wrong")
        return data

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        """The bytes of a member as they are in the file, behind its header."""
        size = input_size(self._path)
        with open_binary(self._path) as stream:
            stream.seek(member.header_offset)
            name, extra = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
            stream.seek(name + extra, io.SEEK_CUR)
            return stream.read(min(member.compress_size, size, MAX_BYTES))

    def _damaged(self, fault: object) -> InputError:
        shown = " ".join(f"{fault}".split())[:200]
        return InputError.at(self._path, f"is not a complete zip file of JSON ({shown})", "give the original log")


def _decompressed(packed: bytes, method: int, size: int) -> bytes:
    """At most ``size`` bytes of what is packed."""
    if method == zipfile.ZIP_STORED:
        return packed[:size]
    if method == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size)
    if method == _ZSTD:
        return ZstdFile(io.BytesIO(packed)).read(size)
    raise NotImplementedError(f"compression method {method}")
