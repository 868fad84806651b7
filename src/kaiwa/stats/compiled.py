"""Compiled loops: numba, cached on disk if a folder is writable.

Numba compiles a cached function again when its own file changes, but not when a function or a constant that it uses
changes. The name of the cache folder is therefore a hash of all files beside the kernels, so that old machine code
is never used after a change.

A flipped bit in machine code would give wrong numbers. Each file of the cache therefore ends with its checksum; a file
with another one is not used, and the kernel is compiled again.

Numba names the machine code of each function by a number that counts from 1 in every process, and the linker takes two
functions of one name for one function. Kernels that were compiled in two processes could so call each other's helpers:
one that sorts called one that only finds the order, and returned wrong numbers (numba issue 10486). Every function
therefore gets a random number.

The time of a source file, which numba compares too, changes when files are copied into a container image, so it is not
compared for these files. A folder that cannot be written, as in an image, is used as it is if it holds kernels; what it
lacks is compiled in every process.
"""

from __future__ import annotations

import os
import pickle
import secrets
import zlib
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


with needs_extra("search"):
    import numba


F = TypeVar("F", bound="Callable[..., object]")
_SEAL, _MARK = Struct("<4sI"), b"crc:"
"""The end of a file of the cache: a word, and the checksum of all before it."""


_ANY_ORDER = frozenset({"reassoc", "contract", "nsz"})
"""Sums in any order, and a product and a sum rounded once; NaN and infinity keep their meaning."""


def kernel(function: F) -> F:
    """The function compiled to machine code, cached on disk if a folder is writable."""
    return _compiled(function)


def sum_kernel(function: F) -> F:
    """As ``kernel``, but sums may be taken in any order, so that they use vector instructions.

    The last bits of such a sum depend on the processor, as those of a matrix product do. A division by 0 is infinite.
    """
    return _compiled(function, fastmath=set(_ANY_ORDER), error_model="numpy")


def kernel_part(function: F) -> F:
    """The function as a part of every kernel that calls it: a call would cost more than a short loop."""
    part: F = numba.njit(function, inline="always")
    return part


def _number_at_random() -> None:
    """Make numba number functions at random, also those of its own library; a forked process draws other numbers."""
    from numba.core.bytecode import FunctionIdentity

    functions: Any = FunctionIdentity  # Any: it declares a counter from 1
    functions._unique_ids = iter(partial(secrets.randbits, 64), None)  # noqa: SLF001  numba has no public way


_number_at_random()


def _compiled(function: F, **settings: Any) -> F:  # Any: as numba takes them
    try:
        with _our_cache():
            compiled: F = numba.njit(function, cache=True, nogil=True, **settings)
        _compile_again_if_damaged(compiled)
    except RuntimeError:  # numba found no folder for its cache: compile in every process
        compiled = numba.njit(function, nogil=True, **settings)
    return compiled


@contextmanager
def _our_cache() -> Iterator[None]:
    """Inside the block numba caches kernels in our folder, unless the user has set another one."""
    from numba.core import caching

    settings: Any = numba.config  # Any: its settings are not declared
    kinds: Any = caching.CacheImpl  # Any: it declares the ways to find a folder
    usual, locators = settings.CACHE_DIR, kinds._locator_classes  # noqa: SLF001  numba has no public way
    folder = _cache_folder()
    if folder and not usual:
        settings.CACHE_DIR, kinds._locator_classes = folder, [_own_locator(locators[0])]  # noqa: SLF001
    try:
        yield
    finally:
        settings.CACHE_DIR, kinds._locator_classes = usual, locators  # noqa: SLF001


def _own_locator(given: Any) -> type:  # Any: numba's class for a folder that is given
    """Numba's class, without its test that the folder is writable, and without the times of the files of the hash."""

    def stamp(self: Any) -> object:  # Any: an object of the class
        return "" if Path(self._py_file) in _sources() else given.get_source_stamp(self)

    return type("OwnLocator", (given,), {"ensure_cache_path": _make_folder, "get_source_stamp": stamp})


def _make_folder(locator: Any) -> None:  # Any: an object of numba
    with suppress(OSError):
        Path(locator.get_cache_path()).mkdir(parents=True, exist_ok=True)


def _compile_again_if_damaged(compiled: Any) -> None:  # Any: numba's dispatcher, untyped
    """Make a kernel whose cache is damaged delete it, so that the kernel is compiled again.

    Numba imports all that it can compile before it loads machine code; here it does so only before it compiles.
    """
    from numba.core.runtime.nrt import rtsys

    stored = compiled._cache  # noqa: SLF001  numba has no public way to its cache
    load, save = stored._load_overload, stored.save_overload  # noqa: SLF001
    _seal_files(stored._cache_file)  # noqa: SLF001

    def loaded(signature: object, target: object) -> object:
        rtsys.initialize(target)
        try:
            return load(signature, target)
        except Exception:  # noqa: BLE001  a damaged pickle raises any error
            with suppress(OSError):
                stored.flush()
            return None

    def saved(*arguments: object) -> None:
        with suppress(OSError):  # a folder that cannot be written
            save(*arguments)

    stored.load_overload, stored.save_overload = loaded, saved


def _seal_files(files: Any) -> None:  # Any: numba's files of one kernel: an index, and machine code by signature
    """Write a checksum at the end of each file, and compare it before the file is read."""
    dump, load_index, load_data = files._dump, files._load_index, files._load_data  # noqa: SLF001

    def sealed(content: object) -> bytes:
        data: bytes = dump(content)
        return data + _SEAL.pack(_MARK, zlib.crc32(data))

    def index() -> object:
        path = Path(files._index_path)  # noqa: SLF001
        if path.exists():
            head = len(pickle.dumps(files._version, protocol=-1))  # noqa: SLF001  numba's version, before the rest
            _refuse_damage(path.read_bytes()[head:])
        return load_index()

    def data(name: str) -> object:
        _refuse_damage(Path(files._data_path(name)).read_bytes())  # noqa: SLF001
        return load_data(name)

    files._dump, files._load_index, files._load_data = sealed, index, data  # noqa: SLF001


def _refuse_damage(data: bytes) -> None:
    """Raise an error unless the data end with their checksum; what was written without one is compiled again too."""
    end = len(data) - _SEAL.size
    if end < 0 or _SEAL.unpack(data[end:]) != (_MARK, zlib.crc32(data[:end])):
        raise ValueError("a damaged file of the kernel cache")


@cache
def _sources() -> frozenset[Path]:
    """The files whose content is in the name of the cache folder."""
    here = Path(__file__).parent
    beside = ((here.parent / name).rglob("*.py") for name in ("retrieve", "rank"))
    return frozenset((*here.glob("*.py"), *(path for folder in beside for path in folder)))


@cache
def _cache_folder() -> str:
    """The folder beside this file, if it is writable or has kernels; otherwise empty, and numba takes the user's."""
    text = b"".join(source.read_bytes() for source in sorted(_sources()))
    folder = Path(__file__).parent / "__pycache__" / f"kernels-{blake2b(text, digest_size=8).hexdigest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) or any(folder.iterdir()) else ""


# Matrix products in one thread, so that their sums do not depend on the number of cores.


@contextmanager
def one_matrix_thread() -> Iterator[None]:
    """The block in which numpy's matrix library has one thread, in the whole process.

    With several threads it adds in another order, so that the same seed gives other last bits; on the matrices of
    models and rankers they also take two to three times the CPU time.
    """
    with needs_extra("search"):
        from threadpoolctl import threadpool_limits
    with threadpool_limits(1, user_api="blas"):
        yield
