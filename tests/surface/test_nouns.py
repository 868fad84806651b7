"""Every public noun and result does what all of them do: repr, text, HTML, tables, frames, JSON, files."""

from __future__ import annotations

import csv
import gzip
import inspect
import json
import re
from html import unescape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import kaiwa
from kaiwa.errors import InputError, in_python
from kaiwa.show.result import Result
from kaiwa.show.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = (
    "p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n"
    "p2\tIt rains again today\tc2\tStay at home if it rains\n"
    "p3\tMy cat sleeps all day\tc3\tLet the cat sleep\n"
)
TOPICS = {"q1": "A day in Hawaii", "q2": "It rains"}
QRELS = {"q1": {"c1": 1, "c2": 0}, "q2": {"c1": 0, "c2": 2}}
ROWS = [(topic, comment, who, at % 3) for at, topic in enumerate("pqrs") for comment in "ab" for who in ("ann", "bob")]
PLAN: dict[str, Any] = {"variance": 0.06, "systems": 3, "min_diff": 0.2}  # Any: arguments of design


def _scores() -> kaiwa.Scores:
    values = np.random.default_rng(1).random((20, 3)) * 0.3 + [0.1, 0.3, 0.7]
    return kaiwa.Scores.from_matrix("nG@1", range(20), "ABC", values)


def _runs() -> list[kaiwa.Run]:
    each = ({"q1": {"c1": 2.0, "c3": 1.0}, "q2": {"c2": 1.0}}, {"q1": {"c2": 1.0}, "q2": {}})
    return [kaiwa.Run.from_dict(lists, f"T{at}-E-R1") for at, lists in enumerate(each, start=1)]


def _checked() -> kaiwa.Check:
    Path("T1-E-R1.txt").write_text("q1 0 c1 1 2.0 T1-E-R1\nq1 0 c1 2 1.0 T1-E-R1\n", encoding="utf-8")
    return kaiwa.check("T1-E-R1.txt")


def _reported() -> kaiwa.Report:
    Path("task").mkdir(exist_ok=True)
    Path("task", "kaiwa.toml").write_text('[task]\ntitle = "T"\n[scoring]\nmeasures = ["nG@1"]\n', encoding="utf-8")
    _scores().write(Path("task", "scores.csv"))
    return kaiwa.report("task")


def _judged() -> Path:
    task = Path("judged")
    if not task.exists():
        kaiwa.init(task)
        (task / "topics.tsv").write_text("p\tA day in Hawaii\n", encoding="utf-8")
        (task / "pool.tsv").write_text("p\tc1\np\tc2\n", encoding="utf-8")
        Path("judged/repository").symlink_to(Path("repository").absolute())
        kaiwa.votes(task, add=kaiwa.Votes.from_rows([("p", "c1", "ann", 2)]))
    return task


def _trained() -> kaiwa.Training:
    return kaiwa.train("index", QRELS, topics=TOPICS, features="similarity", folds=2, output="ranker")


