"""The ``kaiwa`` command: one module per verb, loaded only when the verb is used."""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from kaiwa.errors import KaiwaError

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


@dataclass(frozen=True)
class Verb:
    """A verb's one-line help and the module that holds its command as ``command``."""

    help: str
    module: str


VERBS = {
    "demo": Verb("A whole round on a small collection, ending in a report.", "kaiwa.cli.demo"),
    "init": Verb("Make a task folder with a commented kaiwa.toml.", "kaiwa.cli.init"),
    "status": Verb("What is done, stale or missing in a task folder.", "kaiwa.cli.status"),
    "clean": Verb("Clean raw post-comment pairs into a repository.", "kaiwa.cli.clean"),
    "topics": Verb("Sample topics from, or beside, a repository.", "kaiwa.cli.topics"),
    "index": Verb("Tokenise and index a repository.", "kaiwa.cli.index"),
    "reply": Verb("Answer one post, with reasons.", "kaiwa.cli.reply"),
    "retrieve": Verb("Answer a file of topics: a run.", "kaiwa.cli.retrieve"),
    "check": Verb("Validate run files like a compiler.", "kaiwa.cli.check"),
    "pool": Verb("Pool runs into the items to judge.", "kaiwa.cli.pool"),
    "agree": Verb("Measure how far assessors agree.", "kaiwa.cli.agree"),
    "gains": Verb("Turn votes into gains.", "kaiwa.cli.gains"),
    "score": Verb("Score runs by graded measures.", "kaiwa.cli.score"),
    "unanimity": Verb("Show what rewarding agreement between assessors changes.", "kaiwa.cli.unanimity"),
    "compare": Verb("Compare runs: randomised Tukey HSD, effect sizes, tied ranks.", "kaiwa.cli.compare"),
    "tau": Verb("Rank correlation between two measures or two score files.", "kaiwa.cli.tau"),
    "standardise": Verb("Make scores comparable across topics: std, std-CDF, std-AB.", "kaiwa.cli.standardise"),
    "variance": Verb("V_E, V_E2 and variance components of scores.", "kaiwa.cli.variance"),
    "design": Verb("How many topics: power, detectable differences, cost.", "kaiwa.cli.design"),
    "report": Verb("The results of a task: an offline page, files for a paper.", "kaiwa.cli.report"),
    "next": Verb("How many topics the next round needs.", "kaiwa.cli.next"),
    "reproduce": Verb("Published numbers computed again, paper next to ours.", "kaiwa.cli.reproduce"),
}
"""In the order of a round; a verb is added here and nowhere else."""


def recorded(command: click.Command) -> click.Command:
    """The command, noting in a task folder what each file it writes there was made from."""
    work = command.callback
    if work is None or getattr(work, "notes", False):
        return command

    def callback(**options: Any) -> None:  # Any: what click parsed
        written = work(**options) or options.get("output")  # a verb that chooses its file's name returns it
        if isinstance(written, Path) and written.is_file():
            _note(str(command.name), written, options)

    callback.notes = True  # type: ignore[attr-defined]  # a command is wrapped once
    command.callback = callback
    return command


def _note(verb: str, written: Path, options: dict[str, Any]) -> None:  # Any: what click parsed
    from importlib.metadata import version

    from kaiwa.files.steps import record_step

    values = [one for value in options.values() for one in (value if isinstance(value, tuple) else (value,))]
    inputs = [one for one in values if isinstance(one, Path) and one != written]
    record_step(written, inputs, verb=verb, version=version("kaiwa"), seed=options.get("seed"))


class Verbs(click.Group):
    """A group that knows its verbs by name and help, and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The verbs, in the order of a round."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, imported now."""
        if cmd_name not in VERBS:
            from difflib import get_close_matches

            near = get_close_matches(cmd_name, VERBS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else "see kaiwa --help"
            ctx.fail(f"no verb '{cmd_name}'; {hint}")
        command: click.Command = importlib.import_module(VERBS[cmd_name].module).command
        return recorded(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs from the table, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, verb.help) for name, verb in VERBS.items()])


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kaiwa")
def kaiwa() -> None:
    """Run and measure a Short Text Conversation task, or any part of one.

    Every verb takes --help, and --json for machines.
    """


def main() -> None:
    """Run the command; a refusal is one line on stderr and exit code 2, never a traceback."""
    try:
        kaiwa.main(prog_name="kaiwa", standalone_mode=False)
    except KaiwaError as refusal:
        _stop(str(refusal), EXIT_BAD_INPUT)
    except click.UsageError as refusal:
        _stop(f"{refusal.format_message()} (try: {_help_line(refusal)})", EXIT_BAD_INPUT)
    except click.ClickException as refusal:
        _stop(refusal.format_message(), EXIT_BAD_INPUT)
    except click.exceptions.Exit as ending:
        sys.exit(ending.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _stop("stopped; nothing was half-written", EXIT_INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except MemoryError:
        _stop("not enough memory for this input; give it in smaller parts", EXIT_BAD_INPUT)


def _stop(message: str, code: int) -> None:
    click.echo(f"kaiwa: {message}", err=True)
    sys.exit(code)


def _help_line(refusal: click.UsageError) -> str:
    return f"{refusal.ctx.command_path} --help" if refusal.ctx else "kaiwa --help"
