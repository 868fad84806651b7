"""Lines typed at a terminal, with line editing and a history where Python has readline."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT_LINES = 1000
_STATE = Path(".local", "state")
_INTERRUPTED = 128 + signal.SIGINT


def typed_lines(prompt: str, *, history: str) -> Iterator[str]:
    """The lines that are typed, until an empty one, Ctrl-D or Ctrl-C; the up arrow recalls those of earlier sessions.

    Where the history cannot be read or written, there is none.
    """
    with suppress(ImportError, OSError, RuntimeError):
        _recall(_history_file(history))
    before = ""
    while line := _typed(prompt):
        if line != before:
            with suppress(OSError, RuntimeError):
                _append(_history_file(history), line)
        before = line
        yield line


def _history_file(name: str) -> Path:
    """Where a history is kept by the XDG base directory specification; a RuntimeError if the user has no home."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state if state.is_absolute() else Path.home() / _STATE) / "kaiwa" / name


def _typed(prompt: str) -> str:
    """One line without the spaces around it; empty if there are no more."""
    try:
        if sys.stdout.isatty():
            return input(prompt).strip()
        click.echo(prompt, nl=False, err=True)  # stdout is a file, which gets the answers alone
        return input().strip()
    except EOFError:
        click.echo(err=True)
    except KeyboardInterrupt as stop:
        if getattr(stop, "exit_code", _INTERRUPTED) != _INTERRUPTED:  # a kill or a closed terminal, not Ctrl-C
            raise
        click.echo(err=True)
    return ""


def _recall(file: Path) -> None:
    """Give the lines of the history to readline, which then edits what is typed."""
    import readline

    if not file.is_file():
        return
    lines = [line for line in file.read_text(encoding="utf-8", errors="replace").split("\n") if line]
    for line in lines[-_KEPT_LINES:]:
        readline.add_history(line.replace("\0", ""))
    if len(lines) > 2 * _KEPT_LINES:
        _write(file, "".join(f"{line}\n" for line in lines[-_KEPT_LINES:]), os.O_TRUNC)


def _append(file: Path, line: str) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(file, f"{line}\n", os.O_APPEND)


def _write(file: Path, text: str, how: int) -> None:
    """Write to a file; one that is new can be read by its owner only."""
    number = os.open(file, os.O_WRONLY | os.O_CREAT | how, 0o600)
    with os.fdopen(number, "w", encoding="utf-8", errors="replace") as opened:
        opened.write(text)
