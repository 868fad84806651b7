"""inspect_ai's .eval archives: what a real one holds, unfinished and failed ones, and damage of every kind."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from pathlib import Path

import pytest

from kaiwa.errors import InputError
from kaiwa.files.zstd import compress
from kaiwa.formats.llm_logs import read_logs
from kaiwa.formats.readers import load_scores
from kaiwa.nouns.cells import complete_scores

EXAMPLE = next((Path(__file__).parent / "examples" / "inspect-eval").iterdir())
Json = dict[str, object]


def archive(path: Path, members: dict[str, object], *, method: int = 93) -> Path:
    """A zip file whose members are compressed with zstd (93) or deflate (8), or stored (0)."""
    body, directory = b"", b""
    for name, value in members.items():
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        packed = {93: compress, 8: lambda raw: zlib.compress(raw)[2:-4], 0: bytes}[method](data)
        sizes = (zlib.crc32(data), len(packed), len(data), len(name))
        directory += struct.pack("<4s6H3L5H2L", b"PK\1\2", 63, 63, 0, method, 0, 33, *sizes, 0, 0, 0, 0, 0, len(body))
        directory += name.encode()
        body += struct.pack("<4s5H3L2H", b"PK\3\4", 63, 0, method, 0, 33, *sizes, 0) + name.encode() + packed
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    return path


def header(*, model: str = "m", status: str = "success", ids: tuple[int, ...] = (1, 2), **more: object) -> Json:
    """A header as inspect writes it, fields not read here left out."""
    config = {"epochs": more.pop("epochs", 1), "epochs_reducer": more.pop("reducer", None)}
    evaluation = {"task": "quiz", "model": model, "dataset": {"sample_ids": list(ids)}, "config": config}
    return {"version": 2, "status": status, "eval": evaluation, **more}


def sample(name: int, epoch: int = 1, error: str | None = None, **scores: object) -> Json:
    """A summary of a sample."""
    named = {scorer: value if isinstance(value, dict) and "value" in value else {"value": value}
             for scorer, value in scores.items()}  # fmt: skip
    return {"id": name, "epoch": epoch, "scores": named, "error": error}


def test_the_scores_of_a_real_log_are_those_that_inspect_reduced() -> None:
    """The example was written by inspect_ai 0.3.285; its reductions.json has these means of two epochs."""
    found = complete_scores(read_logs([EXAMPLE])).scores
    assert {name: one.values[:, 0].tolist() for name, one in found.items()} == {
        "match": [1.0, 0.0, 1.0],
        "ppl": [12.334775412842419, 11.930765875716745, 12.43947625880156],
    }
    ppl = found["ppl"]
    assert (ppl.direction, ppl.runs, ppl.axes) == (
        "lower",
        ("mockllm/a",),
        ("sample", "model"),
    )


@pytest.mark.parametrize("method", [93, 8, 0])
def test_members_may_be_compressed_in_any_way_that_inspect_used(tmp_path: Path, method: int) -> None:
    """Zstd now, deflate in older versions."""
    members = {"header.json": header(), "summaries.json": [sample(1, match="C"), sample(2, match="I")]}
    found = load_scores([archive(tmp_path / "a.eval", members, method=method)])
    assert found.scores.values.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize("place", ["_journal/summaries/1.json", "samples/{}_epoch_1.json"])
def test_an_unfinished_log_is_read_from_its_journal_or_samples(tmp_path: Path, place: str) -> None:
    """There is no header yet; the remark says that it was not finished."""
    rows = [sample(1, match="C"), sample(2, match="I")]
    parts = {place.format(row["id"]): row for row in rows} if "{}" in place else {place: rows}
    path = archive(tmp_path / "a.eval", {"_journal/start.json": header(ids=(1, 2)), **parts})
    loaded = load_scores([path])
    assert loaded.scores.values.tolist() == [[1.0], [0.0]]
    assert loaded.remarks == (f"{path}: was not finished",)


def test_a_log_that_ended_in_error_is_counted_with_inspects_reason(tmp_path: Path) -> None:
    """Samples that failed or were never run are gaps, and the messages say why."""
    rows = [sample(1, match="C"), sample(2, error="RuntimeError('server gone')"), sample(3, match="I")]
    failed = header(status="error", ids=(1, 2, 3, 4), error={"message": "RuntimeError('server gone')"})
    path = archive(tmp_path / "a.eval", {"header.json": failed, "summaries.json": rows})
    with pytest.raises(InputError, match=r"score is missing \(RuntimeError\('server gone'\)\).*\(2 missing scores"):
        load_scores([path])
    loaded = load_scores([path], missing="drop-topics")
    assert loaded.scores.topics == ("1", "3")
    assert loaded.remarks[0] == f"{path}: ended in error: RuntimeError('server gone'); 1 sample not run"
    assert loaded.remarks[1].startswith(f"{path}: 2 of 4 samples without match: 1 x RuntimeError('server gone')")
    assert loaded.remarks[2] == "match: 2 samples left out for missing scores: 2, 4"


def test_an_unscored_sample_is_a_gap_with_the_scorers_reason(tmp_path: Path) -> None:
    """NaN with a reason, in inspect's words."""
    unscored = {"value": float("nan"), "reason": "scoring_failed", "explanation": "no grade\nfound"}
    members = {"header.json": header(), "summaries.json": [sample(1, match="C"), sample(2, match=unscored)]}
    loaded = load_scores([archive(tmp_path / "a.eval", members)], missing="drop-topics")
    assert "1 of 2 samples without match: 1 x scoring_failed: no grade found" in loaded.remarks[0]


