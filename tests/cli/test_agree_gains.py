"""``kaiwa agree`` and ``kaiwa gains``: numbers, JSON, refusals."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import kaiwa as package
from kaiwa.formats.readers import read_qrels

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

TIDY = "topic,comment,assessor,level\n"
VOTES = "q1\ta\t2\t2\t1\nq1\tb\t0\t0\t0\nq2\tc\t1\t0\tNA\nq2\td\tNA\tNA\tNA\n"


def test_agree_prints_one_json_object_with_the_contracts_fields(made: Made, kaiwa: Kaiwa) -> None:
    """Three items have two votes or more; four votes are missing."""
    made("votes.txt", VOTES)
    found = json.loads(kaiwa("agree", "votes.txt", "--json", "--quiet").stdout)
    assert (found["items"], found["votes"], found["missing"]) == (3, 8, 4)
    assert found["votes_per_item"] == pytest.approx(8 / 3)
    assert found["raw_agreement"] == pytest.approx(4 / 7)  # of 3 + 3 + 1 pairs of votes
    assert set(found["krippendorff_alpha"]) == {"nominal", "ordinal", "interval"}
    assert -1 <= found["fleiss_kappa"] <= 1
    assert found["contested"][0]["comment"] == "c"


def test_agree_repeats_with_its_seed(made: Made, kaiwa: Kaiwa) -> None:
    """Same seed, same intervals; another seed, others."""
    made("votes.txt", VOTES * 1 + "q3\te\t0\t1\t2\nq3\tf\t2\t2\t2\nq4\tg\t1\t1\t0\nq5\th\t0\t2\t2\n")
    first, again, other = (kaiwa("agree", "votes.txt", "--json", "--seed", seed).stdout for seed in "778")
    assert first == again
    assert first != other


def test_merged_levels_count_as_one(made: Made, kaiwa: Kaiwa) -> None:
    """With L1 and L2 merged, item a is unanimous."""
    made("votes.txt", VOTES)
    found = json.loads(kaiwa("agree", "votes.txt", "--merge", "L1+L2", "--json").stdout)
    assert found["raw_agreement"] == pytest.approx(6 / 7)


def test_pairs_of_assessors_are_listed_on_request(made: Made, kaiwa: Kaiwa) -> None:
    """Cohen's kappa by named assessors."""
    made(
        "votes.csv", "topic,comment,assessor,level\nq,a,ann,0\nq,a,bob,0\nq,b,ann,1\nq,b,bob,1\nq,c,ann,1\nq,c,bob,0\n"
    )
    pair = json.loads(kaiwa("agree", "votes.csv", "--pairs", "--json").stdout)["pairs"][0]
    assert (pair["first"], pair["second"], pair["items"]) == ("ann", "bob", 3)
    assert pair["cohen_kappa"] == pytest.approx(0.4)


def test_the_table_shows_what_cannot_be_computed_as_missing(made: Made, kaiwa: Kaiwa) -> None:
    """Everyone always chose 0: kappa is undefined, and says so."""
    made("votes.txt", "q1\ta\t0\t0\nq1\tb\t0\t0\n")
    done = kaiwa("agree", "votes.txt")
    assert (done.returncode, "n/a" in done.stdout) == (0, True)


def test_agree_has_a_line_per_assessor(made: Made, kaiwa: Kaiwa) -> None:
    """Votes, NA, mean level, shares of the lowest and highest level, and agreement with the others' votes."""
    made("votes.csv", TIDY + "q,a,ann,2\nq,a,bob,2\nq,a,eve,0\nq,b,ann,0\nq,b,bob,0\nq,b,eve,NA\nq,c,ann,2\n")
    found = json.loads(kaiwa("agree", "votes.csv", "--json").stdout)["assessors"]
    ann, bob, eve = found
    assert [one["name"] for one in found] == ["ann", "bob", "eve"]
    assert (ann["votes"], ann["missing"], ann["agreement"]) == (3, 0, 0.75)
    assert (ann["mean_level"], ann["share_lowest"], ann["share_highest"]) == pytest.approx((4 / 3, 1 / 3, 2 / 3))
    assert (bob["votes"], bob["agreement"]) == (2, 0.75)
    assert (eve["votes"], eve["missing"], eve["mean_level"], eve["agreement"]) == (1, 1, 0, 0)
    lines = kaiwa("agree", "votes.csv").stdout.splitlines()
    assert "ann           3   0      1.3333    0.3333     0.6667     0.7500  0.5000" in lines


