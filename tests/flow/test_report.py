"""The report's files: every number, the same bytes every time, nothing of the takedown lists."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import read_scores
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.scores import Scores
from kaiwa.reporting.report import write_report
from kaiwa.stats.anova import residual_variance, within_run_variance
from kaiwa.task.folder import read_task
from kaiwa.topicset.power_functions import estimated_variance
from kaiwa.topicset.sizes import difference_found

pytestmark = pytest.mark.xdist_group("report")  # the reports are made once


def reported(folder: Path, name: str = "report.html") -> dict[str, bytes]:
    """The report of a task folder: the page and every file beside it, by name."""
    page = folder / name
    write_report(read_task(folder), page, version="test")
    beside = page.with_name(f"{page.stem}-files")
    files = {str(path.relative_to(beside)): path.read_bytes() for path in sorted(beside.rglob("*")) if path.is_file()}
    return {"page": page.read_bytes(), **files}


@pytest.fixture(scope="module")
def files(round_template: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The small round's report, made once."""
    return reported(Path(shutil.copytree(round_template, tmp_path_factory.mktemp("report") / "round")))


def test_every_number_is_in_the_files(files: dict[str, bytes], round_template: Path) -> None:
    """The scores come back from CSV unrounded, the leaderboard from JSON, tables as booktabs, figures as PDF."""
    scores = read_scores(round_template / "scores.csv")["nERR@10"]
    rows = list(csv.DictReader(files["data/scores-nerr-10.csv"].decode().splitlines()))
    assert [float(row["raw"]) for row in rows] == scores.values.ravel().tolist()
    tables = json.loads(files["report.json"])["tables"]
    means = {row[1]: row[2] for row in tables["leaderboard-nerr-10"]["rows"]}
    assert means == pytest.approx(scores.matrix().means())
    assert r"\toprule" in files["tables/leaderboard-nerr-10.tex"].decode()
    assert files["figures/p-values-nerr-10.pdf"].startswith(b"%PDF")
    csvs = {name.removeprefix("data/").removesuffix(".csv") for name in files if name.endswith(".csv")}
    assert csvs == set(tables)


def test_rank_sets_are_numbers_in_the_data_and_words_on_the_page(files: dict[str, bytes]) -> None:
    """Two columns in CSV, one range on the page and in LaTeX, and a note that says how sure it is."""
    row = next(csv.DictReader(files["data/leaderboard-nerr-10.csv"].decode().splitlines()))
    low, high = int(row["rank_low"]), int(row["rank_high"])
    ranks = f"{low} to {high}" if low < high else f"{low}"
    assert f"has rank {ranks} (jointly 95% for all runs)" in files["page"].decode()
    assert r"groups & ranks" in files["tables/leaderboard-nerr-10.tex"].decode()


def test_a_report_has_the_same_bytes_every_time(files: dict[str, bytes], small_round: Path) -> None:
    """Page, tables, data and PDF figures, wherever the folder is: no date, no path, no chance."""
    assert reported(small_round) == files


def test_std_ab_scores_have_the_middle_and_spread_they_promise(files: dict[str, bytes]) -> None:
    """On every topic the std-AB scores have mean 0.5 and standard deviation 0.15 over the runs, unless clipped."""
    rows = json.loads(files["report.json"])["tables"]["scores-ng-1"]["rows"]
    by_topic = np.array([row[3] for row in rows]).reshape(8, 4)
    assert by_topic.mean(axis=1) == pytest.approx(np.full(8, 0.5))
    assert by_topic.std(axis=1, ddof=1) == pytest.approx(np.full(8, 0.15))


def test_what_is_on_a_takedown_list_appears_nowhere(files: dict[str, bytes], small_round: Path) -> None:
    """A comment, a topic, and a comment whose only post is a takedown: no id and no text in the page or its files."""
    marks = [b"c03", "恭喜你 3".encode(), b'"q1"', b"c11"]
    assert all(any(mark in one for one in files.values()) for mark in marks)
    (small_round / "takedown.txt").write_text("c03  # asked by its author\nq1\np2\nq99\n")
    with (small_round / "topics.tsv").open("a") as topics:
        topics.write("q99\tA topic without judgements\n")
    marks.append(b"q99")
    after = reported(small_round)
    assert not [(mark, name) for mark in marks for name, one in after.items() if mark in one]
    assert b"(takedown)" in after["page"]
    means = [json.loads(one["report.json"])["tables"]["leaderboard-ng-1"]["rows"] for one in (files, after)]
    assert means[0] == means[1]


def test_a_folder_that_is_not_ours_is_left_alone(small_round: Path) -> None:
    """Neither the folder nor the page is touched."""
    (small_round / "report-files").mkdir()
    (small_round / "report-files" / "mine.txt").write_text("keep me")
    with pytest.raises(InputError, match="other files"):
        reported(small_round)
    assert (small_round / "report-files" / "mine.txt").read_text() == "keep me"
    assert not (small_round / "report.html").exists()


