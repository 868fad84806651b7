"""Laws of every reader: what is written reads back, and nothing but InputError comes out of garbage."""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kaiwa.checking.check import Expectation, problems_of
from kaiwa.checking.fixes import fixed_run
from kaiwa.checking.raw_run import read_raw
from kaiwa.errors import InputError
from kaiwa.files import zstd
from kaiwa.formats.convert import WRITTEN, convert
from kaiwa.formats.fields import decimals, fixed_point
from kaiwa.formats.qrels import write_qrels
from kaiwa.formats.readers import read, read_grouped_qrels, read_qrels, read_run, read_scores, read_votes
from kaiwa.formats.recognition import Head, Match
from kaiwa.formats.runs import write_run
from kaiwa.formats.scores import nev_text, trec_eval_text, write_scores
from kaiwa.formats.table import FORMATS
from kaiwa.formats.votes import write_votes
from kaiwa.nouns.cells import Cells, complete_scores
from kaiwa.nouns.factors import Factors, TopicFactors
from kaiwa.nouns.ids import pack
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.pair_ids import PairIds
from kaiwa.nouns.qrels import IntentChances, Qrels
from kaiwa.nouns.run import Run, Runs
from kaiwa.nouns.scores import Scores
from kaiwa.nouns.topics import Topics
from kaiwa.nouns.votes import NA, Votes

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.formats.recognition import Format
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.noun import Noun

EXAMPLES = Path(__file__).parents[1] / "formats" / "examples"

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


@pytest.mark.parametrize("name", FORMATS)
@given(st.one_of(st.binary(max_size=300), lines))
@example(b"")
@example(b"\n")
@example(b"\xef\xbb\xbf")
@example(b"\r")
@example(b"topic,comment,assessor,level\n\xff")
@example(b"1 AP= 1\n1 AP=\n")
@example(b"map 1 1\nmap all\nrunid all A\n")
def test_a_reader_refuses_garbage_with_one_clear_line(name: str, data: bytes) -> None:
    """Whatever the bytes, every format's reader, found by its example's name or called alone, answers or refuses."""
    with copy_of_example(name) as path:
        file = _files(path)[0]
        file.write_bytes(data)
        _read_or_refuse(name, path)


@pytest.mark.parametrize("name", FORMATS)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_with_one_clear_line(name: str, data: st.DataObject) -> None:
    """Bytes and lines of an example cut out, repeated, exchanged and put in."""
    with copy_of_example(name) as path:
        file = data.draw(st.sampled_from(_files(path)))
        file.write_bytes(data.draw(damaged(file.read_bytes())))
        _read_or_refuse(name, path)


@st.composite
def damaged(draw: st.DrawFn, text: bytes) -> bytes:
    """The text with a few changes."""
    for _ in range(draw(st.integers(1, 4))):
        low, high = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        put = draw(st.one_of(word.map(str.encode), st.binary(max_size=4), st.just(text[low:high] * 2), st.just(b"\n")))
        text = text[:low] + put + text[draw(st.sampled_from([low, high])) :]
    return text


@contextlib.contextmanager
def copy_of_example(name: str) -> Iterator[Path]:
    """The example of a format, copied where it can be changed."""
    (source,) = (EXAMPLES / name).iterdir()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / source.name
        if source.is_dir():
            shutil.copytree(source, path)
        else:
            shutil.copy(source, path)
        yield path


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _read_or_refuse(name: str, path: Path) -> None:
    row: Format[object, object] = FORMATS[name]
    for reader in (lambda path: read(row.noun, path), row.read):
        refusal = _refusal(lambda path, reader=reader: _exhausted(reader(path)), path)
        assert "\n" not in refusal
        assert not refusal or str(path) in refusal


def _exhausted(found: object) -> None:
    if isinstance(found, Cells):
        complete_scores(found)
    elif isinstance(found, Iterator):
        for _ in found:
            pass


