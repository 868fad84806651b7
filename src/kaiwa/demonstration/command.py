from __future__ import annotations

import contextlib
import io
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kaiwa.cli.command import verb
from kaiwa.cli.group import expanded, run_typed
from kaiwa.cli.output import OUT_FILE, Summary, emit, json_option, seed_option
from kaiwa.demonstration.demo import FAULTY_RUN, LABELLING, LEARNING, MEASURING, POOLING, RETRIEVING, TO_JUDGE, Step
from kaiwa.errors import InputError, typed
from kaiwa.nouns.votes import SIMULATED_NOTICE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np


_MARK = (".kaiwa-demo.json", "demo")
_TITLE = "Kaiwa demo: a round on English chat"
_JUDGED = "Kaiwa demo: judge English chat"
_POST = "I had a dog when I was little, he was my best friend"


@verb("demo", epilog="Example: kaiwa demo demo")
@click.argument("folder", type=OUT_FILE, default=Path("demo"))
@click.option(
    "--pairs", type=click.IntRange(1000), default=40_000, show_default=True, help="Number of pairs in the repository."
)
@click.option("--judge", "to_judge", is_flag=True, help="Stop at the pool, which people judge with kaiwa serve.")
@seed_option
@json_option
def demo_command(folder: Path, *, pairs: int, to_judge: bool, seed: int, as_json: bool) -> None:
    """A whole round on a real repository, ending in FOLDER/report.html.

    The conversations are those of the package chitchat-dataset (English, MIT); the systems are real; the
    ASSESSORS ARE SIMULATED, and all output about them repeats this. Every printed command can be typed in FOLDER.
    With --judge there are no votes: FOLDER is a task for people, without the systems that need a model.
    """
    import numpy as np

    from kaiwa.demonstration.demo import installed_corpus, write_collection

    _refuse_other(folder)
    corpus = installed_corpus()
    kept = _remove_earlier(folder)
    rng = np.random.default_rng(seed)
    _write_settings(folder, _JUDGED if to_judge else _TITLE, corpus.origin, notice="" if to_judge else SIMULATED_NOTICE)
    if not to_judge:
        _write_settings(folder / "training", f"{_TITLE}: labels to learn from", corpus.origin, notice=SIMULATED_NOTICE)
    made = write_collection(folder, corpus, pairs=pairs, rng=rng)
    with _output_hidden(when=as_json), contextlib.chdir(folder):
        _announce(f"A round in {folder}/, on real conversations: {corpus.origin}.")
        click.echo(f"pairs.tsv: {made.pairs:,} pairs of {made.conversations:,} conversations; licence in ORIGIN.txt")
        click.echo(f"candidates.tsv: {made.candidates:,} posts of other conversations, to draw topics from")
        _run_steps(TO_JUDGE) if to_judge else _run_round(rng)
    _mark_finished(folder, kept)
    emit(_judging_summary(folder) if to_judge else _round_summary(folder), as_json=as_json)


def _write_settings(folder: Path, title: str, origin: str, *, notice: str) -> None:
    from kaiwa.files.atomic import write_text
    from kaiwa.task.folder import CONFIG
    from kaiwa.task.init import settings_text

    facts = {"title": title, "notice": notice, "origin": origin, "licence": "see ORIGIN.txt"}
    settings = settings_text(facts)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    write_text(folder / CONFIG, settings.replace('["zh"]', '["en"]'))


def _run_round(rng: np.random.Generator) -> None:
    """The round, in the current folder."""
    from kaiwa.demonstration.demo import insert_errors

    _run_steps(RETRIEVING)
    _run_steps(LABELLING)
    _simulate(Path("training"), rng)
    _run_steps(LEARNING)
    _announce(f"Three errors are inserted into {FAULTY_RUN}:")
    click.echo(insert_errors(Path(FAULTY_RUN)))
    _run_steps(POOLING)
    _simulate(Path(), rng)
    _run_steps(MEASURING)
    _warn()


def _simulate(folder: Path, rng: np.random.Generator) -> None:
    """Write the votes of the SIMULATED assessors on the pool of a folder."""
    from kaiwa.demonstration import demo
    from kaiwa.files.atomic import visible_files, write_text
    from kaiwa.formats.votes import write_votes

    votes = demo.simulate_votes(
        visible_files((folder / "runs").glob("*.txt")),
        repository=Path("repository"),
        next_messages=Path("next-messages.tsv"),
        depth=10,
        rng=rng,
    )
    path, note = folder / "votes.csv", folder / "SIMULATED-ASSESSORS.txt"
    write_votes(path, votes)
    write_text(note, f"{path.name}: {SIMULATED_NOTICE}\n\n{demo.__doc__}")
    _warn()
    click.echo(f"{path}: {len(votes.item):,} SIMULATED votes on {votes.items:,} items; see {note}")


