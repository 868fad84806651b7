"""The folder of a learned ranker: arrays with checksums, and the index and models that it was trained with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.files.array_folder import ArrayFolder, described, open_arrays
from kaiwa.ranking.features.table import FEATURES
from kaiwa.ranking.model_folder import TOKENS, model_identity
from kaiwa.ranking.models.table import MODELS
from kaiwa.ranking.ranker import Linear, Ranker, Standard
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.files.array_folder import ArrayFiles
    from kaiwa.retrieval.inverted_index import InvertedIndex


RANKER = ArrayFolder("ranker", "a", version=2, verb="train")


def ranker_facts(ranker: Ranker, index: InvertedIndex, models: Path | None) -> dict[str, Any]:  # Any: JSON values
    """What the manifest says about a ranker, beside its arrays."""
    needed = sorted(
        {*SYSTEMS[ranker.candidates].models, *(need for one in ranker.features for need in FEATURES[one].needs)}
    )
    return {
        "learner": ranker.learner,
        "parameter": ranker.parameter,
        "features": list(ranker.features),
        "candidates": ranker.candidates,
        "index": index.identity,
        "tokeniser": index.tokeniser,
        "models": {name: model_identity(models, name) for name in needed} if models is not None else {},
    }


def ranker_arrays(ranker: Ranker) -> dict[str, Any]:  # Any: arrays of several dtypes
    """The arrays of a ranker by name."""
    return {**ranker.standard._asdict(), **ranker.scorer._asdict()}


def open_ranker(path: Path, index: InvertedIndex, models: Path | None) -> Ranker:
    """The ranker in a folder; one that was trained with another index, or with other models, is an error."""
    with described(path, RANKER):
        files = open_arrays(path, RANKER)
        _require_index(path, files, index)
        _require_known(path, files)
        _require_models(path, files, models)
        return _ranker_from(files)


def _ranker_from(files: ArrayFiles) -> Ranker:
    arrays: Mapping[str, Any] = {name: np.array(values) for name, values in files.arrays.items()}  # Any: arrays
    facts, features = files.facts, tuple(files.facts["features"])
    kind = Linear if facts["learner"] == "linear" else Trees
    scorer = kind(*(arrays[part] for part in kind._fields))
    standard = Standard(*(arrays[part] for part in Standard._fields))
    if any(len(part) != len(features) for part in standard):
        raise ValueError(features)
    return Ranker(facts["learner"], facts["parameter"], features, standard, scorer, facts["candidates"])


def _require_known(path: Path, files: ArrayFiles) -> None:
    """Refuse a ranker whose features or candidates this Kaiwa does not have."""
    if unknown := [name for name in files.facts["features"] if name not in FEATURES]:
        raise InputError.at(path, f"needs the feature {unknown[0]!r}, which this Kaiwa does not have", _AGAIN)
    if files.facts["candidates"] not in SYSTEMS:
        what = f"orders the candidates of {files.facts['candidates']!r}, which this Kaiwa does not have"
        raise InputError.at(path, what, _AGAIN)


def _require_models(path: Path, files: ArrayFiles, models: Path | None) -> None:
    """Refuse a ranker that was trained with other models."""
    for name, identity in files.facts["models"].items():
        if name != TOKENS and name not in MODELS:
            raise InputError.at(path, f"was trained with the unknown model {name[:40]!r}", _AGAIN)
        if models is None:
            what = f"needs the model {name!r}"
            raise InputError.at(path, what, f"give the folder of models with {option('models')}")
        if model_identity(models, name) != identity:
            raise InputError.at(path, f"was trained with another model {name!r} than that of {models}", _AGAIN)


_AGAIN = "train the ranker again with kaiwa train"


def _require_index(path: Path, files: ArrayFiles, index: InvertedIndex) -> None:
    if files.facts["tokeniser"] != index.tokeniser:
        what = f"was trained on an index of {files.facts['tokeniser']!r} tokens, and this one has {index.tokeniser!r}"
        raise InputError.at(path, what, _AGAIN)
    if files.facts["index"] != index.identity:
        raise InputError.at(path, "was trained on another index", _AGAIN)
