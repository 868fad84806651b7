"""The status of a round: done, stale, missing, and the next command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kaiwa.cli.group import run_typed
from kaiwa.task.folder import read_task
from kaiwa.task.record import read_steps, recorded_step
from kaiwa.task.status import round_status


def _states(folder: Path) -> dict[str, str]:
    return {step.file: step.state for step in round_status(read_task(folder)).steps}


def test_a_file_that_no_verb_made_is_taken_as_it_is(small_round: Path) -> None:
    """There is no record of what it was made from."""
    states = _states(small_round)
    assert (states["scores.csv"], states["pool.tsv"], states["report.html"]) == ("done", "missing", "missing")


def test_a_recorded_file_is_stale_when_an_input_changes(small_round: Path) -> None:
    """And so is what is made from it."""
    qrels, votes = small_round / "qrels.txt", small_round / "votes.csv"
    with recorded_step(qrels, [votes], verb="gains", version="1", options={}):
        pass
    assert _states(small_round)["qrels.txt"] == "done"
    votes.write_text(votes.read_text().replace(",2\n", ",1\n", 1))
    states = _states(small_round)
    assert (states["qrels.txt"], states["scores.csv"]) == ("stale", "stale")


def test_the_next_command_makes_the_first_file_that_is_not_done(small_round: Path) -> None:
    """In the order of a round."""
    assert round_status(read_task(small_round)).next == "kaiwa pool runs/*.txt --depth 3 -o pool.tsv"


@pytest.mark.parametrize(
    ("changed", "file", "why"),
    [
        ('[judging]\nscheme = "unanimity"\n', "qrels.txt", "made with scheme mean, but kaiwa.toml has unanimity"),
        ("[judging]\nmax_level = 3\n", "qrels.txt", "made with max_level 2, but kaiwa.toml has 3"),
        ("[judging]\ndepth = 5\n", "pool.tsv", "made with depth 3, but kaiwa.toml has 5"),
        ('[scoring]\nmeasures = ["AP"]\n', "scores.csv", "made with measures nG@1 P+, but kaiwa.toml has AP"),
        ("[comparing]\ntrials = 10\n", "report.html", "made with trials 200, but kaiwa.toml has 10"),
    ],
)
def test_a_changed_setting_is_named(small_round: Path, changed: str, file: str, why: str) -> None:
    """The file is stale, and the reason has both values; what is not recorded is not compared."""
    options = {
        "pool.tsv": {"depth": 3, "budget": None},
        "qrels.txt": {"scheme": "mean", "p": None, "max_level": 2},
        "scores.csv": {"measures": ["nG@1", "P+"]},
        "report.html": {"trials": 200},
    }
    (small_round / "kaiwa.toml").write_text(changed)
    for name, given in options.items():
        (small_round / name).touch()
        with recorded_step(small_round / name, [], verb="any", version="1", options=given):
            pass
    (small_round / "pool.tsv").write_text("q0\tc01\n")
    step = next(one for one in round_status(read_task(small_round)).steps if one.file == file)
    assert (step.state, step.why) == ("stale", why)


def test_an_input_outside_the_folder_is_found_again(small_round: Path, tmp_path: Path) -> None:
    """Its path is recorded as seen from the task folder; the current folder plays no part."""
    run = tmp_path / "team runs" / "a.txt"
    run.parent.mkdir()
    run.write_text("q0 0 c01 1 9 A\n")
    with recorded_step(small_round / "pool.tsv", [run], verb="pool", version="1", options={}):
        pass
    (small_round / "pool.tsv").write_text("q0\tc01\n")
    assert set(read_steps(small_round)["pool.tsv"].inputs) == {"../team runs/a.txt"}
    (small_round / "runs").rename(tmp_path / "elsewhere")
    assert _states(small_round)["pool.tsv"] == "done"
    run.write_text("q0 0 c02 1 9 A\n")
    assert _states(small_round)["pool.tsv"] == "stale"


def test_a_pool_that_is_partly_judged_is_incomplete(small_round: Path) -> None:
    """Items without votes, votes that are missing to the wished number, and topics without judgements are counted."""
    (small_round / "pool.tsv").write_text("q0\tc00\nq0\tc01\nq0\tc11\n")
    with (small_round / "topics.tsv").open("a") as topics:
        topics.write("q9\tA topic that nobody judged\n")
    text = (small_round / "kaiwa.toml").read_text().replace("depth = 3", "depth = 3\nvotes_per_item = 5")
    (small_round / "kaiwa.toml").write_text(text)
    step = next(one for one in round_status(read_task(small_round)).steps if one.file == "votes.csv")
    assert (step.state, step.why) == (
        "incomplete",
        "1 of 3 pooled items has no vote; 9 votes are missing to 5 per item; 1 topic has no judgement: q9",
    )


def test_a_repository_that_holds_out_other_topics_is_named(
    small_round: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is after a kill of ``kaiwa topics --rest`` between its two outputs; the topics are taken as they are."""
    monkeypatch.chdir(tmp_path)
    words = ["sea", "dog", "snow", "match", "tea", "rain", "exam", "train", "cat", "book", "film", "work"]
    texts = [f"my {one} and your {other} met today" for one in words for other in words if one < other]
    pairs = [f"p{at}\t{text}\tc{at}\tI like {text}\n" for at, text in enumerate(texts)]
    Path("pairs.tsv").write_text("".join(pairs), encoding="utf-8")
    run_typed("kaiwa clean pairs.tsv -o whole")
    shutil.rmtree(small_round / "repository")
    run_typed(f"kaiwa topics whole -n 3 --rest {small_round / 'repository'} -o {small_round / 'topics.tsv'}")
    step = round_status(read_task(small_round)).steps[0]
    assert (step.file, step.state, step.why) == ("topics.tsv", "done", "")
    edited = (small_round / "topics.tsv").read_text(encoding="utf-8").replace("met today", "met again")
    (small_round / "topics.tsv").write_text(edited, encoding="utf-8")
    step = round_status(read_task(small_round)).steps[0]
    assert (step.state, step.why) == ("done", "repository holds out other topics (kaiwa topics --rest makes both)")
    run_typed("kaiwa topics whole -n 3 --seed 2 --rest other -o other.tsv")
    shutil.copytree("other", small_round / "repository", dirs_exist_ok=True)
    step = round_status(read_task(small_round)).steps[0]
    assert (step.state, step.why) == ("stale", "repository/manifest.json is not what kaiwa topics wrote")
    assert step.command == "make it again with: kaiwa topics"


@pytest.mark.parametrize("other", ["made by hand", ""])
def test_an_output_that_is_not_what_its_verb_wrote_is_stale(
    small_round: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Each output of the verb counts, also one that no other verb reads."""
    monkeypatch.chdir(small_round)
    run_typed("kaiwa pool runs/*.txt --depth 3 -o pool.tsv")
    assert _states(small_round)["pool.tsv"] == "done"
    if other:
        Path("pool.organisers.csv").write_text(other, encoding="utf-8")
    else:
        Path("pool.organisers.csv").unlink()
    step = next(one for one in round_status(read_task(small_round)).steps if one.file == "pool.tsv")
    why = "pool.organisers.csv is not what kaiwa pool wrote" if other else "pool.organisers.csv is missing"
    assert (step.state, step.why, step.command) == ("stale", why, "kaiwa pool runs/*.txt --depth 3 -o pool.tsv")


def test_a_record_without_options_is_read(small_round: Path) -> None:
    """Records of earlier versions have a seed in place of options."""
    (small_round / ".kaiwa-steps.json").write_text(
        '{"pool.tsv": {"verb": "pool", "version": "0.1", "seed": 7, "inputs": {}}}'
    )
    assert read_steps(small_round)["pool.tsv"].options == {"seed": 7}
