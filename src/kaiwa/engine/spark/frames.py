"""A function over Arrow batches, run on a data frame of Spark."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Frame = Any  # Any: a data frame of Spark or Spark Connect
    Batches = Iterator[Any]  # Any: Arrow batches


def mapped(frame: Frame, function: Callable[[Batches], Batches], schema: str) -> Frame:
    """The data frame of what the function makes of the batches of each part."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Spark asks for pandas, and warns of a newer one; unused here
        return frame.mapInArrow(function, schema)
