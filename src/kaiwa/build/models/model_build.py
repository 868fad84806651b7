"""Models trained from an index, one after another; what is already there is kept."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.build.array_writer import settle, writing_arrays
from kaiwa.build.models.token_build import write_tokens
from kaiwa.errors import InputError, option
from kaiwa.formats.collection.array_folder import MANIFEST, open_arrays, read_manifest
from kaiwa.formats.collection.model_folder import MODEL, TOKENS, model_arrays, needs_of
from kaiwa.model.progress_callback import share
from kaiwa.rank.models.model_table import MODELS
from kaiwa.rank.texts.corpus import corpus_from
from kaiwa.stats.matrix_threads import one_matrix_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.build.array_writer import ArrayWriter
    from kaiwa.model.ids import IntArray
    from kaiwa.rank.models.model_table import TrainingSettings
    from kaiwa.retrieve.index.inverted_index import Index, Side
    from kaiwa.retrieve.search.takedown_ids import Takedown

_TOKENS_EFFORT = 4.0
NO_GIVEN: Mapping[str, Given] = {}


@dataclass(frozen=True)
class Given:
    """What a model is made of beside the index, and its identity, which is equal for equal contents."""

    value: Any  # Any: as the row of the model says
    identity: str


def build_models(
    index: Index,
    target: Path,
    names: Sequence[str],
    *,
    takedown: Takedown,
    settings: TrainingSettings,
    given: Mapping[str, Given] = NO_GIVEN,
    again: bool = False,
) -> dict[str, bool]:
    """Train the models of these names, and those that they need; for each whether it was trained now, not kept.

    No model knows a text of the takedown list; models that do are trained again. ``given`` is what some models are made
    of beside the index.
    """
    if target.exists() and not target.is_dir():
        raise InputError.at(target, "is a file", "give a folder for the models")
    if (target / MANIFEST).is_file():
        raise InputError.at(target, "contains a manifest of another kind", "give a new or empty folder")
    steps = list(dict.fromkeys([TOKENS, *(step for name in names for step in (*MODELS[name].needs, name))]))
    asked = {TOKENS, *names} if again else set[str]()
    is_new = not target.exists()
    try:
        return built_steps(index, target, steps, takedown, settings, given=given, again=asked)
    finally:
        if is_new:
            with suppress(OSError):  # models that are complete stay
                target.rmdir()


def built_steps(
    index: Index,
    target: Path,
    steps: Sequence[str],
    takedown: Takedown,
    settings: TrainingSettings,
    *,
    given: Mapping[str, Given],
    again: AbstractSet[str],
) -> dict[str, bool]:
    """Train the models of these names in their order; what they need is there, or comes before them."""
    shared = {"index": index.identity, "takedown": _digest(takedown)}
    origins = {name: {**shared, **({"given": given[name].identity} if name in given else {})} for name in steps}
    made = dict[str, bool]()
    for name in steps:
        needs_anew = name != TOKENS and any(made.get(need, False) for need in MODELS[name].needs)
        made[name] = name in again or needs_anew or not _is_there(target, name, origins[name])
    efforts = np.array([_effort(name) * made[name] for name in steps])
    ends = np.cumsum(efforts) / max(float(efforts.sum()), 1.0)
    for place, name in enumerate(steps):
        if not made[name]:
            settle(target / name, MODEL)
            continue
        own = share(settings.progress, float(ends[place - 1]) if place else 0.0, float(ends[place]))
        _refuse_lost(target / name, name, given)
        facts: dict[str, Any] = {**origins[name], "model": name, "language": index.language}  # Any: JSON values
        facts |= {} if name == TOKENS else {"seed": settings.seed, "needs": needs_of(target, name)}
        with writing_arrays(target / name, MODEL, facts) as writer:
            if name == TOKENS:
                write_tokens(index, takedown, writer, own)
            else:
                values = {key: one.value for key, one in given.items()}
                texts = _texts(index.posts, takedown.posts), _texts(index.comments, takedown.comments)
                _write_model(index, target, name, writer, replace(settings, progress=own, given=values, texts=texts))
    return made


def _effort(name: str) -> float:
    return _TOKENS_EFFORT if name == TOKENS else MODELS[name].effort


def _texts(side: Side, takedown: IntArray) -> Callable[[int, int], list[str]]:
    """A function that gives the texts of a range of numbers; those of the takedown list are empty."""
    hidden = set(takedown.tolist())
    return lambda low, high: ["" if one in hidden else side.texts.text_of(one) for one in range(low, high)]


def _refuse_lost(folder: Path, name: str, given: Mapping[str, Given]) -> None:
    """Refuse to make a model without what an earlier one was made of."""
    if name in given or not (folder / MANIFEST).is_file():
        return
    try:
        lost = "given" in read_manifest(folder, MODEL)["facts"]
    except InputError:
        return
    if lost:
        what = "was made of more than the index, and must be made again"
        raise InputError.at(folder, what, f"give {option(MODELS[name].given)} again, or delete it")


def _digest(takedown: Takedown) -> str:
    """Equal for equal takedowns."""
    return blake2b(takedown.posts.tobytes() + b"," + takedown.comments.tobytes(), digest_size=16).hexdigest()


def _is_there(target: Path, name: str, origin: dict[str, str]) -> bool:
    """Whether the model was trained on this index with this takedown and the needed models, and is complete."""
    if not (target / name / MANIFEST).is_file():
        return False
    try:
        facts = open_arrays(target / name, MODEL).facts
        return origin.items() <= facts.items() and (name == TOKENS or facts["needs"] == needs_of(target, name))
    except InputError:
        return False


def _write_model(index: Index, target: Path, name: str, writer: ArrayWriter, settings: TrainingSettings) -> None:
    corpus = corpus_from(model_arrays(target, TOKENS, index), index.links, index.language)
    kind = MODELS[name]
    needed = {need: MODELS[need].opened(model_arrays(target, need, index)) for need in kind.needs}
    with one_matrix_thread():
        for array, values in kind.train(corpus, replace(settings, needed=needed)).items():
            writer.save(array, values)
