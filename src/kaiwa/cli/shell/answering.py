"""The options of the answering verbs: the system, the number of answers, and the filters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE
from kaiwa.cli.shell.shared_options import takedown_option
from kaiwa.cli.shell.task_defaults import listed_ids
from kaiwa.errors import InputError, option

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.rank.answer_filters import Filters

_DEFAULT = "run2"
_OPTIONS = (
    click.option("-k", default=10, show_default=True, help="Number of comments per post."),
    click.option(
        "--system",
        type=Named("system"),
        default=_DEFAULT,
        show_default=True,
        help="run0 to run5, bm25, fusion, hybrid, ...: see kaiwa systems.",
    ),
    click.option("--models", type=IN_FILE, help="The folder of models, for systems that need them (kaiwa models)."),
    click.option("--model", type=IN_FILE, help="Order by a learned ranker (kaiwa train) instead of a system."),
    click.option(
        "--fuse",
        type=Named("fusion"),
        default="rrf",
        show_default=True,
        help="Method of fusion: rrf, combsum, combmnz.",
    ),
    click.option(
        "--min-chars",
        metavar="N",
        type=click.IntRange(0),
        default=2,
        show_default=True,
        help="Drop comments with fewer letters and digits.",
    ),
    click.option("--block", type=IN_FILE, help="Drop comments with a word of this file, one per line."),
    takedown_option,
    click.option("--unfiltered", is_flag=True, help="Keep short, repeating and near-duplicate comments."),
)


@dataclass(frozen=True)
class Answering:
    """The options of an answering verb."""

    k: int
    system: str
    fusion: str
    filters: Filters
    takedown: frozenset[str]
    models: Path | None
    model: Path | None


def answering_options(function: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of all answering verbs, passed to it as ``how``."""

    @wraps(function)
    def gathered(
        *,
        k: int,
        system: str,
        fuse: str,
        models: Path | None,
        model: Path | None,
        min_chars: int,
        block: Path | None,
        takedown: Path | None,
        unfiltered: bool,
        **rest: Any,  # Any: the verb's own options
    ) -> None:
        if model is not None and system != _DEFAULT:
            raise InputError(
                f"{option('model')} and {option('system', system)} both order the answers; give one of them"
            )
        filters = _filters(min_chars, block, unfiltered=unfiltered)
        function(
            how=Answering(
                k, system if model is None else _learned(), fuse, filters, listed_ids(takedown), models, model
            ),
            **rest,
        )

    for one in reversed(_OPTIONS):
        gathered = one(gathered)
    return gathered


def _learned() -> str:
    from kaiwa.flow.answers.retrieve import LEARNED

    return LEARNED


def _filters(min_chars: int, block: Path | None, *, unfiltered: bool) -> Filters:
    from kaiwa.formats.collection.id_lists import read_lines
    from kaiwa.rank.answer_filters import NO_FILTERS, Filters

    chosen = NO_FILTERS if unfiltered else Filters(min_chars=min_chars)
    if block is None:
        return chosen
    words = tuple(sorted(set(read_lines(block))))
    try:
        return replace(chosen, blocked=words)
    except InputError as fault:
        raise InputError(f"{block}: {fault.marked}") from None
