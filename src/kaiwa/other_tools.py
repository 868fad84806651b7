"""Names that people bring from ranx, ir_measures, PyTerrier and pandas, and what to write here.

They are no second names: who uses one gets an AttributeError whose line says what to write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.nouns.measure_name import ALIASES

if TYPE_CHECKING:
    from collections.abc import Iterable

_SCORE = "kaiwa.score(runs, qrels, measures)"
_PANDAS = "to_pandas()"
_FRAME = "from_pandas(frame, topic=..., comment=..., score=...)"

FUNCTIONS = {
    "evaluate": _SCORE,
    "Evaluate": _SCORE,
    "Experiment": f"{_SCORE}, and kaiwa.compare of its scores",
    "calc_aggregate": f"{_SCORE}.means()",
    "calc": _SCORE,
    "iter_calc": f"{_SCORE}.to_pandas()",
    "evaluator": f"{_SCORE}, with all runs in one call",
    "parse_measure": "the measure's name, as 'nDCG@10'",
    "parse_trec_measure": "the measure's name, as 'ndcg_cut_10'",
    "read_trec_run": "kaiwa.read_run(path)",
    "read_trec_qrels": "kaiwa.read_qrels(path)",
    "read_results": "kaiwa.read_run(path)",
    "write_results": "run.write(path)",
    "ScoredDoc": "kaiwa.Run.from_dict({topic: {comment: score}})",
    "Qrel": "kaiwa.Qrels.from_dict({topic: {comment: grade}})",
    "optimize_fusion": "kaiwa.fuse(runs, method=...), which has nothing to tune",
    "normalize": "kaiwa.fuse, which scales the scores itself",
    "ttest_rel": "kaiwa.compare(scores, baseline=..., test='t')",
    "tukey_hsd": "kaiwa.compare(scores, test='hsd')",
    "kendalltau": "kaiwa.tau(scores, other)",
    "multipletests": "kaiwa.compare(scores), which corrects for all pairs",
    "Retriever": "kaiwa.open(index), or kaiwa.retrieve(index, topics)",
    "BatchRetrieve": "kaiwa.open(index), or kaiwa.retrieve(index, topics)",
    "IterDictIndexer": "kaiwa.index(repository, output)",
    "GridSearch": "kaiwa.train(index, labels), cross-validated by topic",
    "get_dataset": "files of your own, as kaiwa.read_qrels(path)",
    "DataFrame": "kaiwa.Scores.from_pandas(frame)",
    "read_csv": "kaiwa.read_scores(path)",
    "plot": "comparison.write('figure.svg')",
}
"""Functions and classes of other tools, to what to write."""

MEMBERS = {
    "from_df": "{noun}.from_pandas(frame)",
    "from_dataframe": "{noun}.from_pandas(frame)",
    "from_polars": "{noun}.from_pandas(frame), which takes every data frame",
    "from_records": "{noun}.from_rows(rows)",
    "from_file": "{read}(path)",
    "from_csv": "{read}(path)",
    "from_json": "{noun}.from_dict(json.load(open(path)))",
    "from_parquet": "{noun}.from_pandas(pandas.read_parquet(path))",
    "from_ir_datasets": "{noun}.from_pandas(pandas.DataFrame(dataset.qrels_iter()))",
    "from_ranxhub": "{read}(path) of a file",
    "save": ".write(path)",
    "to_file": ".write(path)",
    "to_dataframe": f".{_PANDAS}",
    "to_df": f".{_PANDAS}",
    "to_table": ".to_csv(), .to_latex() or print",
    "to_markdown": ".write('name.md')",
    "to_html": ".write('name.html')",
    "to_parquet": ".write('name.parquet')",
    "to_excel": f".{_PANDAS}.to_excel(path)",
    "to_numpy": ".values of one measure's scores",
    "to_dict": "{asdict}",
    "add": "{noun}.from_dict with every comment",
    "add_score": "{noun}.from_dict with every comment",
    "add_multi": "{noun}.from_dict with every comment",
    "keys": ".topics",
    "get_query_ids": ".topics",
    "get_doc_ids_and_scores": "{asdict}",
    "make_comparable": "kaiwa.score, which counts unanswered topics 0 and names them",
    "set_relevance_level": "kaiwa.score(..., levels={{1: 0, 2: 1}})",
    "mean_scores": "kaiwa.score(...).means()",
    "size": "len(...)",
    "shape": "len(.topics), len(.runs)",
    "mean": ".means()",
    "std": ".standard_errors",
    "results": ".to_pandas()",
    "comparisons": ".pairs",
    "win_tie_loss": ".to_pandas('pairs')",
    "pivot": ".to_pandas('matrix')",
    "pivot_table": ".to_pandas('matrix')",
    "T": ".to_pandas('matrix').T",
    "index": ".topics",
    "dropna": ".complete(missing='drop-topics')",
    "fillna": ".complete(missing='zero')",
    "plot": ".write('figure.svg')",
}
"""Members of nouns and results in other tools, to what to write."""

_FRAMES = frozenset(
    {
        "groupby",
        "head",
        "tail",
        "loc",
        "iloc",
        "query",
        "merge",
        "sort_values",
        "assign",
        "apply",
        "agg",
        "round",
        "melt",
        "stack",
        "unstack",
        "rename",
        "drop",
        "filter",
        "reset_index",
        "set_index",
        "nlargest",
        "sample",
        "boxplot",
        "iterrows",
        "itertuples",
    }
)
"""Methods of data frames."""
_READ = {"Run": "kaiwa.read_run", "Qrels": "kaiwa.read_qrels", "Votes": "kaiwa.read_votes"}
_AS_DICT = {"Run": ".rankings", "Qrels": ".of(topic)", "Scores": ".means(), or .columns()"}


def no_function(name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that the package does not have.

    >>> print(no_function("evaluate", ["score"]))
    module 'kaiwa' has no attribute 'evaluate'; write kaiwa.score(runs, qrels, measures)
    >>> print(no_function("compar", ["compare", "score"]))
    module 'kaiwa' has no attribute 'compar'; did you mean kaiwa.compare?
    """
    what = f"module 'kaiwa' has no attribute {name!r}"
    if name in FUNCTIONS:
        return AttributeError(f"{what}; write {FUNCTIONS[name]}")
    if name in ALIASES or name in ALIASES.values():
        return AttributeError(f"{what}; a measure is a text, as kaiwa.score(runs, qrels, {name!r})")
    near = _near(name, known)
    return AttributeError(f"{what}; did you mean kaiwa.{near}?" if near else what)


