"""The laws of imports that import-linter has no contract for: no cycles but the one of the nouns' verbs."""

from __future__ import annotations

import ast
from pathlib import Path

import grimp

import kaiwa

SOURCE = Path(kaiwa.__file__).parent
SHARED = {"nouns", "formats", "files", "stats", "show", "engine", "errors", "ambient"}
HOMES = {name: home for home, names in kaiwa._HOMES.items() for name in names.split()}


def imports_in_bodies(path: Path) -> dict[str, set[tuple[str, str]]]:
    """By function: the modules of other folders from which it imports, each with the name that it takes."""
    found: dict[str, set[tuple[str, str]]] = {}
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kaiwa."):
                    taken = {(str(node.module), one.name) for one in node.names}
                    found.setdefault(function.name, set()).update(taken)
    return found


def test_there_are_no_cycles_of_modules_but_through_the_methods_of_nouns() -> None:
    """A noun's method imports, in its body, the verb of its name, or the reader or writer of its files."""
    graph = grimp.build_graph("kaiwa", exclude_type_checking_imports=True)
    imports = {name: set(graph.find_modules_directly_imported_by(name)) for name in graph.modules}
    for noun in [name for name in imports if name.startswith("kaiwa.nouns.")]:
        imports[noun] = {one for one in imports[noun] if one.split(".")[1] in SHARED - {"formats"}}
    while free := [name for name, needed in imports.items() if not needed & imports.keys()]:
        for name in free:
            del imports[name]
    assert not imports, f"a cycle among {sorted(imports)}"


def test_a_method_of_a_noun_imports_the_verb_of_its_own_name_and_nothing_else_of_a_room() -> None:
    """From the module that the table of public names gives."""
    verbs = dict[str, set[tuple[str, str]]]()
    for path in sorted((SOURCE / "nouns").glob("*.py")):
        for method, taken in imports_in_bodies(path).items():
            rooms = {one for one in taken if one[0].split(".")[1] not in SHARED}
            if rooms:
                verbs[f"{path.stem}.{method}"] = rooms
    assert verbs == {name: {(HOMES[name.split(".")[1]], name.split(".")[1])} for name in verbs}
    assert {"scores.compare", "scores.tau", "votes.gains"} <= verbs.keys()


def test_our_modules_are_named_by_strings_in_the_two_lazy_tables_only() -> None:
    """Of public names and of verbs; everywhere else an editor finds what an import means."""
    modules = {
        ".".join(("kaiwa", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in SOURCE.rglob("*.py")
    }
    naming = {
        name
        for name, path in modules.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value.partition(":")[0] in modules
    }
    assert naming == {"kaiwa.__init__", "kaiwa.cli.group"}
