"""An index in, models out: what the features of systems and rankers need.

``models`` is the public function, ``Models`` its result; ``model_build`` trains them one by one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from kaiwa.ambient import progress
from kaiwa.engine.opening import opened_unless_local
from kaiwa.errors import InputError, option, typed
from kaiwa.formats.reading import maybe_path, name_list, path_of, seed_of
from kaiwa.formats.takedown import given_ids, listed_in
from kaiwa.formats.text_files import open_binary
from kaiwa.ranking.model_build import Given, ModelJob, build_models, build_models_by_tasks, repository_dialogues
from kaiwa.ranking.model_folder import TOKENS, outdated_names, trained_facts
from kaiwa.ranking.models.onnx_encoder import EncoderFiles, OnnxEncoder
from kaiwa.ranking.models.table import MODELS, TrainingSettings
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.takedown_ids import takedown_of
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from kaiwa.formats.reading import AnyPath
    from kaiwa.show.text import Cell


@dataclass(frozen=True, repr=False)
class Models(Result, os.PathLike[str]):
    """A folder of models: those that were trained, and those that the same index had trained before.

    ``other_seed`` are those that were kept although they were trained with another seed; ``replaced`` are those that
    were trained in the place of a model of another index; ``outdated`` are others of the folder that can no longer be
    used, because what they were trained with has changed. ``made_of_more`` are those that were kept although they were
    made of more than the index, and nothing else was given now.

    >>> import kaiwa
    >>> kaiwa.models("index", "models", "topicword")
    Models(models: trained tokens, topicword)
    """

    path: Path
    trained: tuple[str, ...]
    kept: tuple[str, ...]
    other_seed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    made_of_more: tuple[str, ...] = ()

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Models({visible(self._made)})"

    @property
    def models(self) -> str:
        """The folder."""
        return str(self.path)

    @property
    def _made(self) -> str:
        kept = f"; kept: {', '.join(self.kept)}" if self.kept else ""
        return f"{self.path}: trained {', '.join(self.trained) or 'nothing'}{kept}"

    def describe(self) -> Description:
        """What was trained and what was kept, and what a reader must know of those that were kept."""
        rows: list[list[Cell]] = [[name, "trained"] for name in self.trained]
        rows += [[name, "kept"] for name in self.kept]
        groups = ("trained", "kept", "other_seed", "replaced", "outdated", "made_of_more")
        return Description(
            tables=(Table("models", ["model", "made"], rows),),
            text=self._made,
            notes=self._notes(),
            fields={"models": self.models, **{name: getattr(self, name) for name in groups}},
        )

    def _notes(self) -> list[str]:
        notes = list[str]()
        if self.other_seed:
            notes.append(f"Kept with another seed: {', '.join(self.other_seed)}; {option('again')} trains them again.")
        if self.replaced:
            notes.append(f"{self.path} had models of another index, now replaced: {', '.join(self.replaced)}.")
        notes += [
            f"Kept {name}, which was made of more than this index; delete {self.path / name} to make it again."
            for name in self.made_of_more
        ]
        if self.outdated:
            again = f"kaiwa models INDEX {' '.join(self.outdated)} -o {typed(self.path)}"
            what = f"{self.path} has models that no longer fit the others: {', '.join(self.outdated)}"
            notes.append(f"{what}; train them again with {again}.")
        return notes


def models(
    index: AnyPath,
    output: AnyPath,
    names: str | Sequence[str] = (),
    *,
    again: bool = False,
    bridge_from: AnyPath | None = None,
    encoder: AnyPath | None = None,
    tokenizer: AnyPath | None = None,
    seed: int = 1,
    takedown: AnyPath | Collection[str] | None = None,
    engine: str = "local",
) -> Models:
    r"""Train the models that features need from an index into a folder; without ``names`` all of them.

    ``kaiwa.names("models")`` lists them. A model that the index has trained already is kept, unless ``again``. Texts of
    ``takedown``, ids or a file of them, and of the list of the index are left out. The pairs of the repository
    ``bridge_from`` become the model ``bridge``. ``encoder`` is an ONNX file, and ``tokenizer`` its tokenizer.json, for
    the model ``encoder``. On an ``engine`` other than ``local``, each model is a task.

    >>> import kaiwa
    >>> kaiwa.models("index", "models", "translation").trained
    ('tokens', 'translation')
    >>> kaiwa.reply("index", "A day in Hawaii", models="models", system="run3")[0].text
    'Enjoy the beaches of Hawaii'
    """
    folder, target = path_of("index", index), path_of("output", output)
    bridge, network, tokens = (
        maybe_path(name, path)
        for name, path in (("bridge_from", bridge_from), ("encoder", encoder), ("tokenizer", tokenizer))
    )
    asked, seed = name_list("names", names), seed_of(seed)
    for name in asked:
        MODELS[name]  # an unknown name is an error before the first model is trained
    opened = open_index(folder)
    listed = given_ids(takedown) | listed_in(folder)
    given = {} if bridge is None else {"bridge": repository_dialogues(bridge, seed=seed, takedown=listed)}
    if network is not None or tokens is not None or "encoder" in asked:
        given["encoder"] = _encoder_files(network, tokens)
    wanted = list(dict.fromkeys([*asked, *given])) or [name for name, kind in MODELS.items() if not kind.must_be_given]
    hidden = takedown_of(opened, listed)
    before = trained_facts(target)
    with opened_unless_local(engine) as running, progress("training") as moved:
        if running is None:
            settings = TrainingSettings(seed, moved)
            made = build_models(opened, target, wanted, takedown=hidden, settings=settings, given=given, again=again)
        else:
            anew = frozenset({TOKENS, *wanted} if again else ())
            job = ModelJob(folder.resolve(), target.resolve(), hidden, seed, given, anew)
            made = build_models_by_tasks(running, job, wanted)
    trained, kept = (tuple(name for name, now in made.items() if now == wish) for wish in (True, False))
    return Models(
        target,
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
