"""The ``kaiwa`` command: one module per verb, loaded only when the verb is used."""

from __future__ import annotations

import importlib
import json
import os
import platform
import shlex
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, shell_complete

from kaiwa.cli.command import verb
from kaiwa.cli.options import VARIABLE
from kaiwa.cli.output import json_option, one_line, open_closed_streams, quiet_option
from kaiwa.errors import InputError, KaiwaError, in_command
from kaiwa.files.atomic import visible_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from kaiwa.ambient import Channel


# How a command is stopped early: temporary files are removed, and one line describes how to continue.


_OLD_OR_NEW = "every output is complete, or as it was before; run the same command again"
_LEFT = {
    "demo": "the folder holds the finished steps; the same command starts from the beginning",
    "make": "the folder holds the finished steps; the same command continues",
    "clean": "the repository is complete, or as it was before; run the same command again",
    "index": "the index is complete, or as it was before; run the same command again",
}
"""What a stopped verb has written. A signal can come when the outputs have their names and the work is over."""

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(KeyboardInterrupt):
    """A signal asked the command to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def what_is_left(verb: str | None) -> str:
    """What a stopped verb has written, and how to continue.

    >>> what_is_left("score")
    'every output is complete, or as it was before; run the same command again'
    """
    return _LEFT.get(verb or "", _OLD_OR_NEW)


def catch_signals() -> None:
    """Make Ctrl-C, a kill and a closed terminal raise Stopped; a signal that the caller ignores stays ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise_stopped)


def _raise_stopped(number: int, _: FrameType | None) -> None:
    for each in _SIGNALS:
        if signal.getsignal(each) == _raise_stopped:
            signal.signal(each, _second_signal)
    raise Stopped(number)


def _second_signal(number: int, _: FrameType | None) -> None:
    """A second signal does not interrupt the removal of temporary files; a third ends the process immediately."""
    signal.signal(number, signal.SIG_DFL)
    sys.stderr.write("kaiwa: removing temporary files; repeat the signal to stop immediately\n")


def leave_closed_pipe() -> None:
    """End as other tools do when the reader closes the pipe: no message, the exit code of SIGPIPE."""
    _drop_output()
    sys.exit(128 + signal.SIGPIPE)


def drop_unwritable() -> None:
    """Drop a result that stdout does not take, closed or on a full disk; else Python tries again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# An error that Kaiwa did not raise on purpose: one line, and the details in a private file.


EXIT_UNEXPECTED = 70
"""As in the ``sysexits.h`` of BSD: an internal error."""
_SHOWN = 160


def unexpected_line(error: Exception) -> str:
    """The line for the user, with the place of the file in which the details are."""
    shown = " ".join(f"{type(error).__name__}: {error}".split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    advice = "this is a fault of Kaiwa; please report it"
    try:
        return f"unexpected error ({shown}); {advice} with the details in {_written(error)}"
    except OSError:
        return f"unexpected error ({shown}); {advice} with this command and the smallest input that shows it"


def _written(error: Exception) -> str:
    """The path of a new file that only the user can read: versions, the command and the traceback."""
    facts = [
        f"kaiwa {_version()}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {sys.argv}",
        "",
        *traceback.format_exception(error),
    ]
    handle, path = tempfile.mkstemp(prefix="kaiwa-error-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("\n".join(facts))
    return path


def _version() -> str:
    try:
        return version("kaiwa")
    except PackageNotFoundError:
        return "(not installed)"


EXIT_BAD_INPUT = 2


@dataclass(frozen=True)
class Verb:
    """A verb's one-line help and the module that holds its command as ``VERB_command``."""

    help: str
    module: str