EXAMPLES: dict[str, Callable[[], Any]] = {  # Any: each is of the type of its name
    "Agreement": lambda: kaiwa.Votes.from_rows(ROWS).agree(trials=50),
    "Backup": lambda: kaiwa.backup(_judged(), output="copy.db"),
    "Bot": lambda: kaiwa.open("index"),
    "Check": _checked,
    "Comparison": lambda: _scores().compare(trials=99),
    "Correlation": lambda: kaiwa.tau(_scores(), _scores(), trials=100),
    "Demo": lambda: kaiwa.Demo(Path("demo"), (("Pool.", ("kaiwa pool runs/*.txt -o pool.tsv",)),), is_judged=True),
    "Design": lambda: kaiwa.design(**PLAN),
    "DesignCost": lambda: kaiwa.design_cost(**PLAN),
    "DesignDecision": lambda: kaiwa.design_decide(_scores()),
    "DesignPassRate": lambda: kaiwa.design_pass_rate(0.5, min_diff=0.1),
    "DesignReview": lambda: kaiwa.design_review(_scores(), variance=0.06, systems=3, min_diff=0.2),
    "DesignRounds": lambda: kaiwa.design_rounds(**PLAN, looks=[10, 20]),
    "DesignSimulation": lambda: kaiwa.design_simulate(_scores(), systems=3, min_diff=0.3, trials=99),
    "Factors": lambda: _scores().standardise().factors,
    "Index": lambda: kaiwa.index("repository", "index", language="en"),
    "IntentChances": lambda: kaiwa.IntentChances({("q1", "1"): 0.75, ("q1", "2"): 0.25}, frozenset({("q1", "2")})),
    "Invitations": lambda: kaiwa.invite(_judged(), "Ann"),
    "LoggedVotes": lambda: kaiwa.votes(_judged()),
    "Making": lambda: kaiwa.make(_judged(), dry_run=True),
    "Models": lambda: kaiwa.models("index", "models", "topicword"),
    "NameTable": lambda: kaiwa.names("systems"),
    "NewTask": lambda: kaiwa.init("new"),
    "PairIds": lambda: kaiwa.PairIds([("p1", "c1"), ("p2", "c2")]),
    "PairTexts": lambda: kaiwa.convert(kaiwa.PairIds([("p1", "c1"), ("p1", "gone")]), texts="repository"),
    "PanelQuality": lambda: kaiwa.Votes.from_rows(ROWS).agree(assessors=True, trials=50).quality,
    "Pool": lambda: kaiwa.pool(_runs(), qrels=QRELS),
    "Qrels": lambda: kaiwa.Qrels.from_dict(QRELS),
    "Replies": lambda: kaiwa.reply("index", "A day in Hawaii"),
    "Report": _reported,
    "Repository": lambda: kaiwa.clean("pairs.tsv", "repository"),
    "Reproduction": lambda: kaiwa.reproduce("unanimity", "measures"),
    "Run": lambda: _runs()[1],
    "RunFolder": lambda: kaiwa.retrieve_all("index", TOPICS, "runs"),
    "Runs": lambda: kaiwa.Runs(_runs()),
    "Scores": _scores,
    "Served": lambda: kaiwa.Served("http://127.0.0.1:80", organiser="http://127.0.0.1:80/in#x"),
    "Status": lambda: kaiwa.status(_judged()),
    "Standardisation": lambda: kaiwa.standardisation(_scores()),
    "Study": lambda: kaiwa.unanimity(None, _runs(), qrels=QRELS, measures="nDCG@10", trials=100),
    "Topics": lambda: kaiwa.topics("repository", n=1),
    "Training": _trained,
    "Variance": lambda: _scores().variance(trials=100),
    "Verification": lambda: kaiwa.verify(_judged()),
    "VotedQrels": lambda: kaiwa.Votes.from_rows(ROWS).gains(),
    "Votes": lambda: kaiwa.Votes.from_rows([*ROWS, ("p", "c", "ann", None)]),
}
"""An example of each; a new public type needs one."""
NAMED_BY_DATA = {("Scores", "means"), ("Scores", "matrix"), ("Training", "scores")}
"""Tables whose columns are measures, runs or people."""
WITH_FIGURE = {"Comparison", "Design", "Standardisation"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:  # Any: results
    """Every example, made in one folder with a repository and an index."""
    folder = tmp_path_factory.mktemp("nouns")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("pairs.tsv").write_text(PAIRS, encoding="utf-8")
        kaiwa.index(kaiwa.clean("pairs.tsv", "repository"), "index", language="en")
        return {name: make() for name, make in EXAMPLES.items()}


def _public_types() -> dict[str, type]:
    found = {name: getattr(kaiwa, name) for name in kaiwa.__all__}
    return {name: one for name, one in found.items() if isinstance(one, type) and not issubclass(one, Exception)}


def test_every_public_type_has_an_example(made: dict[str, Any]) -> None:
    """All are results; a noun is one of its kinds."""
    assert set(EXAMPLES) == set(_public_types()) - {"Noun"}
    assert {name: type(one).__name__ for name, one in made.items()} == {name: name for name in EXAMPLES}
    assert all(issubclass(one, Result) for one in _public_types().values())


def test_every_returned_type_is_public() -> None:
    """What a public function gives back can be named."""
    known = {*_public_types(), "dict", "str", "None"}
    for name in kaiwa.__all__:
        function = getattr(kaiwa, name)
        if inspect.isfunction(function):
            given = set(re.findall(r"\w+", str(inspect.signature(function).return_annotation)))
            assert given <= known, name
            assert "|" not in str(inspect.signature(function).return_annotation)


@pytest.mark.parametrize("name", EXAMPLES)
def test_repr_is_one_line_that_names_the_type(made: dict[str, Any], name: str) -> None:
    """Without arrays."""
    shown = repr(made[name])
    assert shown.startswith(f"{name}(")
    assert "\n" not in shown
    assert "array(" not in shown
    assert len(shown) < 200


@pytest.mark.parametrize("name", EXAMPLES)
def test_text_and_html_have_every_note(made: dict[str, Any], name: str) -> None:
    """The text is what the terminal prints, with the options as Python spells them."""
    result = made[name]
    description = result.describe().worded(in_python)
    assert str(result) == description.plain()
    assert all(visible(note) in str(result) for note in description.notes)
    html = unescape(re.sub(r"<[^>]*>", "", result._repr_html_()))
    assert all(note in html for note in description.notes)


@pytest.mark.parametrize("name", ["Run", "Runs", "Qrels", "Topics", "Repository", "Index"])
def test_text_of_a_large_noun_is_a_summary(made: dict[str, Any], name: str) -> None:
    """Never its rows."""
    result = made[name]
    main = result.describe().table()
    assert main not in result.describe().printed or result.describe().text is not None
    assert len(str(result).splitlines()) < 12


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_table_goes_to_frames_csv_and_latex(made: dict[str, Any], name: str) -> None:
    """With the same snake_case columns; cells are texts, numbers or None; the first table is the main one."""
    result = made[name]
    assert result.tables
    assert list(result.columns()) == list(result.columns(result.tables[0]))
    for table in result.tables:
        columns = result.columns(table)
        if (name, table) not in NAMED_BY_DATA:
            assert all(re.fullmatch(r"[a-z][a-z0-9_]*", column) for column in columns), (table, list(columns))
        cells = [cell for column in columns.values() for cell in column]
        assert all(cell is None or isinstance(cell, str | int | float) for cell in cells), table
        assert list(result.to_pandas(table)) == result.to_polars(table).columns == list(columns)
        assert next(csv.reader(StringIO(result.to_csv(table)))) == list(columns)
        assert r"\begin{tabular}" in result.to_latex(table)
    with pytest.raises(InputError, match="unknown table 'nonsense'"):
        result.columns("nonsense")


@pytest.mark.parametrize("name", EXAMPLES)
def test_json_is_one_line_whose_fields_are_attributes(made: dict[str, Any], name: str) -> None:
    """A program and a notebook use the same names."""
    result = made[name]
    assert "\n" not in result.to_json()
    fields = json.loads(result.to_json())
    assert fields
    assert [field for field in fields if not hasattr(result, field)] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_ending_says_the_form_of_a_file(made: dict[str, Any], name: str, tmp_path: Path) -> None:
    """Also before .gz; every result has a table, and with it these forms."""
    result = made[name]
    columns = list(result.columns())
    begins = {"csv": columns[0], "json": result.to_json(), "html": "<!doctype html>", "md": ""}
    has = {"tsv": "\t", "tex": r"\begin{tabular}", "md": "| --- |"}
    for form in ("csv", "tsv", "json", "tex", "html", "md"):
        result.write(tmp_path / f"made.{form}")
        result.write(tmp_path / f"made.{form}.gz")
        text = (tmp_path / f"made.{form}").read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if not line.startswith("# lower")]
        assert lines[0].startswith(begins.get(form, "")), form
        assert has.get(form, "") in text, form
        assert gzip.decompress((tmp_path / f"made.{form}.gz").read_bytes()).decode() == text
    result.write(tmp_path / "made.parquet")
    assert pl.read_parquet(tmp_path / "made.parquet").columns == columns
    with pytest.raises(InputError, match="is Parquet, which compresses itself"):
        result.write(tmp_path / "made.parquet.gz")
    with pytest.raises(InputError, match="unknown format 'xml'"):
        result.write(tmp_path / "made.csv", format="xml")


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_figure_that_a_result_does_not_have_is_refused(made: dict[str, Any], name: str, tmp_path: Path) -> None:
    """In one line, without a file; the others are SVG."""
    if name in WITH_FIGURE:
        made[name].write(tmp_path / "made.svg")
        assert "</svg>" in (tmp_path / "made.svg").read_text(encoding="utf-8")
        return
    with pytest.raises(InputError, match=f"no figure of {name}; write a table instead"):
        made[name].write(tmp_path / "made.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_any_other_ending_is_its_own_file(made: dict[str, Any], name: str, tmp_path: Path) -> None:
    """Of runs a folder; nothing is CSV by another name."""
    result = made[name]
    for ending in (".txt", ".run", ".qrels", ".v1", ""):
        path = tmp_path / f"made{ending}"
        result.write(path)
        if name == "Runs":
            assert sorted(file.name for file in path.iterdir()) == ["T1-E-R1.txt", "T2-E-R1.txt"]
        else:
            assert path.read_text(encoding="utf-8").rstrip("\n") == result.own_form().rstrip("\n")


OWN: dict[str, tuple[str, Callable[[Path], Any]]] = {  # Any: a noun
    "Run": ("q1 Q0 c2 1 1.0 T2-E-R1\n", kaiwa.read_run),
    "Qrels": ("q1 0 c1 1\n", kaiwa.read_qrels),
    "VotedQrels": ("p 0 a 0\n", kaiwa.read_qrels),
    "LoggedVotes": ("topic,comment,assessor,level", kaiwa.read_votes),
    "Votes": ("topic,comment,assessor,level\n", kaiwa.read_votes),
    "Scores": ("measure,topic,run,score\n", kaiwa.read_scores),
    "Topics": ("p", kaiwa.read_topics),
    "Factors": ("measure,topic,mean,sd\n", kaiwa.read_factors),
    "PairIds": ("post_id\tcomment_id\n", lambda path: kaiwa.convert(path, format="pair-ids")),
    "PairTexts": ("post_id\tpost\t", lambda path: kaiwa.convert(path, texts=path)),
    "IntentChances": ("q1 1 0.75 inf\n", kaiwa.read_chances),
}


@pytest.mark.parametrize("name", OWN)
def test_a_noun_reads_back_from_its_own_file(made: dict[str, Any], name: str, tmp_path: Path) -> None:
    """In the community's format."""
    start, read = OWN[name]
    made[name].write(tmp_path / "made.txt")
    text = (tmp_path / "made.txt").read_text(encoding="utf-8")
    assert text.startswith(start)
    again = read(tmp_path / "made.txt")
    assert again.own_form() == text


def test_nouns_are_those_with_formats(made: dict[str, Any]) -> None:
    """Each noun that convert can give is public."""
    nouns = {name for name, one in made.items() if isinstance(one, kaiwa.Noun)}
    assert nouns == {*OWN, "Runs"}
