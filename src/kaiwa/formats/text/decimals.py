"""Arrays of printed numbers as floats, each exactly as ``float()`` reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IdArray, IntArray

    Bytes = NDArray[np.uint8]

_EXACT_DIGITS = 15
"""An integer of this many digits and a power of ten up to 1e22 are exact in binary64, so one division
rounds correctly (Clinger 1990, the fast path of strtod)."""

FEW = 4096
"""Up to this many numbers, reading them one by one is faster than a pass over every column of digits."""

_ZERO, _NINE, _DOT, _MINUS, _PLUS = (ord(char) for char in "09.-+")


def decimals(text: IdArray) -> FloatArray:
    """The numbers printed in a packed column; NaN where a field is not a number.

    >>> decimals(np.array([b"1.5", b"-2", b"1e-3", b"x"]))
    array([ 1.5e+00, -2.0e+00,  1.0e-03,      nan])
    """
    if len(text) <= FEW:
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


def fixed_point(data: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """The numbers between the bounds if all have the same number of decimals, as in a printed column; else None.

    Fields are aligned at their right ends, so that one column of bytes holds one decimal place.

    >>> text = np.frombuffer(b" 1.25 -0.50 10.00 ", dtype=np.uint8)
    >>> fixed_point(text, np.array([1, 6, 12]), np.array([5, 11, 17]))
    array([ 1.25, -0.5 , 10.  ])
    """
    sizes = ends - starts
    wide, shortest = int(sizes.max(initial=1)), int(sizes.min(initial=_EXACT_DIGITS))
    if not len(starts) or wide > _EXACT_DIGITS or int(ends[0]) < wide:
        return None
    places = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(data, wide)[ends - wide].T)
    first = places[:, 0]
    dots = np.flatnonzero(first == _DOT)
    dot = int(dots[-1]) if len(dots) else wide
    negative = data[starts] == _MINUS
    signs = negative | (data[starts] == _PLUS)
    mantissa = np.zeros(len(starts), dtype=np.int64)
    for place in range(wide):
        if place == dot:
            if (places[place] != _DOT).any():
                return None
            continue
        digit = places[place] - np.uint8(_ZERO)  # any other character gives more than nine
        if place <= wide - shortest:  # only here can a field start later, or have its sign
            digit[(sizes < wide - place) | (signs & (sizes == wide - place))] = 0
        if (digit > 9).any():  # noqa: PLR2004  the digits
            return None
        mantissa *= 10
        mantissa += digit
    if (sizes - signs - (dot < wide) < 1).any() or (dot < wide and (sizes < wide - dot).any()):
        return None
    values: FloatArray = mantissa / 10.0 ** max(wide - dot - 1, 0)
    values[negative] *= -1.0
    return values


def _few(fields: list[bytes]) -> FloatArray:
    try:
        if b"_" not in b"".join(fields):
            return np.array(list(map(float, fields)), dtype=np.float64)
    except ValueError:
        pass  # some field is not a number: find it
    return np.array([_slow(field) for field in fields], dtype=np.float64)


def _slow(field: bytes) -> float:
    try:
        return float("nan") if b"_" in field else float(field)
    except ValueError:
        return float("nan")
