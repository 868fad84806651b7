"""Atomic files: written to a temporary file in the same folder, then renamed."""

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
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary path that becomes ``path`` if the block ends without an error, and is deleted if not.

    A link is followed; a device or a pipe is written to, never replaced.
    """
    target = path.resolve() if path.is_symlink() and path.is_file() else path
    special = path.exists() and not path.is_file()
    if path.is_dir():
        raise InputError.at(path, "is a folder", "give the name of a file in it")
    temporary = _unused(target, in_temp=special)
    try:
        temporary.touch(mode=0o600, exist_ok=False)
        yield temporary
        if special:
            path.write_bytes(temporary.read_bytes())
        else:
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise InputError.at(path, f"cannot be written ({fault.strerror})", "check the path and the disk") from None
    finally:
        temporary.unlink(missing_ok=True)


def _unused(target: Path, *, in_temp: bool) -> Path:
    """A name for the temporary file, chosen before the file is made, so that a signal in between leaves no file."""
    import tempfile
    from secrets import token_hex

    if not in_temp and not target.parent.is_dir():
        what = f"cannot be written: no such folder {target.parent}"
        raise InputError.at(target, what, "make it first, or give another path")
    return Path(tempfile.gettempdir() if in_temp else target.parent, f".{target.name}.{token_hex(8)}")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, compressed if the name ends in .gz or .zst."""
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    elif path.suffix == ".zst":
        from kaiwa.disk.zstd import compress

        data = compress(data)
    with atomic_file(path) as temporary:
        temporary.write_bytes(data)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write each text to its file in the folder, which is made if missing; other files stay."""
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
