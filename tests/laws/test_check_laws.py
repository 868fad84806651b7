"""The law of the checker: what it passes is read, and what readers refuse it reports."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kaiwa.checking.check import check
from kaiwa.errors import InputError
from kaiwa.formats.readers import read_run

STC = b"<SYSDESC>plain</SYSDESC>\nq1 0 c9 1 2.5 T1-C-R1\nq1 0 c4 2 1.5 T1-C-R1\nq2 0 c1 1 2.0 T1-C-R1\n"
TREC = STC.partition(b"\n")[2].replace(b" 0 ", b" Q0 ")
_SIGNS = [
    b"\r",
    b"\x0b",
    b"\x1c",
    b"\x7f",
    b"\x85",
    b"#",
    b"L",
    b"_",
    b"+",
    b"e5",
    b"nan",
    b"inf",
    b"x" * 600,
    b"9" * 400,
]
PUT = st.one_of(st.binary(max_size=3), st.sampled_from([*_SIGNS, b" ", b"\t", b"\n", "２".encode(), "\u00a0".encode()]))


def _is_passed(path: Path) -> bool:
    try:
        found = check(path)
    except InputError:
        return False
    return not any(problem.severity == "error" for problem in found.problems)


def _is_read(path: Path) -> bool:
    try:
        read_run(path)
    except InputError:
        return False
    return True


@given(st.sampled_from([STC, TREC]), st.data())
@settings(max_examples=400)
def test_a_file_that_the_checker_passes_is_read(text: bytes, data: st.DataObject) -> None:
    """Wherever a run is changed."""
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    end = data.draw(st.sampled_from([low, low, high]))
    _law(text[:low] + data.draw(PUT) + text[end:])


@given(st.sampled_from([STC, TREC]), st.integers(0, 5), PUT)
@settings(max_examples=300)
@example(STC, 2, b"x" * 600)
@example(TREC, 2, b"x" * 600)
@example(STC, 4, b"1_0")
@example(STC, 3, b"1_0")
@example(TREC, 4, "２".encode())
@example(TREC, 3, "２".encode())
@example(TREC, 3, b"9" * 600)
@example(TREC, 4, b"9" * 400)
@example(TREC, 0, b"a\x00b")
@example(TREC, 5, b"x" * 600)
@example(TREC, 1, b"x" * 600)
def test_a_field_that_the_checker_passes_is_read(text: bytes, place: int, put: bytes) -> None:
    """Each field of a line in turn."""
    head, _, tail = text.rpartition(b"q2 ")
    fields = (b"q2 " + tail).split()
    fields[place] = put
    _law(head + b" ".join(fields) + b"\n")


def test_a_whole_run_is_passed_and_read() -> None:
    """The law is about something."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "T1-C-R1.txt"
        path.write_bytes(STC)
        assert _is_passed(path)
        assert _is_read(path)


def _law(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "T1-C-R1.txt"
        path.write_bytes(data)
        assert _is_read(path) or not _is_passed(path), data
