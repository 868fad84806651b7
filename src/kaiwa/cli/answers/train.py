"""kaiwa train: a ranker learned from labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import SCHEME, Named
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, remark, remarks, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import (
    engine_option,
    levels_option,
    takedown_option,
    votes_top_option,
)
from kaiwa.cli.shell.task_defaults import listed_ids
from kaiwa.errors import InputError, counted, option

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.rank.learning.learning_study import LearningStudy


@click.command("train", epilog="Example: kaiwa train index qrels.txt --topics topics.tsv --models models -o ranker")
@click.argument("index", type=IN_FILE, required=False)
@click.argument("labels", type=IN_FILE, required=False)
@click.option("--topics", type=IN_FILE, help="The texts of the topics (default: those of the task folder).")
@click.option("--models", type=IN_FILE, help="The folder of models, for features that need them (kaiwa models).")
@click.option("--letor", type=IN_FILE, help="Labels with given features in SVMrank format, instead of INDEX LABELS.")
@click.option("-o", "--output", type=OUT_FILE, help="The folder of the ranker to write, for --model.")
@click.option("--features", metavar="NAMES", help="Features or families, separated by commas (default: all trained).")
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
@votes_top_option
@click.option("--ablations/--no-ablations", default=True, show_default=True, help="Leave out each family in turn.")
@takedown_option
@seed_option
@engine_option
@json_option
def command(
    *,
    index: Path | None,
    labels: Path | None,
    topics: Path | None,
    models: Path | None,
    letor: Path | None,
    output: Path | None,
    features: str | None,
    candidates: str | None,
    learner: str,
    folds: int,
    scheme: str | None,
    p: float | None,
    levels: str | None,
    top: int | None,
    ablations: bool,
    takedown: Path | None,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Learn a ranker from the LABELS of comments in an INDEX, cross-validated by topic.

    LABELS is a file of judgements or votes, or a task folder with its topics and labels. Without -o nothing is
    written: the scores alone are shown.
    """
    from kaiwa.flow.answers.train import Labels, feature_names, letor_study, train_ranker
    from kaiwa.measure.gain_scale import parse_levels
    from kaiwa.rank.learning.cross_validation import Setting
    from kaiwa.report.results.learning_view import LearningView

    setting = Setting(learner, folds, seed)
    if letor is not None:
        _refuse_with_letor(
            index=index,
            topics=topics,
            models=models,
            output=output,
            features=features,
            candidates=candidates,
            scheme=scheme,
            p=p,
            levels=levels,
            top=top,
            takedown=takedown,
            engine=None if engine == "local" else engine,
        )
        with progress("learning") as tick:
            study = letor_study(letor, setting=setting, ablate=ablations, progress=tick)
    elif index is None or labels is None:
        raise InputError(f"give INDEX and LABELS, or labels with features by {option('letor')}")
    else:
        given = Labels(labels, topics, scheme, p, None if levels is None else parse_levels(levels), top)
        with remarks() as tell, progress("learning") as tick:
            study = train_ranker(
                index,
                given,
                models=models,
                output=output,
                features=feature_names(features),
                candidates=candidates or "run2",
                setting=setting,
                ablate=ablations,
                takedown=listed_ids(takedown),
                progress=tick,
                remark=tell,
                engine=engine,
            )
    _remark(study)
    emit(LearningView(study, output), as_json=as_json)


def _refuse_with_letor(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            shown = "INDEX" if name == "index" else option(name)
            raise InputError(f"{option('letor')} has its own features and no texts; leave out {shown}")


def _remark(study: LearningStudy) -> None:
    if study.left_out:
        what = f"{counted(len(study.left_out), 'topic')} without a positive label left out, first {study.left_out[0]!r}"
        remark(f"kaiwa: {what}")
    for line in study.warnings:
        remark(f"kaiwa: {line}")
