"""What the verbs that answer share: which system, how many answers, and what may not be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from kaiwa.cli.output import IN_FILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.flow.retrieve import Bot
    from kaiwa.retrieve.filters import Filters

F = TypeVar("F", bound="Callable[..., None]")

_OPTIONS = (
    click.option("-k", default=10, show_default=True, help="How many comments for each post."),
    click.option(
        "--system", default="run2", show_default=True, help="run0, run1, run2, bm25, bm25-q2p, ...-q2c, fusion."
    ),
    click.option("--fuse", default="rrf", show_default=True, help="How fusion fuses: rrf, combsum, combmnz."),
    click.option("--min-chars", default=2, show_default=True, help="Drop comments with fewer letters and digits."),
    click.option("--block", type=IN_FILE, help="Drop comments with a word of this file, one a line."),
    click.option("--takedown", type=IN_FILE, help="Leave out the post and comment ids of this file, one a line."),
    click.option("--unfiltered", is_flag=True, help="Keep short, repeating and near-duplicate comments too."),
)


def answering_options(function: F) -> F:
    """The command with the options that all answering verbs take."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def opened(index: Path, takedown: Path | None) -> Bot:
    """The index, open, without what the takedown list names."""
    from kaiwa.files.takedown import read_takedown
    from kaiwa.flow.retrieve import Bot

    return Bot(index, takedown=read_takedown(takedown) if takedown else frozenset())


def filters_from(min_chars: int, block: Path | None, *, unfiltered: bool) -> Filters:
    """The filters that the options ask for."""
    from dataclasses import replace

    from kaiwa.files.takedown import read_takedown
    from kaiwa.retrieve.filters import NO_FILTERS, Filters

    blocked = tuple(sorted(read_takedown(block))) if block else ()
    return replace(NO_FILTERS, blocked=blocked) if unfiltered else Filters(min_chars=min_chars, blocked=blocked)
