"""The small index and its models, opened once for each file of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.model_folder import open_models

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.rank.models.model_table import Models
    from kaiwa.retrieve.index.inverted_index import Index


@pytest.fixture(scope="module")
def opened(index: Path) -> Index:
    """The small index."""
    return open_index(index)


@pytest.fixture(scope="module")
def models(opened: Index, models_folder: Path) -> Models:
    """The models of the small index."""
    return open_models(models_folder, opened)
