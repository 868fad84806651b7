"""NTCIREVAL's files: .rel and .res folders in and out, .nev as scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.files.atomic import write_texts
from kaiwa.formats.ntcireval import grelv_texts, read_res, rel_texts, res_texts
from kaiwa.formats.readers import load_scores, read_qrels, read_runs, read_scores
from kaiwa.formats.scores import discpower_texts, nev_texts
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.nouns.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]

# Printed by pyNTCIREVAL 0.0.3 (compute -g 1:3 --cutoffs 10 --out 0001) on the worked example: judged d1 L2, d2 L1,
# d3 L0, d4 L1, d5 L2; returned d2 u1 d1 d3.
PRINTED = """\
0001 # syslen=4 jrel=4 jnonrel=1
0001 # r1=1 rp=3
0001 RR=             1.0000
0001 AP=             0.4167
0001 NCUgu,P=        0.3750
0001 MSnDCG@0010=    0.4293
0001 nERR@0010=      0.5136
"""


def test_a_nev_file_is_a_score_file(made: Made) -> None:
    """Measures keep NTCIREVAL's names; the run is the file's name without the evaluation's; ``#`` lines are ignored."""
    scores = read_scores(made("T1-C-R1.test.nev", PRINTED))
    assert list(scores) == ["RR", "AP", "NCUgu,P", "MSnDCG@0010", "nERR@0010"]
    assert scores.matrix("nERR@0010") == Matrix("nERR@0010", ("0001",), ("T1-C-R1",), np.array([[0.5136]]))


def test_a_nev_file_that_starts_with_a_measure_is_known_too(made: Made) -> None:
    """A comma in its first measure does not make it CSV; a long name may touch its value."""
    scores = read_scores(made("A.nev", "0001 NCUgu,P=   0.5\n0001 DIN#-MSnDCG@0010=0.25\n"))
    assert {table.measure: table.means() for table in scores.matrices()} == {
        "NCUgu,P": {"A": 0.5},
        "DIN#-MSnDCG@0010": {"A": 0.25},
    }


def test_nev_files_of_several_runs_are_compared_together(made: Made) -> None:
    """One file a run, as NTCIREVAL writes them."""
    paths = [made(f"{run}.x.nev", f"1 AP= {score}\n2 AP= 0\n") for run, score in (("A", 1), ("B", 0.5))]
    assert load_scores(paths, measure="AP").scores.means() == {"A": 0.5, "B": 0.25}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "0001 AP= 0.5\nnonsense\n",
            r"A\.nev:2: is not a line of NTCIREVAL's output; a line reads: topic MEASURE=",
        ),
        (
            "0001 AP= 0.5\n0001 AP= 0.5\n",
            r"A\.nev:2: duplicate score: AP of run 'A' on topic '0001'",
        ),
        ("0001 AP= many\n", r"A\.nev:1: score 'many' is not a finite number"),
        ("0001 # syslen=0\n", r"A\.nev: contains no score"),
    ],
)
def test_a_bad_nev_file_is_refused_with_its_line(made: Made, text: str, message: str) -> None:
    """Place, fault and fix."""
    with pytest.raises(InputError, match=message):
        read_scores(made("A.nev", text))


def test_written_nev_files_read_back(tmp_path: Path) -> None:
    """Every digit survives, under NTCIREVAL's names."""
    values = np.array([[0.1, 1 / 3], [1e-17, 0.0]])
    scores = Scores([Matrix("nDCG@10", ("1", "2"), ("A", "B.c"), values)])
    write_texts(tmp_path, nev_texts(scores))
    back = load_scores([tmp_path / "A.kaiwa.nev", tmp_path / "B.c.kaiwa.nev"]).scores
    assert back == Matrix("MSnDCG@0010", ("1", "2"), ("A", "B.c"), values)
    assert (tmp_path / "runlist").read_text() == "A\nB.c\n"
    assert (tmp_path / "topics.tid").read_text() == "1\n2\n"


def test_two_spellings_of_one_measure_cannot_both_be_written() -> None:
    """A .nev file distinguishes measures by name only."""
    tables = [Matrix(name, ("1",), ("A",), np.zeros((1, 1))) for name in ("P@5", "Prec@5")]
    with pytest.raises(InputError, match=r"'P@5' and 'Prec@5' are both 'P@0005' in this format"):
        nev_texts(Scores(tables))


def test_judgements_and_runs_make_ntcirevals_folder_and_come_back(tmp_path: Path) -> None:
    """A folder a topic; a run without answers has an empty file; both sorts of file live in one folder."""
    gains = Qrels.from_lists({"0001": {"d1": 2, "d2": 0}, "0002": {"d1": 1}})
    runs = [
        Run.from_lists("A", {"0001": [("d2", 2.0), ("d1", 1.0)], "0002": [("d1", 1.0)]}),
        Run.from_lists("B.v2", {"0001": [("d9", 1.0)], "0002": []}),
    ]
    write_texts(tmp_path, rel_texts(gains) | res_texts(runs))
    assert (tmp_path / "0001" / "0001.rel").read_text() == "d1 L2\nd2 L0\n"
    assert (tmp_path / "0001" / "0001.A.res").read_text() == "d2\nd1\n"
    assert (tmp_path / "0002" / "0002.B.v2.res").read_text() == ""
    assert read_qrels(tmp_path) == gains
    assert read_runs([tmp_path]) == read_res(tmp_path) == runs


