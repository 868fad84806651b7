"""The error tree: everything Kaiwa raises on purpose.

A message names an option by ``option("missing")``, once. ``str(error)`` spells it as Python's argument
(``missing=``); the command spells it as its own option (``--missing``) where it prints the error.

KaiwaError
├── InputError      a file or value is wrong; the message names the place, the error and the fix
│   ├── MissingExtra a library that comes with an extra is not installed; the message says how to install it
│   └── UnknownName a name that is in no table; the message offers the most similar names
└── DesignError     a requirement that no number of topics, systems or votes can meet
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable


_OPTION = re.compile("\x11([^\x11-\x14]*)\x12([^\x11-\x14]*)\x13([^\x11-\x14]*)\x14")
_COMMAND = {
    "k": "-k",
    "measures": "-m",
    "n": "-n",
    "output": "-o",
}
"""The options whose name on the command line is not ``--`` and the argument's name."""


def option(name: str, value: str = "", *, python: str | None = None) -> str:
    """A mark in a message for the argument ``name`` with its value; ``python`` is the value as Python writes it.

    >>> in_python(option("missing", "zero")), in_command(option("missing", "zero"))
    ('missing="zero"', '--missing zero')
    >>> in_python(option("measures")), in_command(option("measures"))
    ('measures=', '-m')
    """
    return f"\x11{name}\x12{value}\x13{_as_python(value) if python is None else python}\x14"


def _as_python(value: str) -> str:
    return f'"{value}"' if value and not re.fullmatch(r"[\d.]+|[A-Z]+", value) else value


def in_python(message: str) -> str:
    """The message with each option spelled as an argument of a function."""
    return _OPTION.sub(lambda mark: f"{mark[1]}={mark[3]}", message)


def in_command(message: str) -> str:
    """The message with each option spelled as on the command line."""
    return _OPTION.sub(lambda mark: f"{_command_name(mark[1])} {mark[2]}".rstrip(), message)


def _command_name(argument: str) -> str:
    return _COMMAND.get(argument, f"--{argument.replace('_', '-')}")


class KaiwaError(Exception):
    """Any error that Kaiwa raises on purpose: one line that ends with what to do.

    Its text names arguments as Python does.

    >>> import kaiwa
    >>> try:
    ...     kaiwa.read_scores("absent.csv")
    ... except kaiwa.KaiwaError as error:
    ...     print(error)
    absent.csv: no such file; check the name and the folder
    """

    def __str__(self) -> str:
        return in_python(super().__str__())

    @property
    def marked(self) -> str:
        """The text with the marks of ``option``: for the command, and to raise it again with its place before it."""
        return super().__str__()


class InputError(KaiwaError):
    """Input that cannot be used; ``str()`` is ``place: what is wrong; what to do``.

    >>> import kaiwa
    >>> raise kaiwa.InputError.at("r.txt", "grade '5' is not 0..2", "map it to a gain", line=7)
    Traceback (most recent call last):
    kaiwa.errors.InputError: r.txt:7: grade '5' is not 0..2; map it to a gain
    """

    @classmethod
    def at(cls, place: object, what: str, fix: str, *, line: int | None = None) -> InputError:
        """The error for one place, as ``place: what is wrong; what to do``.

        >>> from kaiwa.errors import InputError, option
        >>> str(InputError.at("r.txt", "grade '5' is not 0..2", f"see {option('levels')}", line=7))
        "r.txt:7: grade '5' is not 0..2; see levels="
        """
        spot = place if line is None else f"{place}:{line}"
        return cls(f"{spot}: {what}; {fix}")


class UnknownName(InputError):  # noqa: N818  reads as the thing it is
    """A name that is not in a table.

    >>> import kaiwa
    >>> kaiwa.score(kaiwa.Run.from_dict({"q": {"a": 1.0}}), kaiwa.Qrels.from_lists({"q": {"a": 1}}), "nER@10")
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown measure 'nER'; did you mean 'nERR' or 'nEBR' or 'ERR'?
    """

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> UnknownName:
        """The error that offers the most similar names of the table, or all of them.

        >>> from kaiwa.errors import UnknownName
        >>> str(UnknownName.among("measure", "nER", ["nERR", "P+"]))
        "unknown measure 'nER'; did you mean 'nERR'?"
        >>> str(UnknownName.among("measure", "ap", ["AP", "P+"]))
        "unknown measure 'ap'; did you mean 'AP'?"
        """
        from difflib import get_close_matches

        names = list(known)
        by_small = {one.lower(): one for one in reversed(names)}
        near = [by_small[one] for one in get_close_matches(str(name).lower(), by_small, n=3, cutoff=0.6)]
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
    """A requirement that cannot be met, with the nearest one that can be.

    >>> import kaiwa
    >>> issubclass(kaiwa.DesignError, kaiwa.KaiwaError)
    True
    """


def counted(number: int, noun: str) -> str:
    """The number and its noun, in the singular or plural.

    >>> counted(1, "error"), counted(1200, "warning")
    ('1 error', '1,200 warnings')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def typed(word: object) -> str:
    r"""A path or text as one word of a command line, the same for bash, zsh and fish.

    >>> print(typed("demo/index"), typed("chat task"), typed("it's"))
    demo/index 'chat task' 'it'\''s'
    """
    text = str(word)
    if re.fullmatch(r"[\w@+:,./-]+", text, re.ASCII):
        return text
    parts = re.findall(r"[\\']|[^\\']+", text)
    return "".join(f"\\{part}" if part in "\\'" else f"'{part}'" for part in parts) or "''"


# Names: a read-only table that answers an unknown name with "did you mean".


T = TypeVar("T")


class Names(Mapping[str, T]):
    """A read-only table from names to values of one kind.

    >>> schemes = Names("scheme", {"mean": 1, "sum": 2})
    >>> schemes["sum"]
    2
    >>> schemes["men"]
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown scheme 'men'; did you mean 'mean'?
    """

    def __init__(self, kind: str, values: Mapping[str, T]) -> None:
        self.kind = kind
        self._values = dict(values)

    def __getitem__(self, name: str) -> T:
        if name not in self._values:
            raise UnknownName.among(self.kind, name, self._values)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
