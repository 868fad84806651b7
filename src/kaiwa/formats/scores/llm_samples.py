"""The samples in one log of lm-evaluation-harness, inspect_ai or promptfoo: task, metric, sample, model and score."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import open_binary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLE_FIELDS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
INSPECT_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
PROMPTFOO_ERROR = 2
MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Sample:
    """One score of one model on one sample; None if the sample failed to run."""

    task: str
    metric: str
    sample: str
    model: str
    score: float | None


def samples_of(path: Path, folder: str | None) -> Iterator[Sample]:
    """The samples of one log; ``folder`` names the model of a log that does not."""
    with open_binary(path) as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError.at(path, "is larger than 1 GiB", "split it by task")
    first = _parsed(path, data.lstrip().split(b"\n", 1)[0], line=1) if ".jsonl" in path.suffixes else None
    if first is not None:
        yield from _lm_eval(path, data, run=folder or path.name.split(".jsonl")[0])
        return
    log = _parsed(path, data)
    if isinstance(log, dict) and isinstance(log.get("samples"), list) and isinstance(log.get("eval"), dict):
        yield from _inspect(path, log)
    elif isinstance(log, dict) and _promptfoo_rows(log) is not None:
        yield from _promptfoo(path, _promptfoo_rows(log) or [])
    else:
        what = "is not a log of lm-evaluation-harness, inspect_ai or promptfoo"
        raise InputError.at(path, what, "give samples_*.jsonl, an inspect JSON log, or promptfoo's results.json")


def _lm_eval(path: Path, data: bytes, *, run: str) -> Iterator[Sample]:
    found = re.fullmatch(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?", path.name.split(".jsonl")[0])
    task = found[1] if found else "task"
    for line, text in enumerate(data.split(b"\n"), start=1):
        if not text.strip():
            continue
        row = _parsed(path, text, line=line)
        if not isinstance(row, dict) or "doc_id" not in row:
            what = "is not a sample of lm-evaluation-harness (no doc_id)"
            raise InputError.at(path, what, "give a samples_*.jsonl file", line=line)
        rule = row.get("filter", "none")
        named = row.get("metrics")
        metrics = named if isinstance(named, list) else [key for key in row if key not in SAMPLE_FIELDS]
        for metric in filter(row.__contains__, map(str, metrics)):
            score = _numeric(row[metric])
            if score is not None:
                yield Sample(task, metric if rule == "none" else f"{metric},{rule}", str(row["doc_id"]), run, score)


def _inspect(path: Path, log: dict[str, Any]) -> Iterator[Sample]:  # Any: JSON values
    task, model = str(log["eval"].get("task", path.stem)), str(log["eval"].get("model", path.stem))
    names = {name for sample in log["samples"] for name in _scores_of(sample)}
    for place, sample in enumerate(log["samples"], start=1):
        if not isinstance(sample, dict) or "id" not in sample:
            raise InputError.at(path, f"sample {place} has no id", "give a complete inspect_ai log")
        scores = _scores_of(sample)
        for name in sorted(names):
            value = scores.get(name, {}).get("value")
            parts = value.items() if isinstance(value, dict) else [("", value)]
            for part, single in parts:
                metric = f"{name}/{part}" if part else name
                yield Sample(task, metric, str(sample["id"]), model, _graded(path, sample["id"], metric, single))


def _scores_of(sample: Any) -> dict[str, dict[str, Any]]:  # Any: JSON values
    scores = sample.get("scores") if isinstance(sample, dict) else None
    named = scores if isinstance(scores, dict) else {}
    return {name: score for name, score in named.items() if isinstance(score, dict)}


def _graded(path: Path, sample: object, metric: str, value: object) -> float | None:
    if value is None or value != value:  # noqa: PLR0124  inspect writes NaN for a sample without a score
        return None
    score = INSPECT_GRADES.get(value) if isinstance(value, str) else _numeric(value)
    if score is None:
        what = f"sample {sample!r}: {metric} is {value!r}, which is neither a number nor C, I, P, N"
        raise InputError.at(path, what, "score it with a number")
    return score


def _promptfoo_rows(log: dict[str, Any]) -> list[Any] | None:  # Any: JSON values
    results = log.get("results")
    rows = results.get("results") if isinstance(results, dict) else results
    return rows if isinstance(rows, list) else None


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
        more = row.get("namedScores")
        values = {"score": row.get("score"), "pass": row.get("success"), **(more if isinstance(more, dict) else {})}
        for metric, value in values.items():
            score = _numeric(value)
            if score is not None:
                yield Sample("promptfoo", metric, topic, run, None if failed else score)


def _prompt(row: dict[str, Any]) -> str:  # Any: JSON values
    """The prompt's label; not promptIdx, which counts pairs of provider and prompt."""
    prompt = row.get("prompt")
    return str(prompt.get("label") or prompt.get("raw")) if isinstance(prompt, dict) else str(prompt)


def _numeric(value: object) -> float | None:
    if not isinstance(value, bool | int | float):
        return None
    score = float(value)
    return score if score - score == 0 else None


def _parsed(path: Path, text: bytes, *, line: int | None = None) -> Any:  # Any: JSON values
    try:
        return json.loads(text.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as fault:
        raise InputError.at(path, f"is not JSON ({fault})", "give the original log", line=line) from None
