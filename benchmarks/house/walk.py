"""Which of our modules a program enters: ``walk.py compare scores.csv`` for a command, ``walk.py -c CODE`` for Python.

The last line of stderr has four numbers: modules entered, those of them that run six lines or fewer, lines run, and
lines of these modules.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

FEW = 6
lines: defaultdict[str, set[int]] = defaultdict(set)


def entered(frame: FrameType, event: str, _: Any) -> Any:  # Any: what sys.settrace passes and takes
    """Trace the lines of a function of ours, unless a module is being imported."""
    code = frame.f_code
    ours = code.co_filename.partition("/src/kaiwa/")[1]
    if event != "call" or not ours or not code.co_flags & inspect.CO_OPTIMIZED or is_importing(frame):
        return None
    own = lines[code.co_filename]

    def line(inner: FrameType, what: str, _: Any) -> Any:  # Any: as above
        if what == "line":
            own.add(inner.f_lineno)
        return line

    return line


def is_importing(frame: FrameType | None) -> bool:
    """Whether a module's body is running somewhere below."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Run the program and print what it entered."""
    words = sys.argv[1:]
    threading.settrace(entered)
    sys.settrace(entered)
    try:
        if words[0] == "-c":
            exec(compile(words[1], "program", "exec"), {"__name__": "__main__"})  # noqa: S102  a program of ours
        else:
            from kaiwa.__main__ import main as command

            sys.argv = ["kaiwa", *words]
            command()
    except SystemExit as ending:
        if ending.code:  # a refused command enters little
            raise
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]  # typeshed lacks None
    few = sum(len(own) <= FEW for own in lines.values())
    sizes = sum(len(Path(name).read_text(encoding="utf-8").splitlines()) for name in lines)
    print(len(lines), few, sum(map(len, lines.values())), sizes, file=sys.stderr)


if __name__ == "__main__":
    main()