def test_every_scorer_is_a_measure_and_a_failed_sample_is_a_gap_of_each(tmp_path: Path) -> None:
    """A dictionary gives one measure for each key; a failed sample does not make a measure of its own."""
    rows = [sample(1, match="C", rubric={"tone": 0.5, "truth": 1}), sample(2, error="boom")]
    members = {"header.json": header(), "summaries.json": rows}
    cells = read_logs([archive(tmp_path / "a.eval", members)])
    assert {
        name: {topic: cell.score for (topic, _), cell in table.items()} for name, table in cells.tables.items()
    } == {
        "match": {"1": 1.0, "2": None},
        "rubric/tone": {"1": 0.5, "2": None},
        "rubric/truth": {"1": 1.0, "2": None},
    }


def test_epochs_are_averaged_and_failed_ones_reported(tmp_path: Path) -> None:
    """The mean of the epochs that were scored, as inspect's default reducer computes it."""
    rows = [sample(1, 1, match="C"), sample(1, 2, error="boom"), sample(1, 3, match="I")]
    path = archive(tmp_path / "a.eval", {"header.json": header(ids=(1,), epochs=3), "summaries.json": rows})
    loaded = load_scores([path])
    assert loaded.scores.values.tolist() == [[0.5]]
    assert loaded.remarks == (f"{path}: 1 epoch failed of samples whose other epochs count: boom",)


@pytest.mark.parametrize(
    ("reducers", "measures"), [(["max"], {"match": 1.0}), (["max", "mean"], {"match/max": 1.0, "match/mean": 0.5})]
)
def test_another_reducer_is_taken_from_the_log(tmp_path: Path, reducers: list[str], measures: dict[str, float]) -> None:
    """With several reducers each is a measure; a remark names them."""
    values = {"max": "C", "mean": 0.5}
    reductions = [
        {"scorer": "match", "reducer": name, "samples": [{"sample_id": 1, "value": values[name]}]} for name in reducers
    ]
    members = {
        "header.json": header(ids=(1,), epochs=2, reducer=reducers),
        "summaries.json": [sample(1, 1, match="C"), sample(1, 2, match="I")],
        "reductions.json": reductions,
    }
    cells = read_logs([archive(tmp_path / "a.eval", members)])
    assert {name: table["1", "m"].score for name, table in cells.tables.items()} == measures
    assert f"epochs are reduced by {' and '.join(reducers)}, as in the log" in cells.remarks[0]


