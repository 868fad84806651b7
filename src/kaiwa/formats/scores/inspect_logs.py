"""Logs of inspect_ai as samples: the .eval archive, which is the default, and the JSON log.

An archive holds ``header.json``, ``summaries.json`` and ``samples/*.json``; one that was not finished holds
``_journal/start.json`` and ``_journal/summaries/*.json`` instead. Summaries have every score, so samples, which can be
large, are read only where there are no summaries. Epochs are reduced as the log says, by default to their mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, counted
from kaiwa.formats.scores.llm_samples import Log, Sample, numeric

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Json = dict[str, Any]  # Any: JSON values

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
_ENDINGS = {
    "error": "ended in error",
    "cancelled": "was cancelled",
    "started": "was not finished",
}
_FIX = "give a complete inspect_ai log"
_FIELDS = {"id", "epoch", "scores", "error", "limit"}
_JOURNAL = r"_journal/summaries/(\d{1,9})\.json"


@dataclass(frozen=True)
class _Score:
    """The value of one scorer (None: no score), and why there is none."""

    value: object
    reason: str = ""


def inspect_archive(path: Path) -> Log:
    """The samples of an .eval file."""
    from kaiwa.formats.scores.zip_members import ZipMembers

    archive = ZipMembers(path)
    header = next((name for name in ("header.json", "_journal/start.json") if name in archive.names), None)
    if header is None:
        raise InputError.at(path, "is a zip file without header.json", "give an .eval log of inspect_ai")
    log = archive.json(header)
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
        raise InputError.at(path, f"{header} describes no evaluation", _FIX)
    rows = [_needed(row) for name in _sample_members(archive.names) for row in _as_list(archive.json(name))]
    reductions = archive.json("reductions.json") if "reductions.json" in archive.names else None
    started = {} if header == "header.json" else {"status": "started"}
    return inspect_log(path, {**log, **started, "samples": rows, "reductions": reductions})


def _sample_members(names: list[str]) -> list[str]:
    """The members with the samples: the summaries, else their journal in its order, else the samples themselves."""
    if "summaries.json" in names:
        return ["summaries.json"]
    journal = [(int(found[1]), name) for name in names if (found := re.fullmatch(_JOURNAL, name))]
    return [name for _, name in sorted(journal)] or [name for name in names if name.startswith("samples/")]


def _objects(value: object) -> list[Json]:
    return [one for one in _as_list(value) if isinstance(one, dict)]


def _needed(row: object) -> object:
    """A sample without its messages and events, which can be large."""
    return {key: row[key] for key in row if key in _FIELDS} if isinstance(row, dict) else row


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def inspect_log(path: Path, log: Json) -> Log:
    """The samples of a log, as its JSON form has it."""
    head: Json = log["eval"]
    task, model = str(head.get("task", path.stem)), str(head.get("model", path.stem))
    ending = _ending(log)
    rows = _rows(path, log["samples"])
    scores = {key: _scores_of(row) for key, row in rows.items()}
    parts = _parts(scores, head)
    reducers = _reducers(head)
    samples = [
        Sample(task, metric, key[0], model, _graded(path, key[0], metric, one.value), one.reason)
        for key, named in scores.items()
        for metric, one in _metrics(named, parts)
    ]
    if reducers:
        samples = _reduced(path, log, samples, several=len(reducers) > 1)
    not_run = _not_run(head, {sample for sample, _ in rows})
    why = f"not run; the log {ending or 'is incomplete'}"
    samples += [
        Sample(task, metric, name, model, None, why)
        for name in not_run
        for metric in dict.fromkeys(one.metric for one in samples)
    ]
    remarks = [*_remarks(path, ending, not_run, reducers), *_failed_epochs(path, rows)]
    return Log(samples, remarks=remarks, subject=(task, model), is_complete=log.get("status") in (None, "success"))


def _ending(log: Json) -> str:
    """How the log ended, with inspect's own reason; empty for success."""
    ending = _ENDINGS.get(str(log.get("status")), "")
    reason = _message(log.get("error"))
    return f"{ending}: {reason}" if ending and reason else ending


def _remarks(path: Path, ending: str, not_run: list[str], reducers: list[str]) -> list[str]:
    found = []
    if ending:
        missing = f"; {counted(len(not_run), 'sample')} not run" if not_run else ""
        found.append(f"{path}: {ending}{missing}")
    if reducers:
        found.append(f"{path}: epochs are reduced by {' and '.join(reducers)}, as in the log")
    return found


def _failed_epochs(path: Path, rows: Mapping[tuple[str, int], Json]) -> list[str]:
    """A line on the epochs that failed of samples whose other epochs did not."""
    errors = {key: _message(row.get("error")) for key, row in rows.items()}
    good = {sample for (sample, _), error in errors.items() if not error}
    failed = [error for (sample, _), error in errors.items() if error and sample in good]
    many = counted(len(failed), "epoch")
    return [f"{path}: {many} failed of samples whose other epochs count: {failed[0]}"] if failed else []


def _rows(path: Path, given: object) -> dict[tuple[str, int], Json]:
    """The samples by id and epoch; of two the last counts, as in a sample that was run again."""
    rows: dict[tuple[str, int], Json] = {}
    for place, row in enumerate(_as_list(given), start=1):
        if not isinstance(row, dict) or not isinstance(row.get("id"), str | int):
            raise InputError.at(path, f"sample {place} has no id", _FIX)
        epoch = row.get("epoch", 1)
        key = (str(row["id"]), epoch if isinstance(epoch, int) else 1)
        rows.pop(key, None)
        rows[key] = row
    return rows


