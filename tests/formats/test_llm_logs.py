"""Logs of LLM evaluations, in the shapes their tools write (fields not read here left out)."""

import gzip
import json
import math
from pathlib import Path

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.llm_logs import read_logs
from kaiwa.formats.reading import read_scores
from kaiwa.nouns.cells import complete_scores
from kaiwa.nouns.matrix import Matrix


def lm_eval(folder: Path, task: str, rows: list[dict[str, object]]) -> Path:
    """A file as lm-evaluation-harness writes it with --log_samples: one folder a model."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_2026-01-05T10-20-30.123456.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def sample(doc_id: int, score: float, **more: object) -> dict[str, object]:
    """One line of such a file."""
    frame = {"doc": {"q": "?"}, "target": "4", "arguments": {}, "resps": [["4"]], "filtered_resps": ["4"]}
    hashes = {"doc_hash": "a", "prompt_hash": "b", "target_hash": "c"}
    return {"doc_id": doc_id, **frame, "filter": "none", "metrics": ["acc"], **hashes, "acc": score, **more}


def inspect_log(path: Path, model: str, samples: list[dict[str, object]]) -> Path:
    """A log as inspect_ai writes it with --log-format json."""
    log = {"version": 2, "status": "success", "eval": {"task": "arc", "model": model}, "samples": samples}
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def graded(number: int, value: object, *, epoch: int = 1) -> dict[str, object]:
    """One sample of such a log."""
    return {"id": number, "epoch": epoch, "input": "?", "target": "4", "scores": {"match": {"value": value}}}


def promptfoo(path: Path, rows: list[dict[str, object]]) -> Path:
    """Promptfoo's --output results.json, version 3."""
    summary = {"version": 3, "timestamp": "2026-01-05T10:20:30Z", "results": rows, "stats": {}}
    path.write_text(json.dumps({"evalId": "eval-1", "results": summary, "config": {}}), encoding="utf-8")
    return path


def result(test: int, provider: str, score: float, **more: object) -> dict[str, object]:
    """One result of such a file."""
    prompt = {"raw": "Answer: {{q}}", "label": "Answer"}
    row = {"promptIdx": 0, "testIdx": test, "provider": {"id": provider, "label": ""}, "prompt": prompt}
    return {**row, "vars": {"q": "?"}, "score": score, "success": score > 0.5, "namedScores": {}, **more}


def only(paths: list[Path], *, missing: str = "error") -> Matrix:
    """The single measure in the logs."""
    return next(iter(complete_scores(read_logs(paths), missing=missing).scores.values()))


def test_lm_eval_models_are_named_by_their_folders(tmp_path: Path) -> None:
    """Two models, one task: docs are topics, folders are runs, the metric is the measure."""
    paths = [
        lm_eval(tmp_path / "org__small", "arc_easy", [sample(0, 1.0), sample(1, 0.0)]),
        lm_eval(tmp_path / "org__large", "arc_easy", [sample(1, 1.0), sample(0, 1.0)]),
    ]
    scores = only(paths)
    assert (scores.measure, scores.runs, scores.topics) == ("acc", ("org__small", "org__large"), ("0", "1"))
    assert scores.values.tolist() == [[1.0, 1.0], [0.0, 1.0]]


def test_folders_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    """Two evaluations of one model are two runs, named with the folder above."""
    paths = [lm_eval(tmp_path / when / "org__m", "arc_easy", [sample(0, 1.0)]) for when in ("monday", "tuesday")]
    assert only(paths).runs == ("monday/org__m", "tuesday/org__m")


def test_two_logs_of_one_model_are_refused(tmp_path: Path) -> None:
    """They are not averaged in silence: both files are named."""
    paths = [inspect_log(tmp_path / name, "m", [graded(1, "C")]) for name in ("a.json", "b.json")]
    with pytest.raises(InputError, match=r"b\.json: duplicate score of 'm' on sample '1' \(first in .*a\.json\)"):
        read_logs(paths)


def test_lm_eval_filters_are_measures_of_their_own(tmp_path: Path) -> None:
    """gsm8k logs each doc under two filters."""
    rows = [
        sample(0, 1.0, filter="strict-match"),
        sample(0, 0.0, filter="flexible-extract"),
    ]
    found = complete_scores(read_logs([lm_eval(tmp_path / "m", "gsm8k", rows)])).scores
    assert list(found) == ["acc,strict-match", "acc,flexible-extract"]


def test_lm_eval_files_without_a_metrics_list_give_their_numbers(tmp_path: Path) -> None:
    """Older files name no metrics: every number that is not a field of the sample is one."""
    old = {key: value for key, value in sample(0, 1.0).items() if key not in {"metrics", "filter"}}
    assert only([lm_eval(tmp_path / "m", "arc_easy", [old])]).measure == "acc"


