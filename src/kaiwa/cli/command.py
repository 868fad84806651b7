"""What every verb has: --quiet, defaults of a task, inputs that it never overwrites, a record of what it writes."""

from __future__ import annotations

import os.path
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from kaiwa.ambient import shown_by
from kaiwa.cli.grammar import dashes_resolved, refuse_second_values, split_lists, write_options
from kaiwa.cli.output import OUT_FILE, Terminal, quiet_option, remark, spooled_stdin
from kaiwa.files.atomic import reading, refuse_input, together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from kaiwa.files.atomic import Outputs


# The defaults of a verb from the settings of the task folder in which it works.


_FOLDER = "kaiwa.task_folder"


def task_folder_in(words: Sequence[str]) -> Path | None:
    """The task folder that a command works in: that of its output, of the first file it names, or the current one."""
    from kaiwa.task.folder import task_folder_of  # loads numpy, which --help does not need

    outputs = [after for word, after in pairwise(words) if word in {"-o", "--output"}]
    paths = [*outputs, *(word for word in words if not word.startswith("-")), "."]
    return next((folder for word in paths if (folder := task_folder_of(Path(word)))), None)


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


def _defaults(folder: Path, verb: str, words: Sequence[str]) -> dict[str, Any]:  # Any: values of the options
    from kaiwa.task.folder import read_task, settings_for

    given = settings_for(verb, read_task(folder).settings)
    if verb.startswith("design") and any(word.startswith(("--variance", "--method")) for word in words):
        return {}  # a number asks for the test of the papers
    if verb == "compare":
        given = _that_act(given, words)
    if verb in {"gains", "score"} and _value_of("--scheme", words, given.get("scheme")) != "unanimity":
        given = {name: given[name] for name in given if name != "p"}
    if verb == "pool" and any(word.startswith("--sheet") for word in words):
        return {}
    from_votes = verb not in _OF_VOTES or any(word.startswith("--votes") for word in words)
    return given if from_votes else {name: given[name] for name in given if name not in _OF_VOTES[verb]}


_OF_VOTES = {"score": {"scheme", "p"}, "unanimity": {"max_level"}}
"""Settings of verbs that read votes or qrels; they act on votes only."""


def _value_of(option: str, words: Sequence[str], default: object) -> object:
    """The value that the words give an option."""
    given = [after for word, after in pairwise(words) if word == option]
    given += [word.removeprefix(f"{option}=") for word in words if word.startswith(f"{option}=")]
    return given[-1] if given else default


def _that_act(given: Mapping[str, Any], words: Sequence[str]) -> dict[str, Any]:  # Any: values of the options
    """The settings of a comparison that act with the options that were typed; those would be refused if typed too."""
    typed = [value for option, value in pairwise([*words, ""]) if option == "--test"]
    typed += [word.partition("=")[2] for word in words if word.startswith("--test=")]
    idle: set[str] = set()
    if any(word.startswith("--baseline") for word in words):
        idle = {"test", "trials"}  # they are of all pairs
    elif "--family" in words:
        idle = {"test"}
    test = typed[-1] if typed else "" if "test" in idle else given["test"]
    if test in {"tukey", "t", "crossed"}:
        idle |= {"trials"}
    if test in {"t", "crossed"}:
        idle |= {"seed"}
    if test == "crossed":
        idle |= {"margin"}
    return {name: value for name, value in given.items() if name not in idle}


def _unusual(name: str, value: object) -> bool:
    """Whether a value is not the one that settings have by default, as the verbs do."""
    from kaiwa.task.folder import TaskSettings

    return str(value) != str(getattr(TaskSettings(), name))


def tell_task_defaults() -> None:
    """A remark on the options that come from ``kaiwa.toml`` and are not the usual ones."""
    context = click.get_current_context()
    folder = task_folder()
    taken = {
        option.opts[-1]: context.params[option.name]
        for option in context.command.params
        if option.name and context.get_parameter_source(option.name) is ParameterSource.DEFAULT_MAP
        if _unusual(option.name, context.params[option.name])
    }
    if folder is not None and taken:
        from kaiwa.task.folder import CONFIG
        from kaiwa.task.steps import option_text

        shown = ", ".join(f"{name} {option_text(value)}" for name, value in taken.items())
        remark(f"from {os.path.relpath(folder / CONFIG)}: {shown}")
    if folder is not None and _compares(context):
        _tell_of_no_test(folder)


