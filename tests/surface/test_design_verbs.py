"""design and its commands: the command and the function are one door; options that cannot act are refused."""

from __future__ import annotations

import inspect
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pytest

import kaiwa
from kaiwa.cli.group import main
from kaiwa.topicset.command import design_command

if TYPE_CHECKING:
    from pathlib import Path

Typed = Callable[..., subprocess.CompletedProcess[str]]
COMMANDS: dict[str, click.Command] = {
    "design": design_command,
    **{f"design_{name.replace('-', '_')}": command for name, command in design_command.commands.items()},
}
OF_OUTPUT = {"as_json", "form", "output", "quiet", "table"}
CELL = ("--variance", "0.0643", "--systems", "10", "--min-diff", "0.15")
NUMBERS: dict[str, Any] = {"variance": 0.0643, "systems": 10, "min_diff": 0.15}
FEW: dict[str, Any] = {"systems": 3, "min_diff": 0.2}


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Typed]:
    """A function that runs ``kaiwa`` with the given words in the current folder, in this process."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["kaiwa", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            sys.exit(main())
        return subprocess.CompletedProcess(words, int(ending.value.code or 0), *capsys.readouterr())

    yield run
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the scores of one measure, and of two."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    values = [
        rng.normal(0.4, 0.1, (20, 1)) + rng.normal([0.1, 0.05, 0, -0.05], spread, (20, 4)) for spread in (0.1, 0.15)
    ]
    tables = [kaiwa.Scores.from_matrix(name, range(20), "ABCD", one) for name, one in zip("MN", values, strict=True)]
    tables[0].write("one.csv")
    kaiwa.Scores(tables).write("two.csv")
    return tmp_path


@pytest.mark.parametrize("verb", COMMANDS)
def test_command_and_function_have_the_same_options_and_defaults(verb: str) -> None:
    """Names x_y and --x-y; a repeatable option without a default is None or () in Python."""
    parameters = inspect.signature(getattr(kaiwa, verb)).parameters
    options = {one.name: one for one in COMMANDS[verb].params if one.name not in OF_OUTPUT}
    assert options.keys() == parameters.keys()
    for name, one in options.items():
        if isinstance(one, click.Option):
            given, default = one.to_info_dict()["default"], parameters[name].default
            assert (given or None) == (None if default is inspect.Parameter.empty else default or None), name
            assert f"--{name.replace('_', '-')}" in one.opts, name


CALLS: dict[str, tuple[tuple[str, ...], Callable[[], Any]]] = {
    "a number": (("design", *CELL), lambda: kaiwa.design(**NUMBERS)),
    "a grid": (
        ("design", *CELL[:2], "--systems", "2,10", "--min-diff", ".1,.15"),
        lambda: kaiwa.design(variance=0.0643, systems=[2, 10], min_diff=[0.1, 0.15]),
    ),
    "an interval": (
        ("design", "--variance", "0.0643", "--min-diff", "0.15", "--test", "interval"),
        lambda: kaiwa.design(variance=0.0643, min_diff=0.15, test="interval"),
    ),
    "scores": (("design", "one.csv", "--systems", "3", "--min-diff", ".2"), lambda: kaiwa.design("one.csv", **FEW)),
    "two measures": (
        ("design", "two.csv", "--systems", "3", "--min-diff", ".2"),
        lambda: kaiwa.design("two.csv", **FEW),
    ),
    "one of two measures": (
        ("design", "two.csv", "-m", "N", "--systems", "3", "--min-diff", ".2"),
        lambda: kaiwa.design("two.csv", "N", **FEW),
    ),
    "std-ab": (
        ("design", "--variance", "std-ab", *CELL[2:]),
        lambda: kaiwa.design(variance="std-ab", systems=10, min_diff=0.15),
    ),
    "simulate": (
        ("design", "simulate", "one.csv", "--systems", "3", "--min-diff", ".2", "--trials", "500"),
        lambda: kaiwa.design_simulate("one.csv", **FEW, trials=500),
    ),
    "decide": (
        ("design", "decide", "one.csv", "--goal", "tau", "--target", ".6"),
        lambda: kaiwa.design_decide("one.csv", goal="tau", target=0.6),
    ),
    "cost": (
        ("design", "cost", *CELL, "--depth", "5,10", "--votes-per-item", "1,3"),
        lambda: kaiwa.design_cost(**NUMBERS, depth=[5, 10], votes_per_item=[1, 3]),
    ),
    "cost of hours": (
        ("design", "cost", "one.csv", "--systems", "3", "--min-diff", ".2", "--hours", "40"),
        lambda: kaiwa.design_cost("one.csv", **FEW, hours=40),
    ),
    "rounds": (
        ("design", "rounds", *CELL, "--looks", "30,60"),
        lambda: kaiwa.design_rounds(**NUMBERS, looks=[30, 60]),
    ),
    "cost of so many topics": (
        ("design", "cost", *CELL, "--topics", "100", "--pooled", "145"),
        lambda: kaiwa.design_cost(**NUMBERS, topics=100, pooled=145),
    ),
    "rounds with scores so far": (
        (
            "design",
            "rounds",
            "one.csv",
            "--systems",
            "3",
            "--min-diff",
            ".1",
            "--looks",
            "20,60",
            "--so-far",
            "one.csv",
        ),
        lambda: kaiwa.design_rounds("one.csv", systems=3, min_diff=0.1, looks=[20, 60], so_far="one.csv"),
    ),
    "review": (
        ("design", "review", "two.csv", "--pilot", "two.csv", "--systems", "3", "--min-diff", ".2"),
        lambda: kaiwa.design_review("two.csv", pilot="two.csv", **FEW),
    ),
    "review of a number": (
        ("design", "review", "one.csv", "--variance", ".02", "--systems", "3", "--min-diff", ".2"),
        lambda: kaiwa.design_review("one.csv", variance=0.02, **FEW),
    ),
    "pass rate": (
        ("design", "pass-rate", ".62", "--min-diff", ".05", "--correlation", ".5"),
        lambda: kaiwa.design_pass_rate(0.62, min_diff=0.05, correlation=0.5),
    ),
    "pass rates": (
        ("design", "pass-rate", ".62", "--min-diff", ".05", "--systems", "4"),
        lambda: kaiwa.design_pass_rate(0.62, min_diff=0.05, systems=4),
    ),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("call", CALLS)
def test_json_equals_that_of_the_function_and_its_fields_are_attributes(typed: Typed, call: str) -> None:
    """On the same inputs."""
    words, function = CALLS[call]
    done, result = typed(*words, "--json", "--quiet"), function()
    assert (done.returncode, done.stdout.rstrip("\n")) == (0, result.to_json()), done.stderr
    for name in json.loads(done.stdout):
        assert hasattr(result, name), name


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("call", CALLS)
def test_text_and_tables_of_the_command_are_those_of_the_function(typed: Typed, call: str) -> None:
    """Every table by its name; the text differs in how options are spelled only."""
    words, function = CALLS[call]
    result = function()
    for name in result.tables:
        done = typed(*words, "--table", name, "--format", "csv", "--quiet")
        assert done.stdout.rstrip("\n") == result.to_csv(name).rstrip("\n")
    assert typed(*words).stdout.splitlines()[:3] == str(result).splitlines()[:3]


@pytest.mark.usefixtures("here")
def test_every_test_of_compare_is_designed_for_under_its_name() -> None:
    """A step-down test as its first step; a name that neither has is refused."""
    found = {
        test: kaiwa.design("one.csv", **FEW, test=test).test
        for test in ("robust", "robust-step-down", "hsd", "step-down", "tukey", "crossed", "one-way-tukey")
    }
    assert found == {
        "robust": "robust",
        "robust-step-down": "robust",
        "hsd": "hsd",
        "step-down": "hsd",
        "tukey": "tukey",
        "crossed": "tukey",
        "one-way-tukey": "one-way-tukey",
    }
    with pytest.raises(kaiwa.InputError, match="unknown test 'hsd-paired'"):
        kaiwa.design("one.csv", **FEW, test="hsd-paired")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({**NUMBERS, "scores": "one.csv"}, "both scores and a variance are given"),
        ({**NUMBERS, "measures": "M"}, "measures= chooses among the measures of scores"),
        ({**NUMBERS, "lower_is_better": "M"}, "need scores"),
        ({**NUMBERS, "correlation": 0.5}, 'add test="two-way"'),
        ({**FEW, "scores": "one.csv", "correlation": 0.5}, "scores have their own correlation"),
        ({**FEW, "scores": "two.csv", "topics": 9}, "are all given|contains 2 measures"),
        ({"scores": "two.csv", "systems": 3, "topics": 40}, "contains 2 measures"),
        ({"scores": "two.csv", "systems": [2, 3], "min_diff": 0.2}, "contains 2 measures"),
        ({**FEW, "scores": "one.csv", "measures": "P+"}, "unknown measure 'P\\+'"),
        ({**FEW, "scores": "one.csv", "lower_is_better": "P+"}, "unknown measure 'P\\+'"),
    ],
)
def test_what_cannot_act_is_refused(options: dict[str, Any], message: str) -> None:
    """In the function, with what works."""
    with pytest.raises(kaiwa.InputError, match=message):
        kaiwa.design(**options)


def test_a_modelled_variance_is_taken_as_known() -> None:
    """The crossed model has no matrices behind its V_E and V_E2."""
    rng = np.random.default_rng(1)
    pilot = kaiwa.Scores.from_matrix("M", range(20), "ABC", rng.random((20, 3)))
    assert kaiwa.design(variance=kaiwa.variance(pilot), **FEW).df is not None
    found = kaiwa.variance(pilot, crossed=True)
    assert found.pilots == ()
    for test, own in (("robust", found.v_e2), ("anova", found.v_e)):
        known = kaiwa.design(variance=found, **FEW, test=test)
        assert (known.df, known.variance) == (None, own)
