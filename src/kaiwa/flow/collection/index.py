"""A repository to an index, with the search kernels compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.build.index.index_build import build_index
from kaiwa.disk.protected_inputs import reading
from kaiwa.engine.opening import LOCAL
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.model.progress_callback import Progress, no_progress
from kaiwa.retrieve.search.matching import compile_search

if TYPE_CHECKING:
    from pathlib import Path


def index_repository(
    source: Path,
    target: Path,
    *,
    language: str | None = None,
    tokens: str | None = None,
    progress: Progress = no_progress,
    takedown: frozenset[str] = frozenset(),
    shards: int | None = None,
    engine: str = LOCAL,
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    """The facts of the index made at ``target``; the search kernels are compiled before the first reply."""
    with reading([source / "manifest.json", *source.glob("*.parquet")]):
        facts = build_index(
            source,
            target,
            language=language,
            tokens=tokens,
            progress=progress,
            takedown=takedown,
            shards=shards,
            engine=engine,
        )
    compile_search(open_index(target))
    return facts