STEPS = {
    "round": {
        "demo": Verb("A whole round on a real repository.", "kaiwa.demonstration.command"),
        "init": Verb("Make a task folder with a commented kaiwa.toml.", "kaiwa.task.command"),
        "status": Verb("What is done, stale or missing in a task folder.", "kaiwa.task.command"),
        "make": Verb("Do the remaining steps of a round, in order.", "kaiwa.task.command"),
    },
    "collection": {
        "clean": Verb("Clean raw post-comment pairs into a repository.", "kaiwa.corpus.command"),
        "topics": Verb("Sample topics from a repository or other posts.", "kaiwa.corpus.command"),
        "index": Verb("Tokenise and index a repository.", "kaiwa.retrieval.command"),
    },
    "answers": {
        "models": Verb("Train what features need, from an index.", "kaiwa.ranking.command"),
        "train": Verb("Learn a ranker from labels, validated by topic.", "kaiwa.ranking.command"),
        "reply": Verb("Answer one post, with reasons.", "kaiwa.ranking.command"),
        "retrieve": Verb("Answer a file of topics: a run.", "kaiwa.ranking.command"),
        "retrieve-all": Verb("Answer them by every system: a folder of runs.", "kaiwa.ranking.command"),
        "fuse": Verb("Fuse runs into one.", "kaiwa.ranking.command"),
    },
    "judging": {
        "check": Verb("Validate run files: each problem with its line.", "kaiwa.checking.command"),
        "pool": Verb("Pool runs into the items to judge.", "kaiwa.pooling.command"),
        "serve": Verb("Serve the pages for judging, or replies by HTTP.", "kaiwa.web.command"),
        "invite": Verb("Private links for assessors and leads.", "kaiwa.store.command"),
        "votes": Verb("What was voted, for a file; add votes.", "kaiwa.store.command"),
        "verify": Verb("Check the log of votes: chain, texts, counts.", "kaiwa.store.command"),
        "backup": Verb("Copy the votes, also while people vote.", "kaiwa.store.command"),
        "agree": Verb("Measure how far assessors agree.", "kaiwa.labelling.command"),
        "gains": Verb("Turn votes into gains.", "kaiwa.labelling.command"),
    },
    "results": {
        "score": Verb("Score runs by graded measures.", "kaiwa.measures.command"),
        "unanimity": Verb("What rewarding agreement of assessors changes.", "kaiwa.comparison.command"),
        "compare": Verb("Tests of all pairs, effect sizes, tied ranks.", "kaiwa.comparison.command"),
        "tau": Verb("Rank correlation of measures or score files.", "kaiwa.comparison.command"),
        "standardise": Verb("Make scores comparable across topics.", "kaiwa.comparison.command"),
        "standardisation": Verb("What that changes: topic set sizes, unknown runs.", "kaiwa.comparison.command"),
        "variance": Verb("V_E, V_E2 and variance components of scores.", "kaiwa.comparison.command"),
        "design": Verb("How many topics: power, differences, cost.", "kaiwa.topicset.command"),
    },
    "paper": {
        "report": Verb("An offline page, and files for a paper.", "kaiwa.reporting.command"),
        "convert": Verb("Write files in the format of another tool.", "kaiwa.formats.command"),
        "reproduce": Verb("Recompute published numbers, and compare.", "kaiwa.reporting.command"),
    },
    "help": {
        "names": Verb("List measures, systems, formats and other names.", "kaiwa.naming.command"),
        "help": Verb("The help of a verb, as kaiwa VERB --help.", "kaiwa.cli.group"),
        "completion": Verb("A script by which TAB completes verbs and names.", "kaiwa.cli.group"),
    },
}
"""The verbs by step, in the order of a round; a verb is added here and nowhere else."""
VERBS = {name: verb for verbs in STEPS.values() for name, verb in verbs.items()}


class Verbs(click.Group):
    """A group that lists its verbs from the table, and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The verbs, in the order of a round."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, imported now."""
        if cmd_name not in VERBS:
            if ctx.resilient_parsing:  # a TAB after an unknown verb: nothing to offer
                return None
            from difflib import get_close_matches

            near = get_close_matches(cmd_name, VERBS, n=1)
            ctx.fail(f"unknown verb '{cmd_name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        command: click.Command = getattr(
            importlib.import_module(VERBS[cmd_name].module), f"{cmd_name.replace('-', '_')}_command"
        )
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The verbs that start with the text, without importing any; after a dash the options."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(name, help=verb.help) for name, verb in VERBS.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs of each step from the table, without importing any."""
        width, step_width = max(map(len, VERBS)), max(map(len, STEPS))
        with formatter.section("Verbs, by step"):
            for step, verbs in STEPS.items():
                for at, (name, verb) in enumerate(verbs.items()):
                    heading = "" if at else step
                    formatter.write(f"  {heading:{step_width}}  {name:{width}}  {verb.help}\n")


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kaiwa")
@quiet_option
@click.pass_context
def kaiwa(ctx: click.Context) -> None:
    """Run and measure a Short Text Conversation task. Every verb takes --help."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def main() -> None:
    """Run the command; an error is one line on stderr and exit code 2, or 70 for a fault of ours, never a traceback."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # the other pools keep freed memory
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting more takes 0.2 s; no matrix here is large
    open_closed_streams()
    try:
        catch_signals()
        _run(sys.argv[1:])
    except KaiwaError as error:
        _stop(in_command(error.marked), EXIT_BAD_INPUT)
    except click.UsageError as error:
        _stop(f"{' '.join(error.format_message().split())} (try: {_help_line(error)})", EXIT_BAD_INPUT)
    except click.ClickException as error:
        _stop(error.format_message(), EXIT_BAD_INPUT)
    except click.exceptions.Exit as ending:
        sys.exit(ending.exit_code)
    except click.Abort:
        _stop(f"stopped; {what_is_left(None)}", EXIT_BAD_INPUT)
    except BrokenPipeError:
        leave_closed_pipe()
    except (OSError, MemoryError, UnicodeEncodeError) as fault:
        _stop(_system_line(fault), EXIT_BAD_INPUT)
    except Exception as error:  # noqa: BLE001  the outermost line
        _stop(unexpected_line(error), EXIT_UNEXPECTED)


