from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """The number and its noun, in the singular or plural.

    >>> counted(1, "error"), counted(1200, "warning")
    ('1 error', '1,200 warnings')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
