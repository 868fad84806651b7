"""Many printed numbers to floats at once, each exactly as ``float()`` would read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.model import FloatArray, IdArray

_EXACT_DIGITS = 15
"""An integer of this many digits and a power of ten up to 1e22 are exact in binary64, so one division
rounds correctly (Clinger 1990, the fast path of strtod)."""

_FEW = 4096
"""Up to this many numbers, reading them one by one costs less than a pass over every place."""

_ZERO, _NINE, _DOT, _MINUS, _PLUS = (ord(char) for char in "09.-+")


def decimals(text: IdArray) -> FloatArray:
    """The numbers printed in a packed column; NaN where a field is no number.

    >>> decimals(np.array([b"1.5", b"-2", b"1e-3", b"x"]))
    array([ 1.5e+00, -2.0e+00,  1.0e-03,      nan])
    """
    if len(text) <= _FEW:
        return _few(text.tolist())
    places = np.ascontiguousarray(text.view(np.uint8).reshape(len(text), -1).T)
    signed = (places[0] == _MINUS) | (places[0] == _PLUS)
    mantissa = np.zeros(len(text), dtype=np.int64)
    digits = np.zeros(len(text), dtype=np.int64)
    decimal_places = np.zeros(len(text), dtype=np.int64)
    dotted = np.zeros(len(text), dtype=bool)
    plain = np.ones(len(text), dtype=bool)
    for place, chars in enumerate(places):
        digit = (chars >= _ZERO) & (chars <= _NINE)
        dot = chars == _DOT
        plain &= digit | (dot & ~dotted) | (chars == 0) | (signed if place == 0 else False)
        mantissa = np.where(digit, mantissa * 10 + (chars - np.uint8(_ZERO)), mantissa)
        digits += digit
        decimal_places += digit & dotted
        dotted |= dot
    plain &= (digits > 0) & (digits <= _EXACT_DIGITS)
    values = mantissa / 10.0 ** np.minimum(decimal_places, _EXACT_DIGITS)
    values[places[0] == _MINUS] *= -1.0
    for row in np.flatnonzero(~plain).tolist():
        values[row] = _slow(text[row])
    return values


def _few(fields: list[bytes]) -> FloatArray:
    try:
        if b"_" not in b"".join(fields):
            return np.array(list(map(float, fields)), dtype=np.float64)
    except ValueError:
        pass  # some field is no number: find which
    return np.array([_slow(field) for field in fields], dtype=np.float64)


def _slow(field: bytes) -> float:
    try:
        return float("nan") if b"_" in field else float(field)
    except ValueError:
        return float("nan")
