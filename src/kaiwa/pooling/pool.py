"""Pool runs: the items to judge, who contributed them, what is unjudged, and the ranking without each team.

``pool`` reads the runs, chooses the items and returns a ``Pool``, which shows itself and writes the files. Which items
are chosen is in ``items``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress, remark
from kaiwa.errors import InputError, counted, needs_extra, option
from kaiwa.files.atomic import together, write_text
from kaiwa.files.inputs import short_digest
from kaiwa.formats.fields import csv_text, word
from kaiwa.formats.judging_sheets import sheet_text
from kaiwa.formats.reading import path_of, qrels_of, runs_of, seed_of
from kaiwa.formats.takedown import given_ids
from kaiwa.labelling.items import judging_items
from kaiwa.measures.judgements import judge
from kaiwa.measures.scoring import Reading, score
from kaiwa.measures.table import one_measure
from kaiwa.nouns.ids import IdTable, codes_of, pack, starts_of, unpack
from kaiwa.nouns.run import Run
from kaiwa.pooling.items import (
    MAX_DEPTH,
    Coverage,
    PooledItems,
    Share,
    budget_pool,
    coverage,
    depth_pool,
    pool_sizes,
    run_shares,
    team_of,
    team_shares,
    without_team,
)
from kaiwa.show.result import Description, Result, Table, form_of
from kaiwa.stats.kendall import tau_b
from kaiwa.stats.p_values import tied_means
from kaiwa.task.folder import read_task, task_folder_of
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kaiwa.ambient import Moved
    from kaiwa.formats.reading import QrelsInput, RunInput
    from kaiwa.nouns.criteria import TaskItem
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.qrels import Qrels
    from kaiwa.show.text import Cell
    from kaiwa.task.folder import Task


DEPTH, MEASURE = 10, "nERR@10"


@dataclass(frozen=True, eq=False)
class Pool(Result):
    """The items to judge, shuffled, and their statistics; written as ``topic TAB comment`` without run names.

    ``pooled`` are the items, with the rank that each run gives each. ``coverage`` and ``left_out`` are empty without
    judgements, and ``measure`` is that of the rankings in ``left_out``. ``sheet`` is the sheet on which a task's pool
    was written.

    >>> import kaiwa
    >>> run = kaiwa.Run.from_dict({"q1": {"c9": 2.0, "c4": 1.0}}, name="A-C-R1")
    >>> kaiwa.pool(run, depth=1)
    Pool(1 item, 1 topic, 1 run, depth 1)
    """

    pooled: PooledItems
    depth: int
    shares: list[Share] = field(default_factory=list)
    team_shares: list[Share] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    coverage: list[Coverage] = field(default_factory=list)
    teams_left_out: list[LeftOut] = field(default_factory=list)
    sheet: Sheet | None = None
    measure: str | None = None

    def __repr__(self) -> str:
        size = f"{counted(self.topics, 'topic')}, {counted(len(self.pooled.runs), 'run')}"
        return f"Pool({counted(self.items, 'item')}, {size}, depth {self.depth})"

    @property
    def items(self) -> int:
        """How many items there are to judge."""
        return len(self.pooled)

    @property
    def assessors(self) -> list[str]:
        """Who judges on the sheet; nobody without one."""
        return [] if self.sheet is None else list(self.sheet.assessors)

    @property
    def topics(self) -> int:
        """How many topics they are of."""
        return len(self.pooled.topics)

    @property
    def runs(self) -> dict[str, dict[str, int]]:
        """By run: the items within the depth, and how many no other run has."""
        return {share.name: {"items": share.items, "unique": share.unique} for share in self.shares}

    @property
    def teams(self) -> dict[str, dict[str, int]]:
        """The same by team."""
        return {share.name: {"items": share.items, "unique": share.unique} for share in self.team_shares}

    @property
    def unjudged(self) -> dict[str, list[int]]:
        """By run: how many of its comments at each rank are unjudged."""
        return {one.run: one.unjudged.tolist() for one in self.coverage}

    @property
    def left_out(self) -> dict[str, dict[str, Any]]:  # Any: JSON values
        """By team: what the pool and the ranking lose without it."""
        return {
            one.team: {"items_lost": one.items_lost, "tau": one.tau, "largest_fall": one.largest_fall}
            for one in self.teams_left_out
        }

    def describe(self) -> Description:
        """Shares of runs and teams, sizes, and with judgements the coverage and each team left out."""
        fields = {
            "items": self.items,
            "topics": self.topics,
            "depth": self.depth,
            "runs": self.runs,
            "teams": self.teams,
            "sizes": self.sizes,
            "unjudged": self.unjudged,
            "left_out": self.left_out,
            "measure": self.measure,
            "sheet": None if self.sheet is None else str(self.sheet.path),
            "assessors": self.assessors,
        }
        if self.sheet is not None:
            made = f"{self.sheet.path}: {counted(self.items, 'item')} for {', '.join(self.sheet.assessors)}"
            return Description(tables=[self._items()], fields=fields, text=f"{made}; {self.sheet.use}")
        size = f"{counted(self.topics, 'topic')}, {counted(len(self.pooled.runs), 'run')}, depth {self.depth}"
        tables = [
            _share_table("runs", self.shares),
            _share_table("teams", self.team_shares),
            *([self._coverage_table()] if self.coverage else []),
            *([self._left_out_table()] if self.teams_left_out else []),
        ]
        return Description(
            title=f"{counted(self.items, 'item')} to judge: {size}.",
            tables=[*tables, self._items()],
            shown=[one.name for one in tables],
            notes=[self._deeper()],
            fields=fields,
        )

    def _items(self) -> Table:
        topics = [self.pooled.topics[code] for code in self.pooled.topic.tolist()]
        rows: list[list[Cell]] = [list(row) for row in zip(topics, unpack(self.pooled.comments), strict=True)]
        return Table("items", ["topic", "comment"], rows)

    def _coverage_table(self) -> Table:
        ranks = range(1, self.depth + 1)
        at = {
            one.run: list(zip(ranks, one.unjudged.tolist(), one.returned.tolist(), strict=True))
            for one in self.coverage
        }
        rows: list[list[Cell]] = [[run, *row] for run, own in at.items() for row in own]
        printed: list[list[Cell]] = [[run, *(f"{gap}/{every}" for _, gap, every in own)] for run, own in at.items()]
        return Table(
            "unjudged",
            ["run", "rank", "unjudged", "returned"],
            rows,
            ["run", *map(str, ranks)],
            printed,
            caption="Unjudged of returned, at each rank.",
        )

    def _left_out_table(self) -> Table:
        rows: list[list[Cell]] = [[one.team, one.items_lost, one.tau, one.largest_fall] for one in self.teams_left_out]
        header = [
            "team left out",
            "judgements lost",
            "tau with the full ranking",
            "largest fall of its runs, in ranks",
        ]
        caption = f"Runs ranked by mean {self.measure}."
        return Table("left_out", ["team", "items_lost", "tau", "largest_fall"], rows, header, caption=caption)

    def _deeper(self) -> str:
        """What a pool of twice the depth would add."""
        now, deeper = self.sizes[self.depth - 1], self.sizes[-1]
        if deeper == now:
            return "A greater depth adds no items: no run is longer."
        more = counted(deeper - now, "item")
        return f"Depth {2 * self.depth} instead of {self.depth} would add {more} ({now:,} to {deeper:,})."

    def own_form(self, table: str | None = None) -> str:
        """The items, ``topic TAB comment``, without run names."""
        if table is not None:
            return super().own_form(table)
        topics, comments = self._words()
        return "".join(f"{topic}\t{comment}\n" for topic, comment in zip(topics, comments, strict=True))

    def _words(self) -> tuple[list[str], list[str]]:
        """The topic and the comment of each item, as a file of words may have them."""
        topics = [word("topic", self.pooled.topics[code], first=True) for code in self.pooled.topic.tolist()]
        return topics, [word("comment", comment) for comment in unpack(self.pooled.comments)]

    def write(self, path: Path | str, *, format: str | None = None, table: str | None = None) -> None:  # noqa: A002
        r"""Write the items, and beside them the organisers' file, which lists the runs of each item.

        The organisers' file can be read by its owner only; its last column is the hash of the items, which shows after
        a kill between the two that they are not of one pool. With ``format`` or ``table``, and by another ending of a
        table than .tsv, the statistics are written instead.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "pool.tsv")
        >>> kaiwa.pool(kaiwa.Run.from_dict({"q1": {"a": 2.0}})).write(path)
        >>> path.read_text(), sorted(file.name for file in path.parent.iterdir())
        ('q1\ta\n', ['pool.organisers.csv', 'pool.tsv'])
        """
        target = Path(path)
        if format or table or form_of(target) not in {None, "tsv"}:
            super().write(target, format=format, table=table)
            return
        if self.sheet is not None:
            raise InputError(f"{target}: the items of a sheet are those of pool.tsv; leave out {option('output')}")
        if target.is_dir():
            raise InputError.at(target, "is a folder", "give the name of a file in it")
        topics, comments = self._words()
        items = self.own_form()
        of_items = short_digest(items.encode())
        rows: list[list[str | float]] = [
            [topics[item], comments[item], self.pooled.runs[run], int(self.pooled.ranks[item, run]), of_items]
            for item, run in np.argwhere(self.pooled.ranks > 0).tolist()
        ]
        header = ["topic", "comment", "run", "rank", "pool_sha256"]
        with together():
            write_text(target, items)
            write_text(organisers_file(target), csv_text(header, rows), private=True)
        remark(f"wrote {organisers_file(target)}, for organisers only")


def _share_table(name: str, shares: Sequence[Share]) -> Table:
    one = name.removesuffix("s")
    rows: list[list[Cell]] = [[share.name, share.items, share.unique] for share in shares]
    return Table(name, [one, "items", "unique"], rows, [one, "items", f"only this {one}"])


@takes_task
def pool(
    runs: RunInput,
    *,
    depth: int = DEPTH,
    max_items: int | None = None,
    order: str | None = None,
    qrels: QrelsInput | None = None,
    measures: str | Sequence[str] = MEASURE,
    takedown: Path | str | Collection[str] | None = None,
    sheet: Path | str | None = None,
    assessors: str | Sequence[str] | None = None,
    assessor: str | None = None,
    seed: int = 1,
) -> Pool:
    """The items to judge, shuffled, with what each run and team contributed.

    ``depth`` is the number of ranks of each run that are pooled; at most ``max_items`` are taken, rank by rank, R1 runs
    before R2 runs. ``order`` is what ranks a run: ``file``, ``score`` or ``rank``. With ``qrels`` the result has what
    is unjudged, and the ranking by one measure (``measures``) with each team left out. Topics and comments of
    ``takedown``, ids or a file of them, are not pooled.

    With ``sheet`` the ``runs`` are a task folder, whose pool is written with its texts to be judged without a server: a
    .csv file with a column for each of the ``assessors`` (default: A1), or an .html page for one ``assessor``.

    >>> import kaiwa
    >>> runs = [
    ...     kaiwa.Run.from_dict({"q1": {"a": 2.0, "b": 1.0}}, name="T1-C-R1"),
    ...     kaiwa.Run.from_dict({"q1": {"c": 2.0, "a": 1.0}}, name="T2-C-R1"),
    ... ]
    >>> kaiwa.pool(runs, depth=1).teams["T2"]
    {'items': 1, 'unique': 1}
    """
    chosen = one_measure(measures)
    asked = {
        "depth": depth != DEPTH,
        "max_items": max_items is not None,
        "order": order is not None,
        "qrels": qrels is not None,
        "measures": chosen != MEASURE,
        "takedown": takedown is not None,
        "seed": seed != 1,
    }
    if sheet is not None:
        if idle := next((name for name, is_given in asked.items() if is_given), None):
            raise InputError(f"{option('sheet')} takes a task's pool as it is; leave out {option(idle)}")
        items, written = _written_sheet(runs, path_of("sheet", sheet), assessors, assessor)
        return Pool(_listed(items), read_task(Path(runs)).settings.depth, sheet=written)  # type: ignore[arg-type]  # a path, as was checked
    if idle := "assessors" if assessors else "assessor" if assessor is not None else None:
        raise InputError(f"{option(idle)} is for a sheet to judge; add {option('sheet', 'FILE')}, or leave it out")
    if asked["measures"] and qrels is None:
        raise InputError(f"{option('measures', chosen)} ranks runs by judgements; add {option('qrels', 'FILE')}")
    if max_items is not None and max_items < 1:
        raise InputError(f"{option('max_items', str(max_items))} pools nothing; give at least 1")
    given = runs_of(runs, order=order)
    judged = None if qrels is None else qrels_of(qrels)
    rng = np.random.default_rng(seed_of(seed))
    with progress("pooling") as moved:
        return _pooled(
            given,
            judged,
            depth=depth,
            max_items=max_items,
            measure=chosen,
            ids=given_ids(takedown),
            rng=rng,
            moved=moved,
        )


def _pooled(
    runs: Sequence[Run],
    judged: Qrels | None,
    *,
    depth: int,
    max_items: int | None,
    measure: str,
    ids: frozenset[str],
    rng: np.random.Generator,
    moved: Moved,
) -> Pool:
    """The shuffled pool, shares and sizes at other depths; with judgements, coverage and each team left out."""
    shown = [without_takedown(run, ids) for run in runs] if ids else runs
    taken = (
        budget_pool(shown, items=max_items, depth=depth) if max_items is not None else depth_pool(shown, depth=depth)
    )
    return Pool(
        pooled=taken.shuffled(rng),
        depth=depth,
        shares=run_shares(taken, depth=depth),
        team_shares=team_shares(taken, depth=depth),
        sizes=pool_sizes(shown, depth=min(2 * depth, MAX_DEPTH)),
        coverage=[coverage(run, judged, depth=depth) for run in shown] if judged else [],
        teams_left_out=leave_teams_out(shown, judged, taken, depth=depth, measure=measure, moved=moved)
        if judged
        else [],
        measure=measure if judged else None,
    )


def _listed(items: Sequence[TaskItem]) -> PooledItems:
    """The items of a task's pool, which no run is asked for."""
    topics = tuple(dict.fromkeys(one.topic for one in items))
    topic = codes_of([one.topic for one in items], topics)
    return PooledItems(topics, (), topic, pack(one.comment for one in items), np.zeros((len(items), 0), dtype=np.int32))


