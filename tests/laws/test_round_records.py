"""For every step and every option: the report quotes the record, and a changed setting is reported before it."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaiwa.cli.group import run_typed
from kaiwa.errors import InputError
from kaiwa.reporting.report import report_sections, write_report
from kaiwa.reporting.results import round_results
from kaiwa.show.page import Bullets, Paragraph, Table, all_parts
from kaiwa.task.folder import TaskSettings, read_task
from kaiwa.task.inputs import settings_for
from kaiwa.task.record import read_steps
from kaiwa.task.status import round_status

if TYPE_CHECKING:
    from kaiwa.show.page import Section

GAINS = "kaiwa gains votes.csv -o qrels.txt"
POOL = "kaiwa pool runs/*.txt -o pool.tsv"
SCORE = "kaiwa score runs/*.txt --qrels qrels.txt -o scores.csv"
STEPS = {
    "pool.tsv": [
        f"{POOL} {given}" for given in ("", "--depth 1", "--depth 2 --max-items 9", "--seed 8", "--order score")
    ],
    "qrels.txt": [
        f"{GAINS} {given}"
        for given in (
            *(f"--scheme {scheme}" for scheme in ("mean", "sum", "weighted", "majority", "median")),
            "--scheme unanimity --p 0.5",
            "--levels L1=1,L2=2",
            "--max-level 4",
        )
    ],
    "scores.csv": [
        *(
            f"{SCORE} {given}"
            for given in (
                "",
                "-m nG@1 -m nERR@10 -m AP",
                "--condensed",
                "--depth 2",
                "--no-relevant zero",
                "--order score",
                "--max-gain 5",
            )
        ),
        "kaiwa score runs/*.txt --votes votes.csv --scheme sum --levels L1=1,L2=5 -o scores.csv",
    ],
}
OTHER_VALUES = {
    "depth": 2,
    "max_level": 3,
    "scheme": "unanimity",
    "p": 0.7,
    "measures": ["nG@1"],
    "test": "tukey",
    "alpha": 0.01,
    "trials": 300,
    "seed": 5,
    "margin": 0.05,
}


@pytest.mark.parametrize(("file", "command"), [(file, one) for file, some in STEPS.items() for one in some])
def test_the_report_quotes_the_record_of_each_step(
    small_round: Path, monkeypatch: pytest.MonkeyPatch, file: str, command: str
) -> None:
    """The options in the data card and in the methods are those of the record, whatever the settings say."""
    monkeypatch.chdir(small_round)
    for line in (POOL, GAINS, SCORE, command):
        run_typed(line)
    step = read_steps(small_round)[file]
    for option, value in _given(command).items():
        assert str(step.options[option]) == value
    sections = report_sections(round_results(read_task(small_round), stale=True))  # without drawing its figures
    words = {one.title: " ".join(_words(one)) for one in sections}
    if file == "pool.tsv":
        first = "comment" if step.options["depth"] == 1 else f"{step.options['depth']} comments"
        assert f"The first {first} of every run" in words["Methods"]
        assert f"to depth {step.options['depth']}" in words["Pool"]
    else:
        parts = [part for one in sections for part in all_parts(one.parts)]
        (inputs,) = (part for part in parts if isinstance(part, Table) and part.name == "inputs")
        assert {row[0]: row[2] for row in inputs.rows}[file] == step.described()
        assert step.described() in words["Methods"]


def _words(section: Section) -> list[str]:
    """The sentences of a section."""
    parts = list(all_parts(section.parts))
    listed = [item for part in parts if isinstance(part, Bullets) for item in part.items]
    return [part.text for part in parts if isinstance(part, Paragraph)] + listed


def _given(command: str) -> dict[str, str]:
    """The options with one value that a command gives, by name."""
    words = shlex.split(command)
    found = {
        word.removeprefix("--"): after
        for word, after in pairwise(words)
        if word.startswith("--") and not after.startswith("-")
    }
    return {name.replace("-", "_"): value for name, value in found.items() if name not in {"qrels", "votes"}}


def test_what_is_not_recorded_is_reported_as_such(small_round: Path) -> None:
    """Votes, qrels and scores that other tools made: nothing is claimed about them."""
    write_report(read_task(small_round), small_round / "report.html", version="test")
    told = json.loads((small_round / "report-files" / "report.json").read_text())
    methods = " ".join(told["words"]["Methods"])
    assert "How comments were pooled is not recorded." in methods
    assert "how votes became gains is not recorded" in methods
    assert "were scored in a way that is not recorded" in methods
    assert "mean" not in methods.partition("compared, measure by")[0]


@pytest.fixture(scope="module")
def complete(round_template: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A complete round with the gains of each of two schemes."""
    made = dict[str, Path]()
    for scheme in ("mean", "unanimity"):
        made[scheme] = Path(shutil.copytree(round_template, tmp_path_factory.mktemp("complete") / scheme))
        _set(made[scheme], "scheme", scheme)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(made[scheme])
            for line in (POOL, GAINS, SCORE, "kaiwa report ."):
                run_typed(line)
    return made


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_a_changed_setting_is_reported_before_anything_is_published(
    complete: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The status names the old and the new value; the report is refused, nothing written, unless it is marked."""
    small_round = Path(shutil.copytree(complete["unanimity" if name == "p" else "mean"], tmp_path / "round"))
    monkeypatch.chdir(small_round)
    assert not round_status(read_task(small_round)).stale
    page = (small_round / "report.html").read_bytes()
    _set(small_round, name, OTHER_VALUES[name])
    told = " ".join(step.why for step in round_status(read_task(small_round)).stale)
    if name == "measures":
        assert "kaiwa.toml has changed" in told  # fewer measures than were scored: only the report is stale
        return
    assert f"made with {name} " in told
    if any(step.file != "report.html" for step in round_status(read_task(small_round)).stale[:1]):
        with pytest.raises(InputError, match=f"made with {name} .*stale"):
            write_report(read_task(small_round), small_round / "report.html", version="test")
        assert (small_round / "report.html").read_bytes() == page
        write_report(read_task(small_round), small_round / "report.html", version="test", stale=True)
        assert b"STALE: " in (small_round / "report.html").read_bytes()


_SETTINGS = TaskSettings(scheme="unanimity")  # the only scheme with a weight


def test_every_setting_that_a_verb_takes_is_tested_above() -> None:
    """The table of values has all of them."""
    taken = {name for verb in ("pool", "gains", "score", "report") for name in settings_for(verb, _SETTINGS)}
    assert taken == set(OTHER_VALUES) <= {one.name for one in fields(TaskSettings)}


def _set(folder: Path, name: str, value: object) -> None:
    """Write a setting into the file, in place of an earlier value."""
    section = next(
        one
        for one, names in {
            "judging": ("depth", "max_level", "scheme", "p"),
            "scoring": ("measures",),
            "comparing": ("test", "alpha", "trials", "seed", "margin"),
        }.items()
        if name in names
    )
    path = folder / "kaiwa.toml"
    lines = [line for line in path.read_text().splitlines() if not line.startswith(f"{name} =")]
    lines.insert(lines.index(f"[{section}]") + 1, f"{name} = {json.dumps(value)}")
    path.write_text("\n".join(lines) + "\n")
