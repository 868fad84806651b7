"""Per-sample logs of LLM evaluations as scores: a sample is a topic, a model is a run, a metric is a measure.

lm-evaluation-harness ``samples_<task>_<time>.jsonl`` (written by ``--log_samples``), inspect_ai ``.eval`` and JSON
logs, promptfoo ``--output results.json``, and folders of them. A sample scored several times (epochs, repeats) has the
mean of its scores; one that failed to run is a gap.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from math import log as logarithm
from typing import IO, TYPE_CHECKING, Any, cast

from kaiwa.errors import InputError, counted
from kaiwa.files.inputs import input_size
from kaiwa.formats.recognition import Head, Match, is_zip
from kaiwa.formats.text_files import BOMB_FLOOR_BYTES, BOMB_RATIO, open_binary, read_bytes
from kaiwa.nouns.cells import Cells, Part, mean_cell
from kaiwa.nouns.matrix import SAMPLES_AND_MODELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.nouns.matrix import Direction

    Json = dict[str, Any]  # Any: JSON values


# The samples in one log of lm-evaluation-harness or promptfoo: task, metric, sample, model and score.


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
        return PER_UNIT.get(metric, metric), loss / logarithm(2) if metric == "bits_per_byte" else loss
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


_DEPTHS = ("*", "*/*", "*/*/*")
_MOST_HEADS = 1000
"""Maximum number of JSON files of a folder that are looked into."""


def is_lm_eval(head: Head) -> Match:
    """Whether the first line is a sample of lm-evaluation-harness; any other .jsonl file is possible."""
    if head.is_folder:
        return _holds(head, is_lm_eval)
    if RESULTS.fullmatch(head.path.name):
        return Match.SURE
    if ".jsonl" not in head.path.suffixes:
        return Match.NO
    return Match.SURE if '"doc_id"' in "".join(head.lines[:1]) else Match.POSSIBLE


def is_inspect(head: Head) -> Match:
    """Whether a .json file has the key "eval" near its beginning."""
    if head.is_folder:
        return _holds(head, is_inspect)
    return Match.SURE if ".json" in head.path.suffixes and '"eval"' in "".join(head.lines) else Match.NO


def is_inspect_archive(head: Head) -> Match:
    """Whether an .eval file is a zip file; one that is not text is possible."""
    if head.is_folder:
        return _holds(head, is_inspect_archive)
    if head.path.suffix != ".eval":
        return Match.NO
    return Match.SURE if is_zip(head.path) else Match.NO if head.lines else Match.POSSIBLE


def is_promptfoo(head: Head) -> Match:
    """Whether a .json file has the key "results" near its beginning; any other .json file is possible."""
    if head.is_folder:
        return _holds(head, is_promptfoo)
    if ".json" not in head.path.suffixes:
        return Match.NO
    return Match.SURE if '"results"' in "".join(head.lines) else Match.POSSIBLE


def _holds(head: Head, recognise: Callable[[Head], Match]) -> Match:
    """SURE if the folder, or a folder in it, has such a log."""
    return Match.SURE if any(recognise(Head(file)) is Match.SURE for file in _candidates(head.path)) else Match.NO


def _candidates(folder: Path) -> Iterator[Path]:
    """The files of a folder, and of the folders in it, whose names are those of logs."""
    files = (file for depth in _DEPTHS for file in sorted(folder.glob(depth)) if not file.name.startswith("."))
    named = (file for file in files if file.suffix == ".eval" or {".json", ".jsonl"} & set(file.suffixes))
    return islice((file for file in named if file.is_file()), _MOST_HEADS)


def log_files(folder: Path) -> list[Path]:
    """The logs in a folder, and in the folders in it; files that are none are left out."""
    recognisers = (is_lm_eval, is_inspect, is_inspect_archive, is_promptfoo)
    files = [file for file in _candidates(folder) if not RESULTS.fullmatch(file.name)]
    return [file for file in files if any(recognise(Head(file)) is Match.SURE for recognise in recognisers)]


def read_log(path: Path) -> Cells:
    """The scores in one log, or in a folder of logs."""
    return read_logs([path])


def read_logs(paths: Sequence[Path]) -> Cells:
    """The scores in all the logs together; a measure is named ``task:metric`` when there are several tasks."""
    files = _files(paths)
    folders = _folder_names(files)
    cells = Cells(axes=SAMPLES_AND_MODELS)
    logs = _without_failed({path: _log(path, folders[path.parent]) for path in files}, cells.remarks)
    tasks = {sample.task for log in logs.values() for sample in log.samples}
    if not tasks:
        ended = f" ({cells.remarks[0].split(': ', 1)[-1]})" if cells.remarks else ""
        what = f"contains no scored sample{ended}"
        raise InputError.at(paths[0], what, "log samples when evaluating (--log_samples)")
    for path, log in logs.items():
        _add(cells, path, log, several_tasks=len(tasks) > 1)
    return cells


def _add(cells: Cells, path: Path, log: Log, *, several_tasks: bool) -> None:
    """Add the scores of a log, the mean of a sample's repeats, and the directions that it states."""
    for (measure, topic, run), given in _grouped(log.samples, several_tasks=several_tasks).items():
        scores = (sample.score for sample in given)
        parts = tuple(
            Part(score, repeat=str(place)) for place, score in enumerate(scores, start=1) if score is not None
        )
        earlier = cells.tables.get(measure, {}).get((topic, run))
        if earlier is not None:
            what = f"duplicate score of {run!r} on sample {topic!r} (first in {earlier.path})"
            raise InputError.at(path, what, "give one log per model, or put the logs in separate folders")
        reason = next((sample.reason for sample in given if sample.reason), "")
        cells.add(measure, topic, run, mean_cell(parts, path, reason=reason))
    for (task, metric), direction in log.directions.items():
        cells.state(_measure(task, metric, several_tasks=several_tasks), direction, path)


