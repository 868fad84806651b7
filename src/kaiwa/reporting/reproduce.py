"""Published numbers computed again: published and computed, row by row, and whether they agree.

``reproduce`` is the public function, ``Reproduction`` its result.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kaiwa.ambient import progress
from kaiwa.errors import InputError, Names, counted, option
from kaiwa.formats.reading import votes_of
from kaiwa.labelling.coefficients import fleiss_kappa, merged
from kaiwa.labelling.gains import gains_of, weighing
from kaiwa.measures.judgements import Scale, judge
from kaiwa.measures.scoring import score
from kaiwa.nouns.ids import pack
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.nouns.votes import Votes
from kaiwa.show.result import Description, Result, Table
from kaiwa.stats.kendall import kendall_tau, null_error
from kaiwa.topicset.sizes import topics_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.formats.reading import VotesInput
    from kaiwa.show.text import Cell

    PublishedRows = Sequence[Mapping[str, str]]


# Published tables as data: each file is one table of a paper, named on its first line.


def published(name: str) -> list[dict[str, str]]:
    """The rows of a published table, as printed.

    >>> published("topic_set_size_stc")[0]["measure"]
    'P+'
    """
    text = files("kaiwa.reporting").joinpath("published_tables", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


@dataclass(frozen=True)
class Row:
    """One number: what it is, as published, as computed here, and whether they agree."""

    what: str
    published: str
    computed: str
    agrees: bool
    remark: str = ""

    @property
    def verdict(self) -> str:
        """Whether they agree, in a word."""
        return "agrees" if self.agrees else "DIFFERS"


@dataclass(frozen=True)
class Recomputed:
    """One table or set of numbers of one paper, computed again.

    ``origin`` says where the published numbers are from: ``printed`` in the paper, or ``worked`` out from its formulas
    independently of this package.
    """

    name: str
    source: str
    rows: tuple[Row, ...]
    note: str = ""
    origin: Literal["printed", "worked"] = "printed"

    @property
    def agreeing(self) -> int:
        """How many rows agree with the paper."""
        return sum(row.agrees for row in self.rows)


def topic_set_sizes(table: PublishedRows) -> Recomputed:
    """The sizes of a table with columns measure, variance, m, minD and n."""
    systems, min_diff, variance = (np.array([float(row[name]) for row in table]) for name in ("m", "minD", "variance"))
    ours, exact = (
        topics_needed(systems=systems, min_diff=min_diff, variance=variance, method=method).tolist()
        for method in ("sakai", "exact")
    )
    rows = [
        Row(
            what=f"{row['measure']}, V = {row['variance']}, m = {row['m']}, minD = {row['minD']}",
            published=row["n"],
            computed=str(same),
            agrees=same == int(row["n"]),
            remark=f"exact: {more}",
        )
        for row, same, more in zip(table, ours, exact, strict=True)
    ]
    return Recomputed(
        "topic-set-size",
        "Sakai 2015, Topic Set Size Design with the Evaluation Measures for Short Text Conversation, Table 4",
        tuple(rows),
        "The printed sizes follow an approximation with a minus where its derivation gives a plus; computed exactly, "
        "most need a few topics more for the promised power.",
    )


def tau_tables(table: PublishedRows, means: Mapping[str, PublishedRows]) -> Recomputed:
    """Tau and its limits, from the run means of each subtask."""
    rows = []
    for row in table:
        is_chinese = row["subtask"] == "chinese"
        x, y = (
            np.array([float(one[row[side]]) for one in means[row["subtask"]]]) for side in ("measure_a", "measure_b")
        )
        tau = kendall_tau(x, y, ties="listed" if is_chinese else "tau-b", interval="null" if is_chinese else "hwc")
        what = f"{row['subtask']}: {row['measure_a']} / {row['measure_b']}"
        printed = tuple(float(row[name]) for name in ("tau", "ci_low", "ci_high"))
        rows.append(_triple(what, printed, (tau.tau, tau.low, tau.high)))
    return Recomputed(
        "tau",
        "Shang et al. 2016, Overview of the NTCIR-12 Short Text Conversation Task, Tables 6 and 9",
        tuple(rows),
        "Table 6 has tau on the listed order with the null standard error, Table 9 tau-b with the "
        "Hollander-Wolfe-Chicken interval.",
    )


def null_intervals(table: PublishedRows) -> Recomputed:
    """The limits of tau from the printed tau and the number of runs."""
    rows = []
    for row in table:
        tau, half = float(row["tau"]), 1.959964 * null_error(int(row["runs"]))
        printed = tuple(float(row[name]) for name in ("tau", "ci_low", "ci_high"))
        rows.append(_triple(f"{row['task']}, {row['measure']}", printed, (tau, tau - half, tau + half)))
    return Recomputed(
        "standardisation-tau",
        "Sakai 2016, The Effect of Score Standardisation on Topic Set Size Design, Table 1",
        tuple(rows),
        "The limits follow from the printed tau and the number of runs; the scores themselves are not public.",
    )


def _triple(what: str, printed: tuple[float, ...], ours: tuple[float, ...]) -> Row:
    close = 6e-4  # a printed third decimal, and the printed tau's own rounding behind it
    agrees = all(abs(a - b) <= close for a, b in zip(printed, ours, strict=True))
    shown = [f"{numbers[0]:.3f} [{numbers[1]:.3f}, {numbers[2]:.3f}]" for numbers in (printed, ours)]
    return Row(what, shown[0], shown[1], agrees=agrees)


_RATINGS = {
    (2, 2, 2, 2, 2): ("10", "13", "10"),
    (1, 1, 2, 3, 3): ("10", "11", "3.33"),
    (0, 1, 3, 3, 3): ("10", "10", "0"),
    (0, 0, 0, 0, 3): ("3", "3", "0"),
    (0, 0, 0, 0, 0): ("0", "0", "0"),
}


def unanimity_gains() -> Recomputed:
    """The gains of five example ratings, worked out by hand from the paper's formulas."""
    rows = []
    for ratings, worked in _RATINGS.items():
        votes = Votes(
            pack(["q"]), pack(["c"]), tuple("abcde"), np.zeros(5, np.int64), np.arange(5), np.array(ratings), top=3
        )
        ours = tuple(
            f"{float(gains_of(votes, weighing(votes, scheme, p=0.2)).gains.gains[0]):.2f}".rstrip("0").rstrip(".")
            for scheme in ("sum", "unanimity", "weighted")
        )
        what = f"ratings {' '.join(map(str, ratings))}: RawG, UG(.2), WG"
        rows.append(Row(what, ", ".join(worked), ", ".join(ours), agrees=ours == worked))
    return Recomputed(
        "unanimity",
        "the formulas of Sakai 2017, Unanimity-Aware Gain (EVIA), on ratings of N = 5 assessors, Dmax = 3",
        tuple(rows),
        "Nothing is quoted from the paper: the ratings were reconstructed, and the gains worked out by hand.",
        origin="worked",
    )


