"""The verdict on run files: each file with its problems, and its mended copy where one was written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.check.problems import Problem


@dataclass(frozen=True)
class CheckedFile:
    """One run file: its size, what is wrong with it, the text of the faulty lines, and its mended copy."""

    path: Path
    topics: int
    comments: int
    problems: tuple[Problem, ...]
    lines: dict[int, str]
    copy: Path | None = None
    changes: dict[str, int] = field(default_factory=dict)
    left: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Check:
    """The verdict on all files."""

    files: tuple[CheckedFile, ...]

    @property
    def problems(self) -> list[Problem]:
        """Every problem of every file, in order."""
        return [problem for file in self.files for problem in file.problems]

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong, or nothing is left wrong in the mended copies."""
        return all(not (file.left if file.copy else file.problems) for file in self.files)
