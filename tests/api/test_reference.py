"""The API reference names everything public, and each name has an example that is run."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import kaiwa
from kaiwa.show.result import Result

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")


def _things() -> dict[str, Any]:  # Any: functions and classes
    methods_of = runpy.run_path(str(DOCS / "build.py"))["public_methods"]
    things = {name: getattr(kaiwa, name) for name in kaiwa.__all__}
    classes = {name: thing for name, thing in things.items() if isinstance(thing, type)}
    methods = {
        f"{name}.{method}": one
        for name, kind in {**classes, "x": Result}.items()
        for method, one in methods_of(kind).items()
    }
    return things | methods


THINGS = _things()


@pytest.mark.parametrize("name", THINGS)
def test_every_public_function_class_and_method_has_an_example(name: str) -> None:
    """In its docstring, where the tests run it, and in the reference."""
    assert ">>> " in THINGS[name].__doc__
    heading = f"#### {name}\n" if "." in name else f"### kaiwa.{name}\n"
    assert heading in PAGE


def test_no_public_signature_hides_its_arguments() -> None:
    """Every argument has a name and a type: no ``**options``, no Any in."""
    assert [line for line in PAGE.splitlines() if re.search(r": Any\b", line)] == []