def test_several_tasks_make_measures_of_task_and_metric(tmp_path: Path) -> None:
    """Docs of different tasks are never mixed."""
    paths = [lm_eval(tmp_path / "m", task, [sample(0, 1.0)]) for task in ("arc_easy", "hellaswag")]
    assert list(complete_scores(read_logs(paths)).scores) == ["arc_easy:acc", "hellaswag:acc"]


def test_inspect_grades_become_numbers(tmp_path: Path) -> None:
    """C is 1, P a half, I and N nothing."""
    rows = [graded(1, "C"), graded(2, "P"), graded(3, "I"), graded(4, "N"), graded(5, 0.25), graded(6, True)]
    scores = only([inspect_log(tmp_path / "a.json", "openai/gpt-4o", rows)])
    assert scores.runs == ("openai/gpt-4o",)
    assert scores.values[:, 0].tolist() == [1.0, 0.5, 0.0, 0.0, 0.25, 1.0]


def test_inspect_epochs_are_averaged(tmp_path: Path) -> None:
    """A sample run in two epochs counts with its mean."""
    rows = [graded(1, "C", epoch=1), graded(1, "I", epoch=2)]
    assert only([inspect_log(tmp_path / "a.json", "m", rows)]).values.tolist() == [[0.5]]


def test_a_sample_inspect_could_not_score_is_a_gap(tmp_path: Path) -> None:
    """Refused by default; left out with its topic when asked."""
    paths = [
        inspect_log(tmp_path / "a.json", "a", [graded(1, "C"), graded(2, "C")]),
        inspect_log(tmp_path / "b.json", "b", [graded(1, "I"), {"id": 2, "epoch": 1, "scores": None, "error": {}}]),
    ]
    with pytest.raises(InputError, match="model 'b' has no score on sample '2'"):
        only(paths)
    assert only(paths, missing="drop-topics").topics == ("1",)


def test_inspect_scores_with_several_values_are_measures_of_their_own(tmp_path: Path) -> None:
    """A scorer may give a dictionary."""
    log = inspect_log(tmp_path / "a.json", "m", [graded(1, {"fluency": 0.5, "truth": 1})])
    assert list(complete_scores(read_logs([log])).scores) == ["match/fluency", "match/truth"]


def test_a_word_inspect_does_not_grade_with_is_refused(tmp_path: Path) -> None:
    """The sample and the value are named."""
    with pytest.raises(InputError, match="sample '1': match is 'maybe'"):
        read_logs([inspect_log(tmp_path / "a.json", "m", [graded(1, "maybe")])])


def test_promptfoo_providers_are_runs(tmp_path: Path) -> None:
    """Score, pass and named scores are the measures, tests the topics."""
    rows = [
        result(0, "openai:gpt-4o", 1.0, namedScores={"tone": 0.5}),
        result(0, "anthropic:claude", 0.25, namedScores={"tone": 0.75}),
    ]
    found = complete_scores(read_logs([promptfoo(tmp_path / "r.json", rows)])).scores
    assert list(found) == ["score", "pass", "tone"]
    assert found["score"].runs == ("openai:gpt-4o", "anthropic:claude")
    assert found["pass"].values.tolist() == [[1.0, 0.0]]


def test_promptfoo_prompts_tell_runs_apart(tmp_path: Path) -> None:
    """One provider under two prompts is two runs."""
    other = {"raw": "Think, then answer: {{q}}", "label": "Think"}
    rows = [result(0, "m", 1.0), result(0, "m", 0.0, prompt=other)]
    assert only([promptfoo(tmp_path / "r.json", rows)], missing="error").runs == ("m | Answer", "m | Think")


def test_a_promptfoo_call_that_failed_is_a_gap(tmp_path: Path) -> None:
    """FailureReason 2 means the provider failed, not that the answer was wrong."""
    rows = [result(0, "a", 1.0), result(1, "a", 1.0), result(0, "b", 1.0), result(1, "b", 0.0, failureReason=2)]
    assert only([promptfoo(tmp_path / "r.json", rows)], missing="drop-topics").topics == ("0",)


