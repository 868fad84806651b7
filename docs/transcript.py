"""Play the commands and programs of a page in a real shell, and put what they really print under them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?<=^```console\n)(?P<console>.*?)(?=^```$)|(?<=^```python\n)(?P<program>.*?)^```\n\n```text\n(?P<shown>.*?)(?=^```$)",
    re.DOTALL | re.MULTILINE,
)
_MARK = "\x1e"


@dataclass(frozen=True)
class Step:
    """One command of a page, with its here-document if it has one; its lines on the page, and those shown below."""

    command: str
    before: str
    shown: str


def _steps(block: re.Match[str]) -> list[Step]:
    """The commands of a block: those of a console, or a program of Python and the text below it."""
    if block["console"] is not None:
        return steps_of(block["console"])
    program = block["program"]
    return [Step(f"python - <<'END'\n{program}END", f"{program}```\n\n```text\n", block["shown"])]


def steps_of(console: str) -> list[Step]:
    r"""The commands of a console block.

    >>> [step.command for step in steps_of("$ cat <<'END'\nhello\nEND\nhello\n")]
    ["cat <<'END'\nhello\nEND"]
    """
    found = []
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        first, _, rest = part.partition("\n")
        command = first
        if "<<'END'" in first:
            body, _, rest = rest.partition("\nEND\n")
            command = f"{first}\n{body}\nEND"
        found.append(Step(command, f"$ {command}\n", rest))
    return found


def played(page: str, folder: Path) -> str:
    """The page as it should be: each command run in the folder, one after the other, with its real output.

    A line ``...`` of the page stands for any lines; the page keeps as many lines before and after it as it has.
    """
    steps = [step for block in _BLOCK.finditer(page) for step in _steps(block)]
    printed = iter(_outputs([step.command for step in steps], folder))
    return _BLOCK.sub(lambda block: "".join(_told(step, next(printed)) for step in _steps(block)), page)


def _told(step: Step, printed: str) -> str:
    return f"{step.before}{step.shown if _agrees(step.shown, printed) else _cut(step.shown, printed)}"


def _agrees(shown: str, printed: str) -> bool:
    pattern = "".join("(?s:.*?)" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


def _cut(shown: str, printed: str) -> str:
    """What was printed, cut where the page has its only line ``...``, to as many lines before and after it."""
    before, mark, after = shown.partition("...\n")
    lines, tail = printed.splitlines(keepends=True), after.count("\n")
    if not mark or mark in after or len(lines) <= before.count("\n") + tail:
        return printed
    return "".join([*lines[: before.count("\n")], mark, *lines[len(lines) - tail :]])


def _outputs(commands: list[str], folder: Path) -> list[str]:
    script = folder / ".transcript.sh"
    script.write_text("".join(f"{command}\nprintf '{_MARK}'\n" for command in commands), encoding="utf-8")
    found = Path(sys.executable).parent
    done = subprocess.run(
        ["/bin/bash", "--norc", script],
        cwd=folder,
        env={**os.environ, "PATH": f"{found}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout.split(_MARK)
