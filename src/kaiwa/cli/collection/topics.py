"""kaiwa topics: sample the topics of a round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, out_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import takedown_option
from kaiwa.cli.shell.task_defaults import listed_ids

if TYPE_CHECKING:
    from pathlib import Path


@click.command("topics", epilog="Example: kaiwa topics repository -n 100 -o topics.tsv --rest without-topics")
@click.argument("repository", type=IN_FILE)
@click.option("-n", "count", type=click.IntRange(min=1), default=100, show_default=True, help="How many topics.")
@click.option("--from", "pool", type=IN_FILE, help="Draw from these posts (pairs, or id TAB text) instead.")
@click.option("--rest", type=OUT_FILE, help="Write here the repository without the topics and their near-duplicates.")
@takedown_option
@out_option
@json_option
@seed_option
def command(
    *,
    repository: Path,
    count: int,
    pool: Path | None,
    rest: Path | None,
    takedown: Path | None,
    output: Path | None,
    as_json: bool,
    seed: int,
) -> None:
    """Sample topics that pass the repository's rules, balanced by length, without near-duplicates.

    With --from, no topic is a near-duplicate of a post of the repository. Without it, the topics are posts of
    the repository, and --rest writes the repository without them.
    """
    import numpy as np

    from kaiwa.disk.joint_output import together
    from kaiwa.flow.collection.topics import sample_topics
    from kaiwa.formats.topic_files import write_topics
    from kaiwa.report.results.topics_view import TopicsView

    with together():
        with progress("choosing topics"):
            drawn = sample_topics(
                repository,
                count=count,
                pool=pool,
                rest=rest,
                rng=np.random.default_rng(seed),
                takedown=listed_ids(takedown),
            )
        if output:
            write_topics(output, drawn.topics)
    if pool is None and rest is None:
        remark("kaiwa: every topic is still in the repository; --rest writes it without the topics")
    emit(TopicsView(drawn.topics, drawn.candidates, drawn.removed, drawn.rest, output), as_json=as_json)
