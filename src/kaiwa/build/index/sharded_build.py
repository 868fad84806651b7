"""A repository to the shards of an index: texts are tokenised in chunks, then each shard is built, by tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.build.index.chunk_merging import counted_chunks
from kaiwa.build.index.shard_build import SIZES, ShardPlan, build_shard
from kaiwa.engine.task_notes import task_notes
from kaiwa.model.progress_callback import share
from kaiwa.retrieve.index.inverted_index import SIDES

if TYPE_CHECKING:
    from kaiwa.build.array_writer import ArrayWriter
    from kaiwa.build.index.text_chunks import ChunkPlan
    from kaiwa.disk.partitions import RecordReader
    from kaiwa.engine.dataset import Engine
    from kaiwa.model.progress_callback import Progress

MAX_SHARDS = 256  # each has a file open while the texts are read
_TEXTS = 0.85  # of the work


def write_shards(
    engine: Engine, plan: ChunkPlan, numbers: list[RecordReader], writer: ArrayWriter, progress: Progress
) -> dict[str, Any]:  # Any: JSON values
    """Write the shards of an index whose links are written, and what is common to them; facts of it.

    ``numbers`` are the numbers of posts and comments in the order of the repository's rows.
    """
    shards = plan.shards or 1
    chunks = counted_chunks(engine, plan, numbers, writer, share(progress, 0, _TEXTS))
    for name, whole in chunks.statistics.items():
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(whole.documents_with)))
        writer.save(f"{name}.starts", starts)
    totals = {name: (whole.documents, whole.tokens) for name, whole in chunks.statistics.items()}
    sizes = []
    common = ShardPlan(plan.arrays, chunks.files, totals)
    for size in task_notes(engine, build_shard, range(shards), common, name=SIZES):
        sizes.append(size)
        share(progress, _TEXTS, 1)(len(sizes), shards)
    facts: dict[str, Any] = {
        "terms": chunks.terms,
        **{f"{name}_tokens": tokens for name, (_, tokens) in totals.items()},
    }
    return facts | {"shards": shards} | {f"shard_{name}": [size[name] for size in sizes] for name in SIDES}
