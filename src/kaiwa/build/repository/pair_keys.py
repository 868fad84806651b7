"""The first step of a cleaning: pairs are read and pass the rules; texts go to a spill file, keys to the next step."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.build.repository.clean_job import advance
from kaiwa.build.repository.key_tables import key_table
from kaiwa.build.repository.pair_spill import PairSpill
from kaiwa.corpus.pair_sample import draw
from kaiwa.corpus.rule_filter import Removals, passing
from kaiwa.disk.string_files import StringFile
from kaiwa.engine.dataset import Note
from kaiwa.engine.row_numbers import row_numbers
from kaiwa.model.normalise import fingerprint, skeleton

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kaiwa.build.repository.clean_job import CleanJob
    from kaiwa.build.repository.read_tasks import ReadTask
    from kaiwa.corpus.duplicates import Columns
    from kaiwa.model.pair import Pair

READ, REMOVED = "read", "removed"
"""The names of notes: the number of pairs that were read, and what the rules removed."""
_EVERY = 16


def read_pair_keys(task: ReadTask, job: CleanJob) -> Iterator[Any]:  # Any: tables and notes
    """The keys of the pairs of a task that pass the rules."""
    batches = ((number, batch) for number, piece in enumerate(task.pieces) for batch in piece.read())
    return pair_keys(task.number, batches, job, Removals())


def pair_keys(
    task: int, batches: Iterable[tuple[int, list[Pair]]], job: CleanJob, removals: Removals
) -> Iterator[Any]:  # Any: tables and notes
    """The keys of pairs that pass the rules, in tables; the notes of the task come last.

    Each batch has the number of its piece in the task.
    """
    counts = Counter[str]()
    with PairSpill(job.texts(task)) as texts, StringFile(job.comment_ids(task)) as ids:
        for piece, batch in batches:
            counts["read"] += len(batch)
            if kept := passing(batch, job.rules, removals, job.listed):
                texts.add(kept, piece)
                ids.add([pair.comment_id for pair in kept])
                yield key_table(_keys(kept, job) | {"row": row_numbers(task, counts["kept"], len(kept))})
                counts["kept"] += len(kept)
            advance("bytes", _about_bytes(batch))
    advance("pairs", counts["kept"])
    yield Note(READ, (counts["read"], counts["kept"]))
    yield Note(REMOVED, removals)


def _about_bytes(pairs: list[Pair]) -> int:
    """About how many bytes the texts have, from some of the pairs."""
    return _EVERY * sum(len(pair.comment.encode()) + len(pair.post.encode()) for pair in pairs[::_EVERY])


def _keys(pairs: list[Pair], job: CleanJob) -> Columns:
    post, post_text = zip(*_post_keys(pairs), strict=True)
    keys = {
        "post": np.array(post, dtype=np.uint64),
        "own": np.array([fingerprint(pair.comment_id) for pair in pairs], dtype=np.uint64),
        "comment": np.array([fingerprint(skeleton(pair.comment)) for pair in pairs], dtype=np.uint64),
        "post_text": np.array(post_text, dtype=np.uint64),
        "takedown": np.array([pair.comment_id in job.listed for pair in pairs], dtype=np.bool_),
        "post_takedown": np.array([pair.post_id in job.listed for pair in pairs], dtype=np.bool_),
    }
    if job.seed is not None:
        draws = [draw(job.seed, pair.post_id, pair.comment_id) for pair in pairs]
        keys["draw"] = np.array(draws, dtype=np.uint64)
    return keys


def _post_keys(pairs: list[Pair]) -> Iterator[tuple[int, int]]:
    """The fingerprints of each post's id and text; comments of one post are mostly consecutive."""
    last_id, last, keys = "", "", (0, 0)
    for pair in pairs:
        if pair.post_id != last_id or pair.post != last:
            last_id, last = pair.post_id, pair.post
            keys = fingerprint(last_id), fingerprint(skeleton(last))
        yield keys
