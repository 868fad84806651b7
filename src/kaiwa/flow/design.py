"""From a requirement to everything that is shown about its answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kaiwa.design import Design


def design_fields(answer: Design) -> dict[str, Any]:  # Any: JSON values
    """The answer as JSON fields; ``n``, ``power``, ``method`` and ``alternatives`` are those scripts rely on."""
    return {
        "n": answer.n,
        "power": answer.power,
        "method": answer.method,
        "test": answer.test,
        "solved": answer.solved,
        "systems": answer.systems,
        "min_diff": answer.min_diff,
        "alpha": answer.alpha,
        "variance": answer.variance,
        "error_variance": answer.asked.error_variance,
        "exact_n": answer.exact_n,
        "exact_power": answer.exact_power,
        "published_n": answer.published_n,
        "width": answer.width,
        "alternatives": [asdict(near) for near in answer.alternatives],
    }
