"""The core alone, installed from a built wheel into an empty environment: what works, and what asks for an extra."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from kaiwa.files.zstd import compress

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("core install")  # one environment, made once

MOST_BYTES = 280e6
VERBS = {
    "score": "score runs/0.txt runs/1.txt --qrels qrels.txt -m nG@1 -m nERR@10 -m P+ --json",
    "compare": "compare scores.csv -m nERR@10 --json",
    "compare, enough for the compiler": "compare scores.csv -m nERR@10 --trials 2000000 --json",
    "compare LLM logs": "compare a/samples_arc_2026-01-05T10-20-30.1.jsonl b/samples_arc_2026-01-05T10-20-30.1.jsonl",
    "compare a packed file": "compare scores.csv.zst -m nG@1",
    "design": "design --variance 0.0643 --systems 10 --min-diff 0.15 --json",
    "design from a pilot": "design scores.csv -m nG@1 --systems 4 --min-diff 0.1",
    "check": "check Aoi-C-R1.txt --topics topics.tsv --json",
    "pool": "pool runs/0.txt runs/1.txt --depth 2",
    "agree": "agree votes.csv --json",
    "gains": "gains votes.csv --scheme unanimity --p 0.2",
    "standardise": "standardise scores.csv --method std-ab",
    "tau": "tau scores.csv -m nG@1 -m nERR@10 --json",
    "variance": "variance scores.csv -m nG@1 --json",
    "convert": "convert scores.csv --format csv",
    "reproduce": "reproduce --json",
}
EXTRAS = {
    "figures": ["compare scores.csv -m nG@1 -o means.svg", "report scores-alone"],
    "parquet": ["clean pairs.tsv -o cleaned", "check Aoi-C-R1.txt --repository repository"],
    "search": ["index repository -o index", "reply index hello", "retrieve index topics.tsv -o run.txt"],
    "demo": ["demo shown"],
}
FRAME = """
import kaiwa
class Frame:
    def __arrow_c_stream__(self, requested_schema=None): ...
for use in (lambda: kaiwa.read_scores(Frame()), kaiwa.read_scores("scores.csv")["nG@1"].__arrow_c_stream__):
    try:
        use()
    except kaiwa.InputError as refusal:
        print(refusal)
"""
WORDS = """
from kaiwa.errors import MissingExtra
from kaiwa.retrieval.tokenisers import tokeniser
for language in ("zh", "ja", "en"):
    try:
        tokeniser(language)
    except MissingExtra as refusal:
        print(refusal)
"""


def ran(*line: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the line prints in the folder, without what the caller's Python would find elsewhere."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        line, cwd=folder, env={**kept, "NO_COLOR": "1"}, capture_output=True, text=True, timeout=600, check=False
    )


def pip(python: Path) -> list[str | Path]:
    """The beginning of a line of pip for an environment that has none of its own."""
    return [sys.executable, "-m", "pip", "--python", python]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the core and nothing else."""
    folder = tmp_path_factory.mktemp("core")
    built = ran(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ROOT, folder=folder)
    assert built.returncode == 0, built.stderr
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    filled = ran(*pip(python), "install", "-c", ROOT / "constraints.txt", wheel, folder=folder)
    assert filled.returncode == 0, filled.stderr
    return python


@pytest.fixture(scope="module")
def work(round_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small round, a task of scores alone, logs of two models, raw pairs, and scores packed by zstd."""
    folder = Path(shutil.copytree(round_template, tmp_path_factory.mktemp("work") / "round"))
    for model, right in (("a", 30), ("b", 10)):
        (folder / model).mkdir()
        rows = [{"doc_id": doc, "filter": "none", "metrics": ["acc"], "acc": float(doc < right)} for doc in range(40)]
        log = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / model / "samples_arc_2026-01-05T10-20-30.1.jsonl").write_text(log)
    shutil.copy(folder / "runs" / "0.txt", folder / "Aoi-C-R1.txt")
    (folder / "scores-alone").mkdir()
    for name in ("kaiwa.toml", "scores.csv"):
        shutil.copy(folder / name, folder / "scores-alone" / name)
    (folder / "pairs.tsv").write_text("p1\thello there\tc1\thi you\n")
    (folder / "scores.csv.zst").write_bytes(compress((folder / "scores.csv").read_bytes()))
    return folder


def test_the_core_brings_three_libraries_and_a_part_of_python(core: Path, work: Path) -> None:
    """The rest comes with extras."""
    listed = json.loads(ran(*pip(core), "list", "--format", "json", folder=work).stdout)
    backport = {"backports.zstd"} if sys.version_info < (3, 14) else set()
    assert {package["name"] for package in listed} == {"kaiwa", "click", "numpy", "scipy"} | backport


def test_the_core_is_small(core: Path) -> None:
    """At most 280 MB of files, with bytecode, and with the 25 MB that pip and setuptools take."""
    assert 25e6 + sum(path.stat().st_size for path in core.parents[1].rglob("*") if path.is_file()) <= MOST_BYTES


@pytest.mark.parametrize("words", VERBS.values(), ids=VERBS)
def test_a_verb_prints_the_same_without_any_extra(core: Path, work: Path, words: str) -> None:
    """Byte for byte what it prints with every library at hand."""
    alone = ran(core, "-m", "kaiwa.cli", *words.split(), folder=work)
    among_all = ran(sys.executable, "-m", "kaiwa.cli", *words.split(), folder=work)
    assert (alone.returncode, alone.stderr) == (0, among_all.stderr)
    assert alone.stdout == among_all.stdout != ""


@pytest.mark.parametrize(("extra", "words"), [(extra, words) for extra, all_ in EXTRAS.items() for words in all_])
def test_a_missing_extra_is_one_line_with_the_command_that_installs_it(
    core: Path, work: Path, extra: str, words: str
) -> None:
    """Exit code 2, no traceback, nothing written."""
    before = sorted(work.rglob("*"))
    done = ran(core, "-m", "kaiwa.cli", *words.split(), folder=work)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.endswith(f"not installed; type: pip install 'kaiwa[{extra}]'\n")
    assert sorted(work.rglob("*")) == before


def test_python_is_answered_alike(core: Path, work: Path) -> None:
    """Data frames in and out, and words of three languages."""
    answer = "{} is not installed; type: pip install 'kaiwa[{}]'\n"
    assert ran(core, "-c", FRAME, folder=work).stdout == answer.format("pyarrow", "parquet") * 2
    expected = [("rjieba", "zh"), ("fugashi", "ja"), ("snowballstemmer", "search")]
    assert ran(core, "-c", WORDS, folder=work).stdout == "".join(answer.format(*pair) for pair in expected)
