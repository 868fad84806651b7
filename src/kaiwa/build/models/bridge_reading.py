"""The dialogues of a repository, as texts, for the bridge of another index."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.build.models.model_build import Given
from kaiwa.formats.collection.repository import open_repository
from kaiwa.rank.models.bridge_dialogues import MOST_DIALOGUES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from kaiwa.formats.collection.repository import Repository


def repository_dialogues(path: Path, *, seed: int, takedown: frozenset[str] = frozenset()) -> Given:
    """Posts with their replies, at random as many as a bridge has; none of its takedown list nor of ``takedown``."""
    repository = open_repository(path, takedown=takedown)
    pairs = _drawn_pairs(repository, np.random.default_rng(seed))
    posts = _texts(repository.posts(), {post for post, _ in pairs})
    comments = _texts(repository.comments(), {comment for _, comment in pairs})
    dialogues = [(posts[post], comments[comment]) for post, comment in pairs]
    return Given(dialogues, blake2b(repr(dialogues).encode(errors="replace"), digest_size=16).hexdigest())


def _drawn_pairs(repository: Repository, rng: np.random.Generator) -> list[tuple[str, str]]:
    """The ids of some pairs, in the order of the repository."""
    is_drawn = np.zeros(repository.manifest.pairs, dtype=bool)
    is_drawn[rng.permutation(len(is_drawn))[:MOST_DIALOGUES]] = True
    rows = (row for batch in repository.table("pairs") for row in zip(*batch, strict=True))
    return [row for row, drawn in zip(rows, is_drawn.tolist(), strict=True) if drawn]


def _texts(batches: Iterable[list[list[str]]], wanted: Collection[str]) -> dict[str, str]:
    return {name: text for batch in batches for name, text in zip(*batch, strict=True) if name in wanted}
