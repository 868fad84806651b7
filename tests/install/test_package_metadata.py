"""What pyproject.toml and the hook promise: extras that the code asks for exist and bring what they should."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
OPTIONAL = {
    "fugashi",
    "matplotlib",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "rjieba",
    "snowballstemmer",
    "threadpoolctl",
}
"""Libraries that src/ imports and the core does not bring; ir_measures is the caller's own."""


def _brought_by(extra: str) -> set[str]:
    """The libraries of an extra, and of the extras it names."""
    names = set()
    for line in PROJECT["optional-dependencies"][extra]:
        named = re.match(r"kaiwa\[(.+)\]", line)
        names |= set().union(*map(_brought_by, named[1].split(","))) if named else {re.match(r"[\w.-]+", line)[0]}
    return names


def _imported(node: ast.AST) -> Iterator[str]:
    """The first names of what is imported anywhere under the node."""
    for each in ast.walk(node):
        if isinstance(each, ast.Import):
            yield from (alias.name.split(".")[0] for alias in each.names)
        elif isinstance(each, ast.ImportFrom) and each.module:
            yield each.module.split(".")[0]


def _needed_extra(node: ast.AST) -> str | None:
    """The extra of a block ``with needs_extra("..."):``."""
    call = node.items[0].context_expr if isinstance(node, ast.With) else None
    named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "needs_extra"
    return call.args[0].value if named else None


def test_all_means_every_extra() -> None:
    """``kaiwa[all]`` leaves no library out."""
    extras = set(PROJECT["optional-dependencies"]) - {"all"}
    assert set().union(*map(_brought_by, extras)) == _brought_by("all")


def test_every_extra_is_documented() -> None:
    """By name, on the page about installing."""
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert [extra for extra in PROJECT["optional-dependencies"] if f"`{extra}`" not in page] == []


def test_a_module_asks_for_the_extra_of_every_optional_library() -> None:
    """A library outside the core is imported under ``needs_extra``, with an extra that brings it."""
    assert {str(path.relative_to(ROOT)): bare for path in SOURCES if (bare := _unanswered(path))} == {}


def _unanswered(path: Path) -> set[str]:
    """The optional libraries that the module imports without saying which extra brings them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    typed = [name for node in for_types for name in _imported(node)]
    used = [name for name in _imported(tree) if name in OPTIONAL]
    asked = [(extra, set(_imported(node))) for node in ast.walk(tree) if (extra := _needed_extra(node))]
    answered = set().union(*(names & _brought_by(extra) for extra, names in asked))
    return {name for name in used if used.count(name) > typed.count(name)} - answered


def test_the_hook_checks_run_files(small_round: Path) -> None:
    """Its pattern finds runs wherever they are, and its entry is a command that finds what is wrong in one."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert all(re.search(hook["files"], name) for name in ("runs/A-C-R1.txt", "stc/runs/A-C-R1.txt.gz"))
    assert not re.search(hook["files"], "runs/readme.md")
    shutil.copy(small_round / "runs" / "0.txt", small_round / "runs" / "Bai-C-R1.txt")
    program, *words = hook["entry"].split()
    line = [sys.executable, "-m", f"{program}.cli", *words, "runs/Bai-C-R1.txt"]
    done = subprocess.run(line, cwd=small_round, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, "[run-name]" in done.stdout) == (1, True)


def test_no_folder_of_tests_is_left_out(request: pytest.FixtureRequest) -> None:
    """By default pytest ignores folders with some names, such as build, and says nothing."""
    names = {path.name for top in ("tests", "src/kaiwa") for path in (ROOT / top).rglob("*") if path.is_dir()}
    ignored = [name for one in request.config.getini("norecursedirs") for name in names if fnmatch(name, one)]
    assert set(ignored) <= {"__pycache__"}


@pytest.mark.xdist_group("a group")
def test_tests_of_a_group_run_in_one_process(request: pytest.FixtureRequest) -> None:
    """Pytest-xdist sees the group in the name of a test; with a pytest that it does not know, groups end silently."""
    is_grouped = getattr(request.config.option, "loadgroup", False)
    assert request.node.nodeid.endswith("@a group") == is_grouped
