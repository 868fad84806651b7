"""Pool runs: read them, choose the items to judge, write the items and, in a second file, their runs and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.atomic_files import write_text
from kaiwa.disk.joint_output import together
from kaiwa.errors import InputError, option
from kaiwa.formats.file_names import word
from kaiwa.formats.readers import read_qrels, read_runs
from kaiwa.formats.text.delimited import csv_text
from kaiwa.model.ids import unpack
from kaiwa.studies.pool_report import PoolReport, pool_report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.pool import Pool


def pool_runs(
    paths: Sequence[Path],
    *,
    depth: int,
    budget: int | None = None,
    seed: int = 1,
    order: str | None = None,
    qrels: Path | None = None,
    measure: str = "nERR@10",
    takedown: frozenset[str] = frozenset(),
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> PoolReport:
    """The shuffled pool, shares and sizes at other depths; with judgements, coverage and each team left out.

    Topics and comments of ``takedown`` are not pooled.
    """
    return pool_report(
        read_runs(paths, order=order),
        read_qrels(qrels) if qrels else None,
        depth=depth,
        budget=budget,
        measure=measure,
        takedown=takedown,
        rng=np.random.default_rng(seed),
        on_progress=on_progress,
    )


def write_pool(path: Path, pool: Pool, *, replaces: bool = True) -> Path:
    """Write the items (``topic TAB comment``) without run names; the organisers' file lists the runs of each item.

    Unless it ``replaces``, another pool of that name is kept: it may have been judged.
    """
    if path.is_dir():
        raise InputError.at(path, "is a folder", "give the name of a file in it")
    organisers = organisers_file(path)
    topics = [word("topic", pool.topics[code], first=True) for code in pool.topic.tolist()]
    comments = [word("comment", comment) for comment in unpack(pool.comments)]
    rows: list[list[str | float]] = [
        [topics[item], comments[item], pool.runs[run], int(pool.ranks[item, run])]
        for item, run in np.argwhere(pool.ranks > 0).tolist()
    ]
    items = "".join(f"{topic}\t{comment}\n" for topic, comment in zip(topics, comments, strict=True))
    if not replaces and path.is_file() and path.read_bytes() != items.encode():
        fix = f"give another name, or the same one to replace it: {option('output', str(path))}"
        raise InputError.at(path, "is another pool, which may have been judged", fix)
    with together():
        write_text(path, items)
        write_text(organisers, csv_text(["topic", "comment", "run", "rank"], rows), private=True)
    return organisers


def organisers_file(pool: Path) -> Path:
    """The organisers' file of a pool; two pools never have the same one.

    >>> from pathlib import Path
    >>> [organisers_file(Path(name)).name for name in ("pool.tsv", "pool.2.tsv", "pool.txt", "pool.tsv.gz")]
    ['pool.organisers.csv', 'pool.2.organisers.csv', 'pool.txt-organisers.csv', 'pool.tsv.gz-organisers.csv']
    """
    end = ".organisers.csv" if pool.suffix == ".tsv" else "-organisers.csv"
    return pool.with_name(f"{pool.name.removesuffix('.tsv')}{end}")