@given(st.one_of(st.binary(max_size=300), lines))
def test_the_checker_and_grouped_judgements_refuse_garbage_with_one_clear_line(data: bytes) -> None:
    """They read lines of their own."""
    for reader in (read_raw, read_grouped_qrels):
        with file_of(data) as path:
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
    with file_of(cut, name) as path, pytest.raises(InputError, match=r"is not a complete|is empty"):
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


@given(
    st.dictionaries(ids, st.dictionaries(ids, st.floats(0, 1e6), min_size=1, max_size=5), min_size=1, max_size=5),
    st.floats(0, 1e6),
)
def test_gains_read_back_as_they_were_written(gains: dict[str, dict[str, float]], top: float) -> None:
    """Judgements survive in the TREC and BEIR forms; in the TREC form also a gmax that no item reaches."""
    made = Qrels.from_lists(gains)
    above = replace(made, top=made.top + top)
    for form, written in (("trec", made), ("beir", made), ("trec", above)):
        with file_of(b"") as path:
            write_qrels(path, written, form=form)
            assert read_qrels(path) == written


@given(st.integers(1, 6), st.integers(1, 4), st.data())
def test_votes_read_back_as_they_were_written(items: int, assessors: int, data: st.DataObject) -> None:
    """Every vote survives, NA included."""
    level = data.draw(st.lists(st.integers(NA, 2), min_size=items * assessors, max_size=items * assessors))
    votes = _votes(np.array(level).reshape(items, assessors))
    with file_of(b"") as path:
        write_votes(path, votes)
        assert np.array_equal(read_votes(path, top=2).by_assessor(), votes.by_assessor())


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4, unique_by=str.strip), st.data())
def test_scores_read_back_as_they_were_written(names: list[str], data: st.DataObject) -> None:
    """Any names without line ends or outer blanks, any finite numbers, either direction."""
    kept = [name.strip() for name in names if name.isprintable() and name.strip() and not name.strip().startswith("#")]
    if not kept:
        return
    values = data.draw(st.lists(st.lists(numbers, min_size=len(kept), max_size=len(kept)), min_size=1, max_size=3))
    topics = tuple(f"q{place}" for place in range(len(values)))
    scores = Matrix("m", topics, tuple(kept), np.array(values), data.draw(st.sampled_from(["higher", "lower"])))
    with file_of(b"") as path:
        write_scores(path, Scores([scores]))
        assert read_scores(path).matrix() == scores


scored_lists = st.dictionaries(ids, st.dictionaries(ids, numbers, min_size=1, max_size=5), min_size=1, max_size=4)
NOUNS = {
    "run": st.dictionaries(ids, scored_lists, min_size=1, max_size=3).map(
        lambda runs: Runs([Run.from_lists(name, _ranked(lists)) for name, lists in runs.items()])
    ),
    "qrels": st.dictionaries(
        ids, st.dictionaries(ids, st.integers(0, 9).map(float), min_size=1, max_size=4), min_size=1, max_size=4
    ).flatmap(lambda lists: st.sampled_from([Qrels.from_lists(lists), Qrels.from_lists(lists, top=24)])),
    "votes": st.lists(st.lists(st.integers(NA, 2), min_size=2, max_size=2), min_size=1, max_size=4).map(
        lambda levels: _votes(np.array(levels))
    ),
    "scores": st.tuples(
        *[st.lists(ids, min_size=1, max_size=3, unique=True)] * 2,
        st.floats(-1e6, 1e6),
        st.sampled_from(["higher", "lower"]),
    ).map(lambda drawn: Scores([Matrix("AP", tuple(drawn[0]), tuple(drawn[1]), _filled(*drawn[:3]), drawn[3])])),
    "topics": st.dictionaries(ids, ids, min_size=1, max_size=4).map(Topics),
    "ids of pairs": st.lists(st.tuples(ids, ids), min_size=1, max_size=4, unique=True).map(PairIds),
    "chances": st.dictionaries(st.tuples(ids, ids), st.floats(0, 1), min_size=1, max_size=4).map(IntentChances),
    "factors": st.lists(ids, min_size=1, max_size=4, unique=True).map(
        lambda topics: Factors(
            [TopicFactors("AP", tuple(topics), np.full(len(topics), 0.1), np.full(len(topics), 1 / 3))]
        )
    ),
}


