from __future__ import annotations

import kaiwa.design


def test_the_folder_can_be_called_as_the_verb() -> None:
    """``kaiwa.design(...)`` works whether or not the folder was imported before."""
    answer = kaiwa.design(variance=0.0643, systems=10, min_diff=0.15)  # type: ignore[operator]
    assert answer.n == kaiwa.design.design(variance=0.0643, systems=10, min_diff=0.15).n == 91