def _compares(context: click.Context) -> bool:
    """Whether the command uses the test of all pairs that ``kaiwa.toml`` names, or would name."""
    if context.info_name not in {"compare", "design"}:
        return context.info_name == "report"
    from_file = context.get_parameter_source("test") is ParameterSource.DEFAULT_MAP
    return from_file and context.params.get("baseline") is None


def _tell_of_no_test(folder: Path) -> None:
    """A remark on the test that is used because the file names none: once it was another one."""
    from kaiwa.task.folder import CONFIG, read_task

    settings = read_task(folder).settings
    if "test" not in settings.stated:
        used = f"names no test, so {settings.test} is used (earlier versions used hsd)"
        choice = f'write test = "{settings.test}" or test = "hsd" under [comparing]'
        remark(f"{os.path.relpath(folder / CONFIG)}: {used}; {choice}")


_NOT_RECORDED = {"as_json", "form", "output", "quiet", "table"}
_OF_OTHER_VERBS = {"demo", "run"}
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

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # Any: click's own
    ) -> click.Context:
        """The context of a call, with the defaults from the ``kaiwa.toml`` of the task folder in which it works."""
        asked = {"-h", "--help"}.isdisjoint(args) and not (parent and parent.resilient_parsing)
        folder = task_folder_in(args) if asked else None
        if folder and info_name:
            verb = f"{parent.info_name} {info_name}" if parent and isinstance(parent.command, VerbGroup) else info_name
            lists = {one.name for one in self.params if isinstance(one, click.Option) and one.multiple}
            given = _defaults(folder, verb, args)
            extra["default_map"] = {
                name: (value,) if name in lists and not isinstance(value, list | tuple) else value
                for name, value in given.items()
            }
        context = super().make_context(info_name, args, parent, **extra)
        context.meta[_FOLDER] = folder
        return context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The values of the options: one of each, or a list, also with commas."""
        if not ctx.resilient_parsing:
            refuse_second_values(self, ctx, args)
        rest = super().parse_args(ctx, args)
        split_lists(self, ctx)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options in groups: what it works on, how, what is shown, how it runs."""
        write_options(self, ctx, formatter)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:  # Any: what the verb returns
        """Do the verb's work; what it writes into a task folder is recorded with how it was made."""
        with shown_by(Terminal()), dashes_resolved(self, ctx):
            return self._work(ctx)

    def _work(self, ctx: click.Context) -> Any:  # Any: what the verb returns
        if self.name in _READ_AGAIN:
            _refuse_inputs(self, ctx.params)
            return super().invoke(ctx)
        ended: click.exceptions.Exit | None = None
        with ExitStack() as until_renamed, reading(_read_by(self, ctx.params)), together() as outputs:
            _refuse_inputs(self, ctx.params)
            try:
                written = super().invoke(ctx)  # a verb that chooses its file's name returns it
            except click.exceptions.Exit as findings:  # the exit code says what was found; the outputs appear
                ended, written = findings, Made(None, {})
            made = written if isinstance(written, Made) else Made(written or ctx.params.get("output"), {})
            if isinstance(made.path, Path) and (made.path in outputs or made.path.is_file()):
                inputs = [one for one in _paths(self, ctx.params, written=False) if one != spooled_stdin()]
                until_renamed.enter_context(_recorded(made.path, outputs, made.facts, ctx.params, inputs))
        if ended:
            raise ended
        tell_task_defaults()
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


def _read_by(command: click.Command, options: Mapping[str, Any]) -> list[Path]:  # Any: as click parsed
    """The files that the command reads; of a folder that it knows the files of, only those."""
    if command.name in _OF_OTHER_VERBS:
        return []
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


def _verb_name() -> str:
    """The verb as it was typed after ``kaiwa``: ``score``, ``design cost``."""
    context: click.Context | None = click.get_current_context()
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

    from kaiwa.task.steps import recorded_step

    given = {name: value for name, value in options.items() if _matters(name, value)}
    options, by = {**given, **facts}, version("kaiwa")
    return recorded_step(path, inputs, verb=_verb_name(), version=by, options=options, outputs=outputs.files())


def _matters(name: str, value: object) -> bool:
    """Whether an option is recorded: a seed, and what is given by the user or the settings; files are inputs."""
    first = value[0] if isinstance(value, tuple) and value else value
    if name in _NOT_RECORDED or isinstance(first, Path):
        return False
    return name == "seed" or click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT
