"""Compiled loops: numba, with its cache where the system lets it keep one.

Numba renews a cached function when its own file changes, but not when a function it calls or a constant it takes
does, so the cache's folder is named after the text of all files beside the kernels: a change finds no old machine code.
"""

from __future__ import annotations

import os
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
    """The function compiled to machine code; kept on disk unless no folder can be written."""
    settings: Any = numba.config  # Any: its settings are not declared
    usual = settings.CACHE_DIR
    settings.CACHE_DIR = usual or _cache_folder()
    try:
        compiled: F = numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # numba found no folder for its cache: compile anew in every process
        compiled = numba.njit(function, nogil=True)
    finally:
        settings.CACHE_DIR = usual
    return compiled


@cache
def _cache_folder() -> str:
    """The folder beside this file, if it can be written; otherwise numba looks for one of the user's."""
    here = Path(__file__).parent
    sources = [*here.glob("*.py"), *(here.parent / "retrieve").rglob("*.py")]
    text = b"".join(source.read_bytes() for source in sorted(sources))
    folder = here / "__pycache__" / f"kernels-{blake2b(text, digest_size=8).hexdigest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""
