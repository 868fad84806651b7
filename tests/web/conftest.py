"""A real server on loopback, people with private links, and clients without a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.serve.page_client import Served, started
from benchmarks.serve.postgres_process import postgres

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a module."""
    made = started(tmp_path_factory.mktemp("served") / "task")
    yield made
    assert made.process.end() == 0


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    """A real PostgreSQL, as ``make test`` installs it."""
    with postgres() as url:
        yield url