def test_one_assessor_and_no_texts_still_make_a_report(small_round: Path) -> None:
    """The page leaves the agreement out, shows the votes, and names the comments by their ids."""
    lines = (small_round / "votes.csv").read_text().splitlines()
    (small_round / "votes.csv").write_text("\n".join(one for one in lines if one.split(",")[2] not in {"a1", "a2"}))
    shutil.rmtree(small_round / "repository")
    page = reported(small_round)["page"].decode()
    assert ("Fleiss" in page, "恭喜你 0" in page) == (False, False)
    assert ("class=votes" in page, "c00" in page) == (True, True)


def test_limits_say_what_is_unjudged_and_what_is_too_small_to_see(files: dict[str, bytes]) -> None:
    """c10 and c11 were never judged; eight topics find large differences only."""
    limits = " ".join(json.loads(files["report.json"])["words"]["Limits"])
    assert "comments at the first ranks of the runs (" in limits
    assert "not judged. They count as not relevant, and topics without any judgement are not scored." in limits
    assert "With 8 topics, differences between the best and the worst of 4 runs below" in limits


def test_the_smallest_difference_is_that_of_the_test_that_was_run(small_round: Path) -> None:
    """Hard topics are hard for all runs: one-way ANOVA would see .35, the paired comparison sees a third of it.

    With the setting ``margin`` the pairs have verdicts, and the page counts them.
    """
    rng = np.random.default_rng(1)
    values = rng.uniform(0, 1, (30, 1)) + rng.normal(0, 0.08, (30, 4))
    gain = read_scores(small_round / "scores.csv")["nG@1"]
    Scores([Matrix("nG@1", tuple(f"q{n}" for n in range(30)), gain.runs, values)]).write(small_round / "scores.csv")
    settings = small_round / "kaiwa.toml"
    settings.write_text(re.sub("(?m)^measures = .*$", 'measures = ["nG@1"]', settings.read_text()) + "margin = 0.3\n")
    made = reported(small_round)
    found = json.loads(made["report.json"])
    limits = " ".join(found["words"]["Limits"])
    v_e2 = residual_variance(values)
    df = estimated_variance([values], shared_topics=True).df
    cell = {"n": np.array(30.0), "systems": np.array(4.0)}
    least = difference_found(**cell, variance=np.array(v_e2), test="robust", df=df)
    one_way = difference_found(**cell, variance=np.array(within_run_variance(values)))
    assert f"below {float(least):.2f} in nG@1 are found" in limits
    assert "from the residual variance V_E2" in limits
    assert float(one_way) > 2 * float(least)
    row = found["tables"]["next-round"]["rows"][0]
    assert row[1] == pytest.approx(v_e2)
    assert row[2] > row[3]
    assert row[5] > 3 * row[2]
    assert {one[-1] for one in found["tables"]["pairs-ng-1"]["rows"]} == {"equivalent"}
    assert "Margin 0.3: 6 pairs, 6 equivalent" in made["page"].decode()


def test_a_measure_whose_lower_scores_are_better_is_reported_best_first(small_round: Path) -> None:
    """The page, LaTeX, CSV and JSON have the words; the order, the pairs, the topics and tau follow the direction."""
    scores = read_scores(small_round / "scores.csv")
    gain = scores["nG@1"]
    loss = Matrix("loss", gain.topics, gain.runs, 10 - gain.values)
    Scores([gain, loss]).write(small_round / "scores.csv")
    settings = small_round / "kaiwa.toml"
    settings.write_text(re.sub("(?m)^measures = .*$", 'measures = ["loss", "nG@1"]', settings.read_text()))
    made = reported(small_round)
    tables = json.loads(made["report.json"])["tables"]
    boards = [tables[f"leaderboard-{name}"] for name in ("loss", "ng-1")]
    assert [row[1] for row in boards[0]["rows"]] == [row[1] for row in boards[1]["rows"]]
    assert [row[0] for row in boards[0]["rows"]] == [row[0] for row in boards[1]["rows"]]
    assert boards[0]["header"][2] == "mean (lower is better)"
    assert boards[1]["header"][2] == "mean"
    assert tables["tau"]["rows"][0][1] == pytest.approx(1.0)
    for files in (made["page"], made["tables/leaderboard-loss.tex"], made["data/leaderboard-loss.csv"]):
        assert b"(lower is better)" in files
    best = [row[6].split()[0] for row in tables["topics-all-ng-1"]["rows"]]
    assert [row[6].split()[0] for row in tables["topics-all-loss"]["rows"]] == best
    assert tables["summary"]["rows"][0][:2] == ["loss (lower is better)", tables["summary"]["rows"][1][1]]
    assert b"the lowest mean loss" in made["page"]
