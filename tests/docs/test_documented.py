"""What a user can name is in the documentation, and every example of a --help works."""

from __future__ import annotations

import gzip
import importlib.util
import re
import shlex
import shutil
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
import pytest
from click.testing import CliRunner

from kaiwa.cli.group import VERBS, kaiwa
from kaiwa.task.folder import TEMPLATE, TaskSettings

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
TEAMS = ("A", "B", "C", "D")
PAGES = {
    "format": "files.md",
    "measure": "measure.md",
    "scheme": "label.md",
    "rule set": "corpus.md",
    "system": "retrieve.md",
    "fusion": "retrieve.md",
    "tokeniser": "retrieve.md",
    "check code": "files.md",
    "reproduction": "reproduce.md",
    "design": "design.md",
    "method": "design.md",
    "simulated test": "design.md",
    "feature": "retrieve.md",
    "model": "retrieve.md",
    "learner": "retrieve.md",
    "test": "compare.md",
    "written format": "files.md",
    "kind": "install.md",
    "spending": "design.md",
}
"""The page that describes each kind of name."""


def _page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def _build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    if spec is None or spec.loader is None:
        raise ImportError
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in _build().names().items() for name in names])
def test_every_name_stands_in_a_page(kind: str, name: str) -> None:
    """Measures, schemes, rule sets, systems, tokenisers, codes, designs and methods: in backticks on their page."""
    quoted = rf"`[^`\n]*(?<![\w-]){re.escape(name)}(?![\w-])[^`\n]*`"
    assert re.search(quoted, _page(PAGES[kind])), f"the {kind} {name} is not on docs/{PAGES[kind]}"


@pytest.mark.parametrize("setting", [one.name for one in fields(TaskSettings) if one.compare])
def test_every_setting_is_described_and_in_the_template(setting: str) -> None:
    """``kaiwa.toml`` shows each setting, and docs/round.md names it."""
    assert f"`{setting}`" in _page("round.md")
    assert re.search(rf"^(# )?({setting} = |\[\[judging.{setting}\]\])", TEMPLATE, re.MULTILINE)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_stands_in_a_page_of_its_step(verb: str) -> None:
    """Beside the map and the generated reference, a page explains the verb."""
    steps = [page for page in (ROOT / "docs").glob("*.md") if page.name not in {"map.md", "tutorial.md"}]
    assert any(f"kaiwa {verb}" in page.read_text(encoding="utf-8") for page in steps)


def _examples() -> dict[str, str]:
    """The example of every verb, in the order of a round, and of the commands of a verb."""
    contexts = _build().contexts(click.Context(kaiwa, info_name="kaiwa", **kaiwa.context_settings))
    return {
        one.command_path.removeprefix("kaiwa "): (one.command.epilog or "").removeprefix("Example: ")
        for one in contexts
    }


def test_every_example_of_a_help_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed in the order of a round, with small data, each ends with 0; demo and serve have tests of their own."""
    monkeypatch.chdir(tmp_path)
    _small_data(tmp_path)
    failed = {}
    for verb, line in _examples().items():
        assert f"kaiwa {verb}" in line
        done = CliRunner().invoke(kaiwa, _words(line)) if verb not in {"demo", "serve"} else None
        if done and done.exit_code != (verb == "make"):  # a round that waits for its topics is not complete
            failed[line] = done.output or repr(done.exception)
        if verb == "init":
            shutil.copy(tmp_path / "scores.csv", tmp_path / "mytask" / "scores.csv")
        if verb == "topics":
            _answers(tmp_path)
        if verb == "pool":
            _to_judge(tmp_path)
        if verb == "backup":
            for path in [*(tmp_path / "mytask").glob("votes*"), tmp_path / "mytask" / "pool.tsv"]:
                path.unlink()
    assert failed == {}


def _to_judge(folder: Path) -> None:
    """A pool with its topics and texts in the task folder, as one that judges has them."""
    for name in ("pool.tsv", "topics.tsv"):
        shutil.copy(folder / name, folder / "mytask" / name)
    shutil.copytree(next(folder.glob("*/comments.parquet")).parent, folder / "mytask" / "repository")


def _words(line: str) -> list[str]:
    """The words of a line after ``kaiwa``, as a shell would give them."""
    inner = re.search(r"\$\((.*)\)", line)
    words = shlex.split(inner.group(1) if inner else line)[1:]
    return [str(path) for word in words for path in (sorted(Path().glob(word)) if "*" in word else [word])]


def _small_data(folder: Path) -> None:
    """Pairs and scores under the names that the examples use."""
    rng = np.random.default_rng(1)
    signs = [chr(code) for code in range(0x4E00, 0x4E00 + 2000)]
    texts = ["".join(rng.choice(signs, 14).tolist()) for _ in range(300)]
    with gzip.open(folder / "pairs.tsv.gz", "wt", encoding="utf-8") as out:
        out.writelines(f"p{n}\t{texts[n]}\tc{n}\t{texts[150 + n]}\n" for n in range(150))
    for name in ("scores", "pilot1", "pilot2"):
        cells = [
            f"{measure},{topic},{team},{rng.random() * factor:.3f}\n"
            for measure in ("nG@1", "nERR@10", "P+")
            for topic in range(20)
            for team, factor in zip(TEAMS, (1.0, 0.8, 0.6, 0.4), strict=True)
        ]
        (folder / f"{name}.csv").write_text("measure,topic,run,score\n" + "".join(cells), encoding="utf-8")


def _answers(folder: Path) -> None:
    """Runs for the topics that were drawn, and judgements and labels of all they return."""
    rng = np.random.default_rng(2)
    topics = [line.split("\t")[0] for line in (folder / "topics.tsv").read_text(encoding="utf-8").splitlines()]
    comments = [f"c{n}" for n in range(8)]
    judged = [(topic, comment, int(rng.integers(0, 3))) for topic in topics for comment in comments]
    qrels = "".join(f"{topic} 0 {comment} {level}\n" for topic, comment, level in judged)
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")
    with gzip.open(folder / "labels.txt.gz", "wt", encoding="utf-8") as out:
        out.writelines(f"{topic} {comment} {level} {level} {2 - level}\n" for topic, comment, level in judged)
    (folder / "runs").mkdir()
    for team in TEAMS:
        lines = [
            f"{topic} 0 {comment} {rank} {9 - rank} {team}-C-R1\n"
            for topic in topics
            for rank, comment in enumerate(rng.permutation(comments).tolist(), start=1)
        ]
        text = f"<SYSDESC>{team}</SYSDESC>\n{''.join(lines)}"
        (folder / "runs" / f"{team}-C-R1.txt").write_text(text, encoding="utf-8")
