"""Per-sample logs of LLM evaluations as scores: a sample is a topic, a model is a run, a metric is a measure.

lm-evaluation-harness ``samples_<task>_<time>.jsonl`` (written by ``--log_samples``), inspect_ai JSON logs
(``inspect eval --log-format json``), promptfoo ``--output results.json``. A sample scored several times
(epochs, repeats) has the mean of its scores; one that failed to run is a gap.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.scores.llm_samples import samples_of
from kaiwa.formats.scores.score_cells import Cell, Cells
from kaiwa.formats.text.head import Match

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.formats.scores.llm_samples import Sample
    from kaiwa.formats.text.head import Head


def is_lm_eval(head: Head) -> Match:
    """Whether the first line is a sample of lm-evaluation-harness; any other .jsonl file is possible."""
    if ".jsonl" not in head.path.suffixes:
        return Match.NO
    return Match.SURE if '"doc_id"' in "".join(head.lines[:1]) else Match.POSSIBLE


def is_inspect(head: Head) -> Match:
    """Whether a .json file has the key "eval" near its beginning."""
    return Match.SURE if ".json" in head.path.suffixes and '"eval"' in "".join(head.lines) else Match.NO


def is_promptfoo(head: Head) -> Match:
    """Whether a .json file has the key "results" near its beginning; any other .json file is possible."""
    if ".json" not in head.path.suffixes:
        return Match.NO
    return Match.SURE if '"results"' in "".join(head.lines) else Match.POSSIBLE


def read_log(path: Path) -> Cells:
    """The scores in one log."""
    return read_logs([path])


def read_logs(paths: Sequence[Path]) -> Cells:
    """The scores in all the logs together; a measure is named ``task:metric`` when there are several tasks."""
    folders = _folder_names(paths)
    by_path = {path: list(samples_of(path, folders[path.parent])) for path in dict.fromkeys(paths)}
    tasks = {sample.task for samples in by_path.values() for sample in samples}
    if not tasks:
        raise InputError.at(paths[0], "contains no scored sample", "log samples when evaluating (--log_samples)")
    cells = Cells()
    found: dict[tuple[str, str, str], Path] = {}
    for path, samples in by_path.items():
        for (measure, topic, run), scores in _grouped(samples, several_tasks=len(tasks) > 1).items():
            if (earlier := found.setdefault((measure, topic, run), path)) != path:
                what = f"duplicate score of {run!r} on sample {topic!r} (first in {earlier})"
                raise InputError.at(path, what, "give one log per model, or put the logs in separate folders")
            cells.add(measure, topic, run, Cell(sum(scores) / len(scores) if scores else None, path))
    return cells


def _folder_names(paths: Sequence[Path]) -> dict[Path, str | None]:
    """Each folder's name, with the parent folders that distinguish it from the others; None for a single folder."""
    folders = {path.parent: path.parent.absolute().parts for path in paths}
    if len(folders) == 1:
        return dict.fromkeys(folders)
    deepest = max(map(len, folders.values()))
    for depth in range(1, deepest + 1):
        names = {folder: "/".join(parts[-depth:]) for folder, parts in folders.items()}
        if len(set(names.values())) == len(names):
            break
    return dict(names)


def _grouped(samples: list[Sample], *, several_tasks: bool) -> dict[tuple[str, str, str], list[float]]:
    """The scores of each (measure, sample, model): several if it was run several times, none if it failed."""
    seen: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for sample in samples:
        measure = f"{sample.task}:{sample.metric}" if several_tasks else sample.metric
        scores = seen[measure, sample.sample, sample.model]
        if sample.score is not None:
            scores.append(sample.score)
    return seen
