"""The steps of a round: the file that each makes, from which files, and by which command under the settings."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kaiwa.task.inputs import ALWAYS, highest_gain, settings_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.task.folder import Task

    Options = dict[str, Any]  # Any: JSON values


JUDGING = "have the pool judged with: kaiwa serve (then: kaiwa votes -o votes.csv); or: kaiwa pool --sheet judge.csv"
"""What people do for the votes; a vote file of another origin will do too."""
_FLAGS = {"measures": "-m"}
"""Options whose flag is not their name."""


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
        options = {} if self.verb in ALWAYS else self.options
        given = [part for name, value in options.items() for part in _flag(name, value)]
        facts = [part for name, value in self.facts.items() for part in (f"--{name}", value)]
        return " ".join(["kaiwa", self.verb, *self.words, *facts, *given, "-o", shlex.quote(self.path.name)])


def round_steps(task: Task) -> list[RoundStep]:
    """The steps of the task's round, in order."""
    settings = task.settings
    runs = "runs/*.txt" if all(run.suffix == ".txt" for run in task.runs) else "runs/*.txt*"
    highest = highest_gain(task)
    return [
        RoundStep(task.topics, by_hand="put the topics into topics.tsv (id TAB text)"),
        RoundStep(
            task.folder / "runs",
            by_hand="put the runs into runs/, then: kaiwa check runs/*.txt --topics topics.tsv",
        ),
        RoundStep(task.pool, "", "pool", (runs,), tuple(task.runs), settings_for("pool", settings)),
        RoundStep(task.votes, by_hand=JUDGING),
        RoundStep(task.qrels, "", "gains", ("votes.csv",), (task.votes,), settings_for("gains", settings)),
        RoundStep(
            task.scores,
            "",
            "score",
            (runs, "--qrels", "qrels.txt"),
            (*task.runs, task.qrels),
            settings_for("score", settings),
            {} if highest is None else {"max-gain": f"{highest:g}"},
        ),
        RoundStep(task.report, "", "report", (".",), tuple(task.sources), settings_for("report", settings)),
    ]


def _flag(name: str, value: object) -> list[str]:
    flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
    values = value if isinstance(value, tuple) else (value,)
    return [part for one in values for part in (flag, shlex.quote(f"{one:g}" if isinstance(one, float) else str(one)))]
