"""Messages name the argument in Python and the option in the command, from one mark."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kaiwa
from kaiwa.cli.group import main
from kaiwa.errors import InputError, in_command, option
from kaiwa.formats.readers import read_cells
from kaiwa.nouns.cells import complete_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCE = Path(kaiwa.__file__).parent
OF_OTHER_PROGRAMS = {"log samples when evaluating (--log_samples)", "give promptfoo's --output results.json"}
LITERAL = re.compile(r"(?<![\w-])--[a-z]|(?<!python )(?<![\w-])-m\b")


def test_an_option_is_spelled_for_its_reader() -> None:
    """One message, two spellings; an error that is raised again with its place keeps both."""
    fault = InputError(f"a gap; choose {option('missing', 'zero')}")
    wrapped = InputError(f"scores.csv: {fault.marked}")
    assert str(wrapped) == f"{wrapped}" == 'scores.csv: a gap; choose missing="zero"'
    assert in_command(wrapped.marked) == "scores.csv: a gap; choose --missing zero"


def test_python_and_the_command_refuse_the_same_files_in_their_own_words(
    made: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command prints the option, Python the argument."""
    paths = [
        made("one.csv", "measure,topic,run,score\nm,1,A,1\nm,2,A,0\n"),
        made("two.csv", "measure,topic,run,score\nm,1,B,1\n"),
    ]
    with pytest.raises(InputError, match='choose missing="drop-topics", drop-runs or zero'):
        complete_scores(read_cells(paths))
    monkeypatch.setattr("sys.argv", ["kaiwa", "compare", *map(str, paths)])
    with pytest.raises(SystemExit):
        main()
    assert "choose --missing drop-topics, drop-runs or zero" in capsys.readouterr().err


def _functions() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(SOURCE.rglob("*.py")):
        if "cli" not in path.relative_to(SOURCE).parts and path.name != "command.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    yield f"{path.relative_to(SOURCE)}:{node.name}", node


def _raised_texts(function: ast.AST) -> Iterator[str]:
    """The literal texts in the function's raise statements, and in the variables that they use."""
    raises = [node for node in ast.walk(function) if isinstance(node, ast.Raise)]
    used = {node.id for one in raises for node in ast.walk(one) if isinstance(node, ast.Name)}
    assigned = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id in used for to in node.targets)
    ]
    for source in [*raises, *assigned]:
        for node in ast.walk(source):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_no_message_below_the_command_spells_an_option_itself() -> None:
    """It marks it with ``option``; a whole command to type, or another program's option, may be written as it is."""
    found = [
        f"{place}: {text}"
        for place, function in _functions()
        for text in _raised_texts(function)
        if LITERAL.search(text) and "kaiwa " not in text and text not in OF_OTHER_PROGRAMS
    ]
    assert found == []
