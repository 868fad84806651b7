"""What ``trec_eval -q`` prints, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import read_scores
from kaiwa.formats.scores import trec_eval_text
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]

OUTPUT = (
    "num_ret               \t301\t500\n"
    "map                   \t301\t0.0324\n"
    "relstring_10          \t301\t'0000011000'\n"
    "num_ret               \t302\t500\n"
    "map                   \t302\t0.4175\n"
    "relstring_10          \t302\t'1101110110'\n"
    "runid                 \tall\tSTANDARD\n"
    "num_q                 \tall\t2\n"
    "num_ret               \tall\t1000\n"
    "map                   \tall\t0.2250\n"
    "gm_map                \tall\t0.1163\n"
)


def test_every_topics_scores_are_read_and_means_passed_over(made: Made) -> None:
    """The run is named by runid; a value that is not a number is not a score."""
    scores = read_scores(made("anything.txt", OUTPUT))
    assert list(scores) == ["num_ret", "map"]
    assert scores.matrix("map") == Matrix("map", ("301", "302"), ("STANDARD",), np.array([[0.0324], [0.4175]]))


def test_without_a_runid_the_file_names_the_run(made: Made) -> None:
    """As with ``trec_eval -q -m map``."""
    assert read_scores(made("bm25.k1.eval.gz", _packed("map\t1\t0.5\nmap\tall\t0.5\n")))["map"].runs == ("bm25.k1",)


def _packed(text: str) -> bytes:
    import gzip

    return gzip.compress(text.encode())


def test_outputs_of_several_runs_may_follow_each_other(made: Made) -> None:
    """``trec_eval ... >> all.txt`` for every run."""
    text = "".join(f"map\t1\t{score}\nrunid\tall\t{run}\nmap\tall\t{score}\n" for run, score in (("A", 1), ("B", 0.5)))
    assert read_scores(made("all.txt", text)).matrix("map").means() == {"A": 1.0, "B": 0.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runid\tall\tA\nmap\tall\t0.5\n", "contains only means over topics; run trec_eval with -q"),
        ("map\t1\t0.5\nmap\t2\nmap\tall\t0.5\n", r":2: expected 3 fields, found 2"),
        ("map\t1\tx\nmap\tall\t0.5\n", r":1: score 'x' is not a finite number"),
        ("map\t1\t1\nmap\t1\t1\nmap\tall\t1\n", r":2: duplicate score: map of run .* \(first on line 1\)"),
        ("map\t1\t1\nrunid\tall\tA\nrunid\tall\tB\n", r":3: duplicate runid 'B'"),
    ],
)
def test_bad_output_is_refused_with_its_line(made: Made, text: str, message: str) -> None:
    """Place, fault and fix."""
    with pytest.raises(InputError, match=message):
        read_scores(made("out", text))


def test_a_matrix_with_a_run_called_all_stays_a_matrix(made: Made) -> None:
    """Only a mean or a runid makes a file trec_eval's."""
    assert read_scores(made("AP.txt", "topic all best\nq1 0.5 1\n"))["AP"].runs == ("all", "best")


def test_written_scores_read_back(made: Made) -> None:
    """Every digit survives, under trec_eval's names; the mean over topics has the topic ``all``."""
    values = np.array([[1 / 3], [0.1]])
    text = trec_eval_text(Scores([Matrix("nDCG@10", ("1", "2"), ("A",), values)]), "A")
    assert text.splitlines()[0] == "ndcg_cut_10           \t1\t0.3333333333333333"
    assert text.splitlines()[-1] == f"ndcg_cut_10           \tall\t{float(values.mean())!r}"
    assert read_scores(made("out", text)).matrix("ndcg_cut_10") == Matrix("ndcg_cut_10", ("1", "2"), ("A",), values)


@pytest.mark.parametrize(("topic", "run"), [("all", "A"), ("a b", "A"), ("1", "two words")])
def test_names_that_would_not_read_back_are_refused(topic: str, run: str) -> None:
    """Nothing is written that cannot be read."""
    with pytest.raises(InputError, match="rename"):
        trec_eval_text(Scores([Matrix("AP", (topic,), (run,), np.ones((1, 1)))]), run)
