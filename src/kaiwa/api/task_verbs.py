"""The verbs of a task's organiser: pool, check, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.formats.collection.takedown import given_ids

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kaiwa.check.checked_files import Check
    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run
    from kaiwa.studies.pool_report import PoolReport
    from kaiwa.task.round_results import RoundResults


def pool_runs(
    runs: Run | Iterable[Run],
    *,
    depth: int = 10,
    budget: int | None = None,
    gains: Gains | None = None,
    measure: str = "nERR@10",
    takedown: Path | str | Collection[str] = frozenset(),
    seed: int = 1,
) -> PoolReport:
    """The items to judge, shuffled, with what each run and team contributed.

    ``budget`` is the maximum number of items; with ``gains``, the report shows what is unjudged and the ranking by
    ``measure`` with each team left out. ``takedown`` are ids of topics and comments that may not be
    shown, or a file of them.

    >>> import kaiwa
    >>> runs = [
    ...     kaiwa.Run.from_dict({"q1": {"a": 2.0, "b": 1.0}}, name="T1-C-R1"),
    ...     kaiwa.Run.from_dict({"q1": {"c": 2.0, "a": 1.0}}, name="T2-C-R1"),
    ... ]
    >>> print(kaiwa.pool_runs(runs, depth=1))
    run      items  only this run
    -------  -----  -------------
    T1-C-R1      1              1
    T2-C-R1      1              1
    2 items to judge: 1 topic, 2 runs, depth 1
    """
    from kaiwa.model.run import Run
    from kaiwa.studies.pool_report import pool_report

    listed = [runs] if isinstance(runs, Run) else list(runs)
    rng = np.random.default_rng(seed)
    return pool_report(
        listed, gains, depth=depth, budget=budget, measure=measure, takedown=given_ids(takedown), rng=rng
    )


def write_pool(path: Path | str, report: PoolReport) -> Path:
    r"""Write the items to judge as ``topic TAB comment``; the path of the organisers' file, which names the runs.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "pool.tsv")
    >>> kaiwa.write_pool(path, kaiwa.pool_runs(kaiwa.Run.from_dict({"q1": {"a": 2.0}}))).name
    'pool.organisers.csv'
    >>> path.read_text()
    'q1\ta\n'
    """
    from kaiwa.flow.judging.pool import write_pool as write_file

    return write_file(Path(path), report.pool)


def check_runs(
    *paths: Path | str,
    topics: Path | str | None = None,
    repository: Path | str | None = None,
    takedown: Path | str | Collection[str] | None = None,
    depth: int | None = None,
    ignore: Iterable[str] = (),
    fix: Path | str | None = None,
) -> Check:
    r"""What is wrong with run files, line by line; with ``fix``, fixed copies are written into that folder.

    ``topics`` is the task's topic file, ``repository`` its repository or a list of comment ids, ``takedown`` the ids
    that may not appear or a file of them, ``depth`` the maximum comments per topic; ``ignore`` are codes not to report.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "T1-C-R1.txt")
    >>> _ = path.write_text("<SYSDESC>plain</SYSDESC>\nq1 0 c9 1 2.0 T1-C-R1\nq1 0 c9 2 1.0 T1-C-R1\n")
    >>> [(problem.line, problem.code) for problem in kaiwa.check_runs(path).problems]
    [(3, 'duplicate-comment')]
    """
    from kaiwa.api.noun_readers import matched
    from kaiwa.flow.judging.check import check_runs as check
    from kaiwa.flow.judging.check import expectation

    hidden = given_ids(takedown)
    expected = expectation(topics=_path(topics), repository=_path(repository), takedown=hidden, depth=depth)
    files = [found for path in paths for found in matched(str(path))]
    return check(files, expected, ignore=ignore, copies=_path(fix))


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
    >>> kaiwa.Scores("nG@1", tuple("123456789"), ("A", "B"), values / 2).write(task / "scores.csv")
    >>> kaiwa.write_report(task).measures[0].comparison.ranks
    {'A': 1, 'B': 2}
    >>> (task / "report.html").exists()
    True
    """
    from importlib.metadata import version

    from kaiwa.flow.rounds.report import write_report as write
    from kaiwa.task.task_folder import read_task

    folder = read_task(Path(task))
    target = folder.report if path is None else Path(path)
    return write(folder, target, version=version("kaiwa"), takedown=given_ids(takedown), stale=stale)


def _path(given: Path | str | None) -> Path | None:
    return None if given is None else Path(given)