# The ranking without each team: the team's unique items are taken as unjudged, one team after the other.


@dataclass(frozen=True)
class LeftOut:
    """One team left out of the pool: the items lost, tau with the full ranking, and the largest fall of its runs.

    ``tau`` is None if all runs tie in either ranking.
    """

    team: str
    items_lost: int
    tau: float | None
    largest_fall: int


def leave_teams_out(
    runs: Sequence[Run],
    gains: Qrels,
    pool: PooledItems,
    *,
    depth: int,
    measure: str,
    moved: Moved,
) -> list[LeftOut]:
    """The ranking by mean score with each team's unique contributions taken as unjudged."""
    full = _means(runs, gains, measure)
    teams = dict.fromkeys(map(team_of, pool.runs))
    found = []
    for done, team in enumerate(teams):
        moved(done, len(teams))
        found.append(_left_out(team, runs, gains, pool, full=full, depth=depth, measure=measure))
    return found


def _left_out(
    team: str, runs: Sequence[Run], gains: Qrels, pool: PooledItems, *, full: FloatArray, depth: int, measure: str
) -> LeftOut:
    lost = pool.taken(~without_team(pool, team, depth=depth))
    fewer = without_items(gains, lost)
    means = _means(runs, fewer, measure)
    own = np.array([team_of(run.name) == team for run in runs])
    falls = _ranks(means)[own] - _ranks(full)[own]
    tau = tau_b(full, means) if np.ptp(full) and np.ptp(means) else None
    return LeftOut(team, len(gains) - len(fewer), tau, int(max(falls.max(initial=0), 0)))