def _files(paths: Sequence[Path]) -> list[Path]:
    """The logs, with those of each folder; a results file of lm-evaluation-harness belongs to the samples beside it."""
    files = dict.fromkeys(file for path in paths for file in (log_files(path) if path.is_dir() else [path]))
    beside = {file.parent for file in files if not RESULTS.fullmatch(file.name)}
    for file in files:
        if RESULTS.fullmatch(file.name) and file.parent not in beside:
            what = "holds the means of tasks, not the scores of samples"
            raise InputError.at(file, what, "log samples when evaluating (--log_samples)")
    return [file for file in files if not RESULTS.fullmatch(file.name)]


def _log(path: Path, folder: str | None) -> Log:
    """One log; ``folder`` names the model of a log that does not."""
    if path.suffix == ".eval":
        return inspect_archive(path)
    if ".jsonl" in path.suffixes:
        return lm_eval_log(path, run=folder or path.name.split(".jsonl")[0])
    log = parsed_log(path)
    if isinstance(log, dict) and isinstance(log.get("samples"), list) and isinstance(log.get("eval"), dict):
        return inspect_log(path, log)
    if (rows := promptfoo_rows(log)) is not None:
        return promptfoo_log(path, rows)
    what = "is not a log of lm-evaluation-harness, inspect_ai or promptfoo"
    known = "samples_*.jsonl, an inspect .eval or JSON log, promptfoo's results.json"
    raise InputError.at(path, what, f"give {known}, or a table as a data frame")


def _without_failed(logs: dict[Path, Log], remarks: list[str]) -> dict[Path, Log]:
    """The logs without those that failed and were repeated: another log of the task and model is complete."""
    complete = {log.subject: path for path, log in logs.items() if log.subject and log.is_complete}
    kept = {}
    for path, log in logs.items():
        remarks += log.remarks
        if log.is_complete or log.subject not in complete:
            kept[path] = log
        else:
            remarks.append(f"{path}: left out; {complete[log.subject]} is complete")
    return kept


