"""report, convert and reproduce: the command and the Python function are one."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import kaiwa
from kaiwa.cli.group import kaiwa as group
from kaiwa.errors import InputError
from kaiwa.formats.convert import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

VERBS: dict[str, tuple[str, set[str]]] = {
    "report": ("task", {"form", "as_json", "table"}),
    "convert": ("files", {"as_json", "output"}),
    "reproduce": ("names", {"form", "as_json", "table", "output"}),
}
"""The argument of each verb, and its options that are of the shell; the -o of report is its parameter."""
QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}


def _plain(default: object) -> object:
    """A default; what may be repeated has an empty tuple, and a flag False, where it has nothing."""
    return None if default in {(), False} or repr(default) == "Sentinel.UNSET" else default


@pytest.mark.parametrize("verb", VERBS)
def test_the_command_has_the_functions_parameters_and_defaults(verb: str) -> None:
    """None more, none fewer, each with the same default."""
    argument, of_the_shell = VERBS[verb]
    command = group.get_command(click.Context(group), verb)
    assert command is not None
    options = {
        one.name: one
        for one in command.params
        if isinstance(one, click.Option) and one.expose_value and one.name not in of_the_shell
    }
    first, *parameters = inspect.signature(getattr(kaiwa, verb)).parameters.values()
    assert [one.name for one in command.params if isinstance(one, click.Argument)] == [argument] == [first.name]
    assert {name: _plain(one.default) for name, one in options.items()} == {
        one.name: _plain(None if one.default is one.empty else one.default) for one in parameters
    }
    assert all(one.kind is one.KEYWORD_ONLY for one in parameters)
    for name, one in options.items():
        assert f"--{str(name).replace('_', '-')}" in one.opts
    assert {name for name, one in options.items() if one.required} == {
        one.name for one in parameters if one.default is one.empty
    }


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with files of each noun, and a task in it."""
    monkeypatch.chdir(tmp_path)
    Path("task").mkdir()
    Path("task", "kaiwa.toml").write_text('[task]\ntitle = "T"\n[scoring]\nmeasures = ["nG@1"]\n', encoding="utf-8")
    scores = {"A": dict.fromkeys("12345678", 1.0), "B": {topic: 0.5 / int(topic) for topic in "12345678"}}
    for folder in ("task", "."):
        kaiwa.Scores.from_dict(scores, "nG@1").write(Path(folder, "scores.csv"))
    kaiwa.Qrels.from_dict(QRELS).write("qrels.txt")
    kaiwa.Run.from_dict({"q1": {"a": 2.0}}, "A").write("A.txt")
    rows = [(f"q{at}", "c", who, level) for at in range(3) for who, level in (("x", 0), ("y", 1))]
    kaiwa.Votes.from_rows(rows, max_level=2).write("votes.csv")


def _done(words: str) -> Result:
    return CliRunner().invoke(group, words.split())


CALLS: dict[str, tuple[str, Callable[[], Any]]] = {  # Any: each result's own type
    "report": ("report task", lambda: kaiwa.report("task")),
    "a page": ("report task -o p.html --stale", lambda: kaiwa.report("task", output="p.html", stale=True)),
    "runs": ("convert A.txt --format trec-run", lambda: kaiwa.convert("*.txt", format="trec-run")),
    "qrels": ("convert qrels.txt --format rel", lambda: kaiwa.convert("qrels.txt", format="rel")),
    "votes": ("convert votes.csv --format stc-labels", lambda: kaiwa.convert("votes.csv", format="stc-labels")),
    "scores": (
        "convert scores.csv --format matrix -m nG@1 --lower-is-better nG@1",
        lambda: kaiwa.convert("scores.csv", format="matrix", measures="nG@1", lower_is_better="nG@1"),
    ),
    "reproduce": ("reproduce tau unanimity", lambda: kaiwa.reproduce("tau", "unanimity")),
    "kappa": ("reproduce kappa --labels votes.csv", lambda: kaiwa.reproduce("kappa", labels="votes.csv")),
}


@pytest.mark.parametrize("name", CALLS)
def test_json_of_the_command_is_that_of_the_result(name: str) -> None:
    """The same inputs and settings; each field is an attribute."""
    if name == "runs":
        Path("qrels.txt").unlink()
    words, call = CALLS[name]
    done, result = _done(f"{words} --json"), call()
    assert done.stdout == result.to_json() + "\n"
    assert all(hasattr(result, field) for field in json.loads(done.stdout))