def test_the_assessors_of_merged_levels_agree_by_class_and_keep_their_levels(made: Made, kaiwa: Kaiwa) -> None:
    """With L1 and L2 merged the two agree; the mean levels stay those of the votes."""
    made("votes.csv", TIDY + "q,a,ann,2\nq,a,bob,1\n")
    found = json.loads(kaiwa("agree", "votes.csv", "--merge", "L1+L2", "--json").stdout)["assessors"]
    assert [(one["agreement"], one["mean_level"]) for one in found] == [(1, 2), (1, 1)]


def test_one_assessor_has_a_line_and_no_agreement(made: Made, kaiwa: Kaiwa) -> None:
    """What cannot be measured is n/a and null; the line says why."""
    made("votes.csv", TIDY + "q,a,ann,2\nq,b,ann,1\n")
    done = kaiwa("agree", "votes.csv")
    assert done.returncode == 0
    assert "no item has two votes, so agreement cannot be measured" in done.stdout
    found = json.loads(kaiwa("agree", "votes.csv", "--json").stdout)
    assert (found["items"], found["fleiss_kappa"], found["votes_per_item"]) == (0, None, None)
    assert (found["assessors"][0]["mean_level"], found["assessors"][0]["agreement"]) == (1.5, None)


def test_a_hundred_assessors_have_a_hundred_lines(made: Made, kaiwa: Kaiwa) -> None:
    """Half of them vote 0 and half 1 on every item, so each agrees with 49 of the 99 others."""
    rows = [f"q{item},c,a{who},{who % 2}\n" for item in range(3) for who in range(100)]
    made("votes.csv", TIDY + "".join(rows))
    found = json.loads(kaiwa("agree", "votes.csv", "--json").stdout)["assessors"]
    assert [one["agreement"] for one in found] == pytest.approx([49 / 99] * 100)


def test_an_assessor_with_only_na_votes_has_no_mean(made: Made, kaiwa: Kaiwa) -> None:
    """Nothing was given, so nothing is averaged."""
    made("votes.csv", TIDY + "q,a,ann,2\nq,a,bob,1\nq,a,eve,NA\n")
    eve = json.loads(kaiwa("agree", "votes.csv", "--json", "--quiet").stdout)["assessors"][2]
    assert (eve["votes"], eve["missing"], eve["mean_level"], eve["agreement"], eve["kappa"]) == (0, 1, None, None, None)


def test_python_shows_the_assessors_in_text_and_in_a_notebook() -> None:
    """The second table of an agreement; the third has the contested items."""
    found = package.Votes.from_rows([("q", "a", "<b>ann", 2), ("q", "a", "bob", 1)]).agree()
    assert [one.name for one in found.assessors] == ["<b>ann", "bob"]
    assert "<b>ann        1   0      2.0000    0.0000     1.0000     0.0000  0.0000" in str(found).splitlines()
    assert found._repr_html_().count("<table>") == 3
    assert "&lt;b&gt;ann" in found._repr_html_()


@pytest.mark.parametrize(
    ("scheme", "expected", "top"),
    [
        ("mean", 7 / 3, 3),
        ("sum", 5, 6),
        ("unanimity", 5 + 0.2 * 3 * 1, 7.2),
        ("weighted", 2.5, 6),
        ("majority", 3, 3),
        ("median", 3, 3),
    ],
)
def test_gains_are_written_as_qrels(made: Made, kaiwa: Kaiwa, scheme: str, expected: float, top: float) -> None:
    """Every scheme of several votes; NA votes counted, items without a vote left unjudged."""
    folder = made("votes.txt", VOTES).parent
    done = kaiwa("gains", "votes.txt", "--scheme", scheme, "-o", "qrels.txt", "--json")
    assert read_qrels(folder / "qrels.txt").of("q1") == pytest.approx({"a": expected, "b": 0})
    assert json.loads(done.stdout) == {
        "scheme": scheme,
        "p": 0.2 if scheme == "unanimity" else None,
        "max_gain": pytest.approx(top),
        "max_level": 2,
        "topics": 2,
        "items": 3,
        "missing": 4,
        "without_votes": 1,
        "without": [],
        "leaderboard": {},
        "simulated": False,
    }


