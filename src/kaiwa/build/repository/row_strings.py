"""Strings of rows of any task, found in the string file of their task."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.string_files import strings_at
from kaiwa.engine.row_numbers import places_of, tasks_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.corpus.duplicates import KeyArray


def row_strings(path_of: Callable[[int], Path], rows: KeyArray) -> list[str]:
    """The strings of these rows; ``path_of`` gives the string file of a task."""
    distinct, places = np.unique(rows, return_inverse=True)
    tasks, firsts = np.unique(tasks_of(distinct), return_index=True)
    inside = places_of(distinct).tolist()
    found = list[str]()
    for task, (low, high) in zip(tasks.tolist(), pairwise([*firsts.tolist(), len(inside)]), strict=True):
        found += strings_at(path_of(task), inside[low:high])
    return [found[place] for place in places.tolist()]
