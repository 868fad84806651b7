"""Models trained from an index, one after another; what is already there is kept."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import share
from kaiwa.engine.dataset import Note
from kaiwa.engine.opening import task_notes
from kaiwa.errors import InputError, option
from kaiwa.files.array_folder import MANIFEST, open_arrays, read_manifest, settle, writing_arrays
from kaiwa.files.spill import TemporaryArray
from kaiwa.formats.repository import open_repository
from kaiwa.ranking.model_folder import MODEL, TOKENS, model_arrays, needs_of
from kaiwa.ranking.models.bridge_dialogues import MOST_DIALOGUES
from kaiwa.ranking.models.table import MODELS, TrainingSettings
from kaiwa.ranking.texts import TokenLists, corpus_from
from kaiwa.retrieval.documents import joined_bytes, term_arrays
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.posting_lists import blocks, token_lines
from kaiwa.retrieval.tokenisers import all_tokens
from kaiwa.retrieval.vocabulary import Vocabulary
from kaiwa.stats.compiled import one_matrix_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.ambient import Progress
    from kaiwa.engine.dataset import Engine
    from kaiwa.files.array_folder import ArrayWriter
    from kaiwa.formats.repository import OpenRepository
    from kaiwa.nouns.ids import IntArray
    from kaiwa.ranking.texts import Tokens
    from kaiwa.retrieval.inverted_index import InvertedIndex, Side
    from kaiwa.retrieval.takedown_ids import Takedown


_TEXTS = 1 << 14  # tokenised at a time
_LISTS = 1 << 18  # put in order at a time


def write_tokens(index: InvertedIndex, takedown: Takedown, writer: ArrayWriter, progress: Progress) -> None:
    """Write the tokens of both sides, by the numbers of their posts and comments, and the words with their counts.

    A text of the takedown list has none.
    Words are numbered by their frequency in posts and comments together, ties in the order of first occurrence.
    """
    vocabulary = Vocabulary(all_tokens(index.language))
    sides = [index.posts, index.comments]
    done = len(index.posts) / max(len(index.posts) + len(index.comments), 1)
    with (
        closing(TemporaryArray(writer.folder, np.int32)) as posts,
        closing(TemporaryArray(writer.folder, np.int32)) as comments,
    ):
        starts = [
            _tokenise(side, hidden, vocabulary, array, share(progress, low, high))
            for side, hidden, array, low, high in zip(
                sides, (takedown.posts, takedown.comments), (posts, comments), (0, done), (done, 1), strict=True
            )
        ]
        counts = _counts(len(vocabulary), posts) + _counts(len(vocabulary), comments)
        in_pairs = _pair_counts(len(vocabulary), comments, starts[1], _posts_by_row(index))
        order = np.argsort(-counts, kind="stable")
        number_of = np.empty(len(order), dtype=np.int32)
        number_of[order] = np.arange(len(order), dtype=np.int32)
        for side, array, own in zip(sides, (posts, comments), starts, strict=True):
            _write_side(side, array, own, number_of, writer)
    terms = vocabulary.terms()
    for part, values in term_arrays(*joined_bytes([terms[number] for number in order.tolist()])).items():
        writer.save(f"words.{part}", values)
    writer.save("words.counts", counts[order])
    writer.save("words.comment_counts", in_pairs[order])


def _tokenise(
    side: Side, hidden: IntArray, vocabulary: Vocabulary, array: TemporaryArray, progress: Progress
) -> IntArray:
    """Append the tokens of all texts, in the order of their rows; where the tokens of each row start."""
    chosen = vocabulary.tokeniser
    hidden_rows = set(side.texts.row[hidden].tolist())
    lengths = [np.zeros(1, dtype=np.int64)]
    for low in range(0, len(side), _TEXTS):
        high = min(low + _TEXTS, len(side))
        texts = ["" if row in hidden_rows else text for row, text in enumerate(side.texts.rows(low, high), start=low)]
        for block in blocks(token_lines(texts, chosen)):
            numbers, counts = vocabulary.numbers(block)
            array.add(numbers)
            lengths.append(counts)
        progress(high, len(side))
    return np.cumsum(np.concatenate(lengths))


def _counts(words: int, array: TemporaryArray) -> IntArray:
    counts = np.zeros(words, dtype=np.int64)
    for low in range(0, len(array), _LISTS):
        counts += np.bincount(array.read(low, min(low + _LISTS, len(array))), minlength=words)
    return counts


def _posts_by_row(index: InvertedIndex) -> IntArray:
    """The number of posts of the comment in each row."""
    often = np.zeros(len(index.comments), dtype=np.int64)
    often[np.asarray(index.comments.texts.row, dtype=np.int64)] = np.diff(index.links.comment_starts.astype(np.int64))
    return often


def _pair_counts(words: int, comments: TemporaryArray, starts: IntArray, often: IntArray) -> IntArray:
    """The count of each word where a comment counts once for each of its posts."""
    counts = np.zeros(words)
    for low in range(0, len(often), _LISTS):
        own = starts[low : low + _LISTS + 1]
        weights = np.repeat(often[low : low + _LISTS], np.diff(own))
        counts += np.bincount(comments.read(int(own[0]), int(own[-1])), weights, minlength=words)
    return counts.astype(np.int64)


def _write_side(side: Side, array: TemporaryArray, starts: IntArray, number_of: Tokens, writer: ArrayWriter) -> None:
    """Write the lists of one side by the numbers of its texts."""
    rows = np.asarray(side.texts.row, dtype=np.int64)
    lists = TokenLists(starts, number_of[array.read()] if len(array) else np.zeros(0, dtype=np.int32))
    with writer.growing(f"{side.name}.tokens", np.int32) as tokens:
        for low in range(0, len(rows), _LISTS):
            tokens.add(lists.of(rows[low : low + _LISTS]).tokens)
    lengths = starts[rows + 1] - starts[rows]
    writer.save(f"{side.name}.starts", np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths))))


_TOKENS_EFFORT = 4.0
NO_GIVEN: Mapping[str, Given] = {}


@dataclass(frozen=True)
class Given:
    """What a model is made of beside the index, and its identity, which is equal for equal contents."""

    value: Any  # Any: as the row of the model says
    identity: str


def build_models(
    index: InvertedIndex,
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
    index: InvertedIndex,
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
                texts = (
                    _model_build_texts(index.posts, takedown.posts),
                    _model_build_texts(index.comments, takedown.comments),
                )
                _write_model(index, target, name, writer, replace(settings, progress=own, given=values, texts=texts))
    return made


def _effort(name: str) -> float:
    return _TOKENS_EFFORT if name == TOKENS else MODELS[name].effort


def _model_build_texts(side: Side, takedown: IntArray) -> Callable[[int, int], list[str]]:
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


def _write_model(
    index: InvertedIndex, target: Path, name: str, writer: ArrayWriter, settings: TrainingSettings
) -> None:
    corpus = corpus_from(model_arrays(target, TOKENS, index), index.written_pairs, index.language)
    kind = MODELS[name]
    needed = {need: MODELS[need].opened(model_arrays(target, need, index)) for need in kind.needs}
    with one_matrix_thread():
        for array, values in kind.train(corpus, replace(settings, needed=needed)).items():
            writer.save(array, values)


# The dialogues of a repository, as texts, for the bridge of another index.


def repository_dialogues(path: Path, *, seed: int, takedown: frozenset[str] = frozenset()) -> Given:
    """Posts with their replies, at random as many as a bridge has; none of its takedown list nor of ``takedown``."""
    repository = open_repository(path, takedown=takedown)
    pairs = _drawn_pairs(repository, np.random.default_rng(seed))
    posts = _bridge_reading_texts(repository.posts(), {post for post, _ in pairs})
    comments = _bridge_reading_texts(repository.comments(), {comment for _, comment in pairs})
    dialogues = [(posts[post], comments[comment]) for post, comment in pairs]
    return Given(dialogues, blake2b(repr(dialogues).encode(errors="replace"), digest_size=16).hexdigest())


def _drawn_pairs(repository: OpenRepository, rng: np.random.Generator) -> list[tuple[str, str]]:
    """The ids of some pairs, in the order of the repository."""
    is_drawn = np.zeros(repository.manifest.pairs, dtype=bool)
    is_drawn[rng.permutation(len(is_drawn))[:MOST_DIALOGUES]] = True
    rows = (row for batch in repository.table("pairs") for row in zip(*batch, strict=True))
    return [row for row, drawn in zip(rows, is_drawn.tolist(), strict=True) if drawn]


def _bridge_reading_texts(batches: Iterable[list[list[str]]], wanted: Collection[str]) -> dict[str, str]:
    return {name: text for batch in batches for name, text in zip(*batch, strict=True) if name in wanted}


# Models trained by the tasks of an engine, one model each: those that need no other model first.


_MADE = "made"


@dataclass(frozen=True)
class ModelJob:
    """What every model is trained from; the folders are absolute paths, on storage that all workers share."""

    index: Path
    target: Path
    takedown: Takedown
    seed: int
    given: Mapping[str, Given]
    again: frozenset[str]

    def of(self, name: str) -> ModelJob:
        """The job of one model, without what other models are made of."""
        return replace(self, given={key: one for key, one in self.given.items() if key == name})


def build_models_by_tasks(engine: Engine, job: ModelJob, names: Sequence[str]) -> dict[str, bool]:
    """As ``build_models``: for each model whether it was trained now. The models do not depend on the engine."""
    is_new = not job.target.exists()
    try:
        made = _built(TOKENS, job)
        for level in levels_of(names):
            for found in task_notes(engine, _built_by_task, [(name, job.of(name)) for name in level], name=_MADE):
                made |= found
    finally:
        if is_new:
            with suppress(OSError):  # models that are complete stay
                job.target.rmdir()
    return made


def levels_of(names: Sequence[str]) -> list[list[str]]:
    """The models of these names and those that they need; a model is in a later list than those that it needs.

    >>> levels_of(["cells", "vectors"])
    [['towers', 'vectors'], ['dense'], ['cells']]
    """
    depths = dict[str, int]()
    for name in names:
        _add_depth(name, depths)
    return [
        sorted(name for name, depth in depths.items() if depth == level)
        for level in range(max(depths.values(), default=-1) + 1)
    ]


def _add_depth(name: str, depths: dict[str, int]) -> int:
    if name not in depths:
        depths[name] = max((_add_depth(need, depths) + 1 for need in MODELS[name].needs), default=0)
    return depths[name]


def _built_by_task(task: tuple[str, ModelJob]) -> Iterator[Note]:
    name, job = task
    if not job.index.exists():
        raise InputError.at(job.index, "is missing where the task runs", "put it on storage that all workers share")
    yield Note(_MADE, _built(name, job))


def _built(name: str, job: ModelJob) -> dict[str, bool]:
    """Train the model of this name if it must be; what it needs is there."""
    settings = TrainingSettings(job.seed)
    index = _opened(job.index)
    return built_steps(index, job.target, [name], job.takedown, settings, given=job.given, again=job.again)


@lru_cache(maxsize=1)
def _opened(path: Path) -> InvertedIndex:
    return open_index(path)
