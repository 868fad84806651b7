"""What every verb has: --quiet, defaults of a task, inputs that it never overwrites, a record of what it writes."""

from __future__ import annotations

import os.path
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from kaiwa.ambient import remark, shown_by
from kaiwa.cli.grammar import dashes_resolved, refuse_second_values, split_lists, write_options
from kaiwa.cli.output import OUT_FILE, SETTINGS, FilePath, Terminal, quiet_option, settings_taken, spooled_stdin
from kaiwa.files.atomic import reading, refuse_input, together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from kaiwa.files.atomic import Outputs


# The task folder in which a command works, and the defaults from its settings.


_FOLDER = "kaiwa.task_folder"


def task_folder() -> Path | None:
    """The task folder that the running command works in."""
    folder: Path | None = click.get_current_context().meta.get(_FOLDER)
    return folder


def listed_ids(given: Path | None) -> frozenset[str]:
    """The ids of the takedown list that was given, and of those of the task folder in which the command works."""
    from kaiwa.formats.takedown import given_ids
    from kaiwa.task.comment_texts import listed_in_task
    from kaiwa.task.folder import read_task

    folder = task_folder()
    return given_ids(given) | (listed_in_task(read_task(folder)) if folder else frozenset())


def takedown_of_task(given: Path | None) -> frozenset[str]:
    """The listed ids, and those that follow from them in the repository or index of the task."""
    from kaiwa.task.comment_texts import takedown_ids
    from kaiwa.task.folder import read_task

    folder, listed = task_folder(), listed_ids(given)
    return takedown_ids(read_task(folder), listed) if folder else listed


def _take_settings(command: click.Command, context: click.Context, words: Sequence[str]) -> None:
    """Give the context the task folder in which the command works, and the defaults of its ``kaiwa.toml``.

    The folder is the task on which the verb works, that of the output, of the first file that is named, or the current
    one. What was typed is needed before click has the defaults, so it is parsed here too.
    """
    if context.resilient_parsing or not {"-h", "--help"}.isdisjoint(words):
        return
    from kaiwa.task.folder import read_task, task_folder_of  # loads numpy, which --help does not need
    from kaiwa.task.inputs import defaults_of, whole_task

    parsed, _, order = command.make_parser(context).parse_args(args=list(words))
    typed = {name: value for name, value in parsed.items() if isinstance(value, str | bool | list | tuple) and value}
    verb = _verb_name(context).replace(" ", "_").replace("-", "_")
    task = whole_task(verb, typed)
    named = [one for one in order if isinstance(one.type, FilePath) and one.name in typed]
    named.sort(key=lambda one: one.type is not OUT_FILE)
    paths = [path for one in named for path in _each(typed[str(one.name)])]
    folder = task.folder if task else next((own for path in (*paths, ".") if (own := task_folder_of(Path(path)))), None)
    context.meta[_FOLDER] = folder
    if folder is not None:
        whole = task is not None or (verb.startswith("design") and "scores" not in typed)
        given = context.meta[SETTINGS] = defaults_of(verb, task or read_task(folder), typed, whole=whole)
        lists = {one.name for one in command.params if isinstance(one, click.Option) and one.multiple}
        context.default_map = {
            name: (value,) if name in lists and not isinstance(value, list | tuple) else value
            for name, value in given.items()
        }


def _each(value: object) -> list[Any]:  # Any: what was typed, once or several times
    return list(value) if isinstance(value, list | tuple) else [value]


def _tell_settings() -> None:
    """A remark on the options that come from ``kaiwa.toml`` and are not the usual ones."""
    context, folder = click.get_current_context(), task_folder()
    if folder is None:
        return
    from kaiwa.task.folder import CONFIG, TaskSettings, read_task
    from kaiwa.task.record import option_text

    flags = {one.name: one.opts[-1] for one in context.command.params}
    usual = {name: getattr(TaskSettings(), name, None) for name in flags if name}
    shown = [
        f"{flags[name]} {option_text(value)}"
        for name, value in settings_taken().items()
        if str(value) != str(usual[name])
    ]
    if shown:
        remark(f"from {os.path.relpath(folder / CONFIG)}: {', '.join(shown)}")
    settings = read_task(folder).settings
    if "test" not in settings.stated and _compares(context):
        used = f"names no test, so {settings.test} is used (earlier versions used hsd)"
        choice = f'write test = "{settings.test}" or test = "hsd" under [comparing]'
        remark(f"{os.path.relpath(folder / CONFIG)}: {used}; {choice}")


def _compares(context: click.Context) -> bool:
    """Whether the command uses the test of all pairs that ``kaiwa.toml`` names, or would name."""
    if context.info_name == "report":
        return True
    return context.info_name in {"compare", "design"} and "test" in (context.default_map or ())


