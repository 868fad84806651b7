"""The small index and its models, opened once for each file of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.ranking.model_folder import open_models
from kaiwa.retrieval.inverted_index import open_index

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex


@pytest.fixture(scope="module")
def opened(index: Path) -> InvertedIndex:
    """The small index."""
    return open_index(index)


@pytest.fixture(scope="module")
def models(opened: InvertedIndex, models_folder: Path) -> OpenModels:
    """The models of the small index."""
    return open_models(models_folder, opened)
