"""The folder of an index's models: one folder of arrays for each, made one after another, so that a build can go on.

MODELS/tokens/        the texts of the index as token numbers
MODELS/translation/   and so on: one folder for each row of MODELS that was trained

Every folder names the index that it was trained on, and is refused for another. It names the tokens and the models that
it was trained with, and is refused beside others: their numbers would not fit each other.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.files.array_folder import MANIFEST, ArrayFolder, described, identity_of, open_arrays, read_manifest
from kaiwa.ranking.models.table import MODELS, OpenModels
from kaiwa.ranking.texts import corpus_from

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.files.array_folder import ArrayFiles
    from kaiwa.retrieval.inverted_index import InvertedIndex


TOKENS = "tokens"
MODEL = ArrayFolder("model", "a", version=9, verb="models", lazy=("tokens",))


def open_models(path: Path, index: InvertedIndex) -> OpenModels:
    """The models in a folder, for the index that they were trained on; each is opened when it is first used.

    The tokens are the largest arrays, of which a reply reads little: they are checked where they are read.
    """

    def arrays_of(name: str) -> Mapping[str, Any]:  # Any: arrays
        return model_arrays(path, name, index)

    with described(path / TOKENS, MODEL):
        files = _files(path, TOKENS, index)
        corpus = corpus_from(files.arrays, index.links, index.language, files.check_lists)
    return OpenModels(corpus, arrays_of, lambda name: described(path / name, MODEL))


def model_arrays(path: Path, name: str, index: InvertedIndex) -> Mapping[str, Any]:  # Any: arrays
    """The arrays of one model; a model that is missing, damaged or made for another index is an error."""
    files = _files(path, name, index)
    for array, values in files.arrays.items():
        files.check(array, 0, len(values))
    return files.arrays


def model_identity(path: Path, name: str) -> str:
    """The identity of one model: equal for equal facts and arrays."""
    return identity_of(read_manifest(_folder(path, name), MODEL))


def needs_of(path: Path, name: str) -> dict[str, str]:
    """The identities of what a model is trained with, by name: the tokens, and the models that it needs."""
    return {} if name == TOKENS else {need: model_identity(path, need) for need in (TOKENS, *MODELS[name].needs)}


def outdated_names(path: Path) -> tuple[str, ...]:
    """The models that cannot be used, because what they were trained with has been trained again since and differs."""
    return tuple(name for name, facts in trained_facts(path).items() if _changed(path, facts) is not None)


def trained_names(path: Path) -> frozenset[str]:
    """The models that a folder has, complete or not."""
    return frozenset(entry.parent.name for entry in path.glob(f"*/{MANIFEST}"))


def trained_facts(path: Path) -> dict[str, Mapping[str, Any]]:  # Any: as a manifest has them
    """The facts of the models that a folder has, by their names; a manifest that cannot be read has none."""
    facts: dict[str, Mapping[str, Any]] = {}  # Any: as above
    for name in sorted(trained_names(path)):
        with suppress(InputError):
            facts[name] = read_manifest(path / name, MODEL)["facts"]
    return facts


def _files(path: Path, name: str, index: InvertedIndex) -> ArrayFiles:
    """The arrays of one model for its index; those that are not lazy are checked."""
    files = open_arrays(_folder(path, name), MODEL)
    if files.facts.get("index") != index.identity:
        raise InputError.at(path / name, "was trained on another index", "train it again with kaiwa models")
    if (need := _changed(path, files.facts)) is not None:
        what = f"was trained with other {need} than those here"
        raise InputError.at(path / name, what, f"train it again with kaiwa models INDEX {name} -o {path}")
    return files


def _changed(path: Path, facts: Mapping[str, Any]) -> str | None:  # Any: JSON values
    """What the model was trained with and is no longer there."""
    for need, identity in facts.get("needs", {}).items():
        try:
            now = model_identity(path, need)
        except InputError:
            return str(need)
        if now != identity:
            return str(need)
    return None


def _command(path: Path, name: str) -> str:
    if name == "encoder":
        return f"make it with kaiwa models INDEX -o {path.name} --encoder MODEL.onnx --tokenizer tokenizer.json"
    return f"make it with kaiwa models INDEX -o {path.name}"


def _folder(path: Path, name: str) -> Path:
    if not (path / name / MANIFEST).is_file():
        what = f"no model {name!r} here" if path.is_dir() else "no such folder of models"
        raise InputError.at(path, what, _command(path, name))
    return path / name