_NOT_RECORDED = {"as_json", "form", "output", "quiet", "table"}
_OF_OTHER_VERBS = {"demo", "make"}
"""Verbs that run others, which write the files that the next ones read."""
_READ_AGAIN = {*_OF_OTHER_VERBS, "init"}
"""Verbs that read what they have written; they record nothing themselves."""
_NEVER_MADE = ("kaiwa.toml", "takedown.txt")
"""The files of a task that people write and that every verb in its folder reads."""
_MAKER = {"topics.tsv": "topics", "pool.tsv": "pool", "pool.organisers.csv": "pool", "votes.csv": "votes"}
"""The files that a round begins with, and the verb that makes each: no other verb writes over them."""


@dataclass(frozen=True)
class Made:
    """The file that a verb wrote, and the options that it only knew while working, such as the top of a scale."""

    path: Path | None
    facts: Mapping[str, Any]  # Any: JSON values


class VerbCommand(click.Command):
    """What every verb has: --quiet, defaults of its task, inputs that it never overwrites, a record of what it writes.

    A verb is declared with ``verb``, a group of them with ``VerbGroup``.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:  # Any: click's own
        super().__init__(*arguments, **settings)
        quiet_option(self)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The values of the options: one of each, or a list, also with commas; else those of the task's settings."""
        if not ctx.resilient_parsing:
            refuse_second_values(self, ctx, args)
        _take_settings(self, ctx, args)
        rest = super().parse_args(ctx, args)
        split_lists(self, ctx)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options in groups: what it works on, how, what is shown, how it runs."""
        write_options(self, ctx, formatter)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:  # Any: what the verb returns
        """Do the verb's work; what it writes into a task folder is recorded with how it was made.

        Progress and remarks go where those of the verb go that runs this one, or else to the terminal.
        """
        with shown_by(ctx.obj or Terminal()), dashes_resolved(self, ctx):
            return self._work(ctx)

    def _work(self, ctx: click.Context) -> Any:  # Any: what the verb returns
        if self.name in _READ_AGAIN:
            _refuse_inputs(self, ctx.params)
            return super().invoke(ctx)
        ended: click.exceptions.Exit | None = None
        with ExitStack() as until_renamed, reading(_read_by(self, ctx)), together() as outputs:
            _refuse_inputs(self, ctx.params)
            try:
                written = super().invoke(ctx)  # a verb that chooses its file's name returns it
            except click.exceptions.Exit as findings:  # the exit code says what was found; the outputs appear
                ended, written = findings, Made(None, {})
            made = written if isinstance(written, Made) else Made(written or ctx.params.get("output"), {})
            if isinstance(made.path, Path) and (made.path in outputs or made.path.is_file()):
                read = _paths(self, _with_files(self, ctx), written=False)
                inputs = [one for one in read if one != spooled_stdin()]
                until_renamed.enter_context(_recorded(made.path, outputs, made.facts, ctx.params, inputs))
        if ended:
            raise ended
        _tell_settings()
        return written


class GroupArgument(click.Argument):
    """What a verb with commands of its own works on: the first word is a command, or else a file."""

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Nothing in the usage of a command of the verb, which has arguments of its own."""
        return super().get_usage_pieces(ctx) if self in ctx.command.params else []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that start with the text, or else a file."""
        is_first = not ctx.params.get(str(self.name))
        known = ctx.command.commands if isinstance(ctx.command, click.Group) and is_first else ()
        names = [name for name in known if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or [CompletionItem(incomplete, type="file")]


class VerbGroup(VerbCommand, click.Group):
    """A verb with commands of its own, listed in the order of their definition."""

    command_class = VerbCommand

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The commands, as defined."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The first word is one of its commands if it is the name of one, else a file on which the verb works."""
        if args and args[0] in self.commands:
            ctx._protected_args, ctx.args = args[:1], args[1:]  # noqa: SLF001  where click's Group has them
            return ctx.args
        ctx.allow_interspersed_args = True
        if not ctx.resilient_parsing:
            refuse_second_values(self, ctx, args)
        _take_settings(self, ctx, args)
        rest = click.Command.parse_args(self, ctx, args)
        split_lists(self, ctx)
        for name in (one.name for one in self.params if isinstance(one, click.Argument)):
            for word in map(str, ctx.params.get(str(name)) or ()):
                if word in self.commands and not Path(word).exists():
                    raise click.UsageError(f"options go after the command: {ctx.command_path} {word} ...", ctx)
        return rest

    def invoke(self, ctx: click.Context) -> Any:  # Any: what the verb returns
        """One of its commands, which records its own files; or the verb's own work."""
        if not ctx._protected_args:  # noqa: SLF001  where click's Group has them
            return super().invoke(ctx)
        name, command, args = self.resolve_command(ctx, [*ctx._protected_args, *ctx.args])  # noqa: SLF001
        if name is None or command is None:  # a word of ``commands`` has both
            raise click.UsageError(f"no such command: {name}", ctx)
        ctx.invoked_subcommand = name
        with command.make_context(name, args, parent=ctx) as own:
            return command.invoke(own)


