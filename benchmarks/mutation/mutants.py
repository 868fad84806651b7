"""The mutants of a module: places where one operator, constant or conditional is changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
Change = tuple[str, Callable[[], None]]


@dataclass(frozen=True)
class Mutant:
    """A place in a module and its change: ``lines`` of the statement, and the outermost function that holds it."""

    path: Path
    number: int
    line: int
    change: str
    before: str
    lines: tuple[int, int]
    function: str | None
    default: bool

    @property
    def module(self) -> str:
        """The module's name: ``kaiwa.stats.solvers``."""
        parts = self.path.with_suffix("").parts
        return ".".join(parts[parts.index("kaiwa") :]).removesuffix(".__init__")


def mutants(path: Path) -> list[Mutant]:
    """All mutants of a module, in the order of its text."""
    return [
        Mutant(
            path, number, place.node.lineno, change, ast.unparse(place.node), place.lines, place.function, place.default
        )
        for number, (place, (change, _)) in enumerate(_all_changes(ast.parse(path.read_text())))
    ]


def mutated(mutant: Mutant) -> ast.Module:
    """The syntax tree of the module with the mutant's change."""
    tree = ast.parse(mutant.path.read_text())
    for number, (_, (_, apply)) in enumerate(_all_changes(tree)):
        if number == mutant.number:
            apply()
            break
    return ast.fix_missing_locations(tree)


@dataclass(frozen=True)
class _Place:
    node: ast.expr | ast.AugAssign
    lines: tuple[int, int]
    function: str | None
    default: bool


def _all_changes(tree: ast.Module) -> Iterator[tuple[_Place, Change]]:
    for statement in tree.body:
        for place in _places(statement, _Place(ast.Constant(None), (0, 0), None, default=False)):
            for change in _changes(place.node):
                yield place, change


def _places(node: ast.AST, outer: _Place) -> Iterator[_Place]:
    """The expressions that may change: no docstrings, annotations, error messages or text."""
    lines = (node.lineno, _header_end(node)) if isinstance(node, ast.stmt) else outer.lines
    here = _Place(outer.node, lines, outer.function, outer.default)
    if isinstance(node, ast.FunctionDef):
        yield from _function_places(node, here)
    elif not _is_skipped(node):
        if isinstance(node, ast.expr | ast.AugAssign):
            yield _Place(node, lines, outer.function, outer.default)
        for child in _children(node):
            yield from _places(child, here)


def _function_places(node: ast.FunctionDef, here: _Place) -> Iterator[_Place]:
    name = here.function or node.name
    defaults = _Place(here.node, here.lines, name, default=here.function is None)
    inside = _Place(here.node, here.lines, name, here.default)
    for default in [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]:
        yield from _places(default, defaults)
    for statement in node.body:
        yield from _places(statement, inside)


def _children(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    return node.body if isinstance(node, ast.ClassDef) else ast.iter_child_nodes(node)


def _is_skipped(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def _header_end(node: ast.stmt) -> int:
    body = getattr(node, "body", None)
    return max(node.lineno, body[0].lineno - 1) if body else (node.end_lineno or node.lineno)


def _changes(node: ast.expr | ast.AugAssign) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from _comparison_changes(node)
        case ast.BinOp(left=ast.Constant(value=str())):
            return
        case ast.BinOp() | ast.AugAssign() if type(node.op) in OPERATORS:
            yield _replaced(node, "op", OPERATORS[type(node.op)]())
        case ast.BoolOp():
            yield _replaced(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.USub()):
            yield _replaced(node, "op", ast.UAdd())
        case ast.UnaryOp(op=ast.Not() | ast.Invert()):
            yield f"no {type(node.op).__name__}", lambda: _without_operator(node)
        case ast.Constant(value=bool() | int() | float() as value):
            yield f"{value} -> {_other(value)}", lambda: setattr(node, "value", _other(value))
        case ast.IfExp():
            yield "if and else swapped", lambda: _swap(node)


def _comparison_changes(node: ast.Compare) -> Iterator[Change]:
    for place, old in enumerate(node.ops):
        for new in COMPARISONS[type(old)]:
            yield f"{type(old).__name__} -> {new.__name__}", partial(node.ops.__setitem__, place, new())


def _replaced(node: ast.AST, field: str, new: ast.AST) -> Change:
    old = type(getattr(node, field)).__name__
    return f"{old} -> {type(new).__name__}", lambda: setattr(node, field, new)


def _without_operator(node: ast.UnaryOp) -> None:
    """Change ``not x`` to ``not not x``, and ``~x`` to ``~~x``."""
    node.operand = ast.UnaryOp(node.op, node.operand)


def _swap(node: ast.IfExp) -> None:
    node.body, node.orelse = node.orelse, node.body


def _other(value: float) -> float:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 1.5 or 1.0
