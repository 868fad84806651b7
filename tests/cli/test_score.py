"""``kaiwa score``: tables, JSON, files; what is reported; refusals in one line."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

QRELS = "1 0 d1 2\n1 0 d2 1\n1 0 d3 0\n1 0 d4 1\n1 0 d5 2\n2 0 e1 1\n2 0 e2 0\n3 0 f1 0\n"
RUN = "1 0 d2 1 9 T1-C-R1\n1 0 u1 2 8 T1-C-R1\n1 0 d1 3 7 T1-C-R1\n1 0 d3 4 6 T1-C-R1\n"
LEVELS = ("--levels", "L1=1,L2=3")


@pytest.fixture
def score(made: Made, kaiwa: Kaiwa) -> Kaiwa:
    """``kaiwa score`` of one run that answers the first of three topics, the third without a relevant item."""
    made("qrels.txt", QRELS)
    made("run.txt", RUN)
    return lambda *words: kaiwa("score", "run.txt", "--qrels", "qrels.txt", *words)


def test_json_holds_means_topics_and_everything_left_out(score: Kaiwa) -> None:
    """One object: the worked example's scores, 0 for the unanswered topic, the undefined topic named."""
    done = score(*LEVELS, "-m", "P+", "-m", "nERR@10", "--json", "--quiet")
    found = json.loads(done.stdout)
    assert found["topics"]["1"]["T1-C-R1"] == pytest.approx({"P+": 0.55, "nERR@10": 0.5135651509}, abs=1e-9)
    assert found["topics"]["2"]["T1-C-R1"] == {"P+": 0.0, "nERR@10": 0.0}
    assert found["means"]["T1-C-R1"]["P+"] == pytest.approx(0.275)
    assert found["standard_errors"]["T1-C-R1"]["P+"] == pytest.approx(0.275)
    assert (found["undefined"], found["unanswered"], found["unknown"]) == (["3"], {"T1-C-R1": ["2", "3"]}, {})
    assert (found["gmax"], found["orders"]) == ("3 (levels)", {"T1-C-R1": "file"})
    assert done.stderr == ""


def test_the_official_measures_are_scored_without_asking(score: Kaiwa) -> None:
    """nG@1, nERR@10 and P+, in a table; what the reader must know below it."""
    done = score(*LEVELS)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].split() == ["run", "nG@1", "se", "nERR@10", "se", "P+", "se"]
    assert "gmax 3 (levels); runs ranked by file" in done.stdout
    assert "1 topic without a relevant item left out (--no-relevant zero counts them 0): 3" in done.stdout
    assert "T1-C-R1: no answer for 2 judged topics, scored 0: 2, 3" in done.stdout


def test_topics_without_a_relevant_item_count_0_on_request(score: Kaiwa) -> None:
    """The NTCIR habit."""
    found = json.loads(score("--no-relevant", "zero", "-m", "RR", "--json").stdout)
    assert found["means"]["T1-C-R1"]["RR"] == pytest.approx(1 / 3)
    assert found["topics"]["3"]["T1-C-R1"]["RR"] == 0


def test_scores_are_written_tidy_and_as_a_matrix(score: Kaiwa, tmp_path: Path) -> None:
    """-o writes measure,topic,run,score; --table matrix topics x runs."""
    score("-m", "RR", "-o", "scores.csv")
    assert (tmp_path / "scores.csv").read_text() == "measure,topic,run,score\nRR,1,T1-C-R1,1.0\nRR,2,T1-C-R1,0.0\n"
    score("-m", "RR", "-o", "matrix.csv", "--table", "matrix")
    assert (tmp_path / "matrix.csv").read_text() == "topic,T1-C-R1\n1,1.0\n2,0.0\n"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("csv", "run,RR,RR se\nT1-C-R1,0.5,0.5\n"),
        ("tex", "\\begin{tabular}{lrr}\n\\toprule\nrun & RR & se \\\\\n\\midrule\nT1-C-R1 & 0.5000 & 0.5000 \\\\\n"),
    ],
)
def test_the_table_comes_as_csv_and_latex(score: Kaiwa, form: str, expected: str) -> None:
    """For a spreadsheet, or a paper."""
    assert score("-m", "RR", "--table", "means", "--format", form).stdout.startswith(expected)