def test_a_failed_log_that_was_repeated_is_left_out(tmp_path: Path) -> None:
    """A folder of logs keeps the failed one beside its retry."""
    failed = header(status="error", error={"message": "boom"})
    archive(tmp_path / "1.eval", {"header.json": failed, "summaries.json": [sample(1, match="C")]})
    whole = {"header.json": header(), "summaries.json": [sample(1, match="I"), sample(2, match="C")]}
    archive(tmp_path / "2.eval", whole)
    loaded = load_scores([tmp_path])
    assert loaded.scores.values.tolist() == [[0.0], [1.0]]
    assert loaded.remarks[-1] == f"{tmp_path / '1.eval'}: left out; {tmp_path / '2.eval'} is complete"


def test_a_model_whose_samples_all_failed_stays_among_the_models(tmp_path: Path) -> None:
    """Its scorers are those of the header, and all its scores are gaps."""
    good = {"header.json": header(model="good"), "summaries.json": [sample(1, match="C"), sample(2, match="I")]}
    bad = header(model="bad")
    bad["eval"] |= {"scorers": [{"name": "match", "metrics": []}]}  # type: ignore[operator]  # a dictionary
    rows = [sample(1, error="boom"), sample(2, error="boom")]
    paths = [
        archive(tmp_path / "a.eval", good),
        archive(tmp_path / "b.eval", {"header.json": bad, "summaries.json": rows}),
    ]
    assert load_scores(paths, missing="drop-runs").unranked == ("bad",)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"x.json": {}}, "is a zip file without header.json"),
        ({"header.json": [1]}, "header.json describes no evaluation"),
        ({"header.json": b"{"}, r"is not a complete zip file of JSON \(header.json: "),
        ({"header.json": b"[" * 100_000}, r"is not a complete zip file of JSON \(header.json: maximum recursion"),
        ({"header.json": header(), "summaries.json": [3]}, "sample 1 has no id"),
        ({"header.json": header(), "summaries.json": []}, "contains no scored sample"),
    ],
)
def test_an_archive_that_is_no_log_is_refused_in_one_line(
    tmp_path: Path, members: dict[str, object], message: str
) -> None:
    """With the file and the reason."""
    path = archive(tmp_path / "a.eval", members)
    with pytest.raises(InputError, match=message) as refusal:
        load_scores([path])
    assert str(refusal.value).startswith(f"{path}: ")


def test_a_member_that_decompresses_to_far_too_much_is_refused(tmp_path: Path) -> None:
    """Memory stays bounded: 34 MB of blanks in a few hundred bytes."""
    path = archive(tmp_path / "a.eval", {"header.json": header(), "summaries.json": b" " * 34_000_000})
    with pytest.raises(InputError, match=r"'summaries.json' decompresses to over 250 times its size"):
        load_scores([path])


def test_a_log_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    """Wherever it was cut."""
    whole = EXAMPLE.read_bytes()
    path = tmp_path / "a.eval"
    for size in range(4, len(whole), 97):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"a\.eval: is not a complete zip file"):
            load_scores([path])


def test_trec_evals_files_of_the_same_ending_are_still_read(tmp_path: Path) -> None:
    """A folder of RUN.eval text files is trec_eval's; one of archives is inspect's."""
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "A.eval").write_text("map\t1\t0.5\nrunid\tall\tA\nmap\tall\t0.5\n")
    (tmp_path / "zip").mkdir()
    shutil.copy(EXAMPLE, tmp_path / "zip")
    assert load_scores([tmp_path / "text"]).scores.measure == "map"
    assert load_scores([tmp_path / "zip"], measure="match").scores.measure == "match"