def test_levels_scheme_takes_one_vote_an_item(made: Made, kaiwa: Kaiwa) -> None:
    """Levels to gains by a map, printed as qrels."""
    made("votes.txt", "q1\ta\t2\nq1\tb\t1\n")
    assert (
        kaiwa("gains", "votes.txt", "--scheme", "levels", "--levels", "L1=1,L2=3", "-o", "-").stdout
        == "q1 0 a 3\nq1 0 b 1\n"
    )


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (VOTES, ["gains", "votes.txt", "--scheme", "men"], "unknown scheme 'men'; did you mean 'mean'"),
        (VOTES, ["gains", "votes.txt", "--scheme", "levels"], "'levels' takes one per item"),
        (VOTES, ["gains", "votes.txt", "--scheme", "unanimity", "--p", "-1"], "give a number from 0"),
        (VOTES, ["gains", "votes.txt", "--p", "0.5"], "--p 0.5 is the weight of the scheme unanimity"),
        (VOTES, ["gains", "votes.txt", "--task", "."], "add --without NAME"),
        (VOTES, ["agree", "votes.txt", "--assessors", "--pairs"], "--assessors cannot be used with --pairs"),
        (VOTES, ["gains", "votes.txt", "--levels", "L7=1"], "--levels names level 7, but votes go from 0 to 2"),
        (VOTES, ["gains", "votes.txt", "--levels", "L1=0,L2=0"], "from 0 up; see --levels"),
        (VOTES, ["gains", "votes.txt", "--levels", "L1=1"], "votes have the level 2; give it a gain with --levels"),
        ("q1\ta\t3\t0\n", ["gains", "votes.txt"], "votes.txt:1: label '3' is not 0..2 or NA"),
        ("q1\ta\t3\t0\n", ["agree", "votes.txt"], "votes.txt:1: label '3' is not 0..2 or NA"),
        (VOTES, ["agree", "votes.txt", "--merge", "L1+L9"], "--merge: 'L1+L9' does not name levels of 0..2"),
        (VOTES, ["agree", "votes.txt", "--merge", "L1+L1"], "duplicate level 1"),
        (VOTES, ["agree", "nothing.txt"], "nothing.txt: no such file"),
    ],
)
def test_bad_votes_are_one_line_and_exit_2(made: Made, kaiwa: Kaiwa, text: str, words: list[str], message: str) -> None:
    """Place, fault and repair."""
    made("votes.txt", text)
    done = kaiwa(*words)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert message in done.stderr


TYPED = "topic,comment,assessor,level\nq1,a,ann,2\nq1,a,bob,22\nq1,b,ann,0\nq1,b,bob,1\n"


@pytest.mark.parametrize(
    "words",
    [
        ["gains", "votes.csv"],
        ["agree", "votes.csv"],
        ["unanimity", "T1-C-R1.txt", "--votes", "votes.csv"],
        ["score", "T1-C-R1.txt", "--votes", "votes.csv"],
    ],
)
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "votes.csv:3: level 22 is far above the others"),
        (["--max-level", "2"], "votes.csv:3: level '22' is not 0..2"),
    ],
)
def test_a_vote_typed_22_is_refused(made: Made, kaiwa: Kaiwa, words: list[str], more: list[str], message: str) -> None:
    """With its line, whether the scale is declared or not; it had become a gain of 1,398,103."""
    made("votes.csv", TYPED)
    made("T1-C-R1.txt", "q1 0 a 1 1.0 T1-C-R1\n")
    done = kaiwa(*words, *more)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert message in done.stderr
    assert kaiwa("agree", "votes.csv", "--max-level", "22").returncode == 0


def test_score_takes_the_highest_level_of_votes(made: Made, kaiwa: Kaiwa) -> None:
    """The highest gain is another option, --max-gain."""
    made("votes.csv", TYPED)
    made("T1-C-R1.txt", "q1 0 a 1 1.0 T1-C-R1\n")
    words = ("score", "T1-C-R1.txt", "--votes", "votes.csv", "--scheme", "sum")
    assert "declare the scale with --max-level" in kaiwa(*words).stderr
    assert kaiwa(*words, "--max-level", "22").returncode == 0


def test_a_qrels_file_carries_its_gmax_to_score(made: Made, kaiwa: Kaiwa) -> None:
    """Nobody gave every vote the top level, so gmax is not among the gains."""
    made("votes.txt", VOTES)
    made("T1-C-R1.txt", "q1 0 a 1 1.0 T1-C-R1\n")
    assert kaiwa("gains", "votes.txt", "--scheme", "sum", "-o", "qrels.txt").returncode == 0
    done = kaiwa("score", "T1-C-R1.txt", "--qrels", "qrels.txt", "-m", "nERR@10", "--json")
    assert json.loads(done.stdout)["gmax"] == "6 (declared in the qrels)"


@pytest.mark.parametrize("comment", ["c 1", '"c\nq9 0 c7 2"', "c\u30001"])
def test_a_comment_that_would_be_other_judgements_is_refused(made: Made, kaiwa: Kaiwa, comment: str) -> None:
    """``q1 0 c 1 2`` would be read as another file, or as judgements that nobody made; nothing is written."""
    made("votes.csv", f"topic,comment,assessor,level\nq1,{comment},ann,2\n")
    done = kaiwa("gains", "votes.csv", "-o", "qrels.txt")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "contains a blank or a control character" in done.stderr
    assert not Path("qrels.txt").exists()
