"""kaiwa models, train, reply, retrieve, retrieve-all and fuse."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import listed_ids, verb
from kaiwa.cli.options import SCHEME, Named, engine_option, levels_option, runs_argument, takedown_option
from kaiwa.cli.output import (
    IN_FILE,
    OUT_FILE,
    FiniteRange,
    Shown,
    form_options,
    result_options,
    seed_option,
    show,
    typed_lines,
)
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@verb("models", epilog="Example: kaiwa models index translation topicword -o models")
@click.argument("index", type=IN_FILE)
@click.argument("names", nargs=-1, type=Named("model"))
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=OUT_FILE,
    required=True,
    help="The folder to make or to complete.",
)
@click.option("--bridge-from", type=IN_FILE, help="A repository whose pairs are the bridge (default: the index's own).")
@click.option("--encoder", type=IN_FILE, help="A sentence encoder as an ONNX file, for vectors of all texts (encoder).")
@click.option("--tokenizer", type=IN_FILE, help="The tokenizer.json of the encoder.")
@click.option("--again", is_flag=True, help="Train models again that are there already.")
@seed_option
@engine_option
@takedown_option
@form_options
def models_command(
    index: Path,
    output: Path,
    names: tuple[str, ...],
    takedown: Path | None,
    shown: Shown,
    **options: Any,  # Any: of models
) -> None:
    """Train the models that features need from the posts and comments of an INDEX.

    Without NAMES (kaiwa names models) all are trained, except an encoder, which is given as a file. A model that this
    index has trained already is kept, so a build that was stopped continues.
    """
    from kaiwa.ranking.trained_models import models

    show(models(index, output, names, takedown=listed_ids(takedown), **options), shown)


@verb("train", epilog="Example: kaiwa train index qrels.txt --topics topics.tsv --models models -o ranker")
@click.argument("index", type=IN_FILE, required=False)
@click.argument("labels", type=IN_FILE, required=False)
@click.option("--topics", type=IN_FILE, help="The texts of the topics (default: those of the task folder).")
@click.option("--models", type=IN_FILE, help="The folder of models, for features that need them (kaiwa models).")
@click.option("--letor", type=IN_FILE, help="Labels with given features in SVMrank format, instead of INDEX LABELS.")
@click.option("-o", "--output", metavar="FOLDER", type=OUT_FILE, help="The ranker to write, for --ranker.")
@click.option(
    "--features",
    metavar="NAME",
    multiple=True,
    type=Named("feature", "run2", "run3", "run4", "run5"),
    help="Features or families, or run2 to run5 for theirs (default: all trained).",
)
@click.option(
    "--candidates",
    metavar="SYSTEM",
    type=Named("system"),
    help="The system whose candidates the ranker will order, such as hybrid (default: run2).",
)
@click.option("--learner", metavar="NAME", default="linear", show_default=True, help="linear or lambdamart.")
@click.option("--folds", metavar="N", type=click.IntRange(2), default=5, show_default=True, help="Parts of the topics.")
@click.option(
    "--scheme", metavar="NAME", type=SCHEME, help="How votes become gains (default: mean, or that of kaiwa.toml)."
)
@click.option(
    "--p",
    metavar="P",
    type=float,
    help="Weight of agreement in the unanimity scheme (default: 0.2, or that of kaiwa.toml).",
)
@levels_option("the grade itself; 2^level-1 of votes")
@click.option(
    "--max-level",
    metavar="LEVEL",
    type=click.IntRange(1),
    help="The highest level of the votes (default: 2 in an STC label file).",
)
@click.option("--ablations/--no-ablations", default=True, show_default=True, help="Leave out each family in turn.")
@takedown_option
@seed_option
@engine_option
@form_options
def train_command(
    index: Path | None,
    labels: Path | None,
    takedown: Path | None,
    shown: Shown,
    **options: Any,  # Any: of train
) -> None:
    """Learn a ranker from the LABELS of comments in an INDEX, cross-validated by topic.

    LABELS is a file of judgements or votes, or a task folder with its topics and labels. Without -o nothing is
    written: the scores alone are shown.
    """
    from kaiwa.ranking.training import train

    listed = takedown if options["letor"] else listed_ids(takedown)
    show(train(index, labels, takedown=listed, **options), shown)


# The options of the answering verbs: the system, the number of answers, and the filters.


_SYSTEM = click.option(
    "--system",
    type=Named("system"),
    help="run0 to run5, bm25, fusion, hybrid, ...: see kaiwa names systems (default: the ranker, else run2).",
)
_OPTIONS = (
    click.option("-k", default=10, show_default=True, help="Number of comments per post."),
    click.option("--models", type=IN_FILE, help="The folder of models, for systems that need them (kaiwa models)."),
    click.option("--ranker", type=IN_FILE, help="Order by a learned ranker (kaiwa train) instead of a system."),
    click.option(
        "--fusion",
        type=Named("fusion"),
        default="rrf",
        show_default=True,
        help="Method of a system that fuses rankings: rrf, combsum, combmnz.",
    ),
    click.option(
        "--min-chars",
        metavar="N",
        type=click.IntRange(0),
        default=2,
        show_default=True,
        help="Drop comments with fewer letters and digits.",
    ),
    click.option(
        "--repeat",
        metavar="SHARE",
        type=FiniteRange(0),
        default=0.8,
        show_default=True,
        help="Drop comments of which this share repeats the post.",
    ),
    click.option(
        "--near",
        metavar="SHARE",
        type=FiniteRange(0),
        default=0.8,
        show_default=True,
        help="Drop comments that overlap a better one by this share.",
    ),
    click.option("--block", type=IN_FILE, help="Drop comments with a word of this file, one per line."),
    takedown_option,
    click.option("--unfiltered", is_flag=True, help="Keep short, repeating and near-duplicate comments."),
)


def answering_options(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
    """The command with the options of all answering verbs."""
    for one in reversed(_OPTIONS):
        function = one(function)
    return function


@verb("retrieve", epilog="Example: kaiwa retrieve index topics.tsv -o KAIWA-C-R1.txt --system run2")
@click.argument("index", type=IN_FILE)
@click.argument("topics", type=IN_FILE)
@click.option("--name", help="The run's name (default: the name of the file of -o without extension, or the system).")
@_SYSTEM
@answering_options
@engine_option
@result_options
def retrieve_command(
    index: Path,
    topics: Path,
    name: str | None,
    takedown: Path | None,
    shown: Shown,
    **options: Any,  # Any: of retrieve
) -> None:
    """Answer every topic (lines of: id TAB text): a run; -o writes it as a file that kaiwa check accepts.

    kaiwa retrieve-all makes the runs of all systems.
    """
    from kaiwa.ranking.answering import retrieve

    if name is None and shown.output is not None and str(shown.output) != "-":
        name = shown.output.name.partition(".")[0]
    show(retrieve(index, topics, name=name, takedown=listed_ids(takedown), **options), shown)


@verb("retrieve-all", epilog="Example: kaiwa retrieve-all index topics.tsv -o all-runs --models models")
@click.argument("index", type=IN_FILE)
@click.argument("topics", type=IN_FILE)
@click.option("-o", "--output", metavar="FOLDER", type=OUT_FILE, required=True, help="The folder of the runs.")
@answering_options
@engine_option
@form_options
def retrieve_all_command(
    index: Path,
    topics: Path,
    output: Path,
    takedown: Path | None,
    shown: Shown,
    **options: Any,  # Any: of retrieve_all
) -> None:
    """Answer every topic by every system: one run for each, named after it, in a folder.

    The run of --ranker is named ranker. Systems whose models are not in --models are left out.
    """
    from kaiwa.ranking.answering import retrieve_all

    show(retrieve_all(index, topics, output, takedown=listed_ids(takedown), **options), shown)


@verb("fuse", epilog="Example: kaiwa fuse runs/*.txt -o fused.txt")
@runs_argument
@click.option(
    "--method",
    type=Named("fusion"),
    default="rrf",
    show_default=True,
    help="rrf, combsum or combmnz: see kaiwa names fusions.",
)
@click.option("--name", default="fused", show_default=True, help="The run's name.")
@click.option("-k", type=click.IntRange(1), help="Keep this many comments per topic (default: all).")
@result_options
def fuse_command(runs: tuple[Path, ...], shown: Shown, **options: Any) -> None:  # Any: of fuse
    """Fuse RUNS into one: each topic's comments by the ranks, or the scaled scores, that the runs give them."""
    from kaiwa.ranking.fusion import fuse

    show(fuse(list(runs), **options), shown)


