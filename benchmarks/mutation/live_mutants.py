"""Mutants inside functions: the live functions get the mutant's code, and quick tests that reach its lines run first.

The tests are collected and run once as they are; then forked processes run the mutants, each up to the first failure.
"""

from __future__ import annotations

import ast
import gc
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

from benchmarks.mutation.covering import Lines, forget_cached_results, lines_run
from benchmarks.mutation.forked import NotCleanError, Outcome, limit_cpu, outcomes
from benchmarks.mutation.module_mutants import COMPILED, forget_compiled, take_module
from benchmarks.mutation.mutants import mutated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.mutation.mutants import Mutant

Key = tuple[str, str, int]
Parts = tuple[CodeType, tuple[object, ...] | None, dict[str, object] | None]
Kept = dict[FunctionType, Parts]


@dataclass
class Covered:
    """A test, the seconds that it takes, and the lines that it runs."""

    item: pytest.Item
    seconds: float
    lines: Lines


@dataclass
class LiveMutants:
    """A pytest plugin that runs the tests as they are, then hands them to ``work``."""

    files: frozenset[str]
    work: Callable[[LiveMutants], None]
    budget: float
    examples: int
    tests: list[Covered] = field(default_factory=list)
    functions: dict[Key, list[FunctionType]] = field(default_factory=dict)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Replace pytest's loop."""
        for item in session.items:
            _fewer_examples(item, self.examples)
            self.tests.append(self._passed(item))
        self.tests.sort(key=lambda one: one.seconds)
        print(f"{len(self.tests)} tests, {sum(one.seconds for one in self.tests):.0f} s", file=sys.stderr, flush=True)
        self.functions = _functions_of(self.files)
        gc.collect()
        gc.freeze()
        self.work(self)
        return True

    def _passed(self, item: pytest.Item) -> Covered:
        forget_cached_results()
        start = process_time()
        with lines_run(self.files) as lines:
            failed = _fails(item)
        if failed:
            pytest.exit(f"{item.nodeid} fails without a mutant", returncode=2)
        return Covered(item, process_time() - start, dict(lines))

    def covering(self, mutant: Mutant) -> list[Covered]:
        """The tests that run the mutant's statement; for a default or a constant of the module, those that run any."""
        wanted = set(range(mutant.lines[0], mutant.lines[1] + 1))
        anywhere = mutant.function is None or mutant.default or mutant.module == COMPILED
        lines = ((one, one.lines.get(str(mutant.path), set())) for one in self.tests)
        found = [one for one, run in lines if (run if anywhere else run & wanted)]
        return self.tests if anywhere and not found else found  # a module of tables runs no lines

    def run(self, mutants: Sequence[Mutant]) -> Iterator[Outcome]:
        """What the tests say about each mutant."""

        def work(piece: int) -> Outcome:
            outcome = self._changed(mutants[piece])
            if outcome.result == "killed":
                self._require_clean(outcome.test)
            return outcome

        yield from outcomes(len(mutants), work)

    def run_alone(self, mutant: Mutant) -> Outcome:
        """What the tests say about a mutant outside functions, or of a compiled function."""
        with tempfile.TemporaryDirectory() as folder:
            return next(outcomes(1, lambda _: self._module_changed(mutant, Path(folder))))

    def _module_changed(self, mutant: Mutant, folder: Path) -> Outcome:
        forget_cached_results()
        try:
            take_module(mutant, folder)
        except Exception as fault:  # noqa: BLE001  a module that cannot be imported fails every test
            return Outcome("killed", repr(fault))
        return self._verdict(self.covering(mutant), keep_compiled=mutant.module == COMPILED)

    def _changed(self, mutant: Mutant) -> Outcome:
        forget_cached_results()
        tree = mutated(mutant)
        kept = self._set_default(mutant, tree) if mutant.default else self._set_code(mutant, tree)
        try:
            return self._verdict(self.covering(mutant))
        finally:
            for function, (code, defaults, by_name) in kept.items():
                function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, by_name
            forget_cached_results()

    def _verdict(self, tests: Iterable[Covered], *, keep_compiled: bool = False) -> Outcome:
        left = self.budget
        for test in tests:
            if (left := left - test.seconds) < 0:
                break
            limit_cpu(30 if keep_compiled else 2 + 5 * test.seconds)
            if _fails(test.item, keep_compiled=keep_compiled):
                return Outcome("killed", test.item.nodeid)
        return Outcome("survived")

    def _require_clean(self, name: str) -> None:
        """Leave this process if the test that failed fails without the mutant too."""
        limit_cpu(60)
        if _fails(next(one.item for one in self.tests if one.item.nodeid == name)):
            raise NotCleanError

    def _set_code(self, mutant: Mutant, tree: ast.Module) -> Kept:
        path, kept = str(mutant.path), Kept()
        for code in _codes(compile(tree, path, "exec")):
            for function in self.functions.get((path, code.co_qualname, code.co_firstlineno), ()):
                kept[function] = _parts(function)
                function.__code__ = code
        return kept

    def _set_default(self, mutant: Mutant, tree: ast.Module) -> Kept:
        """Give the function that the default belongs to the defaults of the mutant."""
        inside = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == mutant.function]
        node = next(one for one in inside if one.lineno <= mutant.line < one.body[0].lineno)
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        keys = [key for key in self.functions if key[0] == str(mutant.path) and key[2] == first]
        kept = Kept()
        for function in (one for key in keys for one in self.functions[key]):
            kept[function] = _parts(function)
            named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            values = {one.arg: _value(default, function, mutant) for one, default in named if default}
            function.__kwdefaults__ = values or None
            function.__defaults__ = tuple(_value(one, function, mutant) for one in node.args.defaults) or None
        return kept


def _fewer_examples(item: pytest.Item, examples: int) -> None:
    test: Any = getattr(item, "obj", None)  # Any: a function that Hypothesis has marked
    if getattr(test, "is_hypothesis_test", False):
        own = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
        test._hypothesis_internal_use_settings = settings(own, max_examples=min(own.max_examples, examples))  # noqa: SLF001


def _parts(function: FunctionType) -> Parts:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def _fails(item: pytest.Item, *, keep_compiled: bool = False) -> bool:
    names = dict(item.dtest.globs) if isinstance(item, pytest.DoctestItem) else {}
    item.session._setupstate.teardown_exact(item)  # noqa: SLF001  pytest has no public way to its fixtures
    if not keep_compiled:
        forget_compiled()
    try:
        others = item.session.items
        following = others[0] if item is not others[0] else others[-1]  # so that the item's own fixtures end
        return any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))
    finally:
        if isinstance(item, pytest.DoctestItem):
            item.dtest.globs = names  # a doctest empties them when it ends


def _value(node: ast.expr, function: FunctionType, mutant: Mutant) -> object:
    code = compile(ast.Expression(node), str(mutant.path), "eval")
    return eval(code, function.__globals__)  # noqa: S307  the package's own source


def _functions_of(files: frozenset[str]) -> dict[Key, list[FunctionType]]:
    found: dict[Key, list[FunctionType]] = defaultdict(list)
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename in files:
            code = one.__code__
            found[code.co_filename, code.co_qualname, code.co_firstlineno].append(one)
    return found


def _codes(code: CodeType) -> Iterable[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
