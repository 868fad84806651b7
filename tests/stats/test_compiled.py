"""Compiled loops where nothing can be cached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

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
    assert kernel(_twice)(21) == 42


def test_making_a_kernel_leaves_numbas_own_settings_alone() -> None:
    """The cache folder is ours only while our function is compiled."""
    before = numba.config.CACHE_DIR
    kernel(_twice)
    assert before == numba.config.CACHE_DIR