def without_items(gains: Qrels, lost: PooledItems) -> Qrels:
    """The gains without the judgements of these items; the topics stay.

    On a topic without any judgement left, all runs score 0.
    """
    topic = codes_of(lost.topics, gains.topics)[lost.topic]
    dropped = IdTable(topic, lost.comments).find(gains.codes(), gains.comments) >= 0
    sizes = np.bincount(gains.codes()[~dropped], minlength=len(gains.topics))
    return replace(
        gains,
        starts=starts_of(sizes.tolist()),
        comments=gains.comments[~dropped],
        gains=gains.gains[~dropped],
        lines=None if gains.lines is None else gains.lines[~dropped],
    )


def _means(runs: Sequence[Run], gains: Qrels, measure: str) -> FloatArray:
    if not (gains.gains > 0).any():
        return np.zeros(len(runs))
    scores = score(runs, judge(gains), [measure], reading=Reading(zero=True))
    return tied_means(scores.values)


def _ranks(means: FloatArray) -> IntArray:
    """The rank of each run by mean score; equal means share the better rank."""
    ranks: IntArray = (means[None, :] > means[:, None]).sum(axis=1)
    return ranks


def without_takedown(run: Run, takedown: frozenset[str]) -> Run:
    """The run without the topics and comments of a takedown; the comments below them move up."""
    lists = {
        topic: [(comment, score) for comment, score in run.ranking(topic) if comment not in takedown]
        for topic in run.topics
        if topic not in takedown
    }
    return replace(Run.from_lists(run.name, lists, description=run.description), order=run.order)


