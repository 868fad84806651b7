"""Help: one screen for every command, the same by ``kaiwa help`` and by ``--help``, with an example at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from kaiwa.cli.group import STEPS, VERBS, kaiwa

if TYPE_CHECKING:
    from collections.abc import Iterator

SCREEN = 50
"""Lines of a terminal window; the width is 80 columns."""


def _commands(parent: click.Context) -> Iterator[str]:
    if not isinstance(parent.command, click.Group):
        return
    for name in parent.command.list_commands(parent):
        command = parent.command.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent)
        yield context.command_path.removeprefix("kaiwa ")
        yield from _commands(context)


COMMANDS = tuple(_commands(click.Context(kaiwa, info_name="kaiwa", **kaiwa.context_settings)))


def shown(*words: str) -> str:
    """What the command prints on a terminal of 80 columns."""
    done = CliRunner(env={"COLUMNS": "80"}).invoke(kaiwa, words)
    assert done.exit_code == 0, done.output
    return done.output


def test_design_has_a_command_for_every_further_question() -> None:
    """Beside the common question: five commands."""
    assert [name for name in COMMANDS if name.startswith("design ")] == [
        f"design {name}" for name in ("simulate", "decide", "cost", "rounds", "pass-rate")
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_its_help_option(command: str) -> None:
    """``kaiwa help X``, ``kaiwa X --help`` and ``kaiwa X -h`` print the same."""
    words = command.split()
    assert shown("help", *words) == shown(*words, "--help") == shown(*words, "-h")


def test_help_alone_lists_the_verbs_by_step() -> None:
    """As ``kaiwa --help`` does: every verb once, after the name of its step, a line for each."""
    page = shown("help")
    assert page == shown("--help")
    lines = page.partition("Verbs, by step:\n")[2].splitlines()
    found = [line[:14].strip() or None for line in lines]
    expected = [None if at else step for step, verbs in STEPS.items() for at, _ in enumerate(verbs)]
    assert found == expected
    assert [line[14:].split()[0] for line in lines] == list(VERBS)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_on_one_screen(command: str) -> None:
    """At most 50 lines of 80 columns, with an example for every command."""
    page = shown(*command.split(), "--help")
    assert len(page.splitlines()) <= SCREEN
    assert not command or "\n  Example: " in page


def test_the_common_question_comes_first_and_on_one_screen() -> None:
    """Options that the commands of design have are not listed twice."""
    page = shown("design", "--help")
    assert len(page.splitlines()) <= 45
    assert page.index("--variance") < page.index("Commands:")
    assert "--hours" not in page


@pytest.mark.parametrize("words", [("help", "designn"), ("help", "design", "costs"), ("help", "score", "more")])
def test_help_of_an_unknown_command_is_refused(words: tuple[str, ...]) -> None:
    """Exit code 2."""
    assert CliRunner().invoke(kaiwa, words).exit_code == 2
