"""Matrix products in one thread, so that their sums do not depend on the number of cores."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterator


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