def organisers_file(pool: Path) -> Path:
    """The organisers' file of a pool; two pools never have the same one.

    >>> from pathlib import Path
    >>> [organisers_file(Path(name)).name for name in ("pool.tsv", "pool.2.tsv", "pool.txt", "pool.tsv.gz")]
    ['pool.organisers.csv', 'pool.2.organisers.csv', 'pool.txt-organisers.csv', 'pool.tsv.gz-organisers.csv']
    """
    end = ".organisers.csv" if pool.suffix == ".tsv" else "-organisers.csv"
    return pool.with_name(f"{pool.name.removesuffix('.tsv')}{end}")


# A task's pool as a sheet to judge without a server: a CSV file for a spreadsheet, or an offline page.


@dataclass(frozen=True)
class Sheet:
    """A sheet to judge: its file, and the assessors whose votes it takes."""

    path: Path
    assessors: tuple[str, ...]

    @property
    def use(self) -> str:
        """What to do with it."""
        if self.path.suffix == ".html":
            return "open it in a browser, then use the file it saves"
        return f"the votes: kaiwa gains {self.path}"


def _written_sheet(
    task: object, path: Path, assessors: str | Sequence[str] | None, assessor: str | None
) -> tuple[list[TaskItem], Sheet]:
    """The items of the task's pool, and their sheet, which is written."""
    if not isinstance(task, str | os.PathLike) or not task_folder_of(Path(task)) or Path(task).is_file():
        what = f"{option('sheet')} takes the pool of a task folder"
        raise InputError(f"{what}; pool the runs first, without it, or make a task with: kaiwa init DIR")
    is_page = path.suffix == ".html"
    if is_page and (not assessor or assessors):
        raise InputError(f"an .html sheet is for one person; give the name with {option('assessor')}")
    if not is_page and (assessor or path.suffix != ".csv"):
        page, table = option("assessor", "A3"), option("assessors", "A1,A2")
        raise InputError(f"{option('sheet')} writes a .csv file (with {table}) or an .html page (with {page})")
    folder = read_task(Path(task))
    items = items_to_judge(folder)
    if is_page and assessor:
        with needs_extra("web"):
            from kaiwa.web.offline_page import write_page
        write_page(path, folder, items, assessor)
        return items, Sheet(path, (assessor,))
    names = assessor_names(assessors or "A1")
    _write_table(path, items, names)
    return items, Sheet(path, tuple(names))