def _system_line(fault: OSError | MemoryError | UnicodeEncodeError) -> str:
    """The line for an error of the disk, the memory or the output's encoding."""
    if isinstance(fault, OSError):
        place = f"{fault.filename}: " if fault.filename else ""
        return f"{place}{fault.strerror or fault}; check the path and the disk"
    if isinstance(fault, UnicodeEncodeError):
        bad = f"U+{ord(fault.object[fault.start]):04X}"
        return f"a name or text has {bad}, which cannot be written as UTF-8; remove it from the input"
    return "not enough memory for this input; give it in smaller parts"


def _run(words: list[str]) -> None:
    context = None
    try:
        if asked := os.environ.get(VARIABLE):
            sys.exit(shell_complete(kaiwa, {}, "kaiwa", VARIABLE, asked))
        with kaiwa.make_context("kaiwa", words) as context:
            kaiwa.invoke(context)
    except click.exceptions.NoArgsIsHelpError as alone:
        click.echo(alone.format_message())
    except Stopped as stop:
        verb = context.invoked_subcommand if context else None
        _stop(f"stopped; {what_is_left(verb)}", stop.exit_code)


def _stop(message: str, code: int) -> None:
    click.echo(f"kaiwa: {one_line(message)}", err=True)
    drop_unwritable()
    sys.exit(code)


def _help_line(error: click.UsageError) -> str:
    return f"{error.ctx.command_path} --help" if error.ctx else "kaiwa --help"


def _verbs(_: click.Context, __: click.Parameter, begun: str) -> list[str]:

    return [verb for verb in VERBS if verb.startswith(begun)]


@verb("help", epilog="Example: kaiwa help design cost")
@click.argument("verb", nargs=-1, shell_complete=_verbs)
@json_option
@click.pass_context
def help_command(ctx: click.Context, verb: tuple[str, ...], *, as_json: bool) -> None:
    """Show the help of a VERB or of one of its commands, as --help does."""
    context = ctx.find_root()
    for word in verb:
        group = context.command
        found = group.get_command(context, word) if isinstance(group, click.Group) else None
        if found is None:
            raise click.UsageError(f"{context.command_path} has no command '{word}'", context)
        context = click.Context(found, parent=context, info_name=word)
    shown = context.get_help()
    _print(shown, {"help": shown}, as_json=as_json)


def _print(text: str, fields: Mapping[str, str], *, as_json: bool) -> None:
    """The text, or its JSON: of a result that has neither tables nor notes."""
    click.echo(json.dumps(fields, ensure_ascii=False) if as_json else text)


_SHELLS = ("bash", "zsh", "fish")


@verb("completion", epilog='Example: eval "$(kaiwa completion bash)"')
@click.argument("shell", type=click.Choice(_SHELLS))
@json_option
@click.pass_context
def completion_command(ctx: click.Context, shell: str, as_json: bool) -> None:  # noqa: FBT001
    """A script that makes TAB complete verbs, options, measures, schemes and systems.

    In ~/.bashrc or ~/.zshrc: eval "$(kaiwa completion bash)", or zsh. In fish's config: kaiwa completion fish | source.
    """
    from click.shell_completion import get_completion_class

    known = get_completion_class(shell)
    if known is None:
        raise click.UsageError(f"the installed click has no completion for {shell}; update click")
    script = known(ctx.find_root().command, {}, "kaiwa", VARIABLE).source()
    _print(script, {"shell": shell, "script": script}, as_json=as_json)


def run_typed(line: str, channel: Channel | None = None) -> None:
    """Run a ``kaiwa`` command in this process; words with ``*`` are file names, as in a shell.

    The ``channel`` shows its progress and remarks, by default the terminal.
    """
    try:
        kaiwa.main(expanded(line)[1:], prog_name="kaiwa", standalone_mode=False, obj=channel)
    except click.UsageError as error:  # of a setting, as the command was not typed
        raise InputError(f"{line}: {' '.join(error.format_message().split())}") from None


def expanded(line: str) -> list[str]:
    """The words of a command, those with ``*`` replaced by the files that match."""
    words = shlex.split(line)
    return [str(path) for word in words for path in (visible_files(Path().glob(word)) if "*" in word else [word])]
