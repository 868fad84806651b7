"""The notebooks of the documentation run from top to bottom, and show what they are committed with."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest

if TYPE_CHECKING:
    from nbformat import NotebookNode

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.filterwarnings("default")  # the notebook machinery's own
@pytest.mark.parametrize("path", sorted((DOCS / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_runs_and_its_outputs_are_fresh(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No cell fails or warns, and each shows what is committed; ``make docs`` renews it."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    fresh = runpy.run_path(str(DOCS / "build.py"))["executed"](path, folder=tmp_path)
    assert _shown(fresh) == _shown(nbformat.read(path, as_version=4))


def _shown(notebook: NotebookNode) -> list[list[str]]:
    """What each code cell prints or shows; HTML where there is any."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [out for cell in cells for out in cell.outputs]
    assert not [out for out in outputs if out.output_type == "error" or out.get("name") == "stderr"]
    return [[_text(out) for out in cell.outputs] for cell in cells]


def _text(out: NotebookNode) -> str:
    data = out.get("data", {})
    return str(data.get("text/html") or data.get("text/plain") or out.get("text"))