def test_packed_logs_are_read(tmp_path: Path) -> None:
    """.jsonl.gz reads as .jsonl does."""
    plain = lm_eval(tmp_path / "m", "arc_easy", [sample(0, 1.0)])
    packed = tmp_path / "m" / (plain.name + ".gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert only([packed]).measure == "acc"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", "{}"),
        ("x.json", "[1, 2]"),
        ("x.json", "{"),
        ("x.json", "[" * 100_000),
        ("x.jsonl", '{"a": 1}\n'),
        ("x.jsonl", "nonsense\n"),
        ("x.json", '{"eval": {}, "samples": [3]}'),
        ("x.json", '{"results": {"results": [3]}}'),
        ("x.json", '{"results": {"results": []}}'),
    ],
)
def test_what_is_no_log_is_refused_with_its_name(tmp_path: Path, name: str, text: str) -> None:
    """One line with the file's name, for any content."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=name):
        read_logs([path])


def results(folder: Path, stated: object, *, stamp: str = "2026-01-05T10-20-30.123456") -> Path:
    """The file in which lm-evaluation-harness writes the means of its tasks, beside the samples."""
    path = folder / f"results_{stamp}.json"
    path.write_text(json.dumps({"results": {"t": {"acc,none": 0.5}}, "higher_is_better": stated}, indent=2))
    return path


def test_lm_evals_results_file_states_the_directions(tmp_path: Path) -> None:
    """A metric whose name says nothing; with the filter of the metric, and with the task when there are several."""
    rows = [sample(0, 0.5, metrics=["spread"], spread=0.5, filter="strict")]
    lm_eval(tmp_path / "m", "t", rows)
    lm_eval(tmp_path / "m", "u", [sample(0, 1.0)])
    results(tmp_path / "m", {"t": {"spread": False}, "u": {"acc": True}})
    found = complete_scores(read_logs([tmp_path])).scores
    assert {name: one.direction for name, one in found.items()} == {"t:spread,strict": "lower", "u:acc": "higher"}


def test_the_results_file_of_the_same_time_is_used(tmp_path: Path) -> None:
    """Not that of a later evaluation in the same folder."""
    path = lm_eval(tmp_path / "m", "t", [sample(0, 1.0)])
    results(tmp_path / "m", {"t": {"acc": False}})
    results(tmp_path / "m", {"t": {"acc": True}}, stamp="2026-02-05T10-20-30.123456")
    assert only([path]).direction == "lower"


def test_results_files_among_the_samples_are_no_logs(tmp_path: Path) -> None:
    """``results/*/*`` names them too."""
    paths = [lm_eval(tmp_path / "a", "t", [sample(0, 1.0)]), results(tmp_path / "a", {"t": {"acc": False}})]
    assert only(paths).direction == "lower"
    assert read_scores(*paths).runs == (paths[0].name.split(".jsonl")[0],)


def test_a_results_file_alone_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """It has no samples."""
    with pytest.raises(InputError, match=r"holds the means of tasks, not the scores of samples; .*--log_samples"):
        read_logs([results(tmp_path, {})])


def test_a_damaged_results_file_is_a_remark(tmp_path: Path) -> None:
    """The names of the measures decide."""
    path = lm_eval(tmp_path / "m", "t", [sample(0, 1.0)])
    results(tmp_path / "m", {}).write_text("{")
    cells = read_logs([path])
    assert "their names decide" in cells.remarks[0]
    assert complete_scores(cells).scores["acc"].direction == "higher"


def test_the_perplexity_of_lm_eval_is_a_log_likelihood_in_its_samples(tmp_path: Path) -> None:
    """The harness logs it negative, so higher would be better; the score is the logarithm of the perplexity.

    lm_eval 0.4.13: process_results gives ``perplexity: ll`` and ``word_perplexity: (ll, words)``; the perplexity of a
    task is exp(-mean(ll)).
    """
    names = ["perplexity", "word_perplexity", "bits_per_byte"]
    row = {"perplexity": -2.5, "word_perplexity": [-30.0, 10], "bits_per_byte": [-30.0, 60]}
    path = lm_eval(tmp_path / "m", "t", [sample(0, 1.0, metrics=names, **row)])
    results(tmp_path / "m", {"t": dict.fromkeys(names, False)})
    found = complete_scores(read_logs([path])).scores
    assert {name: one.values[0, 0] for name, one in found.items()} == {
        "log_perplexity": 2.5,
        "log_word_perplexity": 3.0,
        "bits_per_byte": pytest.approx(0.5 / math.log(2)),
    }
    assert {one.direction for one in found.values()} == {"lower"}


def test_promptfoos_named_scores_are_higher_whatever_their_names(tmp_path: Path) -> None:
    """The score of an assertion on perplexity is 1 if it holds."""
    path = promptfoo(tmp_path / "r.json", [result(0, "p", 1.0, namedScores={"perplexity": 1.0})])
    assert complete_scores(read_logs([path])).scores["perplexity"].direction == "higher"


def test_a_folder_holds_the_logs_of_several_tools(tmp_path: Path) -> None:
    """Other files are left out."""
    lm_eval(tmp_path / "lm", "arc", [sample(0, 1.0)])
    inspect_log(tmp_path / "i.json", "m", [graded(0, "C")])
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / "README.txt").write_text("logs")
    found = complete_scores(read_logs([tmp_path])).scores
    assert list(found) == ["match", "acc"]


def test_epochs_are_kept_as_repeats_for_the_crossed_model(tmp_path: Path) -> None:
    """Each epoch of a sample is a score of its own."""
    rows = [graded(1, "C", epoch=1), graded(1, "I", epoch=2), graded(2, "C", epoch=1)]
    observed = read_scores(inspect_log(tmp_path / "a.json", "a", rows)).observations()
    assert observed.columns()["repeat"] == ["1", "2", "1"]
    assert observed.values.tolist() == [1.0, 0.0, 1.0]
