"""The verbs of the task folder, and the folder as what every other verb works on: the command and Python are one."""

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
from kaiwa.cli.group import run_typed
from kaiwa.task.folder import read_task
from kaiwa.task.inputs import VERBS, settings_for

if TYPE_CHECKING:
    from collections.abc import Callable

OF_THE_SHELL = {"form", "as_json", "table", "output"}
SETTINGS = """\
[task]
title = "a round"
[judging]
depth = 2
scheme = "unanimity"
p = 0.5
[scoring]
measures = ["nERR@10", "nG@1"]
[comparing]
test = "step-down"
alpha = 0.1
trials = 150
seed = 9
margin = 0.25
[design]
systems = 4
min_diff = 0.3
"""


@pytest.fixture
def task(small_round: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small round with settings that are not the defaults; the test works in the folder that holds it."""
    (small_round / "kaiwa.toml").write_text(SETTINGS)
    monkeypatch.chdir(small_round.parent)
    return small_round


def printed(*words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(group, words, catch_exceptions=False)
    assert done.exit_code in {0, 1}, done.stderr
    return done.stdout


@pytest.mark.parametrize("verb", ["init", "status", "make", "demo"])
def test_the_command_has_the_functions_parameters_and_defaults(verb: str) -> None:
    """Each parameter under the same name with the same default, and nothing else but how the result is shown."""
    command = group.get_command(click.Context(group), verb)
    assert command is not None
    found = {one.name: one.default for one in command.params if one.expose_value and one.name not in OF_THE_SHELL}
    parameters = inspect.signature(getattr(kaiwa, verb)).parameters
    assert set(found) == set(parameters)
    for name, one in parameters.items():
        if one.default is not inspect.Parameter.empty:
            shown = os.fspath(found[name]) if isinstance(found[name], os.PathLike) else found[name]
            assert shown == one.default or (one.default is False and repr(shown) == "Sentinel.UNSET"), name
    assert not hasattr(kaiwa, "run")


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("status", "round"), lambda: kaiwa.status("round")),
        (("make", "round", "--dry-run"), lambda: kaiwa.make("round", dry_run=True)),
        (("init", "new"), lambda: kaiwa.init("other")),
    ],
)
def test_json_and_text_are_those_of_the_result(words: tuple[str, ...], call: Callable[[], Any]) -> None:
    """Each field of JSON is an attribute of the same name; nothing is taken from the settings."""
    result = call()
    assert printed(*words, "--json").replace("new", "other") == result.to_json() + "\n"
    if words[0] != "init":
        assert printed(*words) == f"{result}\n"
    assert all(hasattr(result, name) for name in json.loads(result.to_json()))
    assert result.settings == {}


def test_a_new_task_and_its_status_have_tables_and_paths(task: Path) -> None:
    """A new task is given as its folder; the status has a row for each file."""
    made = kaiwa.init("new")
    assert (os.fspath(made), made.config) == ("new", Path("new/kaiwa.toml"))
    found = kaiwa.status(made)
    assert found.tables == ("steps",)
    assert list(found.columns()) == ["file", "state", "why"]
    assert found.next == "put the topics into topics.tsv (id TAB text)"
    assert kaiwa.status(task).columns()["file"][0] == "topics.tsv"
    with pytest.raises(kaiwa.InputError, match=r"holds no kaiwa\.toml; make a task folder with: kaiwa init DIR"):
        kaiwa.make(task / "runs")


def test_a_round_is_made_from_any_folder_in_silence(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The caller's folder stays; nothing is printed; what was done and the status are in the result."""
    for name in ("qrels.txt", "scores.csv"):
        (task / name).unlink()
    monkeypatch.chdir(tmp_path / "round" / "runs")
    planned = kaiwa.make("..", dry_run=True)
    assert not (task / "qrels.txt").exists()
    made = kaiwa.make("..")
    assert Path.cwd() == tmp_path / "round" / "runs"
    assert [line.split()[1] for line in made.commands] == ["pool", "gains", "score", "report"]
    assert planned.commands[:2] == made.commands[:2]  # the highest gain of the third is known when gains are made
    assert made.tables == ("steps", "commands")
    assert str(made.next).startswith("have the pool judged")  # the votes are few
    assert {step.state for step in made.steps if step.file != "votes.csv"} == {"done"}
    assert tuple(capfd.readouterr()) == ("", "")
    assert kaiwa.make("..").commands == ()


def test_an_error_of_a_step_is_raised_and_the_folder_stays(task: Path, tmp_path: Path) -> None:
    """Of the input, with its place; and what a command refuses is an error of ours, which names the command."""
    (task / "runs" / "0.txt").write_text("not a run\n")
    with pytest.raises(kaiwa.InputError, match=r"0\.txt"):
        kaiwa.make(task)
    assert Path.cwd() == tmp_path
    with pytest.raises(kaiwa.InputError, match="kaiwa pool --depth 0: Invalid value for '--depth'"):
        run_typed("kaiwa pool --depth 0")


# A task folder in place of runs, votes, judgements, scores or topics.

_DRAWN = {"trials": 150, "seed": 9}
_TESTED = {"test": "step-down", "alpha": 0.1, **_DRAWN, "margin": 0.25}
_REQUIRED = {"test": "step-down", "systems": 4, "min_diff": 0.3, "power": 0.8, "alpha": 0.1}
_BOTH = ("nERR@10", "nG@1")
RUNS = "round/runs/*.txt"
CASES: dict[str, tuple[str, Callable[..., Any], Callable[..., Any], dict[str, Any]]] = {
    "agree": (
        "agree round --trials 50",
        lambda: kaiwa.agree("round", trials=50),
        lambda **taken: kaiwa.agree("round/votes.csv", trials=50, **taken),
        {"max_level": 2, "seed": 9},
    ),
    "check": (
        "check round",
        lambda: kaiwa.check("round"),
        lambda: kaiwa.check(
            [f"round/runs/{at}.txt" for at in range(4)], topics="round/topics.tsv", repository="round/repository"
        ),
        {},
    ),
    "compare": (
        "compare round",
        lambda: kaiwa.compare("round"),
        lambda **taken: kaiwa.compare("round/scores.csv", **taken),
        _TESTED,
    ),
    "compare with a baseline": (
        "compare round -m nG@1 --baseline Aoi-C-R1",
        lambda: kaiwa.compare("round", "nG@1", baseline="Aoi-C-R1"),
        lambda **taken: kaiwa.compare("round/scores.csv", "nG@1", baseline="Aoi-C-R1", **taken),
        {"alpha": 0.1, "seed": 9, "margin": 0.25},
    ),
    "compare the runs": (
        "compare round --qrels round/qrels.txt -m nG@1 --test tukey",
        lambda: kaiwa.compare("round", "nG@1", qrels="round/qrels.txt", test="tukey"),
        lambda **taken: kaiwa.compare(RUNS, "nG@1", qrels="round/qrels.txt", test="tukey", **taken),
        {"alpha": 0.1, "seed": 9, "margin": 0.25},
    ),
    "design": (
        "design round",
        lambda: kaiwa.design("round"),
        lambda **taken: kaiwa.design("round/scores.csv", **taken),
        {**_REQUIRED, "measures": _BOTH},
    ),
    "design for topics that are known": (
        "design round -m nG@1 --topics 40",
        lambda: kaiwa.design("round", "nG@1", topics=40),
        lambda **taken: kaiwa.design("round/scores.csv", "nG@1", topics=40, **taken),
        {name: value for name, value in _REQUIRED.items() if name != "power"},
    ),
    "design cost": (
        "design cost round -m nG@1",
        lambda: kaiwa.design_cost("round", "nG@1"),
        lambda **taken: kaiwa.design_cost("round/scores.csv", "nG@1", **taken),
        _REQUIRED,
    ),
    "design decide": (
        "design decide round -m nG@1 --target 0.5",
        lambda: kaiwa.design_decide("round", "nG@1", target=0.5),
        lambda: kaiwa.design_decide("round/scores.csv", "nG@1", target=0.5),
        {},
    ),
    "design review": (
        "design review round -m nG@1 --variance 0.02 --test two-way",
        lambda: kaiwa.design_review("round", "nG@1", variance=0.02, test="two-way"),
        lambda **taken: kaiwa.design_review("round/scores.csv", "nG@1", variance=0.02, test="two-way", **taken),
        {name: value for name, value in _REQUIRED.items() if name != "test"},
    ),
    "design rounds": (
        "design rounds round -m nG@1 --looks 20,40",
        lambda: kaiwa.design_rounds("round", "nG@1", looks=[20, 40]),
        lambda **taken: kaiwa.design_rounds("round/scores.csv", "nG@1", looks=[20, 40], **taken),
        _REQUIRED,
    ),
    "design simulate": (
        "design simulate round -m nG@1 --trials 500 --test tukey",
        lambda: kaiwa.design_simulate("round", "nG@1", trials=500, test="tukey"),
        lambda **taken: kaiwa.design_simulate("round/scores.csv", "nG@1", trials=500, test="tukey", **taken),
        {name: value for name, value in _REQUIRED.items() if name != "test"},
    ),
    "fuse": ("fuse round", lambda: kaiwa.fuse("round"), lambda: kaiwa.fuse(RUNS), {}),
    "gains": (
        "gains round",
        lambda: kaiwa.gains("round"),
        lambda **taken: kaiwa.gains("round/votes.csv", **taken),
        {"scheme": "unanimity", "p": 0.5, "max_level": 2},
    ),
    "gains without": (
        "gains round --without a1 --scheme mean",
        lambda: kaiwa.gains("round", without="a1", scheme="mean"),
        lambda **taken: kaiwa.gains("round/votes.csv", without="a1", scheme="mean", task="round", **taken),
        {"max_level": 2},
    ),
    "pool": ("pool round", lambda: kaiwa.pool("round"), lambda **taken: kaiwa.pool(RUNS, **taken), {"depth": 2}),
    "score": (
        "score round",
        lambda: kaiwa.score("round"),
        lambda **taken: kaiwa.score(RUNS, "round/qrels.txt", **taken),
        {"measures": _BOTH},
    ),
    "score votes": (
        "score round --votes round",
        lambda: kaiwa.score("round", votes="round"),
        lambda **taken: kaiwa.score(RUNS, votes="round/votes.csv", **taken),
        {"measures": _BOTH, "scheme": "unanimity", "p": 0.5, "max_level": 2},
    ),
    "standardisation": (
        "standardisation round -m nG@1",
        lambda: kaiwa.standardisation("round", "nG@1"),
        lambda: kaiwa.standardisation("round/scores.csv", "nG@1"),
        {},
    ),
    "standardise": (
        "standardise round",
        lambda: kaiwa.standardise("round"),
        lambda: kaiwa.standardise("round/scores.csv"),
        {},
    ),
    "tau": (
        "tau round --interval bootstrap --trials 100",
        lambda: kaiwa.tau("round", interval="bootstrap", trials=100),
        lambda **taken: kaiwa.tau("round/scores.csv", interval="bootstrap", trials=100, **taken),
        {"seed": 9},
    ),
    "unanimity": (
        "unanimity round --trials 100",
        lambda: kaiwa.unanimity("round", trials=100),
        lambda **taken: kaiwa.unanimity("round/votes.csv", RUNS, trials=100, **taken),
        {"measures": _BOTH, "p": 0.5, "max_level": 2},
    ),
    "variance": (
        "variance round -m nG@1 --trials 100",
        lambda: kaiwa.variance("round", "nG@1", trials=100),
        lambda **taken: kaiwa.variance("round/scores.csv", "nG@1", trials=100, **taken),
        {"seed": 9},
    ),
}


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize("name", CASES)
def test_a_task_folder_stands_for_its_files_with_its_settings(name: str) -> None:
    """In both doors alike; the result names the settings that were taken, with which the call can be repeated."""
    words, call, repeated, taken = CASES[name]
    result = call()
    assert result.settings == taken
    told = json.loads(result.to_json())
    assert told.pop("settings", {}) == json.loads(json.dumps(taken))
    assert told == json.loads(repeated(**taken).to_json())
    assert printed(*words.split(), "--json") == result.to_json() + "\n"


def test_every_verb_of_the_table_is_tested_above() -> None:
    """Each takes a task folder; the report always has, and retrieve needs an index."""
    tested = {f"{words} ".split(" round ")[0].replace(" ", "_") for words, *_ in CASES.values()}
    assert tested | {"report", "retrieve", "retrieve_all"} == set(VERBS)
    for verb in VERBS.keys() - {"report"}:
        parameters = inspect.signature(getattr(kaiwa, verb)).parameters
        assert {*VERBS[verb].nouns, *VERBS[verb].settings, *VERBS[verb].whole} <= set(parameters), verb


def test_topics_of_a_task_are_answered(task: Path, index: Path) -> None:
    """The folder stands for its topics."""
    assert kaiwa.retrieve(index, task, k=2).topics == kaiwa.retrieve(index, task / "topics.tsv", k=2).topics


def test_settings_that_cannot_act_are_left_out() -> None:
    """Each of them would be refused if it was typed."""
    settings = read_task_of(SETTINGS)
    for verb, given, idle in (
        ("compare", {"family": True}, {"test"}),
        ("compare", {"test": "crossed"}, {"test", "trials", "margin", "seed"}),
        ("gains", {"scheme": "mean"}, {"scheme", "p"}),
        ("score", {}, {"scheme", "p", "max_level"}),
        ("unanimity", {"qrels": "q.txt"}, {"max_level"}),
        ("pool", {"sheet": "s.csv"}, {"depth"}),
        ("design", {"variance": 0.1}, {"test", "systems", "min_diff", "power", "alpha", "measures"}),
        ("design", {"solve": "min_diff", "topics": 9}, {"min_diff"}),
    ):
        whole = verb == "design"
        every = {*VERBS[verb].settings, *(VERBS[verb].whole if whole else ())}
        assert set(settings_for(verb, settings, given, whole=whole)) == every - idle, (verb, given)


def read_task_of(text: str) -> Any:  # Any: the settings
    """The settings that this text gives."""
    from tempfile import mkdtemp

    folder = Path(mkdtemp())
    (folder / "kaiwa.toml").write_text(text)
    return read_task(folder).settings


@pytest.mark.usefixtures("task")
def test_what_is_given_wins_and_a_file_of_the_folder_has_no_settings() -> None:
    """Python reads kaiwa.toml of a folder that is named, and no other; the command also that of a named file."""
    assert kaiwa.compare("round", "nG@1", test="hsd", trials=99).settings == {"alpha": 0.1, "seed": 9, "margin": 0.25}
    alone = kaiwa.compare("round/scores.csv", "nG@1", trials=99)
    assert (alone.test, alone.alpha, alone.settings) == ("robust", 0.05, {})
    told = json.loads(printed("compare", "round/scores.csv", "-m", "nG@1", "--trials", "99", "--json"))
    assert told["settings"] == {"test": "step-down", "alpha": 0.1, "seed": 9, "margin": 0.25}


@pytest.mark.usefixtures("task")
def test_several_folders_stand_for_their_files_alone() -> None:
    """Of two rounds no settings are those of the call."""
    both = kaiwa.variance(["round", "round"], "nG@1", trials=100)
    assert both.settings == {}
    assert both.to_json() == kaiwa.variance(["round/scores.csv"] * 2, "nG@1", trials=100).to_json()


def test_the_takedown_of_the_task_is_applied(task: Path) -> None:
    """As in the command, with what is given."""
    (task / "takedown.txt").write_text("c03\n")
    with_list = kaiwa.pool(task, depth=3, takedown=["c05"])
    assert {"c03", "c05"}.isdisjoint(with_list.columns("items")["comment"])
    assert "c03" in kaiwa.pool(task / "runs", depth=3).columns("items")["comment"]
    assert "takedown" in {problem.code for problem in kaiwa.check(task).problems}


def test_a_task_without_the_file_says_so(task: Path) -> None:
    """In place of an error of the reader."""
    (task / "scores.csv").unlink()
    with pytest.raises(kaiwa.InputError, match=r"round/scores\.csv: no scores yet; see: kaiwa status"):
        kaiwa.compare(task)
    empty = kaiwa.init("empty")
    with pytest.raises(kaiwa.InputError, match=r"empty/runs: no runs yet"):
        kaiwa.fuse(empty)


def test_files_made_of_the_whole_task_are_those_of_the_round(task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``kaiwa score .`` makes what ``kaiwa make`` makes, also over it, and the status takes it as done."""
    (task / "kaiwa.toml").write_text("[judging]\ndepth = 3\n[comparing]\ntrials = 150\n")
    for name in ("qrels.txt", "scores.csv"):
        (task / name).unlink()
    kaiwa.make(task)
    made = (task / "scores.csv").read_text()
    assert kaiwa.score(task).settings["max_gain"] == 3
    assert printed("score", str(task), "--json") == kaiwa.score(task).to_json() + "\n"
    monkeypatch.chdir(task)
    for verb, name in (("pool", "pool.tsv"), ("gains", "qrels.txt"), ("score", "scores.csv")):
        before = (task / name).read_bytes()
        printed(verb, ".", "-o", name)
        assert (task / name).read_bytes() == before, name
    assert (task / "scores.csv").read_text() == made
    states = {step.file: step.state for step in kaiwa.status().steps}
    assert {states[name] for name in ("pool.tsv", "qrels.txt", "scores.csv")} == {"done"}
    for read in ("votes.csv", "runs/0.txt", "qrels.txt"):
        done = CliRunner().invoke(group, ["score", ".", "-o", read])
        assert isinstance(done.exception, kaiwa.InputError)


def test_an_old_key_is_an_error_that_names_the_new_one(task: Path) -> None:
    """Also in Python, for a verb on the folder."""
    (task / "kaiwa.toml").write_text("[judging]\ntop = 3\n")
    with pytest.raises(kaiwa.InputError, match=r"\[judging\] top is now called max_level; write max_level = 3"):
        kaiwa.agree(task)