def test_real_gains_are_ntcirevals_direct_gains_and_come_back(tmp_path: Path) -> None:
    """Decimal numbers in full, whole ones without a point; .rel has levels only, and its error names this format."""
    gains = Qrels.from_lists({"0001": {"d1": 2.4, "d2": 2 / 3, "d3": 1e-7}, "0002": {"d1": 13.0}})
    write_texts(tmp_path, grelv_texts(gains))
    assert (tmp_path / "0001" / "0001.Grelv").read_text() == "d1 2.4\nd2 0.6666666666666666\nd3 0.0000001\n"
    assert (tmp_path / "0002" / "0002.Grelv").read_text() == "d1 13\n"
    assert (tmp_path / "topics.tid").read_text() == "0001\n0002\n"
    assert read_qrels(tmp_path) == gains
    with pytest.raises(InputError, match=r"gain 2\.4 of topic '0001' is not a level; .* write grelv or trec-qrels"):
        rel_texts(gains)


def test_a_negative_gain_is_no_direct_gain() -> None:
    """NTCIREVAL's gains start at 0."""
    with pytest.raises(InputError, match=r"comment 'd1': gain -1 of topic 'q' is negative; gains start at 0"):
        grelv_texts(Qrels.from_lists({"q": {"d1": -1.0}}, top=1.0))


def test_one_rel_file_holds_the_topic_of_its_name(made: Made) -> None:
    """``0007.rel`` is topic 0007."""
    assert read_qrels(made("0007.rel", "d1 L2\nd2 1\n")).of("0007") == {"d1": 2.0, "d2": 1.0}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("1.rel", "d1 two\n", r"1\.rel:1: grade 'two' is not a level"),
        ("1.rel", "d1 L1\nd1 L2\n", r"1\.rel:2: duplicate comment 'd1'"),
        ("1.rel", "1 d1 L1\n", r"1\.rel:1: expected 2 fields, found 3"),
        ("1.rel", "# none\n", r"1\.rel: contains no judgement"),
        ("1.Grelv", "d1 L2\n", r"1\.Grelv:1: gain 'L2' is not a number; write 0, 0\.4, 3"),
        ("1.Grelv", "d1 1\nd1 .5\n", r"1\.Grelv:2: duplicate comment 'd1'"),
        ("1.Grelv", "# none\n", r"1\.Grelv: contains no judgement; a line reads: comment 0\.4"),
        ("1.A.res", "d1\n\nd1\n", r"1\.A\.res:3: duplicate comment 'd1'"),
        ("1.A.res", "d1 L2\n", r"1\.A\.res:1: expected 1 field, found 2"),
        ("2.A.res", "d1\n", r"2\.A\.res: is not named TOPIC/TOPIC\.RUN\.res"),
    ],
)
def test_a_bad_rel_or_res_file_is_refused_with_its_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    """Found inside the folder, named by file and line."""
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_res(tmp_path) if name.endswith("res") else read_qrels(tmp_path)


def test_a_folder_without_such_files_is_refused(tmp_path: Path) -> None:
    """The message names the files that a folder must contain."""
    with pytest.raises(InputError, match=r"is a folder without \.rel files; give a file, or NTCIREVAL's folder"):
        read_qrels(tmp_path)


@pytest.mark.parametrize("topic", ["../up", "a/b", ".hidden", "two words", "back\\slash"])
def test_a_topic_that_is_no_file_name_is_refused(topic: str) -> None:
    """No file is ever written outside the folder asked for."""
    with pytest.raises(InputError, match="rename"):
        rel_texts(Qrels.from_lists({topic: {"d1": 1}}))


def test_discpowers_matrix_is_bare_numbers_and_reads_back(tmp_path: Path) -> None:
    """Topics x runs, separated by blanks, no header; the names are in files of their own."""
    scores = Matrix("nERR@10", ("q1", "q2"), ("A", "B"), np.array([[0.1, 1 / 3], [0.0, 1.0]]))
    write_texts(tmp_path, discpower_texts(Scores([scores])))
    assert (tmp_path / "nERR@10.tsmatrix").read_text() == "0.1 0.3333333333333333\n0.0 1.0\n"
    assert np.array_equal(read_scores(tmp_path / "nERR@10.tsmatrix")["nERR@10"].values, scores.values)
    assert [(tmp_path / name).read_text() for name in ("runlist", "topics.tid")] == ["A\nB\n", "q1\nq2\n"]
