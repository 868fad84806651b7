"""kaiwa reply: answer one post, or several at a prompt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.answering import Answering, answering_options
from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.cli.shell.prompt import typed_lines
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@click.command("reply", epilog='Example: kaiwa reply index "The first day in Hawaii." -k 5')
@click.argument("index", type=IN_FILE)
@click.argument("post", required=False)
@answering_options
@json_option
def command(*, index: Path, post: str | None, how: Answering, as_json: bool) -> None:
    """Answer a post with the best comments of the repository, and show their features and shared words.

    Without a post, reads posts at a prompt until an empty line, or one per line from stdin.
    """
    from kaiwa.flow.answers.retrieve import Bot
    from kaiwa.report.results.reply_view import ReplyView

    bot = Bot(index, takedown=how.takedown, models=how.models, model=how.model)

    def answer(text: str) -> None:
        found = bot.reply(text, k=how.k, system=how.system, filters=how.filters, fusion=how.fusion)
        emit(ReplyView(text, how.system, found, bot.index.tokeniser, found.weights), as_json=as_json)

    if post is not None:
        answer(_checked(post))
        return
    if sys.stdin is None:
        raise InputError("stdin is closed; give a post, or posts on stdin, one per line")
    for text in typed_lines("post> ", history="reply_history") if sys.stdin.isatty() else _piped_lines():
        answer(text)


def _checked(post: str) -> str:
    """The post that was typed; an error if it says nothing, or is not text."""
    try:
        post.encode()
    except UnicodeEncodeError:
        raise InputError("the post is not UTF-8; give it in UTF-8") from None
    if not post.strip():
        raise InputError("the post is empty; give some words")
    return post


def _piped_lines() -> Iterator[str]:
    """The posts on stdin; a line is as long as in a file of posts at most."""
    from kaiwa.formats.text.blocks import MAX_LINE_BYTES

    number = 0
    while line := sys.stdin.buffer.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            what = f"line longer than {MAX_LINE_BYTES:,} bytes"
            raise InputError.at("stdin", what, "give one post per line", line=number)
        if text := line.decode(errors="replace").strip():
            yield text
