"""Play the commands of a page in a real shell, and put what they really print under them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_MARK = "\x1e"


@dataclass(frozen=True)
class Step:
    """One command of a page, with its here-document if it has one, and what the page shows under it."""

    command: str
    shown: str


def steps_of(block: str) -> list[Step]:
    r"""The commands of a console block.

    >>> steps_of("$ cat <<'END'\\nhello\\nEND\\nhello\\n")
    [Step(command="cat <<'END'\\nhello\\nEND", shown='hello\\n')]
    """
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        first, _, rest = part.partition("\n")
        command = first
        if "<<'END'" in first:
            body, _, rest = rest.partition("\nEND\n")
            command = f"{first}\n{body}\nEND"
        found.append(Step(command, rest))
    return found


def played(page: str, folder: Path) -> str:
    """The page as it should be: each command run in the folder, one after the other, with its real output.

    A line ``...`` of the page stands for any lines.
    """
    steps = [step for block in _BLOCK.findall(page) for step in steps_of(block)]
    printed = iter(_outputs([step.command for step in steps], folder))
    return _BLOCK.sub(lambda block: "".join(_told(step, next(printed)) for step in steps_of(block.group())), page)


def _told(step: Step, printed: str) -> str:
    return f"$ {step.command}\n{step.shown if _agrees(step.shown, printed) else printed}"


def _agrees(shown: str, printed: str) -> bool:
    pattern = "".join("(?s:.*?)" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


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
