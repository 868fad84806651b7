"""Compiled loops: where their machine code is kept, and what happens where nothing can be cached."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba

from kaiwa.stats import compiled
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    import pytest


def _twice(number: int) -> int:
    return 2 * number


def test_a_kernel_works_where_no_cache_folder_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba refuses to cache without a folder; the loop is then compiled for this process only."""
    njit = numba.njit

    def refusing(function: Any, *, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function '_twice': no locator available")
        return njit(function, **options)

    monkeypatch.setattr(numba, "njit", refusing)
    made: Any = kernel(_twice)  # Any: numba declares no type of a compiled function
    assert made(21) == 42
    assert made.targetoptions["nogil"]


def test_making_a_kernel_leaves_numbas_own_settings_alone() -> None:
    """The cache folder is ours only while our function is compiled."""
    before = numba.config.CACHE_DIR
    kernel(_twice)
    assert before == numba.config.CACHE_DIR


def _forget_files() -> None:
    """Look again which files there are."""
    compiled._cache_folder.cache_clear()
    compiled._sources.cache_clear()


def _cache_path(monkeypatch: pytest.MonkeyPatch, package: Path) -> str:
    """Where the machine code of a loop would be kept if the package were installed there."""
    monkeypatch.setattr(compiled, "__file__", str(package / "stats" / "compiled.py"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    _forget_files()
    made: Any = kernel(_twice)  # Any: as above
    _forget_files()
    assert made.targetoptions["nogil"]
    return str(made.stats.cache_path)


def test_machine_code_is_kept_beside_the_kernels_until_a_source_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One folder for the same files; another after a file of stats or of retrieve has changed."""
    search = tmp_path / "retrieve" / "search"
    search.mkdir(parents=True)
    first = _cache_path(monkeypatch, tmp_path)
    assert first.startswith(str(tmp_path / "stats" / "__pycache__" / "kernels-"))
    assert _cache_path(monkeypatch, tmp_path) == first
    (search / "topk.py").write_text("K = 10", encoding="utf-8")
    second = _cache_path(monkeypatch, tmp_path)
    (tmp_path / "stats" / "random_words.py").write_text("BITS = 48", encoding="utf-8")
    assert len({first, second, _cache_path(monkeypatch, tmp_path)}) == 3


def test_a_cache_folder_of_the_users_own_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """NUMBA_CACHE_DIR goes before the folder of the package."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    made: Any = kernel(_twice)  # Any: as above
    assert made.stats.cache_path.startswith(str(tmp_path))


def test_a_flipped_bit_in_machine_code_is_found_and_compiled_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Wherever it is in a file of the cache; without damage the file is used."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def hits() -> int:
        made: Any = kernel(_twice)  # Any: as above
        assert made(21) == 42
        return sum(made.stats.cache_hits.values())

    assert [hits(), hits()] == [0, 1]
    rng = random.Random(1)
    for path in sorted(tmp_path.rglob("*.nb*")):
        for part in [0.0, 1.0, *(rng.random() for _ in range(8))]:
            whole = path.read_bytes()  # compiled again each time, of a length that varies
            place = int(part * (len(whole) - 1))
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
            assert [hits(), hits()] == [0, 1], (path.name, place)


TWICE = """
from kaiwa.stats.compiled import kernel
@kernel
def twice(number):
    return 2 * number
if __name__ == "__main__":
    from kaiwa.stats.twice import twice as made
    print(made(21), sum(made.stats.cache_hits.values()), made(10.5))
"""
AS_OTHERS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
"""Root may write everywhere; without these capabilities it obeys the permissions of files, as others do."""


def test_kernels_of_a_folder_that_cannot_be_written_are_used(tmp_path: Path) -> None:
    """As in a container image with a read-only root; what the folder lacks is compiled."""
    package = tmp_path / "kaiwa"
    shutil.copytree(Path(compiled.__file__).parent, package / "stats", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(compiled.__file__).parents[1] / "errors.py", package)
    (package / "__init__.py").touch()
    (package / "stats" / "twice.py").write_text(TWICE, encoding="utf-8")

    def said(*before: str) -> str:
        words = [*before, sys.executable, "-m", "kaiwa.stats.twice"]
        given = {"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"], "HOME": "/nonexistent"}
        done = subprocess.run(words, env=given, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=True)
        return done.stdout.strip()

    assert said() == "42 0 21.0"
    for path in package.rglob("*.2.nbc"):  # the second signature, which the image lacks
        path.unlink()
    os.utime(package / "stats" / "twice.py", (0, 0))  # as the layers of an image cut the time of a file
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    assert said(*AS_OTHERS) == "42 1 21.0"
    for folder in folders:
        folder.chmod(0o755)


SORTING = """
import numpy as np
from kaiwa.stats.compiled import kernel

@kernel
def in_order(values):
    values.sort()
    return values

@kernel
def order(values):
    return values.argsort()
"""


def _in_a_process(tmp_path: Path, code: str) -> str:
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", f"import numpy as np, sorting\nvalues = np.array([3, 1, 2])\n{code}"]
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout


def test_kernels_of_different_processes_do_not_call_each_others_helpers(tmp_path: Path) -> None:
    """Numba gives helpers of one name to a sort in place and to an argsort; a third process loads both."""
    (tmp_path / "sorting.py").write_text(SORTING, encoding="utf-8")
    _in_a_process(tmp_path, "sorting.order(values)")
    _in_a_process(tmp_path, "sorting.in_order(values)")
    printed = _in_a_process(tmp_path, "print(sorting.order(values), sorting.in_order(values))")
    assert printed == "[1 2 0] [1 2 3]\n"
