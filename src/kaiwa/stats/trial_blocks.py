"""Trials in blocks that fit in memory, computed by several workers and returned in trial order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Result = TypeVar("Result")


class Workers(Protocol):
    """Where blocks of trials are computed: by threads here, by other processes, or on a cluster."""

    def results(self, block: Callable[[int, int], Result], spans: Sequence[tuple[int, int]]) -> Iterable[Result]:
        """``block(start, count)`` of each span, in order, computed not far ahead of their use.

        The block is a function of a module, or a ``partial`` of one: it may have to travel.
        """


@dataclass(frozen=True)
class Threads:
    """Threads of this process."""

    number: int = 1

    def results(self, block: Callable[[int, int], Result], spans: Sequence[tuple[int, int]]) -> Iterator[Result]:
        """``block(start, count)`` of each span, in order; no more of them are held than there are threads."""
        with ThreadPoolExecutor(self.number) as pool:
            for window in range(0, len(spans), self.number):
                yield from pool.map(lambda span: block(*span), spans[window : window + self.number])


ONE_THREAD = Threads()


def trial_blocks(
    block: Callable[[int, int], Result],
    *,
    trials: int,
    size: int,
    first: int = 0,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Result]:
    """``block(start, count)`` for spans of at most ``size`` trials from ``first`` on, in order.

    >>> list(trial_blocks(lambda start, count: list(range(start, start + count)), trials=5, size=2))
    [[0, 1], [2, 3], [4]]
    """
    end = first + trials
    spans = [(start, min(size, end - start)) for start in range(first, end, size)]
    for (start, count), found in zip(spans, workers.results(block, spans), strict=True):
        if progress:
            progress(start + count - first, trials)
        yield found
