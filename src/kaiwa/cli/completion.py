from __future__ import annotations

import click

from kaiwa.cli.shell.complete import VARIABLE
from kaiwa.cli.shell.output import Summary, emit, json_option

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog='Example: eval "$(kaiwa completion bash)"')
@click.argument("shell", type=click.Choice(_SHELLS))
@json_option
@click.pass_context
def command(ctx: click.Context, shell: str, as_json: bool) -> None:  # noqa: FBT001
    """A script that makes TAB complete verbs, options, measures, schemes and systems.

    In ~/.bashrc or ~/.zshrc: eval "$(kaiwa completion bash)", or zsh. In fish's config: kaiwa completion fish | source.
    """
    from click.shell_completion import get_completion_class

    known = get_completion_class(shell)
    if known is None:
        raise click.UsageError(f"the installed click has no completion for {shell}; update click")
    script = known(ctx.find_root().command, {}, "kaiwa", VARIABLE).source()
    emit(Summary(script, {"shell": shell, "script": script}), as_json=as_json)
