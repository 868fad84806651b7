"""Compiled loops: where their machine code is kept, and what happens where nothing can be cached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

from kaiwa.stats import compiled
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from pathlib import Path

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


def _cache_path(monkeypatch: pytest.MonkeyPatch, package: Path) -> str:
    """Where the machine code of a loop would be kept if the package were installed there."""
    monkeypatch.setattr(compiled, "__file__", str(package / "stats" / "compiled.py"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    compiled._cache_folder.cache_clear()
    made: Any = kernel(_twice)  # Any: as above
    compiled._cache_folder.cache_clear()
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