_EXAMPLE = {
    "RR": "1",
    "P+": "0.55",
    "AP": "0.4166666667",
    "Q": "0.275",
    "RBP": "0.0617916667",
    "nG@1": "0.3333333333",
    "nERR@10": "0.5135651509",
    "MSnDCG@10": "0.4292976172",
    "nRBP@10": "0.4871959132",
    "nEBR@10": "0.4793522267",
    "niRBU@10": "0.8326905622",
}


def worked_measures() -> Recomputed:
    """The measures of one worked run."""
    gains = Qrels.from_lists({"q": {"d1": 2, "d2": 1, "d3": 0, "d4": 1, "d5": 2}})
    run = Run.from_lists("R", {"q": [("d2", 4.0), ("u1", 3.0), ("d1", 2.0), ("d3", 1.0)]})
    scores = score([run], judge(gains, Scale(levels={1.0: 1.0, 2.0: 3.0})), list(_EXAMPLE))
    rows = []
    for name, scored in zip(_EXAMPLE, scores.matrices(), strict=True):
        ours = scored.means()["R"]
        agrees = abs(ours - float(_EXAMPLE[name])) < 1e-9  # noqa: PLR2004  ten printed digits
        rows.append(Row(name, _EXAMPLE[name], f"{ours:.10g}", agrees=agrees))
    return Recomputed(
        "measures",
        "qrels d1 L2, d2 L1, d3 L0, d4 L1, d5 L2; gains 1:3; run d2 u1 d1 d3 (worked by two implementations)",
        tuple(rows),
        origin="worked",
    )


_HIGHEST_LABEL = 2


def label_kappa(votes: Votes) -> Recomputed:
    """Fleiss' kappa of the public labels, with three classes and with two."""
    counts = votes.counts()
    values = {
        "three classes": ("0.317", fleiss_kappa(counts)),
        "L1 and L2 merged": ("0.421", fleiss_kappa(merged(counts, np.array([0, 1, 1])))),
    }
    rows = [
        Row(what, printed, f"{ours:.3f}", agrees=f"{ours:.3f}" == printed) for what, (printed, ours) in values.items()
    ]
    return Recomputed("kappa", "Shang et al. 2016, section 3.4: Fleiss' kappa of the Japanese test labels", tuple(rows))