# kaiwa reply: answer one post, or several at a prompt.


@verb("reply", epilog='Example: kaiwa reply index "The first day in Hawaii." -k 5')
@click.argument("index", type=IN_FILE)
@click.argument("post", required=False)
@_SYSTEM
@answering_options
@result_options
def reply_command(
    index: Path,
    post: str | None,
    models: Path | None,
    ranker: Path | None,
    takedown: Path | None,
    shown: Shown,
    **options: Any,  # Any: of reply
) -> None:
    """Answer a post with the best comments of the repository, and show their features and shared words.

    Without a post, or with -, reads posts at a prompt until an empty line, or one per line from stdin.
    """
    from kaiwa.ranking.answering import open as open_index
    from kaiwa.ranking.answering import reply

    listed = listed_ids(takedown)
    if post is not None and post != "-":
        _require_utf8(post)
        show(reply(index, post, models=models, ranker=ranker, takedown=listed, **options), shown)
        return
    if sys.stdin is None:
        raise InputError("stdin is closed; give a post, or posts on stdin, one per line")
    if shown.output is not None:
        raise InputError("-o writes the replies to one post; give a post")
    bot = open_index(index, models=models, ranker=ranker, takedown=listed)
    for text in typed_lines("post> ", history="reply_history") if sys.stdin.isatty() else _piped_lines():
        show(reply(bot, text, **options), shown)


def _require_utf8(post: str) -> None:
    """Refuse bytes of the command line that are not UTF-8."""
    try:
        post.encode()
    except UnicodeEncodeError:
        raise InputError("the post is not UTF-8; give it in UTF-8") from None


def _piped_lines() -> Iterator[str]:
    """The posts on stdin; a line is as long as in a file of posts at most."""
    from kaiwa.formats.text_files import MAX_LINE_BYTES

    number = 0
    while line := sys.stdin.buffer.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            what = f"line longer than {MAX_LINE_BYTES:,} bytes"
            raise InputError.at("stdin", what, "give one post per line", line=number)
        if text := line.decode(errors="replace").strip():
            yield text
