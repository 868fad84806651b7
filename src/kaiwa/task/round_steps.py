"""The steps of a round: the file that each makes, from which files, and by which command under the settings."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.task.settings import TaskSettings
    from kaiwa.task.step_record import Step
    from kaiwa.task.task_folder import Task

    Options = dict[str, Any]  # Any: JSON values

JUDGING = "have the pool judged with: kaiwa serve (then: kaiwa votes -o votes.csv); or: kaiwa pool --sheet judge.csv"
"""What people do for the votes; a vote file of another origin will do too."""
_FLAGS = {"measures": "-m"}
"""Options whose flag is not their name."""
_OF_VERB = {
    "agree": ("top", "seed"),
    "compare": ("test", "alpha", "trials", "seed", "margin"),
    "gains": ("scheme", "p", "top"),
    "pool": ("depth",),
    "report": ("measures", "test", "alpha", "trials", "seed", "margin"),
    "score": ("measures", "scheme", "p"),
    "unanimity": ("measures", "p", "top"),
}
"""The options that a verb takes from the settings; each has the name of its setting."""


_OPTIONAL = {"margin"}
"""Settings whose default, 0, is to leave the option out."""
_READS_SETTINGS = {"report"}
"""Verbs that take a task folder and have no such options."""


def settings_for(verb: str, settings: TaskSettings) -> Options:
    """The options of a verb that the settings of its task give."""
    given = {name: getattr(settings, name) for name in _OF_VERB.get(verb, ())}
    return {name: value for name, value in given.items() if value or name not in _OPTIONAL or verb in _READS_SETTINGS}


@dataclass(frozen=True)
class RoundStep:
    """One file of a round: what makes it, and from what.

    ``by_hand`` is the instruction for people where no command makes the file. ``options`` come from the settings
    and are compared with the record of the step.
    """

    path: Path
    by_hand: str = ""
    verb: str = ""
    words: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()
    options: Options = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The command to type in the task folder, or the instruction for people."""
        if self.by_hand:
            return self.by_hand
        options = {} if self.verb in _READS_SETTINGS else self.options
        given = [part for name, value in options.items() for part in _flag(name, value)]
        facts = [part for name, value in self.facts.items() for part in (f"--{name}", value)]
        return " ".join(["kaiwa", self.verb, *self.words, *facts, *given, "-o", shlex.quote(self.path.name)])


def round_steps(task: Task, made: Mapping[str, Step]) -> list[RoundStep]:
    """The steps of the task's round, in order; ``made`` are the recorded ones."""
    settings = task.settings
    runs = "runs/*.txt" if all(run.suffix == ".txt" for run in task.runs) else "runs/*.txt*"
    gmax = _gmax(settings, made.get(task.qrels.name))
    return [
        RoundStep(task.topics, by_hand="put the topics into topics.tsv (id TAB text)"),
        RoundStep(
            task.folder / "runs",
            by_hand="put the runs into runs/, then: kaiwa check runs/*.txt --topics topics.tsv",
        ),
        RoundStep(task.pool, "", "pool", (runs,), tuple(task.runs), settings_for("pool", settings)),
        RoundStep(task.votes, by_hand=JUDGING),
        RoundStep(task.qrels, "", "gains", ("votes.csv",), (task.votes,), _gains_options(settings)),
        RoundStep(
            task.scores,
            "",
            "score",
            (runs, "--qrels", "qrels.txt"),
            (*task.runs, task.qrels),
            {"measures": settings.measures},
            {"top": gmax} if gmax else {},
        ),
        RoundStep(task.report, "", "report", (".",), tuple(task.sources), settings_for("report", settings)),
    ]


def _gains_options(settings: TaskSettings) -> Options:
    """The options of ``gains``; the weight of agreement has a meaning in one scheme only."""
    given = settings_for("gains", settings)
    return given if settings.scheme == "unanimity" else {name: value for name, value in given.items() if name != "p"}


def _gmax(settings: TaskSettings, made: Step | None) -> str:
    """The highest possible gain: as recorded with the gains, or of a scheme that does not depend on how many vote."""
    wanted = _gains_options(settings)
    if made and "gmax" in made.options and all(made.options.get(name) == value for name, value in wanted.items()):
        return f"{made.options['gmax']:g}"
    if settings.scheme in {"mean", "levels", "majority", "median"}:
        return str(2**settings.top - 1)
    return ""


def _flag(name: str, value: object) -> list[str]:
    flag = _FLAGS.get(name, f"--{name}")
    values = value if isinstance(value, tuple) else (value,)
    return [part for one in values for part in (flag, shlex.quote(f"{one:g}" if isinstance(one, float) else str(one)))]