def _ranked(lists: dict[str, dict[str, float]]) -> dict[str, list[tuple[str, float]]]:
    return {
        topic: sorted(scored.items(), key=lambda item: (item[1], item[0].encode()), reverse=True)
        for topic, scored in lists.items()
    }


def _votes(by_assessor: IntArray) -> Votes:
    items, assessors = by_assessor.shape
    return Votes(
        topics=pack(f"q{place // 2}" for place in range(items)),
        comments=pack(f"c{place}" for place in range(items)),
        assessors=tuple(f"a{place}" for place in range(assessors)),
        item=np.repeat(np.arange(items), assessors),
        assessor=np.tile(np.arange(assessors), items),
        level=by_assessor.ravel(),
        top=2,
    )


def _filled(topics: list[str], runs: list[str], score: float) -> FloatArray:
    return np.arange(len(topics) * len(runs)).reshape(len(topics), len(runs)) / 7 + score


@pytest.mark.parametrize("name", WRITTEN)
@given(st.data())
def test_what_is_written_is_read_and_written_the_same(name: str, data: st.DataObject) -> None:
    """Every format that is read and written: the files it writes are the files made from reading them.

    A writer may refuse a name that its files cannot hold; it never writes one that would not be read back.
    """
    made: Noun = data.draw(NOUNS[WRITTEN[name].noun.name])
    try:
        texts = made.texts(name)
    except InputError:
        return
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / ("AP.csv" if "" in texts else "there")
        made.in_format(name).write(target)
        assert _in_order(_converted_again(target, name)) == _in_order(texts)


def _converted_again(target: Path, name: str) -> dict[str, str]:
    one_path = target.is_file() or WRITTEN[name].recognise(Head(target)) is Match.SURE
    return convert([target] if one_path else sorted(target.iterdir()), format=name).texts(name)


def _in_order(texts: dict[str, str]) -> dict[str, str]:
    """The texts with their lists of names sorted: a folder is read in the order of its files' names."""
    lists = {"runlist", "topics.tid"}
    return {file: "".join(sorted(text.splitlines(True))) if file in lists else text for file, text in texts.items()}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_example_of_a_written_format_is_written_as_it_stands(name: str) -> None:
    """``write(read(x))`` reads back as ``x`` does."""
    (path,) = (EXAMPLES / name).iterdir()
    made = convert(path, format=name)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / (path.name if "" in made.texts(name) else path.stem)
        made.write(target)
        assert _converted_again(target, name) == made.texts(name)


names = st.lists(ids.filter(lambda name: "=" not in name), min_size=1, max_size=3, unique=True)


@given(names, names, st.data())
def test_scores_survive_other_evaluators_files(topics: list[str], runs: list[str], data: st.DataObject) -> None:
    """NTCIREVAL's and trec_eval's forms keep topics and every digit of each run."""
    row = st.lists(st.floats(-1e6, 1e6), min_size=len(runs), max_size=len(runs))
    values = np.array(data.draw(st.lists(row, min_size=len(topics), max_size=len(topics))))
    scores = Matrix("m", tuple(topics), tuple(runs), values)
    for place, run in enumerate(runs):
        own = Matrix("m", scores.topics, (run,), values[:, place : place + 1])
        with file_of(nev_text(Scores([scores]), run).encode(), "R.x.nev") as path:
            assert np.array_equal(read_scores(path)["m"].values, own.values)
        if "all" in topics:
            continue
        with file_of(trec_eval_text(Scores([scores]), run).encode()) as path:
            assert read_scores(path).matrix() == own


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
def test_a_fixed_copy_has_no_fixable_problem(data: bytes) -> None:
    """Fixing once is enough."""
    with file_of(data, "T1-C-R1.txt") as path:
        try:
            run = read_raw(path)
        except InputError:
            return
        copy = fixed_run(run, Expectation())
        if not copy.text:
            return
        path.write_text(copy.text, newline="")
        left = problems_of(read_raw(path), Expectation())
        assert [problem for problem in left if problem.is_fixable] == []
