"""How a result reaches the user: nothing that a terminal obeys, errors on one line."""

from __future__ import annotations

import sys
from io import StringIO
from typing import TYPE_CHECKING

import click
import pytest

from kaiwa.cli.output import Shown, one_line, show
from kaiwa.show.result import Description, Result

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


HOSTILE_NAME = "a\x1b[2Jb\nc\u202ed.txt"


@pytest.mark.parametrize("verb", ["check", "compare", "agree", "score"])
@pytest.mark.parametrize("content", [None, "q1 0 c1 1 2.0 A\n", "garbage\n"])
def test_a_file_name_never_reaches_the_terminal_unescaped(
    kaiwa: Kaiwa, tmp_path: Path, verb: str, content: str | None
) -> None:
    """Whatever the file is called, an error is one line, and no line has a character that a terminal obeys."""
    path = tmp_path / HOSTILE_NAME
    if content is not None:
        path.write_text(content)
    result = kaiwa(verb, str(path), *(["--qrels", str(path)] if verb == "score" else []))
    assert result.returncode in {1, 2}
    assert len(result.stderr.splitlines()) <= 1
    assert all(sign == "\n" or (sign.isprintable() and sign != "\u202e") for sign in result.stdout + result.stderr)


def test_a_terminal_never_gets_a_character_that_it_obeys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step before a terminal escapes what the form of a result forgot."""

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    class Forgetful(Result):
        def describe(self) -> Description:
            return Description(fields={"n": 1})

        def to_json(self) -> str:
            return "run\x1b]0;title\x07\tA\nB"

    monkeypatch.setattr(sys, "stdout", printed := Terminal())
    with click.Context(click.Command("verb")):
        show(Forgetful(), Shown("json", None, None))
    assert printed.getvalue() == "run\\x1b]0;title\\x07    A\nB\n"


def test_a_long_field_is_cut_and_a_long_path_is_not() -> None:
    """A path must stay complete, because it is copied."""
    path = "/".join(["folder"] * 40)
    assert one_line(f"{path}:7: unknown run {'x' * 900!r}; did you mean 'y'?") == (
        f"{path}:7: unknown run '{'x' * 60}...'; did you mean 'y'?"
    )