def items_to_judge(task: Task) -> list[TaskItem]:
    """The items of the pool with their texts, topic by topic; takedowns and training items are left out."""
    if not task.pool.exists():
        raise InputError.at(task.pool, "no such file", "make it with: kaiwa pool runs/*.txt -o pool.tsv")
    items = [one for one in judging_items(task) if one.kind != "training"]
    place = {topic: number for number, topic in enumerate(dict.fromkeys(one.topic for one in items))}
    return sorted(items, key=lambda one: place[one.topic])


def assessor_names(given: str | Sequence[str]) -> list[str]:
    """The names in a list, or in a text such as ``A1,A2``.

    >>> assessor_names("A1, A2")
    ['A1', 'A2']
    """
    text = given if isinstance(given, str) else ",".join(given)
    names = [name.strip() for name in text.split(",")]
    if "" in names or len(set(names)) < len(names):
        what = f"{option('assessors', text)} has an empty or a duplicate name"
        raise InputError(f"{what}; write names with commas between them, like A1,A2,A3")
    return names


def _write_table(path: Path, items: Sequence[TaskItem], assessors: Sequence[str]) -> None:
    """Write the items as a CSV sheet with an empty column for each assessor; another file of the name is kept."""
    text = sheet_text(items, assessors)
    if path.is_file() and path.read_bytes() != text.encode():
        raise InputError.at(path, "is another file, which may have votes in it", "give another name, or remove it")
    write_text(path, text)
