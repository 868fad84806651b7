"""Published tables and label files read, and their numbers recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option
from kaiwa.formats.published import published
from kaiwa.formats.readers import read_votes
from kaiwa.registry import Names
from kaiwa.studies import reproductions as again

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.studies.reproductions import Reproduction


def reproduce(names: tuple[str, ...], *, labels: Path | None = None) -> list[Reproduction]:
    """The reproductions of these names; without names, all that need no file."""
    chosen = names or tuple(name for name in REPRODUCTIONS if name != "kappa" or labels)
    return [REPRODUCTIONS[name](labels) for name in chosen]


def _taus(_: Path | None) -> Reproduction:
    means = {subtask: published(f"stc_{subtask}_means") for subtask in ("chinese", "japanese")}
    return again.tau_tables(published("kendall_stc_runs"), means)


def _kappa(labels: Path | None) -> Reproduction:
    if labels is None:
        fix = f"give the public STC Japanese label file with {option('labels', 'FILE')}"
        raise InputError.at("kappa", "the votes are not part of Kaiwa", fix)
    return again.label_kappa(read_votes(labels))


REPRODUCTIONS: Names[Callable[[Path | None], Reproduction]] = Names(
    "reproduction",
    {
        "topic-set-size": lambda _: again.topic_set_sizes(published("topic_set_size_stc")),
        "tau": _taus,
        "standardisation-tau": lambda _: again.null_intervals(published("ntcir12_variances")),
        "unanimity": lambda _: again.unanimity_gains(),
        "measures": lambda _: again.worked_measures(),
        "kappa": _kappa,
    },
)
