"""Files that are either whole or absent: written to a temporary name beside the target, then renamed."""

from __future__ import annotations

import gzip
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path that becomes ``path`` when the block ends well, and vanishes when it does not."""
    import tempfile

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as fault:
        raise InputError.at(path, f"cannot be written ({fault.strerror})", "check the folder") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, packed when the name ends in .gz or .zst."""
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    elif path.suffix == ".zst":
        import zstandard

        data = zstandard.ZstdCompressor().compress(data)
    with whole_file(path) as temporary:
        temporary.write_bytes(data)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write each text under its name in the folder, which is made; what else stands there stays."""
    for name, text in texts.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise InputError.at(path.parent, f"cannot be made ({fault.strerror})", "give another folder") from None
        write_text(path, text)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
