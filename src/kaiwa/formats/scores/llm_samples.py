"""The samples in one log of lm-evaluation-harness or promptfoo: task, metric, sample, model and score."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.model.direction import Direction

SAMPLE_FIELDS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
PER_UNIT = {"word_perplexity": "log_word_perplexity", "byte_perplexity": "log_byte_perplexity"}
PROMPTFOO_ERROR = 2
MAX_BYTES = 1 << 30
_STAMP = r"\d{4}-\d\d-\d\dT[\d.-]+"
RESULTS = re.compile(rf"results_{_STAMP}\.json")
"""The name of the file in which lm-evaluation-harness writes the means of its tasks."""


@dataclass(frozen=True)
class Sample:
    """One score of one model on one sample; None if it has none, with the reason."""

    task: str
    metric: str
    sample: str
    model: str
    score: float | None
    reason: str = ""


@dataclass(frozen=True)
class Log:
    """The samples of a log, the directions that it states by task and metric, and what a reader must know.

    ``subject`` is the task and the model of a log that has one of each.
    """

    samples: list[Sample]
    directions: dict[tuple[str, str], Direction] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    subject: tuple[str, str] | None = None
    is_complete: bool = True


def parsed_log(path: Path) -> Any:  # Any: JSON values
    """The JSON value of a log."""
    return parsed(path, log_bytes(path))


def log_bytes(path: Path) -> bytes:
    """The bytes of a log, up to a limit."""
    return read_bytes(path, limit=MAX_BYTES)


def lm_eval_log(path: Path, *, run: str) -> Log:
    """The samples of lm-evaluation-harness, with the directions in the results file beside them."""
    found = re.fullmatch(rf"samples_(.+?)(?:_({_STAMP}))?", path.name.split(".jsonl")[0])
    task, stamp = (found[1], found[2]) if found else ("task", None)
    samples, converted = list[Sample](), dict[str, str]()
    for line, text in enumerate(log_bytes(path).split(b"\n"), start=1):
        if text.strip():
            for metric, name, score in _lm_eval_scores(path, line, row := parsed(path, text, line=line)):
                converted[name] = metric
                samples.append(Sample(task, name, str(row["doc_id"]), run, score))
    stated, remarks = _stated(path, task, stamp)
    directions = {(task, name): stated[metric] for name, metric in converted.items() if metric in stated}
    return Log(samples, directions, remarks)


def _lm_eval_scores(path: Path, line: int, row: Any) -> Iterator[tuple[str, str, float]]:  # Any: JSON values
    """Each metric of a sample, the name of its measure, and the score."""
    if not isinstance(row, dict) or "doc_id" not in row:
        what = "is not a sample of lm-evaluation-harness (no doc_id)"
        raise InputError.at(path, what, "give a samples_*.jsonl file", line=line)
    rule = row.get("filter", "none")
    named = row.get("metrics")
    metrics = named if isinstance(named, list) else [key for key in row if key not in SAMPLE_FIELDS]
    for metric in filter(row.__contains__, map(str, metrics)):
        name, score = _lm_eval_score(metric, row[metric])
        if score is not None:
            yield metric, name if rule == "none" else f"{name},{rule}", score


def _lm_eval_score(metric: str, value: object) -> tuple[str, float | None]:
    """The measure and its score on one sample.

    For a perplexity the harness logs the log-likelihood, which is at most 0, and for one by word or byte also the
    number of them. The score is then the logarithm of the sample's perplexity.
    """
    if isinstance(value, list | tuple) and len(value) == 2 and metric in {*PER_UNIT, "bits_per_byte"}:  # noqa: PLR2004
        likelihood, units = map(numeric, value)
        if likelihood is None or not units:
            return metric, None
        loss = -likelihood / units
        return PER_UNIT.get(metric, metric), loss / log(2) if metric == "bits_per_byte" else loss
    score = numeric(value)
    if metric == "perplexity" and score is not None and score <= 0:
        return "log_perplexity", 0.0 - score
    return metric, score


def _stated(path: Path, task: str, stamp: str | None) -> tuple[dict[str, Direction], list[str]]:
    """The directions of the task's metrics in the results file beside the samples, and remarks on that file."""
    results = sorted(file for file in path.parent.glob("results_*.json") if RESULTS.fullmatch(file.name))
    same = [file for file in results if stamp and file.name == f"results_{stamp}.json"]
    for file in same or reversed(results):
        try:
            found = parsed_log(file)
        except InputError as fault:
            return {}, [f"{fault.marked}, for the directions of its measures; their names decide"]
        stated = found.get("higher_is_better") if isinstance(found, dict) else None
        metrics = stated.get(task) if isinstance(stated, dict) else None
        if isinstance(metrics, dict):
            known = {name: higher for name, higher in metrics.items() if isinstance(higher, bool)}
            return {name: "higher" if higher else "lower" for name, higher in known.items()}, []
    return {}, []


def promptfoo_rows(log: Any) -> list[Any] | None:  # Any: JSON values
    """The results of a promptfoo log; None if it is none."""
    results = log.get("results") if isinstance(log, dict) else None
    rows = results.get("results") if isinstance(results, dict) else results
    return rows if isinstance(rows, list) else None


def promptfoo_log(path: Path, rows: list[Any]) -> Log:  # Any: JSON values
    """The samples of promptfoo; it scores so that higher is better, whatever a metric is called."""
    samples = list(_promptfoo(path, rows))
    return Log(samples, {(one.task, one.metric): "higher" for one in samples})


def _promptfoo(path: Path, rows: list[Any]) -> Iterator[Sample]:  # Any: JSON values
    prompts = {_prompt(row) for row in rows if isinstance(row, dict)}
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or not {"score", "success"} & set(row):
            raise InputError.at(path, f"result {place} has no score", "give promptfoo's --output results.json")
        provider = row.get("provider")
        named = (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider
        run = f"{named} | {_prompt(row)}" if len(prompts) > 1 else str(named)
        topic = str(row["testIdx"]) if "testIdx" in row else json.dumps(row.get("vars"), sort_keys=True)
        failed = row.get("failureReason") == PROMPTFOO_ERROR
        reason = " ".join(f"{row.get('error') or 'failed to run'}".split())[:120]
        more = row.get("namedScores")
        values = {"score": row.get("score"), "pass": row.get("success"), **(more if isinstance(more, dict) else {})}
        for metric, value in values.items():
            score = numeric(value)
            if score is not None:
                yield Sample("promptfoo", metric, topic, run, None if failed else score, reason if failed else "")


def _prompt(row: dict[str, Any]) -> str:  # Any: JSON values
    """The prompt's label; not promptIdx, which counts pairs of provider and prompt."""
    prompt = row.get("prompt")
    return str(prompt.get("label") or prompt.get("raw")) if isinstance(prompt, dict) else str(prompt)


def numeric(value: object) -> float | None:
    """The value as a finite number; None if it is none."""
    if not isinstance(value, bool | int | float):
        return None
    try:
        score = float(value)
    except OverflowError:
        return None
    return score if score - score == 0 else None


def parsed(path: Path, text: bytes, *, line: int | None = None) -> Any:  # Any: JSON values
    """The JSON value of the text."""
    try:
        return json.loads(text.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as fault:
        raise InputError.at(path, f"is not JSON ({fault})", "give the original log", line=line) from None
