"""How a result reaches the user: only the form that is asked for is computed, and -o takes it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from kaiwa.cli.output import emit, one_line

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


@dataclass
class Counting:
    """A view that counts how often each form was made."""

    texts: int = 0
    objects: int = 0

    def text(self) -> str:
        """The text."""
        self.texts += 1
        return "two 会話"

    def fields(self) -> dict[str, object]:
        """The fields."""
        self.objects += 1
        return {"n": 2, "of": "会話"}


@pytest.mark.parametrize("as_json", [True, False])
def test_only_the_form_asked_for_is_made(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    """The text, or one JSON object."""
    view = Counting()
    emit(view, as_json=as_json)
    assert (view.texts, view.objects) == ((0, 1) if as_json else (1, 0))
    assert capsys.readouterr().out == ('{"n": 2, "of": "会話"}\n' if as_json else "two 会話\n")


def test_a_file_takes_the_form_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed then."""
    emit(Counting(), as_json=True, output=tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == {"n": 2, "of": "会話"}
    assert capsys.readouterr().out == ""


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
    """The last step before a terminal escapes what a view forgot."""

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    class Forgetful(Counting):
        def text(self) -> str:
            return "run\x1b]0;title\x07\tA\nB"

    monkeypatch.setattr(sys, "stdout", shown := Terminal())
    emit(Forgetful(), as_json=False)
    assert shown.getvalue() == "run\\x1b]0;title\\x07    A\nB\n"


def test_a_long_field_is_cut_and_a_long_path_is_not() -> None:
    """A path must stay complete, because it is copied."""
    path = "/".join(["folder"] * 40)
    assert one_line(f"{path}:7: unknown run {'x' * 900!r}; did you mean 'y'?") == (
        f"{path}:7: unknown run '{'x' * 60}...'; did you mean 'y'?"
    )
