"""Runs, judgements and scores from the files of one tool to those of another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from kaiwa.disk.atomic_files import write_text, write_texts
from kaiwa.errors import InputError, UnknownName, option
from kaiwa.flow.score_loading import load_all
from kaiwa.formats.ntcireval_input import rel_texts, res_texts
from kaiwa.formats.qrels_files import qrels_text, read_qrels
from kaiwa.formats.run_files import read_runs, run_text
from kaiwa.formats.scores.ntcireval_output import LABEL, nev_texts
from kaiwa.formats.scores.score_files import discpower_texts, matrix_text, scores_text
from kaiwa.formats.scores.score_lists import file_name
from kaiwa.formats.scores.trec_eval import trec_eval_texts
from kaiwa.model.scores import ScoreSet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run

T = TypeVar("T")
Texts = dict[str, str]
"""Texts by the name of their file; a form that is one file has one text, named by nothing."""


@dataclass(frozen=True)
class Form(Generic[T]):
    """What a form is, and its texts."""

    says: str
    texts: Callable[[T], Texts]


def _run_texts(runs: list[Run], *, form: str) -> Texts:
    return {f"{file_name(run.name)}.txt": run_text(run, form=form) for run in runs}


def _qrels_texts(gains: Gains, *, form: str) -> Texts:
    return {"": qrels_text(gains, form=form)}


def _tidy_texts(scores: ScoreSet) -> Texts:
    return {"": scores_text(scores)}


def _matrix_texts(scores: ScoreSet) -> Texts:
    if len(scores) > 1:
        what = f"a matrix holds one measure, and there are {', '.join(scores)}"
        raise InputError(f"{what}; choose one with {option('measure')}")
    return {"": matrix_text(next(iter(scores.values())))}


RUN_FORMS: dict[str, Form[list[Run]]] = {
    "trec-run": Form("TREC: RUN.txt", partial(_run_texts, form="trec")),
    "ntcir-run": Form("STC/NTCIR: RUN.txt", partial(_run_texts, form="ntcir")),
    "res": Form("NTCIREVAL: TOPIC/TOPIC.RUN.res", res_texts),
}
QRELS_FORMS: dict[str, Form[Gains]] = {
    "trec-qrels": Form("TREC", partial(_qrels_texts, form="trec")),
    "ntcir-qrels": Form("NTCIR", partial(_qrels_texts, form="ntcir")),
    "beir-qrels": Form("BEIR", partial(_qrels_texts, form="beir")),
    "rel": Form("NTCIREVAL: TOPIC/TOPIC.rel", rel_texts),
}
SCORE_FORMS: dict[str, Form[ScoreSet]] = {
    "csv": Form("tidy CSV", _tidy_texts),
    "matrix": Form("topics x runs CSV of one measure", _matrix_texts),
    "discpower": Form("Discpower: MEASURE.tsmatrix", discpower_texts),
    "nev": Form(f"NTCIREVAL: RUN.{LABEL}.nev", nev_texts),
    "trec-eval": Form("trec_eval -q: RUN.eval", trec_eval_texts),
}


def converted(paths: Sequence[Path], form: str, *, measures: Sequence[str] = ()) -> Texts:
    """The texts of the files in another form; ``measures`` chooses among scores."""
    if form in SCORE_FORMS:
        scores = load_all(paths)
        return SCORE_FORMS[form].texts(ScoreSet([scores[one] for one in measures]) if measures else scores)
    if measures:
        raise InputError(f"{option('measure')} chooses among scores, and {form} holds none; leave it out")
    if form in RUN_FORMS:
        return RUN_FORMS[form].texts(read_runs(paths))
    if form not in QRELS_FORMS:
        raise UnknownName.among("form", form, [*RUN_FORMS, *QRELS_FORMS, *SCORE_FORMS])
    if len(paths) > 1:
        raise InputError.at(paths[1], "is a second file of judgements", "convert one file or folder at a time")
    return QRELS_FORMS[form].texts(read_qrels(paths[0]))


def write_converted(output: Path, texts: Texts) -> None:
    """Write the texts: to the one file, or into the folder."""
    if "" in texts:
        write_text(output, texts[""])
    else:
        write_texts(output, texts)
