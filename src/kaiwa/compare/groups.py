"""Tied ranks and group letters, from the significant differences; of two means the higher is the better one."""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray

BoolArray = NDArray[np.bool_]


def best_first(means: FloatArray) -> IntArray:
    """The runs from the highest mean to the lowest; equal means in their listed order."""
    return np.argsort(-means, kind="stable")


def tied_ranks(means: FloatArray, differs: BoolArray) -> list[int]:
    """Each run's rank: one more than the number of runs significantly better.

    >>> differs = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> tied_ranks(np.array([0.9, 0.5, 0.1]), differs)
    [1, 1, 2]
    """
    better = means[:, None] > means
    return [1 + int(count) for count in (better & differs).sum(axis=0)]


def group_letters(means: FloatArray, differs: BoolArray) -> list[str]:
    """Letters such that two runs share one exactly if they do not differ significantly.

    If every difference above a critical one is significant, the sets of runs that do not differ are
    intervals of the ranking, so each maximal interval gets a letter (compact letter display, Piepho 2004).

    >>> differs = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> group_letters(np.array([0.9, 0.5, 0.1]), differs)
    ['a', 'ab', 'b']
    """
    order = best_first(means)
    letters = [""] * len(means)
    end_before = -1
    groups = 0
    for start in range(len(order)):
        end = start
        while end + 1 < len(order) and not differs[order[end + 1], order[start : end + 1]].any():
            end += 1
        if end > end_before:
            for place in range(start, end + 1):
                letters[order[place]] += letter(groups)
            groups += 1
            end_before = end
    return letters


def letter(number: int) -> str:
    """The nth group's letter: a to z, then (aa), (ab) and so on, separated by their brackets.

    >>> [letter(0), letter(25), letter(26)]
    ['a', 'z', '(aa)']
    """
    if number < len(ascii_lowercase):
        return ascii_lowercase[number]
    high, low = divmod(number - len(ascii_lowercase), len(ascii_lowercase))
    return f"({ascii_lowercase[high % len(ascii_lowercase)]}{ascii_lowercase[low]})"


def letter_range(letters: str) -> str:
    """The letters of a run as people read them: more than two that follow each other as a range.

    >>> letter_range("ab"), letter_range("bcdefg"), letter_range("yz(aa)(ab)")
    ('ab', 'b-g', 'y-(ab)')
    """
    each = re.findall(r"\(\w+\)|\w", letters)
    return letters if len(each) <= 2 else f"{each[0]}-{each[-1]}"  # noqa: PLR2004  two letters are short enough
