"""Outputs that appear together: all are written first, under temporary names; then all get their names, or none."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Staged(Protocol):
    """An output that is complete under a temporary name."""

    @property
    def target(self) -> Path:
        """The file or folder that it becomes."""

    def commit(self, *, undoable: bool) -> None:
        """Give it its name; it replaces what has that name now."""

    def undo(self) -> None:
        """Put back what the undoable commit replaced."""

    def discard(self) -> None:
        """Remove what is left under temporary names."""


_GROUP: ContextVar[dict[Path, Staged] | None] = ContextVar("group", default=None)


@contextmanager
def together() -> Iterator[None]:
    """What the block writes appears when it ends without an error, and not at all if not.

    A block inside another belongs to it. A file cannot be read before the block ends.
    """
    if _GROUP.get() is not None:
        yield
        return
    staged: dict[Path, Staged] = {}
    before = _GROUP.set(staged)
    try:
        yield
        _commit_all(list(staged.values()))
    finally:
        _GROUP.reset(before)
        for one in reversed(staged.values()):
            one.discard()


def finish(staged: Staged) -> None:
    """Give the output its name: now, or at the end of the block of outputs that appear together."""
    group = _GROUP.get()
    if group is None:
        try:
            staged.commit(undoable=False)
        finally:
            staged.discard()
    elif group.setdefault(staged.target, staged) is not staged:
        staged.discard()
        raise InputError.at(staged.target, "would be written twice by this command", "give the outputs other names")


def _commit_all(staged: list[Staged]) -> None:
    begun = list[Staged]()
    try:
        for one in staged:
            begun.append(one)
            one.commit(undoable=len(staged) > 1)
    except BaseException:
        for one in reversed(begun):
            one.undo()
        raise
