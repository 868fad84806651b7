"""kaiwa retrieve: a run file for a file of topics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kaiwa.cli.shell.answering import Answering, answering_options
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, Summary, emit, json_option, remark
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import engine_option
from kaiwa.errors import InputError, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.model.run import Run


@click.command("retrieve", epilog="Example: kaiwa retrieve index topics.tsv -o KAIWA-C-R1.txt --system run2")
@click.argument("index", type=IN_FILE)
@click.argument("topics", type=IN_FILE)
@click.option("-o", "--output", type=OUT_FILE, help="The run file to write.")
@click.option("--all-systems", type=OUT_FILE, metavar="FOLDER", help="Write one run for each system to this folder.")
@click.option("--name", help="The run's name (default: the file's name without extension).")
@answering_options
@engine_option
@json_option
def command(
    *,
    index: Path,
    topics: Path,
    output: Path | None,
    all_systems: Path | None,
    name: str | None,
    how: Answering,
    engine: str,
    as_json: bool,
) -> None:
    """Answer every topic (lines of: id TAB text) and write a run file that kaiwa check accepts.

    With --all-systems, one run for each system is written, named after it, and one named model for the ranker of
    --model. Systems whose models are not in --models are left out.
    """
    from kaiwa.engine.task_notes import opened_unless_local
    from kaiwa.flow.answers.retrieve import Bot
    from kaiwa.formats.readers import read_topics

    _check_outputs(output, all_systems, name)
    if all_systems is not None:
        _refuse_folder_inside(all_systems, [path for path in (index, how.models, how.model) if path is not None])
    asked = read_topics(topics)
    bot = Bot(index, takedown=how.takedown, models=how.models, model=how.model)
    with opened_unless_local(engine) as running:
        run = partial(bot.run, asked, k=how.k, filters=how.filters, fusion=how.fusion, engine=running)
        if all_systems is not None:
            emit(_all_runs(bot.system_names(), run, all_systems), as_json=as_json)
        elif output is not None:
            title = output.name.partition(".")[0] if name is None else name
            emit(_one_run(partial(run, name=title, system=how.system), len(asked), output, how), as_json=as_json)


def _check_outputs(output: Path | None, all_systems: Path | None, name: str | None) -> None:
    """Exactly one output; a system or a name only for one run."""
    if (output is None) == (all_systems is None):
        raise InputError("give either -o FILE for one run, or --all-systems FOLDER")
    is_chosen = click.get_current_context().get_parameter_source("system") is ParameterSource.COMMANDLINE
    if all_systems is not None and (name is not None or is_chosen):
        raise InputError(
            f"--all-systems makes a run of every system; leave out {'--system' if is_chosen else '--name'}"
        )


def _refuse_folder_inside(folder: Path, read: Sequence[Path]) -> None:
    """Refuse to write runs into a folder that is read."""
    target = folder.resolve()
    if inside := [path for path in read if path.resolve() in (target, *target.parents)]:
        raise InputError.at(folder, f"is in {inside[0]}, which this command reads", "give another folder")


def _one_run(retrieved: Callable[..., Run], asked: int, output: Path, how: Answering) -> Summary:
    """Write the run of one system."""
    from kaiwa.formats.run_files import write_run

    with progress("retrieving") as tick:
        run = retrieved(progress=tick)
    write_run(output, run)
    if left_out := asked - len(run.topics):
        remark(f"kaiwa: {counted(left_out, 'topic')} of the takedown list left out")
    unanswered = [topic for topic in run.topics if not run.ranking(topic)]
    if unanswered:
        remark(f"kaiwa: no comment answers {counted(len(unanswered), 'topic')}, first {unanswered[0]}")
    fields = {
        "run": str(output),
        "name": run.name,
        "topics": len(run.topics),
        "comments": len(run),
        "unanswered": unanswered,
    }
    text = f"{output}: {counted(len(run), 'comment')} for {counted(len(run.topics), 'topic')} by {how.system}"
    return Summary(text, fields)


def _all_runs(names: Sequence[str], retrieved: Callable[..., Run], folder: Path) -> Summary:
    """Write the run of each system that has its models; all files appear, or none."""
    from kaiwa.disk.atomic_files import write_texts
    from kaiwa.formats.run_files import ntcir_run_texts
    from kaiwa.model.progress_callback import share
    from kaiwa.rank.system_table import SYSTEMS

    runs = []
    with progress("retrieving") as tick:
        for place, name in enumerate(names):
            part = share(tick, place / len(names), (place + 1) / len(names))
            runs.append(retrieved(name=name, system=name, progress=part))
    write_texts(folder, ntcir_run_texts(runs))
    left_out = [name for name in SYSTEMS if name not in names]
    if left_out:
        remark(f"kaiwa: left out, without their models (kaiwa systems): {', '.join(left_out)}")
    rows = [{"run": str(folder / f"{one.name}.txt"), "name": one.name, "comments": len(one)} for one in runs]
    text = f"{folder}: {counted(len(runs), 'run')} for {counted(len(runs[0].topics), 'topic')}"
    return Summary(text, {"folder": str(folder), "runs": rows, "left_out": left_out})
