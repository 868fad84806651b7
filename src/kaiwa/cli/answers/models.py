"""kaiwa models: what features need, trained from an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, Summary, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import engine_option, takedown_option
from kaiwa.cli.shell.task_defaults import listed_ids

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KINDS = {
    "translation": "Word translation probabilities (run3, run5).",
    "topicword": "The words that a text is about (run4, run5).",
    "vectors": "Word vectors.",
    "towers": "Encoders of posts and comments.",
    "language": "A language model of comments and pairs (language-model).",
    "dense": "Vectors of all posts and comments, by the encoders (towers, hybrid).",
    "topics": "Topics of words (lda).",
    "factors": "Matrix factors of short texts (wtmf).",
    "ngrams": "Character n-grams (ngrams).",
    "convolution": "A small convolutional network (cnn).",
    "decoder": "A small encoder-decoder (encoder-decoder).",
    "patterns": "Patterns of posts and comments (patterns).",
    "forest": "A random forest over tf-idf features (random-forest).",
    "bridge": "Dialogues as a bridge to the comments (bridge).",
    "cells": "Cells of the vectors, for approximate search (hybrid-approximate).",
}
"""The rows of MODELS that are made of an index alone, with the help of their options."""


def _kind_options(function: Callable[..., None]) -> Callable[..., None]:
    for name, text in reversed(KINDS.items()):
        function = click.option(f"--{name}", is_flag=True, help=text)(function)
    return function


@click.command("models", epilog="Example: kaiwa models index -o models --translation")
@click.argument("index", type=IN_FILE)
@click.option("-o", "--output", type=OUT_FILE, required=True, help="The folder of models to make or to complete.")
@_kind_options
@click.option("--bridge-from", type=IN_FILE, help="A repository whose pairs are the bridge (default: the index's own).")
@click.option("--encoder", type=IN_FILE, help="A sentence encoder as an ONNX file, for vectors of all texts (encoder).")
@click.option("--tokenizer", type=IN_FILE, help="The tokenizer.json of the encoder.")
@click.option("--again", is_flag=True, help="Train models again that are there already.")
@seed_option
@engine_option
@takedown_option
@json_option
def command(
    *,
    index: Path,
    output: Path,
    bridge_from: Path | None,
    encoder: Path | None,
    tokenizer: Path | None,
    again: bool,
    seed: int,
    engine: str,
    takedown: Path | None,
    as_json: bool,
    **chosen: bool,
) -> None:
    """Train the models that features need from the posts and comments of an index.

    Without the name of a model all are trained, except an encoder, which is given as a file. A model that this index
    has trained already is kept, so a build that was stopped continues.
    """
    from kaiwa.flow.answers.models import train_models

    names = [name for name, wanted in chosen.items() if wanted]
    with progress("training") as tick:
        made = train_models(
            index,
            output,
            names=names,
            seed=seed,
            again=again,
            bridge_from=bridge_from,
            encoder=encoder,
            tokenizer=tokenizer,
            takedown=listed_ids(takedown),
            progress=tick,
            engine=engine,
        )
    if made.other_seed:
        remark(f"kaiwa: kept with another seed: {', '.join(made.other_seed)}; --again trains with --seed {seed}")
    if made.replaced:
        remark(f"kaiwa: {output} had models of another index, now replaced: {', '.join(made.replaced)}")
    for name in made.made_of_more:
        remark(f"kaiwa: kept {name}, which was made of more than this index; delete {output / name} to make it again")
    if made.outdated:
        what = f"{output} has models that no longer fit the others: {', '.join(made.outdated)}"
        remark(f"kaiwa: {what}; train them again with kaiwa models {index} -o {output}")
    kept = f"; kept: {', '.join(made.kept)}" if made.kept else ""
    text = f"{output}: trained {', '.join(made.trained) or 'nothing'}{kept}"
    fields = {"trained": made.trained, "kept": made.kept, "other_seed": made.other_seed, "outdated": made.outdated}
    emit(Summary(text, {"models": str(output), **fields}), as_json=as_json)