def _scores_of(row: Json) -> dict[str, _Score]:
    """The scores of a sample by scorer; under an empty name, why it has none."""
    named = row.get("scores")
    found = {
        name: _Score(score.get("value"), _reason(score))
        for name, score in (named if isinstance(named, dict) else {}).items()
        if isinstance(score, dict)
    }
    return {**found, "": _Score(None, _message(row.get("error")) or _message(row.get("limit")) or "not scored")}


def _reason(score: Json) -> str:
    more = score.get("metadata")
    legacy = more.get("unscored_reason") if isinstance(more, dict) else None
    reason = score.get("reason") or legacy or "not scored"
    explained = score.get("explanation")
    return _line(f"{reason}: {explained}" if isinstance(explained, str) and explained else f"{reason}")


def _parts(scores: Mapping[tuple[str, int], dict[str, _Score]], head: Json) -> dict[str, dict[str, None]]:
    """The scorers and the parts of their values ("" for a single value); those of the header if nothing is scored."""
    parts: dict[str, dict[str, None]] = {}
    for named in scores.values():
        for scorer, score in named.items():
            if scorer and score.value is not None:
                keys = score.value if isinstance(score.value, dict) else [""]
                parts.setdefault(scorer, {}).update(dict.fromkeys(map(str, keys)))
    return parts or dict(_header_parts(head))


def _header_parts(head: Json) -> Iterator[tuple[str, dict[str, None]]]:
    scorers = head.get("scorers")
    for scorer in scorers if isinstance(scorers, list) else []:
        if isinstance(scorer, dict) and isinstance(scorer.get("name"), str):
            metrics = scorer.get("metrics")
            keys = [key for key in metrics if key != "*"] if isinstance(metrics, dict) else [""]
            yield scorer["name"], dict.fromkeys(keys)


def _metrics(named: Mapping[str, _Score], parts: Mapping[str, dict[str, None]]) -> Iterator[tuple[str, _Score]]:
    """Every metric of a sample, with None where it has no score."""
    for scorer, keys in parts.items():
        score = named.get(scorer, named[""])
        for key in keys:
            value = score.value.get(key) if isinstance(score.value, dict) else score.value
            fits = isinstance(score.value, dict) == bool(key)
            reason = score.reason if scorer in named else named[""].reason
            yield f"{scorer}/{key}" if key else scorer, _Score(value if fits else None, reason)


def _graded(path: Path, sample: str, metric: str, value: object) -> float | None:
    """The value as inspect's own ``value_to_float`` turns it into a number; None for no score."""
    if value is None or value != value:  # noqa: PLR0124  inspect writes NaN for a sample without a score
        return None
    score = numeric(value)
    if isinstance(value, str):
        score = GRADES.get(value, WORDS.get(value.lower()))
        score = _number(value) if score is None else score
    if score is None:
        what = f"sample {sample!r}: {metric} is {_line(repr(value))}, which is neither a number nor C, I, P, N"
        raise InputError.at(path, what, "score it with a number")
    return score


def _number(text: str) -> float | None:
    try:
        return numeric(float(text)) if "_" not in text else None
    except ValueError:
        return None


def _reducers(head: Json) -> list[str]:
    """How epochs are reduced, if there are several and not to their mean."""
    config = head.get("config")
    if not isinstance(config, dict) or config.get("epochs") in (None, 1):
        return []
    named = config.get("epochs_reducer")
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return [] if names == ["mean"] else names


def _reduced(path: Path, log: Json, samples: list[Sample], *, several: bool) -> list[Sample]:
    """The samples with one score each, as the log reduced its epochs; samples that it did not reduce have none."""
    found = {(metric, name): (score, scorer) for metric, name, score, scorer in _reductions(path, log, several=several)}
    if not found:
        raise InputError.at(path, "has no reductions of its epochs", _FIX)
    metrics = {metric: scorer for (metric, _), (_, scorer) in found.items()}
    reasons = {(one.metric, one.sample): one.reason for one in samples if one.score is None}
    return [
        Sample(one.task, metric, one.sample, one.model, score, reasons.get((whole, one.sample), "not scored"))
        for one in {sample.sample: sample for sample in samples}.values()
        for metric, whole in metrics.items()
        for score, _ in [found.get((metric, one.sample), (None, whole))]
    ]


def _reductions(path: Path, log: Json, *, several: bool) -> Iterator[tuple[str, str, float | None, str]]:
    """Each reduced score: its metric, its sample, the score, and the metric without its reducer."""
    for reduction in _objects(log.get("reductions")):
        scorer, reducer = str(reduction.get("scorer")), str(reduction.get("reducer") or "mean")
        for row in _objects(reduction.get("samples")):
            value, name = row.get("value"), str(row.get("sample_id"))
            for key, one in value.items() if isinstance(value, dict) else [("", value)]:
                whole = f"{scorer}/{key}" if key else scorer
                yield f"{whole}/{reducer}" if several else whole, name, _graded(path, name, whole, one), whole


def _not_run(head: Json, run: set[str]) -> list[str]:
    """The samples of the data set that the log does not have."""
    dataset = head.get("dataset")
    ids = dataset.get("sample_ids") if isinstance(dataset, dict) else None
    return [str(name) for name in ids if str(name) not in run] if isinstance(ids, list) else []


def _message(error: object) -> str:
    """The message of an error, which is text in a summary and an object in a sample."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("type")
    return _line(error) if isinstance(error, str) else ""


def _line(text: str, *, longest: int = 120) -> str:
    one = " ".join(text.split())
    return one if len(one) <= longest else one[: longest - 1] + "…"