def no_member(noun: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for an attribute that a noun or result does not have.

    >>> print(no_member("Run", "save", ["write"]))
    'Run' has no attribute 'save'; write .write(path)
    >>> print(no_member("Scores", "groupby", ["to_pandas"]))
    'Scores' has no attribute 'groupby'; write .to_pandas().groupby
    """
    what, own = f"{noun!r} has no attribute {name!r}", set(known)
    words = {
        "noun": f"kaiwa.{noun}",
        "read": _READ.get(noun, "kaiwa.read_scores"),
        "asdict": _AS_DICT.get(noun, ".to_json(), or its fields"),
    }
    ours = f".{_PANDAS}.{name}" if name in _FRAMES else MEMBERS.get(name, "").format(**words)
    asked = ours.removeprefix(f"kaiwa.{noun}").removeprefix(".").split("(")[0].split(",")[0].split(" ")[0].split(".")[0]
    if ours and (asked in own or ours.startswith("kaiwa.read_") or not ours.startswith((".", f"kaiwa.{noun}."))):
        return AttributeError(f"{what}; write {ours}")
    near = _near(name, own)
    return AttributeError(f"{what}; did you mean .{near}?" if near else what)


def _near(name: str, known: Iterable[str]) -> str:
    """The most similar public name, or ""."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, [one for one in known if not one.startswith("_")], n=1)), "")
