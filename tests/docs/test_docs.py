"""The documentation says what the code does: generated pages are fresh, examples run, links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

import kaiwa
from kaiwa.cli.group import VERBS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
WRITTEN = [page for page in PAGES if page.parent.name != "reference"]


def _build_pages() -> dict[Path, str]:
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    if spec is None or spec.loader is None:
        raise ImportError
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: dict[Path, str] = module.pages()
    return pages


def test_the_generated_pages_are_fresh() -> None:
    """``make docs`` would change nothing."""
    stale = [path.name for path, text in _build_pages().items() if path.read_text(encoding="utf-8") != text]
    assert stale == []


def test_every_command_of_the_reference_has_the_short_help_option() -> None:
    """``-h`` works after the command, after every verb and after the commands of a verb, and help says so."""
    helps = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8").split("```text\n")[1:]
    assert len(helps) > len(VERBS)
    assert [text.splitlines()[0] for text in helps if "  -h, --help " not in text] == []
    assert "Every verb takes --help" in helps[0]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_on_the_map(verb: str) -> None:
    """A verb that the map does not name does not exist for a reader."""
    assert f"`kaiwa {verb}`" in (ROOT / "docs" / "map.md").read_text(encoding="utf-8")


def test_the_map_names_every_room_and_only_files_that_exist() -> None:
    """A folder of the package is in its tables, and a module, test or benchmark that it names is there."""
    page = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
    homes = (ROOT / "src" / "kaiwa", ROOT / "src", ROOT)
    rooms = [path.parent.name for path in homes[0].glob("*/__init__.py")]
    assert [room for room in rooms if f"| `{room}` |" not in page] == []
    named = re.findall(r"(?<![\w/.])([a-z]\w*/[\w/]+\.py)", page)
    assert len(named) > 30
    assert [name for name in named if not any((home / name).is_file() for home in homes)] == []


def test_the_readme_shows_both_commands_of_a_fresh_machine_together() -> None:
    """``make demo`` and ``make test``, before the first example."""
    start = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Five minutes")[0].splitlines()
    rows = [number for number, line in enumerate(start) if line.startswith(("| `make demo` |", "| `make test` |"))]
    assert len(rows) == 2
    assert rows[1] == rows[0] + 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    """Relative links point at files of the repository."""
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_examples_of_a_page_run(page: Path) -> None:
    """Every ``>>>`` of the pages is executed; those of the reference are the docstrings, which run as doctests."""
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8", optionflags=options).failed == 0


@pytest.mark.parametrize("name", kaiwa.__all__)
def test_every_public_name_is_there_and_explains_itself(name: str) -> None:
    """The API's names load, and each has a docstring."""
    assert getattr(kaiwa, name).__doc__
