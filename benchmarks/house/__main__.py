"""The table of walks: which of our modules everyday commands enter, before and after the rooms.

``python -m benchmarks.house DEMO --out benchmarks/results/house.md``, where DEMO is the folder of ``kaiwa demo``.
Functions that run while a module is imported do not count. The numbers before are those measured at 5f7d81a.
"""

from __future__ import annotations

import argparse
import ast
import collections
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "kaiwa"
WALK = Path(__file__).with_name("walk.py")
READ_AND_COMPARE = (
    "import kaiwa; scores = kaiwa.score('runs/*.txt', 'qrels.txt'); print(kaiwa.compare(scores, 'nERR@10'))"
)


@dataclass(frozen=True)
class Walk:
    """A command, the modules that it entered before the rooms and of these the ones that ran few lines, and the aim."""

    command: str
    before: int
    few: int
    aim: int


WALKS = (
    Walk("kaiwa gains votes.csv -o q.txt", 40, 16, 24),
    Walk("kaiwa score runs/BM25-E-R1.txt runs/BM25-E-R2.txt --qrels qrels.txt", 52, 24, 31),
    Walk("kaiwa compare scores.csv -m nERR@10", 59, 20, 35),
    Walk(f'python -c "{READ_AND_COMPARE}"', 62, 23, 37),
    Walk("kaiwa design scores.csv -m nERR@10 --systems 10 --min-diff 0.15", 60, 20, 36),
    Walk("kaiwa reply index 'I had a dog'", 49, 24, 30),
    Walk("kaiwa report . -o r.html", 127, 21, 76),
)
BEFORE = {
    "modules": 638,
    "lines": 65_300,
    "modules with one importer": 205,
    "imports inside functions": 416,
    "imports under TYPE_CHECKING": 1_753,
    "own modules named by a string": 96,
}


def walked(command: str, folder: Path) -> tuple[int, int, int, int]:
    """The modules that a command enters in the demo's folder, those with few lines, lines run, and their lines."""
    words = shlex.split(command)
    with tempfile.TemporaryDirectory() as out:
        words = [str(Path(out, word)) if word in {"q.txt", "r.html"} else word for word in words[1:]]
        done = subprocess.run([sys.executable, WALK, *words], cwd=folder, capture_output=True, text=True, check=True)
    return tuple(map(int, done.stderr.splitlines()[-1].split()))  # type: ignore[return-value]  # four numbers


def shape() -> dict[str, int]:
    """The size of the source, and how its modules refer to each other."""
    modules = {
        ".".join(("kaiwa", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in SOURCE.rglob("*.py")
    }
    importers = collections.defaultdict(set)
    nested = checked = named = 0
    for name, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        guarded = {id(node) for each in ast.walk(tree) if _is_guard(each) for node in ast.walk(each)}
        top = set(map(id, tree.body))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kaiwa"):
                for each in node.names:
                    target = f"{node.module}.{each.name}"
                    importers[target if target in modules else node.module].add(name)
                nested += id(node) not in guarded and id(node) not in top
            if isinstance(node, ast.Import | ast.ImportFrom) and id(node) in guarded:
                checked += len(node.names)
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named += node.value.partition(":")[0] in modules
    return {
        "modules": sum(path.name != "__init__.py" for path in modules.values()),
        "lines": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules.values()),
        "modules with one importer": sum(len(who) == 1 for who in importers.values()),
        "imports inside functions": nested,
        "imports under TYPE_CHECKING": checked,
        "own modules named by a string": named,
    }


def _is_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def page(folder: Path) -> str:
    """The two tables."""
    rows = []
    for walk in WALKS:
        entered, few, run, lines = walked(walk.command, folder)
        rows.append(
            f"| `{walk.command}` | {walk.before} | {entered} | {walk.aim} | {walk.few} | {few} | {run:,} / {lines:,} |"
        )
    now = shape()
    sizes = [f"| {name} | {before:,} | {now[name]:,} |" for name, before in BEFORE.items()]
    return "\n".join(
        [
            "# The house, before and after the rooms",
            "",
            "Made by `python -m benchmarks.house DEMO` in the folder of `kaiwa demo`. A module is entered if one of",
            "its functions runs; what runs while a module is imported does not count. Few lines are six or fewer.",
            "",
            "| walk | modules before | after | aim | few lines before | after | lines run / lines of these modules |",
            "|---|---:|---:|---:|---:|---:|---:|",
            *rows,
            "",
            "| source | before | after |",
            "|---|---:|---:|",
            *sizes,
            "",
            "Every string that names a module now is in the table of public names or in that of verbs, which",
            "`tests/laws/test_architecture.py` checks.",
            "",
        ]
    )


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demo", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = page(given.demo)
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
