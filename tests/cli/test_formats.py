"""Every verb takes every format of its nouns, and answers a file of another noun."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from kaiwa.cli.group import kaiwa
from kaiwa.errors import InputError
from kaiwa.formats.convert import WRITTEN, convert

if TYPE_CHECKING:
    from click.testing import Result

EXAMPLES = Path(__file__).parents[1] / "formats" / "examples"
SHOWN = {
    "run": "trec-run",
    "qrels": "trec-qrels",
    "votes": "stc-labels",
    "scores": "csv",
    "topics": "topics",
    "pairs": "pairs-tsv",
    "factors": "factors",
    "chances": "chances",
}
"""The format whose example is used for its noun."""
FILE = "FILE"
TAKES = [
    ("scores", ["compare", FILE]),
    ("scores", ["tau", FILE, "-m", "A", "-m", "B"]),
    ("scores", ["variance", FILE]),
    ("scores", ["standardise", FILE]),
    ("scores", ["design", FILE, "--systems", "2", "--min-diff", "0.1"]),
    ("scores", ["convert", FILE, "--format", "csv"]),
    ("run", ["score", FILE, "--qrels", "qrels"]),
    ("run", ["pool", FILE]),
    ("run", ["check", FILE]),
    ("run", ["unanimity", FILE, "--votes", "votes"]),
    ("run", ["convert", FILE, "--format", "res", "-o", "there"]),
    ("qrels", ["score", "run", "--qrels", FILE]),
    ("qrels", ["score", "run", "--intents", FILE]),
    ("qrels", ["pool", "run", "--qrels", FILE]),
    ("qrels", ["convert", FILE, "--format", "beir-qrels"]),
    ("votes", ["score", "run", "--votes", FILE]),
    ("votes", ["agree", FILE]),
    ("votes", ["gains", FILE]),
    ("chances", ["score", "run", "--intents", "qrels", "--chances", FILE]),
    ("factors", ["standardise", "scores", "--factors", FILE]),
    ("topics", ["check", "run", "--topics", FILE]),
    ("pairs", ["clean", FILE, "-o", "repository"]),
]


def example(noun: str) -> str:
    """The file that is used for a noun."""
    (path,) = (EXAMPLES / SHOWN[noun]).iterdir()
    return str(path)


def run_command(words: list[str], file: str) -> Result:
    """What the command does with the file, other files being of their own nouns."""
    given = [file if word == FILE else example(word) if word in SHOWN else word for word in words]
    return CliRunner().invoke(kaiwa, given)


@pytest.mark.parametrize(("noun", "words"), TAKES, ids=lambda value: "-".join(value) if isinstance(value, list) else "")
def test_a_file_of_another_noun_is_answered_by_every_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noun: str, words: list[str]
) -> None:
    """An InputError, which is exit code 2: what the file is, what was asked for; and nothing is written."""
    monkeypatch.chdir(tmp_path)
    for other in SHOWN:
        if other != noun:
            done = run_command(words, example(other))
            assert isinstance(done.exception, InputError), (other, done.output)
            assert str(done.exception).startswith(f"{example(other)}: this is "), other
            assert "kaiwa " in str(done.exception)
    assert list(tmp_path.iterdir()) == []


RUN = "q1 Q0 d2 1 2.0 A\nq1 Q0 d1 2 1.0 A\nq2 Q0 d9 1 1.0 A\n"
GAINS = "q1 0 d1 2\nq1 0 d2 1\nq2 0 d9 1\n"
SCORES = "measure,topic,run,score\n" + "".join(
    f"m,q{topic},{run},{score / topic}\n" for topic in (1, 2, 3) for run, score in (("A", 0.9), ("B", 0.3))
)
SAME = {
    "run": (RUN, [["score", FILE, "--qrels", "GAINS", "--json"], ["pool", FILE, "-o", "p", "--json"]]),
    "qrels": (GAINS, [["score", "RUN", "--qrels", FILE, "--json"], ["pool", "RUN", "--qrels", FILE, "--json"]]),
    "scores": (SCORES, [["compare", FILE, "--trials", "99", "--json"], ["variance", FILE, "--json"]]),
}


@pytest.mark.parametrize("noun", SAME)
def test_every_format_of_a_noun_gives_the_same_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noun: str
) -> None:
    """NTCIREVAL's folder is scored as the run it was made from; so for judgements and scores."""
    monkeypatch.chdir(tmp_path)
    text, commands = SAME[noun]
    for name, content in (("RUN", RUN), ("GAINS", GAINS), ("m.csv", text)):
        Path(name).write_text(content)
    formats = [name for name, row in WRITTEN.items() if row.noun.name == noun]
    for words in commands:
        answers = {name: _answer(words, _written(name)) for name in formats}
        assert all(answer == answers[formats[0]] for answer in answers.values()), answers


def _written(name: str) -> str:
    """The source in a format: the one file, the folder where the format is one, or the file of run A."""
    made = convert("m.csv", format=name)
    target = Path(name) / "m.csv" if "" in made.texts(name) else Path(name)
    target.parent.mkdir(exist_ok=True)
    made.write(target)
    runs = sorted(target.glob("A.*")) if WRITTEN[name].noun.name == "run" else []  # a file a run, or the folder
    return str(runs[0] if runs else target)


def _answer(words: list[str], file: str) -> object:
    done = CliRunner().invoke(kaiwa, [file if word == FILE else word for word in words])
    assert done.exception is None, (words, file, done.exception)
    answer = json.loads(done.stdout)
    return {key: value for key, value in answer.items() if key not in {"measure", "orders", "notes"}}