verb = partial(click.command, cls=VerbCommand)
"""Declares a verb, as ``click.command`` declares a command."""


def _paths(command: click.Command, options: Mapping[str, Any], *, written: bool) -> list[Path]:  # Any: as click parsed
    """The paths that the command writes, or those that it reads."""
    types = {one.name: one.type for one in command.params}
    given = [
        (name, one) for name, value in options.items() for one in (value if isinstance(value, tuple) else (value,))
    ]
    return [one for name, one in given if isinstance(one, Path) and (types.get(name) is OUT_FILE) == written]


def _with_files(command: click.Command, context: click.Context) -> dict[str, Any]:  # Any: as click parsed
    """The options, with the files of a task in place of its folder, for a verb that works on them."""
    if not any((path / "kaiwa.toml").is_file() for path in _paths(command, context.params, written=False)):
        return context.params
    from kaiwa.task.inputs import with_files

    filled = with_files(_verb_name(context).replace(" ", "_").replace("-", "_"), context.params)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in filled.items()}


def _read_by(command: click.Command, context: click.Context) -> list[Path]:
    """The files that the command reads; of a folder that it knows the files of, only those."""
    if command.name in _OF_OTHER_VERBS:
        return []
    options = _with_files(command, context)
    parts = [part for path in _paths(command, options, written=False) for part in _parts_read(path)]
    if command.name == "votes":  # it makes the votes of the task again and again
        parts = [part for part in parts if _MAKER.get(part.name) != "votes"]
    return [*parts, *_files_of_task(task_folder(), str(command.name))]


def _files_of_task(folder: Path | None, verb: str) -> list[Path]:
    """The files of the task folder in which a verb works: its settings, and what people made and the verb does not."""
    kept = [*_NEVER_MADE, *(name for name, maker in _MAKER.items() if maker != verb)]
    return [folder / name for name in kept] if folder else []


def _parts_read(path: Path) -> list[Path]:
    from kaiwa.task.folder import CONFIG

    if (path / CONFIG).is_file():
        from kaiwa.task.folder import read_task

        task = read_task(path)
        return [*task.sources, *(_parts_of_collection(task.repository) if task.repository.is_dir() else [])]
    return _parts_of_collection(path) or [path]


def _parts_of_collection(path: Path) -> list[Path]:
    """The files of an index or a repository that are read; none if the folder is neither."""
    if not (path / "manifest.json").is_file() and not (path / "pairs.parquet").exists():
        return []
    own = {"manifest.json", "takedown.txt"}
    return [part for part in path.iterdir() if part.name in own or part.suffix == ".parquet"]


def _refuse_inputs(command: click.Command, options: Mapping[str, Any]) -> None:  # Any: as click parsed
    """Refuse an output that is an input before the work begins."""
    context = click.get_current_context()
    typed = ParameterSource.COMMANDLINE
    chosen = {name: value for name, value in options.items() if context.get_parameter_source(name) is typed}
    for path in _paths(command, chosen, written=True):
        refuse_input(path)


def _verb_name(context: click.Context | None) -> str:
    """The verb as it was typed after ``kaiwa``: ``score``, ``design cost``."""
    names = list[str]()
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(names)


def _recorded(
    path: Path,
    outputs: Outputs,
    facts: Mapping[str, Any],  # Any: JSON values
    options: Mapping[str, Any],  # Any: what click parsed
    inputs: list[Path],
) -> AbstractContextManager[None]:
    """The record of how a file and the other outputs were made; the task folder is locked while it is entered."""
    from importlib.metadata import version

    from kaiwa.task.record import recorded_step

    given = {name: value for name, value in options.items() if _matters(name, value)}
    options, by = {**given, **facts}, version("kaiwa")
    return recorded_step(
        path, inputs, verb=_verb_name(click.get_current_context()), version=by, options=options, outputs=outputs.files()
    )


def _matters(name: str, value: object) -> bool:
    """Whether an option is recorded: a seed, and what is given by the user or the settings; files are inputs."""
    first = value[0] if isinstance(value, tuple) and value else value
    if name in _NOT_RECORDED or isinstance(first, Path):
        return False
    return name == "seed" or click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT
