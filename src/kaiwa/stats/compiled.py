"""Compiled loops: numba, cached on disk if a folder is writable.

Numba compiles a cached function again when its own file changes, but not when a function or a constant that it uses
changes. The name of the cache folder is therefore a hash of all files beside the kernels, so that old machine code
is never used after a change.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import needs_extra

with needs_extra("search"):
    import numba

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., object]")


def kernel(function: F) -> F:
    """The function compiled to machine code, cached on disk if a folder is writable."""
    settings: Any = numba.config  # Any: its settings are not declared
    usual = settings.CACHE_DIR
    settings.CACHE_DIR = usual or _cache_folder()
    try:
        compiled: F = numba.njit(function, cache=True, nogil=True)
        _compile_again_if_damaged(compiled)
    except RuntimeError:  # numba found no folder for its cache: compile in every process
        compiled = numba.njit(function, nogil=True)
    finally:
        settings.CACHE_DIR = usual
    return compiled


def _compile_again_if_damaged(compiled: Any) -> None:  # Any: numba's dispatcher, untyped
    """Make a kernel whose cache cannot be read delete it, so that the kernel is compiled again."""
    stored = compiled._cache  # noqa: SLF001  numba has no public way to its cache
    load = stored.load_overload

    def loaded(*arguments: object) -> object:
        try:
            return load(*arguments)
        except Exception:  # noqa: BLE001  a damaged pickle raises any error
            with suppress(OSError):
                stored.flush()
            return None

    stored.load_overload = loaded


@cache
def _cache_folder() -> str:
    """The folder beside this file, if it is writable; otherwise empty, and numba takes one of the user's."""
    here = Path(__file__).parent
    sources = [*here.glob("*.py"), *(here.parent / "retrieve").rglob("*.py")]
    text = b"".join(source.read_bytes() for source in sorted(sources))
    folder = here / "__pycache__" / f"kernels-{blake2b(text, digest_size=8).hexdigest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""
