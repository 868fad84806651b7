"""Which values of a setting make sense; the others are refused where they are read, not where they would fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Limit = tuple[Callable[[Any], bool], str]  # Any: a value of the setting's own type

_FROM_ONE: Limit = (lambda value: value >= 1, "a whole number from 1")
_SHARE: Limit = (lambda value: 0 < value < 1, "a number between 0 and 1")
LIMITS: dict[str, Limit] = {
    "languages": (lambda value: set(value) <= {"zh", "ja", "en"}, 'some of "zh", "ja", "en"'),
    "depth": _FROM_ONE,
    "top": _FROM_ONE,
    "alpha": _SHARE,
    "trials": _FROM_ONE,
    "seed": (lambda value: value >= 0, "a whole number from 0"),
    "systems": (lambda value: value > 1, "a whole number from 2"),
    "min_diff": (lambda value: value > 0, "a number above 0"),
    "power": _SHARE,
}
"""What a value must be, and how the refusal says it."""


def sensible(path: Path, name: str, value: Any) -> Any:  # Any: a value of the setting's own type
    """The value, if it makes sense.

    >>> from pathlib import Path
    >>> sensible(Path("kaiwa.toml"), "alpha", 5.0)
    Traceback (most recent call last):
    kaiwa.errors.InputError: kaiwa.toml: alpha = 5.0; write a number between 0 and 1
    """
    holds, wanted = LIMITS.get(name, (lambda _: True, ""))
    if not holds(value):
        raise InputError.at(path, f"{name} = {value!r}", f"write {wanted}")
    if name == "scheme":
        _known_scheme(path, value)
    return value


def _known_scheme(path: Path, value: str) -> None:
    from kaiwa.label.gain_schemes import SCHEMES

    try:
        SCHEMES[value]
    except InputError as unknown:
        raise InputError(f"{path}: {unknown}") from None
