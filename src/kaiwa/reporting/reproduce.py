"""Published numbers computed again: expected and ours, row by row, and whether they agree."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kaiwa.errors import InputError, Names, option
from kaiwa.formats.readers import read_votes
from kaiwa.labelling.coefficients import fleiss_kappa, merged
from kaiwa.labelling.gains import gains_of, weighing
from kaiwa.measures.judgements import Scale, judge
from kaiwa.measures.scoring import score
from kaiwa.nouns.ids import pack
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.nouns.votes import Votes
from kaiwa.show.text import table
from kaiwa.stats.kendall import kendall_tau, null_error
from kaiwa.topicset.sizes import topics_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    Table = Sequence[Mapping[str, str]]


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
    """One number: what it is, as expected, as computed here, and whether they agree."""

    what: str
    expected: str
    ours: str
    agrees: bool
    remark: str = ""


@dataclass(frozen=True)
class Reproduction:
    """One table or set of numbers of one paper, computed again.

    ``origin`` says where the expected numbers are from: ``printed`` in the paper, or ``worked`` out from its formulas
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


def topic_set_sizes(table: Table) -> Reproduction:
    """The sizes of a table with columns measure, variance, m, minD and n."""
    systems, min_diff, variance = (np.array([float(row[name]) for row in table]) for name in ("m", "minD", "variance"))
    ours, exact = (
        topics_needed(systems=systems, min_diff=min_diff, variance=variance, method=method).tolist()
        for method in ("sakai", "exact")
    )
    rows = [
        Row(
            what=f"{row['measure']}, V = {row['variance']}, m = {row['m']}, minD = {row['minD']}",
            expected=row["n"],
            ours=str(same),
            agrees=same == int(row["n"]),
            remark=f"exact: {more}",
        )
        for row, same, more in zip(table, ours, exact, strict=True)
    ]
    return Reproduction(
        "topic-set-size",
        "Sakai 2015, Topic Set Size Design with the Evaluation Measures for Short Text Conversation, Table 4",
        tuple(rows),
        "The printed sizes follow an approximation with a minus where its derivation gives a plus; computed exactly, "
        "most need a few topics more for the promised power.",
    )


def tau_tables(table: Table, means: Mapping[str, Table]) -> Reproduction:
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
    return Reproduction(
        "tau",
        "Shang et al. 2016, Overview of the NTCIR-12 Short Text Conversation Task, Tables 6 and 9",
        tuple(rows),
        "Table 6 has tau on the listed order with the null standard error, Table 9 tau-b with the "
        "Hollander-Wolfe-Chicken interval.",
    )


def null_intervals(table: Table) -> Reproduction:
    """The limits of tau from the printed tau and the number of runs."""
    rows = []
    for row in table:
        tau, half = float(row["tau"]), 1.959964 * null_error(int(row["runs"]))
        printed = tuple(float(row[name]) for name in ("tau", "ci_low", "ci_high"))
        rows.append(_triple(f"{row['task']}, {row['measure']}", printed, (tau, tau - half, tau + half)))
    return Reproduction(
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


def unanimity_gains() -> Reproduction:
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
    return Reproduction(
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


def worked_measures() -> Reproduction:
    """The measures of one worked run."""
    gains = Qrels.from_lists({"q": {"d1": 2, "d2": 1, "d3": 0, "d4": 1, "d5": 2}})
    run = Run.from_lists("R", {"q": [("d2", 4.0), ("u1", 3.0), ("d1", 2.0), ("d3", 1.0)]})
    scores = score([run], judge(gains, Scale(levels={1.0: 1.0, 2.0: 3.0})), list(_EXAMPLE))
    rows = []
    for name, scored in zip(_EXAMPLE, scores.matrices(), strict=True):
        ours = scored.means()["R"]
        agrees = abs(ours - float(_EXAMPLE[name])) < 1e-9  # noqa: PLR2004  ten printed digits
        rows.append(Row(name, _EXAMPLE[name], f"{ours:.10g}", agrees=agrees))
    return Reproduction(
        "measures",
        "qrels d1 L2, d2 L1, d3 L0, d4 L1, d5 L2; gains 1:3; run d2 u1 d1 d3 (worked by two implementations)",
        tuple(rows),
        origin="worked",
    )


def label_kappa(votes: Votes) -> Reproduction:
    """Fleiss' kappa of the public labels, with three classes and with two."""
    counts = votes.counts()
    values = {
        "three classes": ("0.317", fleiss_kappa(counts)),
        "L1 and L2 merged": ("0.421", fleiss_kappa(merged(counts, np.array([0, 1, 1])))),
    }
    rows = [
        Row(what, printed, f"{ours:.3f}", agrees=f"{ours:.3f}" == printed) for what, (printed, ours) in values.items()
    ]
    return Reproduction(
        "kappa", "Shang et al. 2016, section 3.4: Fleiss' kappa of the Japanese test labels", tuple(rows)
    )


# Published tables and label files read, and their numbers recomputed.


def reproduce(names: tuple[str, ...], *, labels: Path | None = None) -> list[Reproduction]:
    """The reproductions of these names; without names, all that need no file."""
    chosen = names or tuple(name for name in REPRODUCTIONS if name != "kappa" or labels)
    return [REPRODUCTIONS[name](labels) for name in chosen]


def _taus(_: Path | None) -> Reproduction:
    means = {subtask: published(f"stc_{subtask}_means") for subtask in ("chinese", "japanese")}
    return tau_tables(published("kendall_stc_runs"), means)


def _kappa(labels: Path | None) -> Reproduction:
    if labels is None:
        fix = f"give the public STC Japanese label file with {option('labels', 'FILE')}"
        raise InputError.at("kappa", "the votes are not part of Kaiwa", fix)
    return label_kappa(read_votes(labels))


REPRODUCTIONS: Names[Callable[[Path | None], Reproduction]] = Names(
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


# Published numbers beside the recomputed ones.


AGAINST = {"printed": "paper", "worked": "numbers worked out independently"}
"""What the expected numbers of a reproduction are."""


@dataclass(frozen=True)
class ReproduceView:
    """Recomputed tables of papers."""

    found: Sequence[Reproduction]

    def text(self) -> str:
        """A table per paper; each row agrees or differs."""
        return "\n\n".join(map(_reproduction_text, self.found))

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """Every row as JSON fields, and how many agree."""
        return {
            "reproductions": [{**asdict(one), "agreeing": one.agreeing} for one in self.found],
            "rows": sum(len(one.rows) for one in self.found),
            "agreeing": sum(one.agreeing for one in self.found),
        }


def _reproduction_text(one: Reproduction) -> str:
    rows = [[row.what, row.expected, row.ours, "agrees" if row.agrees else "DIFFERS", row.remark] for row in one.rows]
    head = f"{one.name}: {one.source}"
    tail = f"{one.agreeing} of {len(one.rows)} rows agree with the {AGAINST[one.origin]}. {one.note}".strip()
    return f"{head}\n{table(['what', one.origin, 'ours', 'verdict', ''], rows)}\n{tail}"
