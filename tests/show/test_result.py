"""A result shows itself once: every form is drawn from one description."""

from __future__ import annotations

import csv
import gzip
import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError, UnknownName, option
from kaiwa.show.result import MAX_CHARACTERS, MAX_COLUMNS, MAX_ROWS, Description, Result, Table

if TYPE_CHECKING:
    from pathlib import Path

EVIL = "<b onload='x'>\x1b[31m\u202e\\input{x}%$&_|"


class Means(Result):
    """Two tables, a note, a paragraph and fields."""

    def describe(self) -> Description:
        """What it has to show."""
        return Description(
            tables=(
                Table(
                    "means", ["run", "mean", "high"], [["A", 0.123456, None]], ["run", "mean", "to"], [["A", 0.1, ""]]
                ),
                Table("pairs", ["a", "b"], [["A", EVIL]]),
            ),
            title="Means",
            notes=[f"One note, {option('missing', 'zero')}."],
            methods="How it was done.",
            fields={"mean": 0.5, "high": float("inf"), "pairs": [{"low": float("-inf"), "of": ("A", 2)}]},
        )

    def figure(self, table: str | None = None) -> str:
        """A figure of either table."""
        return f"<svg>{table}</svg>"


class Wide(Result):
    """A table that is too large for a notebook."""

    def describe(self) -> Description:
        """What it has to show."""
        rows = [["x" * 2_000, *range(40)] for _ in range(99)]
        return Description(tables=(Table("wide", [f"c{place}" for place in range(41)], rows, unseen=7),))


class Nothing(Result):
    """A result without a table or figure."""

    def describe(self) -> Description:
        """What it has to show."""
        return Description(text="none", fields={"n": 0})


class Tags(HTMLParser):
    """The tags of a page, and what stands in its cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag; none has a handler of events."""
        assert not any(name.startswith("on") for name, _ in attrs)
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        """What stands in it."""
        self.words.append(data)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("m.csv", "run,mean,high\nA,0.123456,\n"),
        ("m.tsv", "run\tmean\thigh\nA\t0.123456\t\n"),
        ("m.json", '{"mean": 0.5, "high": null, "pairs": [{"low": null, "of": ["A", 2]}]}\n'),
        ("m.tex", "\\begin{tabular}"),
        ("m.html", '<!doctype html>\n<meta charset="utf-8">'),
        ("m.md", "| run | mean | to |"),
        ("m.svg", "<svg>None</svg>\n"),
        ("m.txt", "Means\n\nrun    mean  to\n"),
        ("m", "Means\n\nrun    mean  to\n"),
    ],
)
def test_the_ending_of_a_file_says_its_form(tmp_path: Path, name: str, start: str) -> None:
    """Another ending, or none, means the text; a packed file is the same."""
    Means().write(tmp_path / name)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.startswith(start)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    Means().write(tmp_path / f"{name}.gz")
    assert gzip.decompress((tmp_path / f"{name}.gz").read_bytes()).decode() == text


def test_text_latex_and_markdown_have_the_notes_and_text_the_methods(tmp_path: Path) -> None:
    """A table that is chosen stands alone; options are spelled as in Python."""
    for name in ("m.txt", "m.tex", "m.md", "m.html"):
        Means().write(tmp_path / name)
        assert 'missing="zero"' in (tmp_path / name).read_text(encoding="utf-8").replace("&quot;", '"')
    assert (tmp_path / "m.txt").read_text().endswith("\n\nHow it was done.\n")
    assert Means().methods() == "How it was done."
    for name in ("p.txt", "p.tex", "p.md", "p.html"):
        Means().write(tmp_path / name, table="pairs")
        assert "One note" not in (tmp_path / name).read_text(encoding="utf-8")


def test_parquet_holds_the_columns_of_a_table(tmp_path: Path) -> None:
    """Numbers as numbers, None as null."""
    from pyarrow import parquet

    Means().write(tmp_path / "m.parquet")
    assert parquet.read_table(tmp_path / "m.parquet").to_pylist() == [{"run": "A", "mean": 0.123456, "high": None}]


def test_a_format_that_is_named_wins_over_the_ending(tmp_path: Path) -> None:
    """``format`` is a name of a form."""
    Means().write(tmp_path / "m.txt", format="csv", table="pairs")
    assert next(csv.reader((tmp_path / "m.txt").read_text().splitlines())) == ["a", "b"]
    with pytest.raises(UnknownName, match="unknown format 'cvs'; did you mean 'csv'"):
        Means().write(tmp_path / "x.csv", format="cvs")
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "tex", "html", "md", "svg", "parquet", "txt"])
def test_an_unknown_table_is_an_error_that_lists_the_known_ones(tmp_path: Path, ending: str) -> None:
    """In every form, and no file is made."""
    with pytest.raises(UnknownName, match="unknown table 'pair'; did you mean 'pairs'"):
        Means().write(tmp_path / f"x.{ending}", table="pair")
    assert not list(tmp_path.iterdir())


def test_what_a_result_does_not_have_is_an_error(tmp_path: Path) -> None:
    """No table, no figure, one table of the JSON."""
    with pytest.raises(InputError, match="this result has no table; print it"):
        Nothing().write(tmp_path / "x.csv")
    with pytest.raises(InputError, match="no figure of Nothing; write a table instead"):
        Nothing().write(tmp_path / "x.svg")
    with pytest.raises(InputError, match="JSON has every table; leave out the name of one"):
        Means().write(tmp_path / "x.json", table="pairs")
    assert (str(Nothing()), json.loads(Nothing().to_json())) == ("none", {"n": 0})


def test_tables_are_taken_by_name() -> None:
    """The first is the main one; frames and CSV have the columns that programs use."""
    assert Means().tables == ("means", "pairs")
    assert Means().columns() == {"run": ["A"], "mean": [0.123456], "high": [None]}
    assert list(Means().to_pandas("pairs").columns) == Means().to_polars("pairs").columns == ["a", "b"]
    assert Means().to_csv("pairs").startswith("a,b\n")


def test_untrusted_text_is_escaped_in_every_form() -> None:
    """No tag, no command, no sequence that a terminal obeys."""
    shown = Means().describe()
    assert not {"\x1b", "\u202e"} & set(shown.plain("pairs") + shown.markdown("pairs") + shown.table("pairs").html())
    page = Tags(shown.page("pairs"))
    assert "b" not in page.tags
    assert any("<b onload" in words for words in page.words)
    latex = shown.latex("pairs")
    assert r"\input" not in latex
    assert all(rf"\{mark}" in latex for mark in "%$&_")
    assert r"\|" in shown.markdown("pairs")


def test_html_is_small_and_counts_the_rest() -> None:
    """Rows, columns and characters have limits; rows that the table left out before are counted too."""
    page = Wide()._repr_html_()
    assert page.count("<tr>") == MAX_ROWS + 1
    assert page.count("<th scope=col") == MAX_COLUMNS
    assert f"... and {99 - MAX_ROWS + 7} more rows" in page
    assert "x" * (MAX_CHARACTERS + 1) not in page
    assert "... and 7 more rows" in str(Wide())