def test_the_scores_of_every_topic_are_a_table(score: Kaiwa) -> None:
    """A row for each measure, topic and run, as -o writes them; and the same with -o -."""
    shown = score("-m", "RR", "--table", "scores", "--format", "csv").stdout
    assert shown == "measure,topic,run,score\nRR,1,T1-C-R1,1.0\nRR,2,T1-C-R1,0.0\n"
    assert score("-m", "RR", "-o", "-").stdout == shown


@pytest.mark.parametrize(("words", "expected"), [((), 0.55), (("--condensed",), 0.625), (("--depth", "1"), 0.5)])
def test_lists_are_condensed_and_truncated_on_request(score: Kaiwa, words: tuple[str, ...], expected: float) -> None:
    """The worked example with the unjudged item taken out, and cut at rank 1."""
    found = json.loads(score(*LEVELS, "-m", "P+", *words, "--json").stdout)
    assert found["topics"]["1"]["T1-C-R1"]["P+"] == pytest.approx(expected)


@pytest.mark.parametrize(("top", "expected"), [("3", 0.9090909091), ("topic", 0.9333333333)])
def test_gmax_is_declared_or_each_topics_own(made: Made, kaiwa: Kaiwa, top: str, expected: float) -> None:
    """Only L1 items judged, run L1 L0 L1."""
    made("q.txt", "1 0 a 1\n1 0 b 1\n1 0 c 0\n")
    made("r.txt", "1 0 a 1 3 R\n1 0 c 2 2 R\n1 0 b 3 1 R\n")
    done = kaiwa("score", "r.txt", "--qrels", "q.txt", "--max-gain", top, "-m", "nERR@3", "--json")
    assert json.loads(done.stdout)["means"]["R"]["nERR@3"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("change", ["crlf", "bom", "no last newline", "gz"])
def test_the_dress_of_a_file_does_not_change_a_score(made: Made, kaiwa: Kaiwa, change: str) -> None:
    """CRLF, a byte order mark, a missing last newline and packing."""
    compressed = {
        "crlf": RUN.replace("\n", "\r\n").encode(),
        "bom": b"\xef\xbb\xbf" + RUN.encode(),
        "no last newline": RUN.rstrip("\n").encode(),
        "gz": gzip.compress(RUN.encode()),
    }[change]
    name = "run.txt.gz" if change == "gz" else "run.txt"
    made("qrels.txt", QRELS)
    made(name, compressed)
    found = json.loads(kaiwa("score", name, "--qrels", "qrels.txt", *LEVELS, "-m", "Q", "--json").stdout)
    assert found["topics"]["1"]["T1-C-R1"]["Q"] == pytest.approx(0.275)


def test_votes_are_scored_by_a_scheme_and_by_acc(made: Made, kaiwa: Kaiwa) -> None:
    """Averaged gains 2 and 1/3; Acc counts the votes themselves."""
    made("votes.txt", "1\ta\t2\t2\t0\n1\tb\t1\t0\t0\n1\tc\tNA\tNA\tNA\n")
    made("r.txt", "1 0 b 1 3 R\n1 0 a 2 2 R\n1 0 c 3 1 R\n")
    words = ("-m", "nG@1", "-m", "Acc(L2)@2", "-m", "Acc(L1,L2)@1", "--json")
    found = json.loads(kaiwa("score", "r.txt", "--votes", "votes.txt", *words).stdout)
    assert found["means"]["R"] == pytest.approx({"nG@1": 1 / 6, "Acc(L2)@2": 1 / 3, "Acc(L1,L2)@1": 1 / 3})
    assert found["gmax"] == "3 (mean)"


def test_uncertainty_adds_an_interval_that_repeats_with_its_seed(made: Made, kaiwa: Kaiwa) -> None:
    """Votes resampled; unanimous votes leave no doubt."""
    made("votes.txt", "1\ta\t2\t2\t0\n1\tb\t1\t0\t0\n2\tc\t1\t1\t1\n2\td\t2\t2\t2\n")
    made("r.txt", "1 0 b 1 3 R\n1 0 a 2 2 R\n2 0 c 1 1 R\n")
    words = ("--uncertainty", "votes", "--trials", "50", "-m", "nG@1", "-m", "Acc(L1)@1", "--json")
    first, again = (kaiwa("score", "r.txt", "--votes", "votes.txt", *words).stdout for _ in range(2))
    assert first == again
    interval = json.loads(first)["intervals"]["R"]["Acc(L1)@1"]
    assert interval["low"] < 2 / 3 < interval["high"]


def test_the_interval_is_that_of_another_panel(made: Made, kaiwa: Kaiwa) -> None:
    """Acc@1 on one item is a share of votes: 4 of 8 vary by .5 * .5 / 7 unbiasedly, and two panels by twice that."""
    made("votes.txt", "1\ta\t1\t1\t1\t1\t0\t0\t0\t0\n1\tb\t2\t2\t2\t2\t2\t2\t2\t2\n")
    made("r.txt", "1 0 a 1 3 R\n")
    words = ("--uncertainty", "votes", "--trials", "4000", "-m", "Acc(L1)@1", "--json")
    interval = json.loads(kaiwa("score", "r.txt", "--votes", "votes.txt", *words).stdout)["intervals"]["R"]["Acc(L1)@1"]
    half = 1.96 * (2 * 0.25 / 7) ** 0.5
    assert (interval["low"], interval["high"]) == pytest.approx((0.5 - half, 0.5 + half), abs=0.02)


def test_single_votes_tell_nothing_of_their_spread(made: Made, kaiwa: Kaiwa) -> None:
    """An interval of no width would be a lie."""
    made("votes.txt", "1\ta\t1\n1\tb\t2\n")
    made("r.txt", "1 0 a 1 3 R\n")
    done = kaiwa("score", "r.txt", "--votes", "votes.txt", "--uncertainty", "votes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no item has two votes" in done.stderr


def test_uncertainty_follows_each_topics_own_top(made: Made, kaiwa: Kaiwa) -> None:
    """A resample may raise a topic's highest gain above the one observed; its own top rises with it."""
    made("votes.txt", "1\ta\t2\t2\t0\n1\tb\t1\t0\t0\n2\tc\t1\t1\t0\n2\td\t2\t0\t0\n")
    made("r.txt", "1 0 b 1 3 R\n1 0 a 2 2 R\n2 0 c 1 1 R\n")
    words = ("--uncertainty", "votes", "--trials", "50", "--max-gain", "topic", "-m", "ERR@3", "--json")
    done = kaiwa("score", "r.txt", "--votes", "votes.txt", *words)
    interval = json.loads(done.stdout)["intervals"]["R"]["ERR@3"]
    assert interval["low"] < interval["high"]


def test_intents_are_scored_from_grouped_qrels_and_chances(made: Made, kaiwa: Kaiwa) -> None:
    """The hand-worked topic of the diversity tests, through files."""
    made("q.txt", "q i d1 2\nq i d2 1\nq j d2 2\nq j d3 1\n")
    made("c.txt", "q i 0.6 inf\nq j 0.4 nav\n")
    made("r.txt", "q 0 d3 1 2 R\nq 0 d2 2 1 R\n")
    done = kaiwa(
        *("score", "r.txt", "--intents", "q.txt", "--chances", "c.txt", *LEVELS),
        *("-m", "I-rec@5", "-m", "P+Q@5", "-m", "IA-RR", "--json"),
    )
    assert json.loads(done.stdout)["means"]["R"] == pytest.approx({"I-rec@5": 1.0, "P+Q@5": 0.4, "IA-RR": 0.7})


REFUSALS = {
    "a level above the scale": (
        {"qrels.txt": "1 0 d1 5\n"},
        [*LEVELS],
        "qrels.txt:1: grade 5 is not on the scale 0, 1, 2",
    ),
    "a negative gain": ({"qrels.txt": "1 0 d1 1\n1 0 d2 -1\n"}, [], "qrels.txt:2: the gain -1 is negative"),
    "a gain that is not a number": ({"qrels.txt": "1 0 d1 nan\n"}, [], "qrels.txt:1: grade 'nan' is not a number"),
    "a gain above the top": ({}, ["--max-gain", "1"], "qrels.txt:1: the gain 2 is above the top of the scale, 1"),
    "a gain beyond reason": ({"qrels.txt": "1 0 d1 1e300\n"}, [], "qrels.txt:1: a gain is above 1e+100"),
    "qrels that contradict themselves": ({"qrels.txt": "1 0 d1 1\n1 0 d1 2\n"}, [], "qrels.txt:2:"),
    "a run for other topics": ({"run.txt": "9 0 d1 1 1 R\n"}, [], "run.txt: no topic of the run is judged"),
    "a duplicate in a run": ({"run.txt": "1 0 d1 1 2 R\n1 0 d1 2 1 R\n"}, [], "run.txt:2: duplicate comment 'd1'"),
    "nothing relevant at all": ({"qrels.txt": "1 0 d1 0\n"}, [], "no topic has a relevant item"),
    "an unknown measure": ({}, ["-m", "nER@3"], "unknown measure 'nER'; did you mean 'nERR'"),
    "a measure twice": ({}, ["-m", "RR", "-m", "RR"], "duplicate measure 'RR'"),
    "two sources": ({}, ["--votes", "qrels.txt"], "give --qrels, --votes or --intents"),
    "chances without intents": ({}, ["--chances", "qrels.txt"], "give --intents too"),
    "uncertainty without votes": ({}, ["--uncertainty", "votes"], "give the votes with --votes"),
    "a top that is not a gain": ({}, ["--max-gain", "x"], "--max-gain 'x' is neither a gain nor 'topic'"),
    "a top that is not a number": ({}, ["--max-gain", "nan"], "is not a gain above 0"),
    "levels that are no map": ({}, ["--levels", "L1"], "--levels: 'L1' is not a level and its gain"),
    "a matrix of two measures": (
        {},
        ["--table", "matrix", "-m", "RR", "-m", "AP"],
        "a matrix has one measure, and there are RR, AP; choose one with -m",
    ),
    "a scheme without votes": ({}, ["--scheme", "sum"], "--scheme sum combines votes; give --votes"),
    "a level without votes": ({}, ["--max-level", "2"], "--max-level is the highest level of votes; give --votes"),
    "a weight without its scheme": ({}, ["--p", ".5"], "--p is of the unanimity scheme; add --scheme unanimity"),
    "trials without uncertainty": ({}, ["--trials", "9"], "--trials resamples votes; add --uncertainty votes"),
    "acc without votes": ({}, ["-m", "Acc(L2)@5"], "give them with --votes"),
    "a missing run": ({"run.txt": ""}, [], "run.txt: the file is empty"),
}


@pytest.mark.parametrize("fault", REFUSALS)
def test_bad_input_is_one_line_and_writes_nothing(made: Made, kaiwa: Kaiwa, tmp_path: Path, fault: str) -> None:
    """Exit code 2, one line that names place and repair, no output file."""
    files, words, message = REFUSALS[fault]
    for name, text in {"qrels.txt": QRELS, "run.txt": RUN, **files}.items():
        made(name, text)
    done = kaiwa("score", "run.txt", "--qrels", "qrels.txt", *words, "-o", "scores.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "scores.csv").exists()


def test_two_runs_of_one_name_are_refused(made: Made, kaiwa: Kaiwa) -> None:
    """No table could distinguish them."""
    made("qrels.txt", QRELS)
    made("a.txt", RUN)
    made("b.txt", RUN)
    done = kaiwa("score", "a.txt", "b.txt", "--qrels", "qrels.txt")
    assert (done.returncode, "b.txt: duplicate run name 'T1-C-R1' (first in a.txt)" in done.stderr) == (2, True)
