"""One fixture: a file made from text or bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

settings.register_profile(
    "kaiwa", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("kaiwa")


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """A function that writes a file of the test's own folder and gives its path."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make
