from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import Summary, emit, json_option
from kaiwa.cli.shell.shared_options import store_option, task_argument
from kaiwa.errors import counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("verify", epilog="Example: kaiwa verify mytask")
@task_argument
@click.option("--head", "heads", metavar="HASH", multiple=True, help="A head published earlier; it must be in the log.")
@store_option
@json_option
@click.pass_context
def command(ctx: click.Context, task: Path, *, heads: tuple[str, ...], store: str | None, as_json: bool) -> None:
    """Check the votes of a task (default: this folder): chain, texts, keys and counts.

    A changed, missing or moved row is found, and a text that is not the one that was shown. Heads that earlier exports
    recorded must be in the log. The exit code is 1 if something is wrong.
    """
    from kaiwa.flow.judging.verify import verify_task

    checked = verify_task(task, store=store, heads=heads)
    lines = [f"{one.code}: {one.message}" for one in checked.findings]
    lines.append(f"{counted(checked.rows, 'row')}, {counted(len(checked.findings), 'finding')}; head {checked.head}")
    findings = [{"code": one.code, "message": one.message} for one in checked.findings]
    fields = {"rows": checked.rows, "head": checked.head, "findings": findings}
    emit(Summary("\n".join(lines), fields), as_json=as_json)
    if checked.findings:
        ctx.exit(1)
