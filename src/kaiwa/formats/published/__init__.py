"""Published tables as data: each file is one table of a paper, named on its first line."""

from __future__ import annotations

import csv
from importlib.resources import files


def published(name: str) -> list[dict[str, str]]:
    """The rows of a published table, as printed.

    >>> published("topic_set_size_stc")[0]["measure"]
    'P+'
    """
    text = files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
