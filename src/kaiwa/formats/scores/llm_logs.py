"""Per-sample logs of LLM evaluations as scores: a sample is a topic, a model is a run, a metric is a measure.

lm-evaluation-harness ``samples_<task>_<time>.jsonl`` (written by ``--log_samples``), inspect_ai ``.eval`` and JSON
logs, promptfoo ``--output results.json``, and folders of them. A sample scored several times (epochs, repeats) has the
mean of its scores; one that failed to run is a gap.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.scores.llm_samples import RESULTS, Log, lm_eval_log, parsed_log, promptfoo_log, promptfoo_rows
from kaiwa.formats.scores.score_cells import Cells, Part, mean_cell
from kaiwa.formats.text.head import Head, Match, is_zip
from kaiwa.model.direction import SAMPLES_AND_MODELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.formats.scores.llm_samples import Sample

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
    from kaiwa.formats.scores.inspect_logs import inspect_archive, inspect_log

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
    raise InputError.at(path, what, "give samples_*.jsonl, an inspect .eval or JSON log, or promptfoo's results.json")


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
