"""TOML files as their fields."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import read_text

if TYPE_CHECKING:
    from pathlib import Path


def read_toml(path: Path, fix: str) -> dict[str, Any]:  # Any: TOML values
    """The fields of a TOML file; ``fix`` ends the error about a file that is none."""
    try:
        return tomllib.loads(read_text(path))
    except RecursionError:
        raise InputError.at(path, "is not TOML that can be read (nested too deep)", fix) from None
    except ValueError as fault:  # invalid TOML, or an integer of thousands of digits
        raise InputError.at(path, f"is not TOML ({fault})", fix) from None
