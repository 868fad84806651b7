"""A real pdflatex."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Typeset:
    """The log of a run of pdflatex, and for each table how far it runs over its line, in points."""

    log: str
    too_wide: Mapping[str, float]


Pdflatex = Callable[..., Typeset]


@pytest.fixture
def pdflatex(tmp_path: Path) -> Pdflatex:
    """A function that typesets tables, by name, in an article that loads booktabs and the packages given."""

    def typeset(tables: Mapping[str, str], *packages: str) -> Typeset:
        program = shutil.which("pdflatex")
        assert program, "pdflatex is missing; 'make tex' installs it"
        loaded = "".join(rf"\usepackage{{{name}}}" for name in ("booktabs", *packages))
        body = "\n".join(f"\\typeout{{TABLE {name}}}\n\\noindent\n{one}\n\\newpage" for name, one in tables.items())
        text = f"\\documentclass{{article}}{loaded}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        (tmp_path / "paper.tex").write_text(text, encoding="utf-8")
        command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, log[-2000:]
        return Typeset(log, _too_wide(log))

    return typeset


def _too_wide(log: str) -> dict[str, float]:
    found = dict[str, float]()
    for part in log.split("\nTABLE ")[1:]:
        over = [float(points) for points in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", part)]
        found[part.splitlines()[0]] = max(over, default=0.0)
    return found
