"""Spans of a text file: together they have its lines, each once, with the numbers of the whole file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from kaiwa.formats.text_files import lines_before, read_blocks, spans_of

LINE = st.text(st.sampled_from("ab海\t"), max_size=9)


@given(st.lists(LINE, min_size=1, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(1, 30))
def test_spans_have_every_line_once(lines: list[str], end: str, last: bool, most: int) -> None:  # noqa: FBT001
    """Wherever they begin: inside a line, inside a character, at the end of a line."""
    data = (end.join(lines) + (end if last else "")).encode()
    if not data:
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_bytes(data)
        whole = b"".join(block.data for block in read_blocks(path))
        found, number = b"", 0
        for span in spans_of(path, most):
            assert lines_before(path, span) == number
            own = b"".join(block.data for block in read_blocks(path, span=span, block_bytes=5))
            found += own
            number += own.count(b"\n")
    assert found == whole


def test_spans_cover_a_file_in_about_equal_parts(tmp_path: Path) -> None:
    """An empty file has one."""
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert [(span.start, span.end) for span in spans_of(tmp_path / "file", 40)] == [(0, 33), (33, 66), (66, 100)]
    (tmp_path / "empty").touch()
    assert [(span.start, span.end) for span in spans_of(tmp_path / "empty", 40)] == [(0, 0)]
