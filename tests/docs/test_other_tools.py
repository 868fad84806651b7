"""Calls of other tools, typed with Kaiwa: each works, or one line says what to write, as the list says.

``other_tools.tsv`` is the list: group, tool, what people write there, what they type here, what happened at revision
5f7d81a, what happens now, what the line says. ``python tests/docs/test_other_tools.py`` prints what happens with the
Kaiwa that is imported, and the counts; ``PYTHONPATH`` chooses another source.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import warnings
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest

import kaiwa

LIST = Path(__file__).with_name("other_tools.tsv")
PAGE = Path(__file__).parents[2] / "docs" / "from-other-tools.md"
SAYS_WHAT_TO_WRITE = ("; write ", "; use ", "; a measure is a text", "did you mean")
"""What an AttributeError or TypeError has in its line if it says what to type."""


class Call(NamedTuple):
    """One row of the list."""

    group: str
    tool: str
    people_write: str
    typed: str
    before: str
    now: str
    says: str


def calls() -> list[Call]:
    """The rows of the list."""
    with LIST.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Call(*row) for row in rows]


def outcome(typed: str, names: dict[str, Any]) -> tuple[str, str]:
    """What happens: ``works``, ``line`` (one line says what to type) or ``fails``; and the line."""
    try:
        with redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(typed, dict(names))  # noqa: S307  the calls of our own list
    except kaiwa.KaiwaError as error:
        return "line", str(error)
    except Exception as error:  # noqa: BLE001  whatever a user would see
        says = isinstance(error, AttributeError | TypeError) and any(sign in str(error) for sign in SAYS_WHAT_TO_WRITE)
        return "line" if says else "fails", str(error) if says else f"{type(error).__name__}: {error}"
    return "works", ""


def world(folder: Path) -> dict[str, Any]:
    """The names that the calls use; their files are written to the folder."""
    names: dict[str, Any] = {"kaiwa": kaiwa, "pandas": pd, "polars": pl, "numpy": np, "ir_measures": ir_measures}
    names["folder"] = folder
    _runs(folder, names)
    _qrels(folder, names)
    _scores(folder, names)
    votes = {"topic": ["q1"] * 4, "comment": ["d1", "d1", "d2", "d2"], "assessor": ["ann", "bob"] * 2}
    names["votes_df"] = pd.DataFrame(votes | {"level": [2, 1, 0, 1]})
    return names


def _runs(folder: Path, names: dict[str, Any]) -> None:
    topics = range(1, 9)
    run = {f"q{t}": {f"d{d}": round(10 - d + (t * d) % 7 / 3, 3) for d in range(1, 8)} for t in topics}
    run2 = {f"q{t}": {f"d{d}": round((t * d * 5) % 11 + d / 10, 3) for d in range(1, 9)} for t in topics}
    for name, own, path in (("bm25", run, "run.txt"), ("bm25", run, "run.trec"), ("dense", run2, "run2.txt")):
        (folder / path).write_text(_trec(own, name), encoding="utf-8")
    with gzip.open(folder / "run.txt.gz", "wt", encoding="utf-8") as stream:
        stream.write(_trec(run, "bm25"))
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    rows = [(topic, comment, score) for topic, own in run.items() for comment, score in own.items()]
    frame = pd.DataFrame(rows, columns=["q_id", "doc_id", "score"])
    frame.to_parquet(folder / "run.parquet")
    pyterrier = frame.rename(columns={"q_id": "qid", "doc_id": "docno"}).assign(query="some words", docid=3)
    pyterrier["rank"] = pyterrier.groupby("qid").score.rank(ascending=False, method="first").astype(int) - 1
    names |= {
        "run_dict": run,
        "run2_dict": run2,
        "run_df": frame,
        "odd_df": frame.rename(columns={"doc_id": "d", "score": "s"}),
        "irm_run_df": frame.rename(columns={"q_id": "query_id"}),
        "pt_run_df": pyterrier,
        "number_df": pd.DataFrame({"qid": [301, 301], "docno": [5, 6], "score": [1.0, 0.5]}),
        "scored_docs": [ir_measures.ScoredDoc(*row) for row in rows],
        "run": kaiwa.Run.from_dict(run, name="bm25"),
        "run1": kaiwa.Run.from_dict(run, name="bm25"),
        "run2": kaiwa.Run.from_dict(run2, name="dense"),
    }


def _trec(run: dict[str, dict[str, float]], name: str) -> str:
    ranked = {topic: sorted(own.items(), key=lambda row: -row[1]) for topic, own in run.items()}
    return "".join(
        f"{topic} Q0 {comment} {rank} {score} {name}\n"
        for topic, rows in ranked.items()
        for rank, (comment, score) in enumerate(rows, start=1)
    )


def _qrels(folder: Path, names: dict[str, Any]) -> None:
    qrels = {f"q{t}": {f"d{d}": (t + d) % 3 for d in range(1, 7)} for t in range(1, 9)}
    rows = [(topic, comment, grade) for topic, own in qrels.items() for comment, grade in own.items()]
    lines = "".join(f"{topic} 0 {comment} {grade}\n" for topic, comment, grade in rows)
    (folder / "qrels.txt").write_text(lines, encoding="utf-8")
    (folder / "qrels.json").write_text(json.dumps(qrels), encoding="utf-8")
    (folder / "topics.tsv").write_text("".join(f"{topic}\tsome words\n" for topic in qrels), encoding="utf-8")
    frame = pd.DataFrame(rows, columns=["q_id", "doc_id", "score"])
    frame.to_parquet(folder / "qrels.parquet")
    names |= {
        "qrels_dict": qrels,
        "qrels_df": frame,
        "irm_qrels_df": pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]),
        "pt_qrels_df": pd.DataFrame(rows, columns=["qid", "docno", "label"]),
        "irm_qrels": [ir_measures.Qrel(*row) for row in rows],
        "topics_df": pd.DataFrame({"qid": list(qrels), "query": ["some words"] * len(qrels)}),
        "qrels": kaiwa.read_qrels(folder / "qrels.txt"),
    }


def _scores(folder: Path, names: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    rows = [
        (measure, f"q{topic}", run, round(float(rng.random() * factor), 3))
        for measure in ("nDCG@10", "AP")
        for topic in range(1, 21)
        for run, factor in (("A", 1.0), ("B", 0.8), ("C", 0.5))
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "run", "score"])
    frame.to_csv(folder / "scores.csv", index=False)
    frame.assign(run=frame.run + "2").to_csv(folder / "scores2.csv", index=False)
    frame.to_json(folder / "scores.json", orient="records")
    frame.to_json(folder / "records.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "scores.parquet")
    long = frame[frame.measure == "AP"].drop(columns="measure").reset_index(drop=True)
    wide = long.pivot_table(index="topic", columns="run", values="score").rename_axis(index="qid", columns=None)
    wide = wide.reset_index()
    wide.to_csv(folder / "wide.csv", index=False)
    experiment = frame.replace({"AP": "map", "nDCG@10": "ndcg_cut_10"})
    experiment = experiment.rename(columns={"run": "name", "topic": "qid", "score": "value"})
    experiment = experiment[["name", "qid", "measure", "value"]]
    experiment.to_csv(folder / "perquery.csv", index=False)
    calculated = pd.DataFrame({"query_id": [f"q{t}" for t in range(1, 11)], "measure": "nDCG@10"})
    calculated["value"] = [topic / 20 for topic in range(1, 11)]
    printed = [(f"q{t}", f"0.{t}") for t in range(1, 9)] + [("all", "0.4500")]
    irm = "".join(f"{topic}\tnDCG@10\t{value}\n" for topic, value in printed)
    (folder / "irm.eval").write_text(irm, encoding="utf-8")
    trec = "runid\tall\tbm25\n".join(
        "".join(f"map\t{t}\t{v}\n" for t, v in part) for part in (printed[:-1], printed[-1:])
    )
    (folder / "trec.eval").write_text(trec, encoding="utf-8")
    by_run = {run: dict(zip(wide.qid, wide[run], strict=True)) for run in "ABC"}
    scores = kaiwa.read_scores(folder / "scores.csv")
    names |= {
        "long_df": long,
        "wide_df": wide,
        "odd_scores_df": long.rename(columns={"topic": "item", "run": "who", "score": "points"}),
        "perquery_df": experiment,
        "experiment_df": pd.DataFrame({"name": ["A", "B"], "map": [0.5, 0.4], "recip_rank": [0.7, 0.6]}),
        "metrics_df": calculated,
        "metrics2_df": calculated.assign(value=calculated.value / 2 + 0.1),
        "scores_dict": by_run,
        "a": by_run["A"],
        "b": by_run["B"],
        "scores": scores,
        "comparison": scores["nDCG@10"].compare(trials=500),
    }


CALLS = calls()


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the calls work on."""
    return world(tmp_path_factory.mktemp("other-tools"))


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.typed)
def test_a_call_of_another_tool_does_what_the_list_says(
    call: Call, names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line of one that is refused has what the list says."""
    for path in names["folder"].iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    kind, line = outcome(call.typed, names)
    assert (kind, call.says in line) == (call.now, True), line
    assert "\n" not in line


def test_what_fails_is_an_error_of_python_itself() -> None:
    """An argument that a function does not have, and an operator."""
    assert {call.says for call in CALLS if call.now == "fails"} == {"TypeError"}


def test_the_page_has_the_counts_of_the_list() -> None:
    """Of all calls: those that work, those that are answered, those that fail; before and now."""
    page = PAGE.read_text(encoding="utf-8")
    for kind, words in (("works", "works"), ("line", "one line says what to write"), ("fails", "fails")):
        before, now = (Counter(getattr(call, when) for call in CALLS)[kind] for when in ("before", "now"))
        assert re.search(rf"^\| {words}\b[^|]*\| {before} \| {now} \|$", page, re.MULTILINE)
    assert f"{len(CALLS)} names and calls" in page


def main() -> None:
    """Print what each call does, and the counts."""
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        names = world(Path(folder))
        for call in calls():
            kind, line = outcome(call.typed, names)
            counts[kind] += 1
            print(kind, call.typed, line, sep="\t")  # noqa: T201  a program
        os.chdir("/")
    print(dict(counts), counts.total())  # noqa: T201  a program


if __name__ == "__main__":
    main()
