"""The error tree: everything Kaiwa raises on purpose.

KaiwaError
├── InputError      a file or value is wrong; the message names the place, the fault and the repair
│   ├── MissingExtra a library that comes with an extra is not installed; the message says how to install it
│   └── UnknownName a name that no table holds; the message offers the nearest known ones
└── DesignError     a requirement that no number of topics, systems or votes can meet
"""

from __future__ import annotations

from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class KaiwaError(Exception):
    """Anything Kaiwa refuses, in one line that says what to do next."""


class InputError(KaiwaError):
    """Input that cannot be used; ``str()`` is ``place: what is wrong; what to do``."""

    @classmethod
    def at(cls, place: object, what: str, repair: str, *, line: int | None = None) -> InputError:
        """The error for one place, in the house's form.

        >>> str(InputError.at("r.txt", "grade '5' is not 0..2", "see --levels", line=7))
        "r.txt:7: grade '5' is not 0..2; see --levels"
        """
        spot = f"{place}" if line is None else f"{place}:{line}"
        return cls(f"{spot}: {what}; {repair}")


class UnknownName(InputError):  # noqa: N818  reads as the thing it is
    """A name that a table does not hold."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> UnknownName:
        """The error that offers what the table does hold.

        >>> str(UnknownName.among("measure", "nER", ["nERR", "P+"]))
        "unknown measure 'nER'; did you mean 'nERR'?"
        >>> str(UnknownName.among("measure", "ap", ["AP", "P+"]))
        "unknown measure 'ap'; did you mean 'AP'?"
        """
        names = list(known)
        by_small = {one.lower(): one for one in reversed(names)}
        near = [by_small[one] for one in get_close_matches(name.lower(), by_small, n=3, cutoff=0.6)]
        if near:
            return cls(f"unknown {kind} {name!r}; did you mean {' or '.join(map(repr, near))}?")
        return cls(f"unknown {kind} {name!r}; known: {', '.join(names)}")


class MissingExtra(InputError):  # noqa: N818  reads as the thing it is
    """A library that is not installed, with the command that installs it."""


@contextmanager
def needs_extra(name: str) -> Iterator[None]:
    """The block of imports that the extra brings; a missing library is one line with the command that installs it.

    >>> with needs_extra("figures"):
    ...     import matplotless
    Traceback (most recent call last):
    kaiwa.errors.MissingExtra: matplotless is not installed; type: pip install 'kaiwa[figures]'
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingExtra(f"{missing.name} is not installed; type: pip install 'kaiwa[{name}]'") from None


class DesignError(KaiwaError):
    """A requirement that cannot be met, with the nearest one that can."""
