"""Laws of every reader: what is written reads back, and nothing but InputError comes out of garbage."""

from __future__ import annotations

import contextlib
import gzip
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kaiwa.check import Expectation, mended, problems_of, read_raw
from kaiwa.disk import zstd
from kaiwa.errors import InputError
from kaiwa.formats.qrels_files import read_grouped_qrels, read_qrels, write_qrels
from kaiwa.formats.run_files import read_run, write_run
from kaiwa.formats.scores.ntcireval_output import nev_text
from kaiwa.formats.scores.score_files import read_scores, write_scores
from kaiwa.formats.scores.trec_eval import trec_eval_text
from kaiwa.formats.text.decimals import decimals, fixed_point
from kaiwa.formats.topic_files import read_topics
from kaiwa.formats.vote_files import read_votes, write_votes
from kaiwa.model.gains import Gains
from kaiwa.model.ids import pack
from kaiwa.model.run import Run
from kaiwa.model.scores import Scores, ScoreSet
from kaiwa.model.votes import NA, Votes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READERS = [read_run, read_qrels, read_grouped_qrels, read_votes, read_scores, read_topics, read_raw]
OTHERS = [(read_qrels, "1.rel"), (read_scores, "A.x.nev"), (read_scores, "A.eval")]

ids = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=12).filter(
    lambda name: name[0] not in "#<\ufeff"
)
SOME = ["q1", "Q0", "0", "d1", "1", "2.5", "nan", "L2", "NA", "R", "#", "<SYSDESC>", "</SYSDESC>", '"', ","]
SOME += ["AP=", "AP=1", "all", "runid", "map"]
numbers = st.floats(allow_nan=False, allow_infinity=False)
word = st.one_of(
    st.sampled_from(SOME),
    st.text(max_size=5),
)
lines = st.lists(st.lists(word, max_size=8).map(" ".join), max_size=12).map("\n".join).map(str.encode)


