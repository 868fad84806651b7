"""Models trained from an index, for the features that need them."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from kaiwa.build.models.bridge_reading import repository_dialogues
from kaiwa.build.models.model_build import Given, build_models
from kaiwa.build.models.model_tasks import ModelJob, build_models_by_tasks
from kaiwa.engine.task_notes import opened_unless_local
from kaiwa.errors import InputError, option
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.model_folder import TOKENS, outdated_names, trained_facts
from kaiwa.formats.collection.takedown import listed_in, takedown_of
from kaiwa.formats.text.blocks import open_binary
from kaiwa.model.progress_callback import Progress, no_progress
from kaiwa.rank.models.model_table import MODELS, TrainingSettings
from kaiwa.rank.models.onnx_encoder import EncoderFiles, OnnxEncoder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True)
class TrainedModels:
    """The models that were trained, and those that were kept because the same index had trained them before.

    ``other_seed`` are those that were kept although they were trained with another seed; ``replaced`` are those that
    were trained in the place of a model of another index; ``outdated`` are others of the folder that can no longer be
    used, because what they were trained with has changed. ``made_of_more`` are those that were kept although they were
    made of more than the index, and nothing else was given now.
    """

    trained: tuple[str, ...]
    kept: tuple[str, ...]
    other_seed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    made_of_more: tuple[str, ...] = ()


def train_models(
    index: Path,
    target: Path,
    *,
    names: Sequence[str] = (),
    seed: int = 1,
    again: bool = False,
    bridge_from: Path | None = None,
    encoder: Path | None = None,
    tokenizer: Path | None = None,
    takedown: frozenset[str] = frozenset(),
    progress: Progress = no_progress,
    engine: str = "local",
) -> TrainedModels:
    """Train models from an index into a folder; without names all of them.

    They know no text of the takedown list of the index, nor of ``takedown``. The model ``bridge`` is made of the pairs
    of another repository if one is given, and the model ``encoder`` of an ONNX file with its tokenizer.json. On an
    engine other than ``local``, each model is a task.
    """
    for name in names:
        MODELS[name]  # an unknown name is an error before the first model is trained
    opened = open_index(index)
    listed = takedown | listed_in(index)
    given = {} if bridge_from is None else {"bridge": repository_dialogues(bridge_from, seed=seed, takedown=listed)}
    if encoder is not None or tokenizer is not None or "encoder" in names:
        given["encoder"] = _encoder_files(encoder, tokenizer)
    wanted = list(dict.fromkeys([*names, *given])) or [name for name, kind in MODELS.items() if not kind.must_be_given]
    hidden = takedown_of(opened, listed)
    before = trained_facts(target)
    with opened_unless_local(engine) as running:
        if running is None:
            settings = TrainingSettings(seed, progress)
            made = build_models(opened, target, wanted, takedown=hidden, settings=settings, given=given, again=again)
        else:
            asked = frozenset({TOKENS, *wanted} if again else ())
            job = ModelJob(index.resolve(), target.resolve(), hidden, seed, given, asked)
            made = build_models_by_tasks(running, job, wanted)
    trained, kept = (tuple(name for name, now in made.items() if now == wish) for wish in (True, False))
    return TrainedModels(
        trained,
        kept,
        tuple(name for name in kept if name != TOKENS and before[name].get("seed") != seed),
        tuple(name for name in trained if name in before and before[name].get("index") != opened.identity),
        outdated_names(target),
        tuple(name for name in kept if "given" in before[name] and name not in given),
    )


def _encoder_files(network: Path | None, tokenizer: Path | None) -> Given:
    """The bytes of an encoder and its tokenizer; files that cannot be used are an error before anything is trained."""
    if network is None or tokenizer is None:
        missing = option("tokenizer" if tokenizer is None else "encoder")
        raise InputError(f"an encoder is two files, a network and its tokenizer.json; give {missing} too")
    contents = []
    for path in (network, tokenizer):
        with open_binary(path) as file:
            contents.append(file.read())
    files = EncoderFiles(contents[0], contents[1], str(network), str(tokenizer))
    OnnxEncoder(files)
    return Given(files, blake2b(b"".join(blake2b(one).digest() for one in contents), digest_size=16).hexdigest())