# Published tables and label files read, and their numbers recomputed.


AGAINST = {"printed": "paper", "worked": "numbers worked out independently"}
"""What the published numbers of a table are."""
COLUMNS = ("what", "published", "computed", "verdict", "remark")


@dataclass(frozen=True)
class Reproduction(Result):
    """Published numbers and the same computed here; ``reproduced`` if every row agrees.

    Tables: ``rows`` has all of them, and each set of numbers is a table of its own name.

    >>> import kaiwa
    >>> found = kaiwa.reproduce("unanimity")
    >>> found, found.reproduced
    (Reproduction(5 of 5 rows agree), True)
    """

    recomputed: tuple[Recomputed, ...]

    def __repr__(self) -> str:
        return f"Reproduction({self.agreeing:,} of {counted(self.rows, 'row')} agree)"

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(len(one.rows) for one in self.recomputed)

    @property
    def agreeing(self) -> int:
        """How many rows agree."""
        return sum(one.agreeing for one in self.recomputed)

    @property
    def reproduced(self) -> bool:
        """Whether every row agrees."""
        return self.agreeing == self.rows

    @property
    def reproductions(self) -> list[dict[str, Any]]:  # Any: JSON values
        """Each set of numbers with its source, its rows and how many agree."""
        return [
            {
                "name": one.name,
                "source": one.source,
                "origin": one.origin,
                "note": one.note,
                "rows": [{**asdict(row), "verdict": row.verdict} for row in one.rows],
                "agreeing": one.agreeing,
            }
            for one in self.recomputed
        ]

    def describe(self) -> Description:
        """A table for each set of numbers; each row agrees or differs."""
        rows: list[list[Cell]] = [[one.name, *cells] for one in self.recomputed for cells in _cells(one)]
        return Description(
            tables=(Table("rows", ["name", *COLUMNS], rows), *map(_table, self.recomputed)),
            shown=[one.name for one in self.recomputed],
            fields={
                "reproductions": self.reproductions,
                "rows": self.rows,
                "agreeing": self.agreeing,
                "reproduced": self.reproduced,
            },
        )


def _table(one: Recomputed) -> Table:
    verdict = f"{one.agreeing} of {len(one.rows)} rows agree with the {AGAINST[one.origin]}"
    caption = f"{one.name}: {one.source}. {verdict}. {one.note}".strip()
    return Table(one.name, COLUMNS, _cells(one), ["what", one.origin, "computed", "verdict", ""], caption=caption)


def _cells(one: Recomputed) -> list[list[Cell]]:
    return [[row.what, row.published, row.computed, row.verdict, row.remark] for row in one.rows]


def reproduce(*names: str, labels: VotesInput | None = None) -> Reproduction:
    """Published numbers computed again, by ``kaiwa.names("reproductions")``; without names, all that need no file.

    ``labels`` are the public votes of the STC Japanese subtask, which ``kappa`` needs.

    >>> import kaiwa
    >>> kaiwa.reproduce("tau").agreeing
    18
    """
    chosen = [REPRODUCTIONS[name] for name in dict.fromkeys(names)]
    if labels is not None and names and "kappa" not in names:
        raise InputError(f"{option('labels')} are the votes of kappa; add its name, or leave them out")
    if not names:
        chosen = [one for name, one in REPRODUCTIONS.items() if name != "kappa" or labels is not None]
    with progress("recomputing"):
        return Reproduction(tuple(one(labels) for one in chosen))


def _taus(_: VotesInput | None) -> Recomputed:
    means = {subtask: published(f"stc_{subtask}_means") for subtask in ("chinese", "japanese")}
    return tau_tables(published("kendall_stc_runs"), means)


def _kappa(labels: VotesInput | None) -> Recomputed:
    fix = f"give the public STC Japanese label file with {option('labels', 'FILE')}"
    if labels is None:
        raise InputError.at("kappa", "the votes are not part of Kaiwa", fix)
    votes = votes_of(labels, max_level=_HIGHEST_LABEL)
    if votes.top != _HIGHEST_LABEL:
        raise InputError.at("kappa", f"the labels go to level {votes.top}, not {_HIGHEST_LABEL}", fix)
    return label_kappa(votes)


REPRODUCTIONS: Names[Callable[[VotesInput | None], Recomputed]] = Names(
    "reproduction",
    {
        "topic-set-size": lambda _: topic_set_sizes(published("topic_set_size_stc")),
        "tau": _taus,
        "standardisation-tau": lambda _: null_intervals(published("ntcir12_variances")),
        "unanimity": lambda _: unanimity_gains(),
        "measures": lambda _: worked_measures(),
        "kappa": _kappa,
    },
)
