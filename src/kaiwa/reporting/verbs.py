"""The verbs of a task's organiser: pool, check, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.formats.takedown import given_ids

if TYPE_CHECKING:
    from collections.abc import Collection

    from kaiwa.reporting.results import RoundResults


def write_report(
    task: Path | str,
    path: Path | str | None = None,
    *,
    takedown: Path | str | Collection[str] | None = None,
    stale: bool = False,
) -> RoundResults:
    r"""Write the results of a task folder as one offline HTML page, and the files beside it; returns the results.

    ``path`` is by default ``report.html`` in the task folder; ``takedown`` are further ids not to
    show, or a file of them.
    Files that are not up to date (see ``kaiwa status``) are an error; with ``stale`` they are reported, and marked.

    >>> import kaiwa, numpy
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> task = Path(mkdtemp())
    >>> settings = '[task]\ntitle = "A small round"\n[scoring]\nmeasures = ["nG@1"]\n'
    >>> _ = (task / "kaiwa.toml").write_text(settings)
    >>> values = numpy.random.default_rng(1).random((9, 2)) + [1, 0]
    >>> kaiwa.Scores.from_matrix("nG@1", tuple("123456789"), ("A", "B"), values / 2).write(task / "scores.csv")
    >>> kaiwa.write_report(task).measures[0].comparison.ranks
    {'A': 1, 'B': 2}
    >>> (task / "report.html").exists()
    True
    """
    from importlib.metadata import version

    from kaiwa.reporting.report import write_report as write
    from kaiwa.task.folder import read_task

    folder = read_task(Path(task))
    target = folder.report if path is None else Path(path)
    return write(folder, target, version=version("kaiwa"), takedown=given_ids(takedown), stale=stale)
