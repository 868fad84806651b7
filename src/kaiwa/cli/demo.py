from __future__ import annotations

import contextlib
import io
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kaiwa.cli.output import IN_FILE, emit, json_option, seed_option
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

SIMULATED = "SYSTEMS AND ASSESSORS ARE SIMULATED: this shows the tools, it is not a result."

BEFORE_VOTES = (
    (
        "A run checker that reads like a compiler finds the faults planted in one run, and mends them.",
        "kaiwa check runs/*.txt --topics topics.tsv --fix -o mended",
    ),
    ("", "cp mended/*.txt runs/"),
    ("", "kaiwa check runs/*.txt --topics topics.tsv"),
    ("The runs are pooled into the items to judge.", "kaiwa pool runs/*.txt --depth 10 -o pool.tsv"),
)
AFTER_VOTES = (
    ("How far do the assessors agree?", "kaiwa agree votes.csv --contested 3"),
    (
        "Votes become gains: the mean, and the unanimity-aware gain beside it.",
        "kaiwa gains votes.csv --scheme mean -o qrels.txt",
    ),
    ("", "kaiwa gains votes.csv --scheme unanimity --p 0.2 -o qrels-unanimity.txt"),
    ("Gains become scores.", "kaiwa score runs/*.txt --qrels qrels.txt --top 3 -m nG@1 -m nERR@10 -m P+ -o scores.csv"),
    ("Which runs really differ?", "kaiwa compare scores.csv -m nERR@10"),
    ("Do two measures rank the runs alike?", "kaiwa tau scores.csv -m nG@1 -m nERR@10"),
    (
        "Scores on one scale for every topic, and the variances.",
        "kaiwa standardise scores.csv --method std-ab -o scores-std.csv",
    ),
    ("", "kaiwa variance scores.csv -m nERR@10"),
    (
        "How many topics does the next round need?",
        "kaiwa design --pilot scores.csv -m nERR@10 --systems 10 --min-diff 0.1",
    ),
    ("Everything on one page.", "kaiwa report . -o report.html"),
)


@click.command("demo", epilog="Example: kaiwa demo demo")
@click.argument("folder", type=IN_FILE, default=Path("demo"))
@seed_option
@json_option
def command(folder: Path, seed: int, as_json: bool) -> None:  # noqa: FBT001
    """A whole round on a small simulated collection, ending in FOLDER/report.html.

    Every step that is printed is a command that works when typed in FOLDER.
    """
    import numpy as np

    from kaiwa.files.task import CONFIG, TEMPLATE
    from kaiwa.files.votes import write_votes
    from kaiwa.files.writing import write_text
    from kaiwa.flow.pool import pool_runs
    from kaiwa.flow.simulated import simulate_round, simulate_votes, write_round

    _fresh(folder)
    rng = np.random.default_rng(seed)
    simulated = simulate_round(rng)
    write_round(folder, simulated)
    settings = TEMPLATE.replace('"My conversation task"', '"Kaiwa demo round"').replace(
        'notice = "" ', f'notice = "{SIMULATED}" '
    )
    write_text(folder / CONFIG, settings)
    with _told(silent=as_json), contextlib.chdir(folder):
        _say(f"{SIMULATED}\n{len(simulated.topics)} posts and {len(simulated.runs)} runs are in {folder}/.")
        for words, line in BEFORE_VOTES:
            _step(words, line)
        votes = simulate_votes(pool_runs(sorted(Path("runs").glob("*.txt")), depth=10).pool, simulated.worth, rng)
        write_votes(Path("votes.csv"), votes)
        _say(f"Five SIMULATED assessors vote on {votes.items:,} items: votes.csv")
        for words, line in AFTER_VOTES:
            _step(words, line)
    report = folder / "report.html"
    emit(f"\nOpen {report} in a browser.", {"folder": str(folder), "report": str(report)}, as_json=as_json)


def _fresh(folder: Path) -> None:
    """Make room: an earlier demo is removed, anything else is left alone and refused."""
    if folder.exists() and any(folder.iterdir()):
        settings = folder / "kaiwa.toml"
        if not settings.exists() or SIMULATED not in settings.read_text(encoding="utf-8"):
            raise InputError.at(folder, "is not empty and no earlier demo", "choose another folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def _told(*, silent: bool) -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()) if silent else contextlib.nullcontext():
        yield


def _say(words: str) -> None:
    click.secho(f"\n{words}", bold=True)


def _step(words: str, line: str) -> None:
    """Show a command and run it, as a shell in this folder would."""
    if words:
        _say(words)
    click.secho(f"$ {line}", fg="cyan")
    program, *arguments = shlex.split(line)
    expanded = [str(path) for word in arguments for path in (sorted(Path().glob(word)) if "*" in word else [word])]
    if program == "cp":
        for source in expanded[:-1]:
            shutil.copy(source, expanded[-1])
        return
    from kaiwa.cli import kaiwa

    with contextlib.suppress(SystemExit):  # a check with findings exits with 1, and the demo goes on
        kaiwa.main(expanded, prog_name="kaiwa", standalone_mode=False)
