from __future__ import annotations

import click

from kaiwa.cli.shell.output import Summary, emit, json_option


def _verbs(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    from kaiwa.cli import VERBS

    return [verb for verb in VERBS if verb.startswith(begun)]


@click.command("help", epilog="Example: kaiwa help design cost")
@click.argument("verb", nargs=-1, shell_complete=_verbs)
@json_option
@click.pass_context
def command(ctx: click.Context, verb: tuple[str, ...], *, as_json: bool) -> None:
    """Show the help of a VERB or of one of its commands, as --help does."""
    context = ctx.find_root()
    for word in verb:
        group = context.command
        found = group.get_command(context, word) if isinstance(group, click.Group) else None
        if found is None:
            raise click.UsageError(f"{context.command_path} has no command '{word}'", context)
        context = click.Context(found, parent=context, info_name=word)
    shown = context.get_help()
    emit(Summary(shown, {"help": shown}), as_json=as_json)
