"""How a result reaches the user: only the form that is asked for is computed, and -o takes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import pytest

from kaiwa.cli.shell.output import emit
from kaiwa.cli.shell.shared_options import gathered

if TYPE_CHECKING:
    from pathlib import Path


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


def test_options_are_gathered_into_one_object() -> None:
    """Those that are its fields; the others are given as they are."""

    @dataclass(frozen=True)
    class Asked:
        depth: int
        name: str = "default"

    @click.command()
    @click.option("--depth", type=int)
    @click.option("--json", "as_json", is_flag=True)
    @gathered(Asked, "asked")
    def command(*, asked: Asked, as_json: bool) -> tuple[Asked, bool]:
        return asked, as_json

    assert command.main(["--depth", "3"], standalone_mode=False) == (Asked(3), False)
