"""The ``kaiwa`` command: one module per verb, loaded only when the verb is used."""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass

import click
from click.shell_completion import CompletionItem, shell_complete

from kaiwa.cli.shell.complete import VARIABLE
from kaiwa.cli.shell.output import one_line, open_closed_streams, quiet_option
from kaiwa.cli.shell.stop import Stopped, catch_signals, drop_unwritable, leave_closed_pipe, what_is_left
from kaiwa.cli.shell.unexpected import EXIT_UNEXPECTED, unexpected_line
from kaiwa.cli.shell.verb import completed_verb
from kaiwa.errors import KaiwaError, in_command

EXIT_BAD_INPUT = 2


@dataclass(frozen=True)
class Verb:
    """A verb's one-line help and the module that holds its command as ``command``."""

    help: str
    module: str


VERBS = {
    "demo": Verb("A whole round on a real repository, ending in a report.", "kaiwa.cli.rounds.demo"),
    "init": Verb("Make a task folder with a commented kaiwa.toml.", "kaiwa.cli.rounds.init"),
    "status": Verb("What is done, stale or missing in a task folder.", "kaiwa.cli.rounds.status"),
    "run": Verb("Do the remaining steps of a round, in order.", "kaiwa.cli.rounds.run"),
    "clean": Verb("Clean raw post-comment pairs into a repository.", "kaiwa.cli.collection.clean"),
    "topics": Verb("Sample topics from a repository or from other posts.", "kaiwa.cli.collection.topics"),
    "index": Verb("Tokenise and index a repository.", "kaiwa.cli.collection.index"),
    "models": Verb("Train what features need, from an index.", "kaiwa.cli.answers.models"),
    "train": Verb("Learn a ranker from labels, cross-validated by topic.", "kaiwa.cli.answers.train"),
    "features": Verb("List the features that order candidates.", "kaiwa.cli.answers.features"),
    "systems": Verb("List the systems that answer posts.", "kaiwa.cli.answers.systems"),
    "reply": Verb("Answer one post, with reasons.", "kaiwa.cli.answers.reply"),
    "retrieve": Verb("Answer a file of topics: a run.", "kaiwa.cli.answers.retrieve"),
    "check": Verb("Validate run files, problem by problem with its line.", "kaiwa.cli.judging.check"),
    "pool": Verb("Pool runs into the items to judge.", "kaiwa.cli.judging.pool"),
    "serve": Verb("Serve the pages for judging, or replies by HTTP.", "kaiwa.cli.judging.serve"),
    "invite": Verb("Private links for assessors and leads.", "kaiwa.cli.judging.invite"),
    "votes": Verb("Export what was voted, or import votes from elsewhere.", "kaiwa.cli.judging.votes"),
    "verify": Verb("Check the log of votes: chain, texts, keys and counts.", "kaiwa.cli.judging.verify"),
    "backup": Verb("Copy the votes, also while people vote.", "kaiwa.cli.judging.backup"),
    "agree": Verb("Measure how far assessors agree.", "kaiwa.cli.judging.agree"),
    "gains": Verb("Turn votes into gains.", "kaiwa.cli.judging.gains"),
    "score": Verb("Score runs by graded measures.", "kaiwa.cli.scoring.score"),
    "unanimity": Verb("Show what rewarding agreement between assessors changes.", "kaiwa.cli.judging.unanimity"),
    "compare": Verb("Compare runs: tests of all pairs, effect sizes, tied ranks.", "kaiwa.cli.scoring.compare"),
    "tau": Verb("Rank correlation between two measures or two score files.", "kaiwa.cli.scoring.tau"),
    "standardise": Verb("Make scores comparable across topics: std, std-CDF, std-AB.", "kaiwa.cli.scoring.standardise"),
    "variance": Verb("V_E, V_E2 and variance components of scores.", "kaiwa.cli.scoring.variance"),
    "design": Verb("How many topics: power, detectable differences, cost.", "kaiwa.cli.scoring.design"),
    "convert": Verb("Write runs, judgements or scores in the format of another tool.", "kaiwa.cli.scoring.convert"),
    "report": Verb("The results of a task: an offline page, files for a paper.", "kaiwa.cli.rounds.report"),
    "next": Verb("How many topics the next round needs.", "kaiwa.cli.rounds.next"),
    "reproduce": Verb("Recompute published numbers and compare them with the papers.", "kaiwa.cli.rounds.reproduce"),
    "help": Verb("The help of a verb; kaiwa VERB --help shows the same.", "kaiwa.cli.help"),
    "completion": Verb("A script that makes TAB complete verbs, options and names.", "kaiwa.cli.completion"),
}
"""In the order of a round; a verb is added here and nowhere else."""


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
        command: click.Command = importlib.import_module(VERBS[cmd_name].module).command
        return completed_verb(command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The verbs that start with the text, without importing any; after a dash the options."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(name, help=verb.help) for name, verb in VERBS.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs from the table, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, verb.help) for name, verb in VERBS.items()])


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kaiwa")
@quiet_option
@click.pass_context
def kaiwa(ctx: click.Context) -> None:
    """Run and measure a Short Text Conversation task. Every verb takes -h or --help."""
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
