"""Command and Python are one door: the same parameters and defaults, and one result in every form.

The verbs are those of the table of verbs, so a new one is tested by itself: a row of CALLS is all it needs.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

import kaiwa
from kaiwa.cli.group import VERBS
from kaiwa.cli.group import kaiwa as group
from kaiwa.cli.options import Numbers
from kaiwa.naming.names import KINDS
from kaiwa.show.result import FORMATS, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    Typed = Callable[..., Any]  # Any: Done of the fixture

SHOWN = {"form", "as_json", "table", "quiet", "help"}
NO_FUNCTION = {"help": "help of the command", "completion": "a script for the shell"}
"""Verbs that have no function, and why."""
NOT_YET = {name for name in VERBS if name not in NO_FUNCTION and not hasattr(kaiwa, name.replace("-", "_"))}


def _commands(parent: click.Context) -> dict[str, click.Command]:
    """Every command by the name of its function."""
    found: dict[str, click.Command] = {}
    assert isinstance(parent.command, click.Group)
    for name in parent.command.list_commands(parent):
        command = parent.command.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent)
        path = context.command_path.removeprefix("kaiwa ").replace(" ", "_").replace("-", "_")
        found[path] = command
        if isinstance(command, click.Group):
            found |= _commands(context)
    return found


COMMANDS = _commands(click.Context(group, info_name="kaiwa"))
DOORS = {name: command for name, command in COMMANDS.items() if hasattr(kaiwa, name)}


def test_every_verb_has_a_function() -> None:
    """But for those of the shell; a function of a verb is public under its name."""
    without = {name for name in COMMANDS if not hasattr(kaiwa, name)}
    assert without == NO_FUNCTION.keys() | {name.replace("-", "_") for name in NOT_YET}
    assert all(name in kaiwa.__all__ for name in DOORS)


def _parameters(name: str) -> dict[str, click.Parameter]:
    """The parameters of a command that are arguments of its function."""
    one_of_result = not any(
        one.name == "output" and name in DOORS and "output" in inspect.signature(getattr(kaiwa, name)).parameters
        for one in DOORS[name].params
    )
    left_out = SHOWN | ({"output"} if one_of_result else set())
    return {str(one.name): one for one in DOORS[name].params if one.name not in left_out}


CALLBACKS = {"ready"}
"""Functions that Python gives, where the command prints."""


@pytest.mark.parametrize("name", DOORS)
def test_a_command_has_the_parameters_of_its_function(name: str) -> None:
    """None more, none fewer; the parameter ``x_y`` is the option ``--x-y``."""
    options = _parameters(name)
    assert options.keys() == inspect.signature(getattr(kaiwa, name)).parameters.keys() - CALLBACKS
    for own, one in options.items():
        if isinstance(one, click.Option):
            assert f"--{own.replace('_', '-')}" in one.opts or f"-{own}" in one.opts, own


@pytest.mark.parametrize("name", DOORS)
def test_a_parameter_has_one_default_in_both_doors(name: str) -> None:
    """A flag is False, and a list without a default None or ()."""
    parameters = inspect.signature(getattr(kaiwa, name)).parameters
    for own, one in _parameters(name).items():
        if isinstance(one, click.Option) and not one.required:
            given, default = one.to_info_dict()["default"], parameters[own].default
            if isinstance(one.type, Numbers) and isinstance(given, tuple | list) and len(given) == 1:
                given = given[0]
            if isinstance(default, str) and one.multiple:
                default = (default,)
            assert (tuple(given) if isinstance(given, list) else given or None) == (default or None), own


@pytest.mark.parametrize("name", DOORS)
def test_a_parameter_has_the_type_of_its_option(name: str) -> None:
    """A number, a flag or a list is the same in both."""
    hints = inspect.signature(getattr(kaiwa, name)).parameters
    for own, one in _parameters(name).items():
        written = str(hints[own].annotation)
        wanted = {click.INT: "int", click.FLOAT: "float", click.BOOL: "bool"}.get(one.type)
        if isinstance(one.type, click.IntRange):
            wanted = "int"
        elif isinstance(one.type, click.FloatRange):
            wanted = "float"
        if wanted:
            assert wanted in written, (own, written)
        if isinstance(one, click.Option) and one.multiple:
            assert any(word in written for word in ("Sequence", "Iterable", "Names", "Input", "Path")), (own, written)


RUNS = ("T1-C-R1.txt", "T1-C-R2.txt", "T2-C-R1.txt", "T3-C-R1.txt")
CELL = ("--variance", "0.0643", "--systems", "10", "--min-diff", "0.15")
NUMBERS: dict[str, Any] = {"variance": 0.0643, "systems": 10, "min_diff": 0.15}  # Any: arguments of design
FEW: dict[str, Any] = {"systems": 3, "min_diff": 0.2}  # Any: as above
CALLS: dict[str, tuple[str, Callable[[], Result]]] = {
    "names": ("names", kaiwa.names),
    **{f"names of {kind}": (f"names {kind}", lambda kind=kind: kaiwa.names(kind)) for kind in KINDS},
    "clean": ("clean pairs.tsv -o again --rules none", lambda: kaiwa.clean("pairs.tsv", "again", rules="none")),
    "topics": ("topics repository -n 2", lambda: kaiwa.topics("repository", n=2)),
    "topics without some": (
        "topics repository -n 1 --exclude topics.tsv",
        lambda: kaiwa.topics("repository", n=1, exclude="topics.tsv"),
    ),
    "topics held out": (
        "topics repository --hold-out topics.tsv --rest held",
        lambda: kaiwa.topics("repository", hold_out="topics.tsv", rest="held"),
    ),
    "index": (
        "index repository -o other --language en --shards 2",
        lambda: kaiwa.index("repository", "other", language="en", shards=2),
    ),
    "models": ("models index topicword -o models", lambda: kaiwa.models("index", "models", "topicword")),
    "train": (
        "train index labels.txt --topics topics.tsv --folds 2 --features similarity",
        lambda: kaiwa.train("index", "labels.txt", topics="topics.tsv", folds=2, features="similarity"),
    ),
    "reply": ("reply index rain --ranker ranker", lambda: kaiwa.reply("index", "rain", ranker="ranker")),
    "retrieve": (
        "retrieve index topics.tsv --system bm25 -k 1 --name R",
        lambda: kaiwa.retrieve("index", "topics.tsv", system="bm25", k=1, name="R"),
    ),
    "retrieve_all": (
        "retrieve-all index topics.tsv -o all-runs",
        lambda: kaiwa.retrieve_all("index", "topics.tsv", "all-runs"),
    ),
    "fuse": (
        "fuse run0.run bm25.run --method combsum",
        lambda: kaiwa.fuse(["run0.run", "bm25.run"], method="combsum"),
    ),
    "check": (
        "check T1-C-R1.txt --depth 1 --ignore tied-scores,rank-order",
        lambda: kaiwa.check("T1-C-R1.txt", depth=1, ignore=["tied-scores", "rank-order"]),
    ),
    "pool": (
        "pool T?-C-R1.txt --depth 2 --qrels qrels.txt",
        lambda: kaiwa.pool("T?-C-R1.txt", depth=2, qrels="qrels.txt"),
    ),
    "pool on a sheet": (
        "pool task --sheet judge.csv --assessors A1,A2",
        lambda: kaiwa.pool("task", sheet="judge.csv", assessors=["A1", "A2"]),
    ),
    "agree": (
        "agree votes.csv --pairs --trials 50 --confidence 0.9",
        lambda: kaiwa.agree("votes.csv", pairs=True, trials=50, confidence=0.9),
    ),
    "agree by assessor": (
        "agree votes.csv --assessors --trials 50",
        lambda: kaiwa.agree("votes.csv", assessors=True, trials=50),
    ),
    "gains": (
        "gains votes.csv --scheme sum --levels L1=1,L2=3",
        lambda: kaiwa.gains("votes.csv", scheme="sum", levels={1: 1, 2: 3}),
    ),
    "gains without some": (
        "gains votes.csv --without ann,bob --task task",
        lambda: kaiwa.gains("votes.csv", without=["ann", "bob"], task="task").with_settings({"max_level": 2}),
    ),
    "score": (
        f"score {' '.join(RUNS)} --qrels qrels.txt -m nG@1,P+ --levels L1=1,L2=3",
        lambda: kaiwa.score(RUNS, "qrels.txt", "nG@1,P+", levels={1: 1, 2: 3}),
    ),
    "score by votes": (
        f"score {' '.join(RUNS)} --votes votes.csv --uncertainty votes --trials 50",
        lambda: kaiwa.score(RUNS, votes="votes.csv", uncertainty="votes", trials=50),
    ),
    "compare": ("compare scores.csv --trials 499", lambda: kaiwa.compare("scores.csv", trials=499)),
    "compare one": (
        "compare scores.csv -m nG@1 --margin 0.3 --trials 199 --p-rule share",
        lambda: kaiwa.compare("scores.csv", "nG@1", margin=0.3, trials=199, p_rule="share"),
    ),
    "compare until clear": (
        "compare scores.csv -m nG@1 --trials auto --max-trials 9999 --seed 4",
        lambda: kaiwa.compare("scores.csv", "nG@1", trials="auto", max_trials=9_999, seed=4),
    ),
    "compare in a direction": (
        "compare scores.csv -m ppl --higher-is-better ppl --test hsd --team-pattern (.).*",
        lambda: kaiwa.compare("scores.csv", "ppl", higher_is_better="ppl", test="hsd", team_pattern="(.).*"),
    ),
    "compare a family": (
        "compare scores.csv --family --alpha 0.1",
        lambda: kaiwa.compare("scores.csv", family=True, alpha=0.1),
    ),
    "compare with a baseline": (
        "compare scores.csv -m nG@1,ppl --baseline B-C-R1 --test bootstrap --trials 999",
        lambda: kaiwa.compare("scores.csv", ["nG@1", "ppl"], baseline="B-C-R1", test="bootstrap", trials=999),
    ),
    "compare with gaps": (
        "compare gaps.csv --missing drop-runs --engine local[2] --trials 499",
        lambda: kaiwa.compare("gaps.csv", missing="drop-runs", engine="local[2]", trials=499),
    ),
    "compare by assessor": ("compare panel.csv --test crossed", lambda: kaiwa.compare("panel.csv", test="crossed")),
    "compare runs": (
        "compare T?-C-R1.txt --qrels qrels.txt --test step-down --trials 499",
        lambda: kaiwa.compare("T?-C-R1.txt", qrels="qrels.txt", test="step-down", trials=499),
    ),
    "tau": ("tau scores.csv", lambda: kaiwa.tau("scores.csv")),
    "tau of a list": ("tau scores.csv -m ppl,nG@1", lambda: kaiwa.tau("scores.csv", None, "ppl,nG@1")),
    "tau of two": (
        "tau scores.csv --other earlier.csv -m nG@1 --interval null",
        lambda: kaiwa.tau("scores.csv", "earlier.csv", "nG@1", interval="null"),
    ),
    "variance": ("variance scores.csv -m nG@1", lambda: kaiwa.variance("scores.csv", "nG@1")),
    "variance, crossed": (
        "variance scores.csv -m nG@1 --crossed",
        lambda: kaiwa.variance("scores.csv", "nG@1", crossed=True),
    ),
    "variance of votes": ("variance votes.csv --crossed", lambda: kaiwa.variance("votes.csv", crossed=True)),
    "standardise": ("standardise scores.csv -m nG@1 --a 0.1", lambda: kaiwa.standardise("scores.csv", "nG@1", a=0.1)),
    "unanimity": (
        f"unanimity {' '.join(RUNS)} --votes votes.csv -m nG@1 --trials 200",
        lambda: kaiwa.unanimity("votes.csv", RUNS, measures="nG@1", trials=200),
    ),
    "standardisation": ("standardisation scores.csv -m nG@1", lambda: kaiwa.standardisation("scores.csv", "nG@1")),
    "standardisation of teams": (
        (
            "standardisation scores.csv -m nG@1 --a 10 --b 50 --systems 2,5 --min-diff 0.1 --power 0.9 --alpha 0.01 "
            "--test anova --method sakai --leave-out teams --team-pattern (.).* --marked A-C-R1,B-C-R1"
        ),
        lambda: kaiwa.standardisation(
            "scores.csv",
            "nG@1",
            a=10,
            b=50,
            systems=[2, 5],
            min_diff=0.1,
            power=0.9,
            alpha=0.01,
            test="anova",
            method="sakai",
            leave_out="teams",
            team_pattern="(.).*",
            marked=["A-C-R1", "B-C-R1"],
        ),
    ),
    "unanimity of a grid": (
        (
            f"unanimity {' '.join(RUNS)} --qrels qrels.txt --levels 2,4 --sizes 5,10 --p 0.2,0.5 "
            "--confusability entropy --max-gain topic --trials 200"
        ),
        lambda: kaiwa.unanimity(
            None,
            RUNS,
            qrels="qrels.txt",
            levels=[2, 4],
            sizes=[5, 10],
            p=[0.2, 0.5],
            confusability="entropy",
            max_gain="topic",
            trials=200,
        ),
    ),
    "unanimity drawn": (
        f"unanimity {' '.join(RUNS)} --qrels qrels.txt --sizes 4 --trials 200",
        lambda: kaiwa.unanimity(None, RUNS, qrels="qrels.txt", sizes=4, trials=200),
    ),
    "design": (f"design {' '.join(CELL)}", lambda: kaiwa.design(**NUMBERS)),
    "design of a grid": (
        "design --variance 0.0643 --systems 2 --systems 10 --min-diff .1,.15",
        lambda: kaiwa.design(variance=0.0643, systems=[2, 10], min_diff=[0.1, 0.15]),
    ),
    "design of an interval": (
        "design --variance 0.0643 --min-diff 0.15 --test interval",
        lambda: kaiwa.design(variance=0.0643, min_diff=0.15, test="interval"),
    ),
    "design from scores": ("design one.csv --systems 3 --min-diff .2", lambda: kaiwa.design("one.csv", **FEW)),
    "design from two measures": (
        "design scores.csv --systems 3 --min-diff .2",
        lambda: kaiwa.design("scores.csv", **FEW),
    ),
    "design from one of two": (
        "design scores.csv -m ppl --systems 3 --min-diff .2",
        lambda: kaiwa.design("scores.csv", "ppl", **FEW),
    ),
    "design for std-AB": (
        "design --variance std-ab --systems 10 --min-diff 0.15",
        lambda: kaiwa.design(variance="std-ab", systems=10, min_diff=0.15),
    ),
    "design_simulate": (
        "design simulate one.csv --systems 3 --min-diff .2 --trials 500",
        lambda: kaiwa.design_simulate("one.csv", **FEW, trials=500),
    ),
    "design_decide": (
        "design decide one.csv --goal tau --target .6",
        lambda: kaiwa.design_decide("one.csv", goal="tau", target=0.6),
    ),
    "design_cost": (
        f"design cost {' '.join(CELL)} --depth 5 --depth 10 --votes-per-item 1,3",
        lambda: kaiwa.design_cost(**NUMBERS, depth=[5, 10], votes_per_item=[1, 3]),
    ),
    "design_cost of hours": (
        "design cost one.csv --systems 3 --min-diff .2 --hours 40",
        lambda: kaiwa.design_cost("one.csv", **FEW, hours=40),
    ),
    "design_rounds": (
        f"design rounds {' '.join(CELL)} --looks 30,60",
        lambda: kaiwa.design_rounds(**NUMBERS, looks=[30, 60]),
    ),
    "design_cost of so many topics": (
        f"design cost {' '.join(CELL)} --topics 100 --pooled 145",
        lambda: kaiwa.design_cost(**NUMBERS, topics=100, pooled=145),
    ),
    "design_rounds with scores so far": (
        "design rounds one.csv --systems 3 --min-diff .1 --looks 10,60 --so-far one.csv",
        lambda: kaiwa.design_rounds("one.csv", systems=3, min_diff=0.1, looks=[10, 60], so_far="one.csv"),
    ),
    "design_review": (
        "design review scores.csv --pilot scores.csv --systems 3 --min-diff .2",
        lambda: kaiwa.design_review("scores.csv", pilot="scores.csv", **FEW),
    ),
    "design_review of a number": (
        "design review one.csv --variance .02 --systems 3 --min-diff .2",
        lambda: kaiwa.design_review("one.csv", variance=0.02, **FEW),
    ),
    "design_pass_rate": (
        "design pass-rate .62 --min-diff .05 --correlation .5",
        lambda: kaiwa.design_pass_rate(0.62, min_diff=0.05, correlation=0.5),
    ),
    "design_pass_rate of more": (
        "design pass-rate .62 --min-diff .05 --systems 4",
        lambda: kaiwa.design_pass_rate(0.62, min_diff=0.05, systems=4),
    ),
}
"""A command and the call of the function that does the same; the first word of the name is the function."""
IN_A_TASK = {
    **dict.fromkeys(
        ("init", "status", "make", "demo", "report", "reproduce", "convert"), "tests/task, tests/reporting"
    ),
    **dict.fromkeys(("serve", "invite", "votes", "verify", "backup"), "tests/web, tests/cli: a store of votes"),
}
"""Verbs whose results depend on a task folder or a server, and where their forms are tested."""
FINDINGS = 1


def test_every_function_has_a_call() -> None:
    """A row of CALLS for each, or a reason."""
    known = {name.split()[0].rstrip(",") for name in CALLS}
    assert DOORS.keys() - known == DOORS.keys() & IN_A_TASK.keys()


def _made_again() -> None:
    """Remove the sheet, which is not made twice."""
    Path("judge.csv").unlink(missing_ok=True)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", CALLS)
def test_json_of_the_command_is_that_of_the_result(typed: Typed, name: str) -> None:
    """Byte for byte, and stdout has nothing else; each field is an attribute of the same name."""
    words, call = CALLS[name]
    done = typed(*words.split(), "--json")
    assert done.code in {0, FINDINGS}, done.err
    _made_again()
    result = call()
    assert isinstance(result, Result)
    assert done.out == result.to_json() + "\n"
    assert all(hasattr(result, field) for field in json.loads(done.out))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", CALLS)
def test_text_and_tables_of_the_command_are_those_of_the_result(typed: Typed, name: str) -> None:
    """A table by its name is the same CSV; texts differ in how options are spelled only."""
    words, call = CALLS[name]
    shown = typed(*words.split()).out
    _made_again()
    result = call()
    assert len(shown.splitlines()) == len(f"{result}\n".splitlines())
    assert shown.splitlines()[:2] == str(result).splitlines()[:2]
    for table in result.tables[-1:]:
        _made_again()
        done = typed(*words.split(), "--table", table, "--format", "csv", "-q")
        assert done.out.rstrip("\n") == result.to_csv(table).rstrip("\n")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", [name for name in CALLS if name == name.split()[0].rstrip(",")])
def test_stdout_is_the_result_and_a_file_is_what_it_writes(typed: Typed, name: str) -> None:
    """``-o FILE`` leaves stdout as it is and holds what ``write`` writes; ``-o -`` prints that instead."""
    words, call = CALLS[name]
    result = call()
    plain = {form: typed(*words.split(), "--format", form).out for form in ("text", "csv")}
    assert all(plain.values())
    for form in FORMATS:
        assert result.describe().form(form)
    if "output" in _parameters(name):
        return
    result.write("by-python.txt")
    done = typed(*words.split(), "-o", "by-command.txt")
    assert (done.out, "wrote by-command.txt" in done.err) == (plain["text"], True)
    assert Path("by-command.txt").read_text() == Path("by-python.txt").read_text()
    assert typed(*words.split(), "--format", "csv", "-o", "file.json").out == plain["csv"]
    assert json.loads(Path("file.json").read_text()) == json.loads(result.to_json())
    own = typed(*words.split(), "-o", "-", "-q")
    assert own.out == Path("by-command.txt").read_text()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", [name for name in CALLS if name == name.split()[0].rstrip(",")])
def test_a_name_of_no_table_and_a_contradiction_are_refused(typed: Typed, name: str) -> None:
    """One line, exit code 2; an unknown name lists the known ones."""
    words, _ = CALLS[name]
    for wrong in (("--table", "nope"), ("--json", "--format", "csv")):
        done = typed(*words.split(), *wrong)
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1), wrong
