"""The result of checking run files: each file with its problems, and its fixed copy if one was written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.model.shown import Shown

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.check.problems import Problem


@dataclass(frozen=True)
class CheckedFile:
    """One run file: its size, its problems, the text of the faulty lines, and its fixed copy."""

    path: Path
    topics: int
    comments: int
    problems: tuple[Problem, ...]
    lines: dict[int, str]
    copy: Path | None = None
    changes: dict[str, int] = field(default_factory=dict)
    left: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Check(Shown):
    """The result of checking run files.

    >>> import kaiwa
    >>> kaiwa.Check(())
    Check(0 files, 0 problems)
    """

    files: tuple[CheckedFile, ...]

    def __repr__(self) -> str:
        return f"Check({counted(len(self.files), 'file')}, {counted(len(self.problems), 'problem')})"

    @property
    def problems(self) -> list[Problem]:
        """Every problem of every file, in order."""
        return [problem for file in self.files for problem in file.problems]

    @property
    def is_clean(self) -> bool:
        """Whether the files have no problems, or their fixed copies have none."""
        return all(not (file.left if file.copy else file.problems) for file in self.files)