def _folder_names(paths: Sequence[Path]) -> dict[Path, str | None]:
    """Each folder's name, with the parent folders that distinguish it from the others; None for a single folder."""
    folders = {path.parent: path.parent.absolute().parts for path in paths}
    if len(folders) == 1:
        return dict.fromkeys(folders)
    deepest = max(map(len, folders.values()), default=0)
    names: dict[Path, str] = {}
    for depth in range(1, deepest + 1):
        names = {folder: "/".join(parts[-depth:]) for folder, parts in folders.items()}
        if len(set(names.values())) == len(names):
            break
    return dict(names)


def _grouped(samples: list[Sample], *, several_tasks: bool) -> dict[tuple[str, str, str], list[Sample]]:
    """The samples of each (measure, sample, model): several if it was run several times."""
    seen: dict[tuple[str, str, str], list[Sample]] = defaultdict(list)
    for sample in samples:
        measure = _measure(sample.task, sample.metric, several_tasks=several_tasks)
        seen[measure, sample.sample, sample.model].append(sample)
    return seen


def _measure(task: str, metric: str, *, several_tasks: bool) -> str:
    return f"{task}:{metric}" if several_tasks else metric


# Logs of inspect_ai as samples: the .eval archive, which is the default, and the JSON log.


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


# The JSON members of a zip file, also those compressed with zstd, which Python's zipfile reads from 3.14 on only.


_ZSTD = 93
_LOCAL_HEADER = struct.Struct("<26xHH")
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    ValueError,
    NotImplementedError,
    RuntimeError,
    RecursionError,
    OverflowError,
)
"""What reading a damaged archive raises."""


class ZipMembers:
    """The members of a zip file by name; of two with the same name the last counts."""

    def __init__(self, path: Path) -> None:
        self._path, self._unpacked = path, 0
        try:
            with open_binary(path) as stream, zipfile.ZipFile(cast("IO[bytes]", stream)) as archive:  # seekable: no .gz
                self._members = {member.filename: member for member in archive.infolist()}
        except _DAMAGE as fault:
            raise self._damaged(fault) from None

    @property
    def names(self) -> list[str]:
        """The names of the members."""
        return list(self._members)

    def json(self, name: str) -> Any:  # Any: JSON values
        """The JSON value of a member."""
        try:
            return json.loads(self._read(self._members[name]))
        except _DAMAGE as fault:
            raise self._damaged(f"{name}: {fault}") from None

    def _read(self, member: zipfile.ZipInfo) -> bytes:
        limit = min(MAX_BYTES, max(BOMB_FLOOR_BYTES, BOMB_RATIO * input_size(self._path))) - self._unpacked
        data = _decompressed(self._packed(member), member.compress_type, limit + 1)
        self._unpacked += len(data)
        if len(data) > limit:
            what = f"with {member.filename!r} decompresses to over {BOMB_RATIO} times its size, or to over 1 GiB"
            raise InputError.at(self._path, what, "check its content")
        if zlib.crc32(data) != member.CRC:
            raise zipfile.BadZipFile("its checksum is wrong")
        return data

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        """The bytes of a member as they are in the file, behind its header."""
        size = input_size(self._path)
        with open_binary(self._path) as stream:
            stream.seek(member.header_offset)
            name, extra = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
            stream.seek(name + extra, io.SEEK_CUR)
            return stream.read(min(member.compress_size, size, MAX_BYTES))

    def _damaged(self, fault: object) -> InputError:
        shown = " ".join(f"{fault}".split())[:200]
        return InputError.at(self._path, f"is not a complete zip file of JSON ({shown})", "give the original log")


def _decompressed(packed: bytes, method: int, size: int) -> bytes:
    """At most ``size`` bytes of what is packed."""
    if method == zipfile.ZIP_STORED:
        return packed[:size]
    if method == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size)
    if method == _ZSTD:
        from kaiwa.files.zstd import ZstdError, ZstdFile

        try:
            return ZstdFile(io.BytesIO(packed)).read(size)
        except ZstdError as fault:
            raise zipfile.BadZipFile(str(fault)) from None
    raise NotImplementedError(f"compression method {method}")