def _remove_earlier(folder: Path) -> frozenset[Path]:
    """Remove the files of an earlier demo, as its mark names them; the user's files, which stay."""
    from kaiwa.files.marks import UNFINISHED, Mark, foreign_entries, remove_named, remove_unfinished

    if (folder / UNFINISHED).exists():
        remove_unfinished(folder)
    elif files := Mark(*_MARK).files_of(folder):
        if inside := [path for path in foreign_entries(folder, files) if len(path.parts) > 1]:
            raise InputError.at(folder / inside[0], "is not a file of the demo", "move it, or choose another folder")
        remove_named(folder, files)
    elif folder.is_dir() and any(folder.iterdir()):
        raise InputError.at(folder, "holds a demo that is not complete", "delete it, or choose another folder")
    kept = frozenset(_files(folder))
    folder.mkdir(parents=True, exist_ok=True)
    if not kept:
        (folder / UNFINISHED).touch()  # all of the folder is ours until the mark is written
    return kept


def _mark_finished(folder: Path, kept: frozenset[Path]) -> None:
    """Name every file of the demo in its mark."""
    from kaiwa.files.marks import UNFINISHED, Mark

    (folder / UNFINISHED).unlink(missing_ok=True)
    Mark(*_MARK).write(folder, {}, (str(path.relative_to(folder)) for path in _files(folder) if path not in kept))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


def _refuse_other(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier demo."""
    settings = folder / "kaiwa.toml"
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not settings.is_file()):
        raise InputError.at(folder, "already exists and is not a demo", "choose another folder")
    if settings.is_file() and not _is_demo(folder, settings.read_text(encoding="utf-8", errors="replace")):
        raise InputError.at(folder, "holds a task that is not a demo", "choose another folder")


def _is_demo(folder: Path, settings: str) -> bool:
    """Whether these are settings of a demo that can be made again; one that people judge, only if it is incomplete."""
    from kaiwa.files.marks import UNFINISHED

    return SIMULATED_NOTICE in settings or (_JUDGED in settings and (folder / UNFINISHED).exists())


def _judging_summary(folder: Path) -> Summary:
    then = "".join(f"\n  {line}" for line in _typed_lines([f"invite {typed(folder)} me", f"serve {typed(folder)}"]))
    said = f"\n{folder}/ is a task without votes. Get a private link, and judge:{then}"
    return Summary(said, {"folder": str(folder), "pool": str(folder / "pool.tsv")})


def _round_summary(folder: Path) -> Summary:
    report = folder / "report.html"
    return Summary(_ending(folder, report), {"folder": str(folder), "report": str(report)})


def _ending(folder: Path, report: Path) -> str:
    then = _typed_lines([f"status {typed(folder)}", f"reply {typed(folder / 'index')} {typed(_POST)} -k 3"])
    lines = "".join(f"\n  {line}" for line in then)
    return f"\nOpen {report} in a browser. The commands above work in {folder}/. Then try:{lines}"


def _typed_lines(commands: Sequence[str]) -> list[str]:
    """The commands as bash, zsh and fish run them; the first line puts this ``kaiwa`` on the PATH if needed."""
    called = Path(sys.argv[0])
    own = called if called.name == "kaiwa" else Path(sysconfig.get_path("scripts")) / "kaiwa"
    if not own.is_file():
        return [f"{typed(sys.executable)} -m kaiwa {command}" for command in commands]
    found = shutil.which("kaiwa")
    path = [] if found and own.samefile(found) else [f'export PATH={typed(own.parent.absolute())}:"$PATH"']
    return [*path, *(f"kaiwa {command}" for command in commands)]


@contextlib.contextmanager
def _output_hidden(*, when: bool) -> Iterator[None]:
    with contextlib.ExitStack() as kept:
        if when:
            kept.enter_context(contextlib.redirect_stdout(io.StringIO()))
            kept.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield


def _announce(words: str) -> None:
    click.secho(f"\n{words}", bold=True)


def _warn() -> None:
    head, _, rest = SIMULATED_NOTICE.partition(": ")
    click.secho(f"\n{'*' * 78}\n*  {' '.join(head)}\n*  {rest}\n{'*' * 78}", bold=True, fg="yellow")


def _run_steps(steps: Iterable[Step]) -> None:
    """Show every command and run it, as a shell in this folder would."""
    for words, lines in steps:
        _announce(words)
        for line in lines:
            click.secho(f"$ {line}", fg="cyan")
            _run(line)


def _run(line: str) -> None:
    program, *words = expanded(line)
    if program == "cp":
        for source in words[:-1]:
            shutil.copy(source, words[-1])
        return
    run_typed(line)