def test_a_report_stands_for_its_page() -> None:
    """Its folder of files is beside it; the text says who has rank 1."""
    made = kaiwa.report("task", output="p.html")
    assert Path(os.fspath(made)).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (Path(made.files) / "report.json").is_file()
    assert str(made).splitlines()[0] == "nG@1: 1 run has rank 1: A"
    assert (made.rank_1, made.best_mean, made.simulated) == ({"nG@1": ["A"]}, {"nG@1": ["A"]}, False)
    assert made.to_pandas()["topics"].tolist() == [made.topics["nG@1"]]


def test_an_id_that_may_not_be_shown_is_in_no_report() -> None:
    """Python takes ids as the command takes a file of them."""
    kaiwa.report("task", output="p.html", takedown=["3"])
    assert "takedown-1" in Path("p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name, row in WRITTEN.items() if row.noun.name in {"qrels", "votes"}])
def test_a_converted_noun_writes_the_chosen_format(name: str) -> None:
    """As the command does with -o, whatever the ending; and what is made of it later has its own file again."""
    source = "qrels.txt" if WRITTEN[name].noun.name == "qrels" else "votes.csv"
    noun = kaiwa.convert(source, format=name)
    noun.write("one.csv")
    assert _done(f"convert {source} --format {name} -o two.csv").exit_code == 0
    files = [path.relative_to("one.csv") for path in Path("one.csv").rglob("*") if path.is_file()] or [Path()]
    assert all(Path("one.csv", file).read_bytes() == Path("two.csv", file).read_bytes() for file in files)
    noun.write("other.json", format="json")
    assert Path("other.json").read_text(encoding="utf-8") == noun.to_json() + "\n"


def test_convert_takes_nouns_frames_and_dicts() -> None:
    """As every verb does."""
    qrels = kaiwa.Qrels.from_dict(QRELS)
    for given in (qrels, qrels.to_pandas(), QRELS, ["qrels.txt"]):
        assert kaiwa.convert(given, format="ntcir-qrels").own_form() == "q1 a L2\nq1 b L1\nq2 a L1\n"  # type: ignore[arg-type]
    assert isinstance(kaiwa.convert("A.txt", format="res"), kaiwa.Runs)
    assert isinstance(kaiwa.convert({"q1": "Hello"}, format="topics"), kaiwa.Topics)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kaiwa.convert("qrels.txt", format="rell"), "unknown format 'rell'; did you mean 'rel'"),
        (lambda: kaiwa.convert("qrels.txt", format="csv"), "qrels.txt: this is a qrels file"),
        (lambda: kaiwa.convert("A.txt", format="res", measures="AP"), "measures= chooses among scores, but res holds"),
        (lambda: kaiwa.convert("A.txt", format="res", lower_is_better="AP"), "only scores have a direction"),
        (lambda: kaiwa.convert("qrels.txt", format="rel").own_form(), "rel is 3 files; write them into a folder"),
        (lambda: kaiwa.reproduce("taus"), "unknown reproduction 'taus'; did you mean 'tau'?"),
        (lambda: kaiwa.reproduce("kappa"), "kappa: the votes are not part of Kaiwa; give the public STC Japanese"),
        (lambda: kaiwa.reproduce("tau", labels="votes.csv"), "labels= are the votes of kappa"),
        (
            lambda: kaiwa.reproduce("kappa", labels=kaiwa.Votes.from_rows([("q", "c", "x", 1)])),
            "kappa: the labels go to level 1, not 2; give the public STC Japanese label file",
        ),
        (lambda: kaiwa.report("nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(call: Callable[[], Any], message: str) -> None:
    """By the function."""
    with pytest.raises(InputError) as refusal:
        call()
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


def test_a_number_that_is_not_reproduced_is_exit_code_1() -> None:
    """And the table says which; reproduced ones end with 0."""
    done, found = _done("reproduce kappa --labels votes.csv"), kaiwa.reproduce("kappa", labels="votes.csv")
    assert (done.exit_code, found.reproduced, found.agreeing) == (1, False, 0)
    assert found.columns("kappa")["verdict"] == ["DIFFERS", "DIFFERS"]
    assert "DIFFERS" in done.stdout
    assert _done("reproduce tau").exit_code == 0
    assert found.tables == ("rows", "kappa")
    assert list(found.columns()) == ["name", "what", "published", "computed", "verdict", "remark"]
