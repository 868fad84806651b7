"""Mutants outside functions, and of compiled functions: the child takes the values of the module, run again.

Such a child runs one mutant only, because values that other modules have taken cannot be given back.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from importlib.abc import MetaPathFinder, SourceLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numba

from benchmarks.mutation.mutants import mutated
from kaiwa.stats import resampling

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

    from benchmarks.mutation.mutants import Mutant

COMPILED = "kaiwa.stats.shuffle_kernel"


def forget_compiled() -> None:
    """As in a new process: the compiled module is not loaded."""
    sys.modules.pop(COMPILED, None)
    resampling._compiled_path.cache_clear()  # noqa: SLF001


def take_module(mutant: Mutant, folder: Path) -> None:
    """Make the mutant the module that the tests see: new values, or for the compiled module a new import."""
    if mutant.module == COMPILED:
        numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]  # the cache does not see a mutant
        forget_compiled()
        sys.meta_path.insert(0, _Finder(mutant))
        again = importlib.import_module(COMPILED)
        for test in [one for key, one in sys.modules.items() if key.startswith("tests")]:
            if hasattr(test, "sums_compiled"):
                test.sums_compiled = again.sums_compiled  # type: ignore[attr-defined]  # as the test imported it
        return
    old = vars(sys.modules[mutant.module])
    new: dict[str, Any] = {name: old[name] for name in ("__name__", "__file__", "__package__", "__spec__")}
    exec(compile(mutated(mutant), str(mutant.path), "exec"), new)  # noqa: S102  the package's own source
    for name in new.keys() & old.keys() - {"__builtins__"}:
        _take(name, old[name], new[name], mutant)


def _take(name: str, old: Any, new: Any, mutant: Mutant) -> None:  # Any: any value of a module
    if isinstance(old, FunctionType):
        if old.__module__ == mutant.module:
            old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
    elif isinstance(old, type):
        if old.__module__ == mutant.module:
            _take_attributes(old, new)
    elif not isinstance(old, ModuleType):
        for module in [one for key, one in sys.modules.items() if key.startswith(("kaiwa", "tests"))]:
            if vars(module).get(name) is old:
                setattr(module, name, new)


def _take_attributes(old: type, new: type) -> None:
    """The defaults of a dataclass, of its methods, and its other plain values."""
    for name, value in vars(new).items():
        mine = vars(old).get(name)
        if isinstance(value, FunctionType) and isinstance(mine, FunctionType):
            mine.__defaults__, mine.__kwdefaults__ = value.__defaults__, value.__kwdefaults__
        elif isinstance(value, int | float | str | tuple) and not name.startswith("__"):
            setattr(old, name, value)


class _Loader(SourceLoader):
    def __init__(self, path: Path, code: CodeType) -> None:
        self.path, self.code = path, code

    def get_filename(self, fullname: str) -> str:  # noqa: ARG002  the protocol's argument
        return str(self.path)

    def get_data(self, path: bytes | str) -> bytes:
        return Path(os.fsdecode(path)).read_bytes()

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  the protocol's argument
        return self.code


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  the protocol's argument
        target: ModuleType | None = None,  # noqa: ARG002  the protocol's argument
    ) -> ModuleSpec | None:
        if fullname != self.mutant.module:
            return None
        file = self.mutant.path
        loader = _Loader(file, compile(mutated(self.mutant), str(file), "exec"))
        return importlib.util.spec_from_file_location(fullname, file, loader=loader)