@contextlib.contextmanager
def file_of(data: bytes, name: str = "file.txt") -> Iterator[Path]:
    """A file that lasts as long as the block."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        yield path


@pytest.mark.parametrize("reader", READERS)
@given(st.one_of(st.binary(max_size=300), lines))
@example(b"\n")
@example(b"\xef\xbb\xbf")
@example(b"\r")
@example(b"topic,comment,assessor,level\n\xff")
def test_a_reader_refuses_garbage_with_one_clear_line(reader: Callable[[Path], object], data: bytes) -> None:
    """Whatever the bytes, the reader answers or raises InputError, whose message is one line."""
    with file_of(data) as path:
        refusal = _refusal(reader, path)
        assert "\n" not in refusal
        assert not refusal or str(path) in refusal


@pytest.mark.parametrize(("reader", "name"), OTHERS)
@given(st.one_of(st.binary(max_size=100), lines))
@example(b"1 AP= 1\n1 AP=\n")
@example(b"map 1 1\nmap all\nrunid all A\n")
def test_another_evaluators_file_is_read_or_refused_with_one_clear_line(
    reader: Callable[[Path], object], name: str, data: bytes
) -> None:
    """Names that tell the form make no difference to garbage."""
    with file_of(data, name) as path:
        refusal = _refusal(reader, path)
        assert "\n" not in refusal
        assert not refusal or str(path) in refusal


def _refusal(reader: Callable[[Path], object], path: Path) -> str:
    try:
        reader(path)
    except InputError as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize("name", ["file.gz", "file.zst"])
@given(st.binary(max_size=200))
def test_packed_garbage_is_refused(name: str, data: bytes) -> None:
    """A packed file that is none is an InputError, which names the file."""
    with file_of(data, name) as path, pytest.raises(InputError, match=re.escape(str(path))):
        read_run(path)


@pytest.mark.parametrize(("name", "pack"), [("file.gz", gzip.compress), ("file.zst", zstd.compress)])
@given(st.data())
def test_a_packed_file_that_was_cut_short_is_refused(
    name: str, pack: Callable[[bytes], bytes], data: st.DataObject
) -> None:
    """Wherever it was cut: its first lines are never read as the whole."""
    packed = pack(b"q1 0 c1 1 2.0 A\nq1 0 c2 2 1.0 A\n")
    cut = packed[: data.draw(st.integers(0, len(packed) - 1))]
    with file_of(cut, name) as path, pytest.raises(InputError, match=r"is not a whole|is empty"):
        read_run(path)


@given(st.dictionaries(ids, st.dictionaries(ids, numbers, max_size=5), min_size=1, max_size=5), ids)
def test_a_run_reads_back_as_it_was_written(lists: dict[str, dict[str, float]], name: str) -> None:
    """Topics, comments, order and scores survive, to the last digit, in both forms."""
    ranked = {topic: list(scored.items()) for topic, scored in lists.items() if scored}
    if not ranked:
        return
    run = Run.from_lists(name, ranked)
    for form in ("ntcir", "trec"):
        with file_of(b"") as path:
            write_run(path, run, form=form)
            assert read_run(path, order="file") == run


@given(st.dictionaries(ids, st.dictionaries(ids, st.floats(0, 1e6), min_size=1, max_size=5), min_size=1, max_size=5))
def test_gains_read_back_as_they_were_written(gains: dict[str, dict[str, float]]) -> None:
    """Judgements survive in the TREC and BEIR forms."""
    made = Gains.from_lists(gains)
    for form in ("trec", "beir"):
        with file_of(b"") as path:
            write_qrels(path, made, form=form)
            assert read_qrels(path) == made


@given(st.integers(1, 6), st.integers(1, 4), st.data())
def test_votes_read_back_as_they_were_written(items: int, assessors: int, data: st.DataObject) -> None:
    """Every vote survives, NA included."""
    level = data.draw(st.lists(st.integers(NA, 2), min_size=items * assessors, max_size=items * assessors))
    votes = Votes(
        topics=pack(f"q{place // 2}" for place in range(items)),
        comments=pack(f"c{place}" for place in range(items)),
        assessors=tuple(f"a{place}" for place in range(assessors)),
        item=np.repeat(np.arange(items), assessors),
        assessor=np.tile(np.arange(assessors), items),
        level=np.array(level),
        top=2,
    )
    with file_of(b"") as path:
        write_votes(path, votes)
        assert np.array_equal(read_votes(path, top=2).by_assessor(), votes.by_assessor())


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4, unique_by=str.strip), st.data())
def test_scores_read_back_as_they_were_written(names: list[str], data: st.DataObject) -> None:
    """Any names without line ends or outer blanks, any finite numbers."""
    kept = [name.strip() for name in names if name.isprintable() and name.strip() and not name.strip().startswith("#")]
    if not kept:
        return
    values = data.draw(st.lists(st.lists(numbers, min_size=len(kept), max_size=len(kept)), min_size=1, max_size=3))
    topics = tuple(f"q{place}" for place in range(len(values)))
    scores = Scores("m", topics, tuple(kept), np.array(values))
    with file_of(b"") as path:
        write_scores(path, ScoreSet([scores]))
        assert read_scores(path)["m"] == scores


names = st.lists(ids.filter(lambda name: "=" not in name), min_size=1, max_size=3, unique=True)


@given(names, names, st.data())
def test_scores_survive_other_evaluators_files(topics: list[str], runs: list[str], data: st.DataObject) -> None:
    """NTCIREVAL's and trec_eval's forms keep topics and every digit of each run."""
    row = st.lists(st.floats(-1e6, 1e6), min_size=len(runs), max_size=len(runs))
    values = np.array(data.draw(st.lists(row, min_size=len(topics), max_size=len(topics))))
    scores = Scores("m", tuple(topics), tuple(runs), values)
    for place, run in enumerate(runs):
        own = Scores("m", scores.topics, (run,), values[:, place : place + 1])
        with file_of(nev_text(ScoreSet([scores]), run).encode(), "R.x.nev") as path:
            assert np.array_equal(read_scores(path)["m"].values, own.values)
        if "all" in topics:
            continue
        with file_of(trec_eval_text(ScoreSet([scores]), run).encode()) as path:
            assert read_scores(path)["m"] == own


@given(
    st.lists(st.one_of(numbers.map(repr), st.decimals(-1000, 1000, places=4).map(str), st.text(max_size=6)), max_size=9)
)
@settings(max_examples=300)
@example(["9007199254740993", "0.1", "-0", "+5", ".5", "5.", ".", "-", "1.2.3", "123456789012345", "1234567890123456"])
def test_decimals_are_read_exactly_as_float_reads_them(texts: list[str]) -> None:
    """The whole-column parser and ``float()`` agree on every bit."""
    kept = [text for text in texts if text and "\x00" not in text and "_" not in text]
    for value, text in zip(decimals(pack(kept)).tolist(), kept, strict=True):
        try:
            expected = float(text.encode())
        except ValueError:
            expected = float("nan")
        assert np.array_equal(value, expected, equal_nan=True)
        assert np.signbit(value) == np.signbit(expected) or np.isnan(expected)


@given(
    st.lists(
        st.one_of(
            st.decimals(-9999, 9999, places=3).map(str),
            st.sampled_from(
                ["1.5", "-2", "+3.250", ".5", "-.125", "7", "1e3", "x.123", "1.2.3", "--1.000", "-", "0.000"]
            ),
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=300)
def test_a_column_of_fixed_decimals_is_read_exactly_or_left_to_the_general_reader(texts: list[str]) -> None:
    """What the quick reader answers is what ``float()`` answers; what it cannot read it declines."""
    margin = 20
    data = np.frombuffer((" " * margin + "".join(f" {one}" for one in texts)).encode() + bytes(16), dtype=np.uint8)
    sizes = np.array([len(one) for one in texts])
    ends = margin + np.cumsum(sizes + 1)
    values = fixed_point(data, ends - sizes, ends)
    if values is not None:
        assert values.tolist() == [float(one) for one in texts]


@given(lines)
def test_a_mended_copy_has_nothing_mendable_left(data: bytes) -> None:
    """Mending once is enough: the copy's only problems are a person's."""
    with file_of(data, "T1-C-R1.txt") as path:
        try:
            run = read_raw(path)
        except InputError:
            return
        copy = mended(run, Expectation())
        if not copy.text:
            return
        path.write_text(copy.text, newline="")
        left = problems_of(read_raw(path), Expectation())
        assert [problem for problem in left if problem.is_mendable] == []
