"""Votes from labelling tools, sheets and pages: every version of their exports gives the same votes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import kaiwa as package
from kaiwa.formats.judging_sheets import read_sheet, sheet_text
from kaiwa.formats.readers import format_of, read_votes
from kaiwa.formats.recognition import VOTES
from kaiwa.nouns.criteria import TaskItem

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

EXAMPLES = Path(__file__).parent.parent / "formats" / "examples"
SAME = {("q1", "c9", "ann", 2), ("q1", "c9", "bob", 1), ("q1", "c4", "ann", 0)}
IDS = {"topic": "q1", "comment_id": "c9"}


def rows(path: Path) -> set[tuple[str, str, str, int | None]]:
    """The votes as rows."""
    columns = read_votes(path).columns()
    return set(zip(*(columns[name] for name in ("topic", "comment", "assessor", "level")), strict=True))


def studio(level: object, kind: str = "choices", **more: object) -> dict[str, object]:
    """A task of Label Studio with one annotation."""
    result = [{"type": kind, "from_name": "level", "value": {kind: level}}]
    one = {"id": 7, "completed_by": 3, "result": result, "updated_at": "2026-05-01T09:00:00Z", **more}
    return {"id": 1, "data": IDS, "annotations": [one]}


FILES: dict[str, tuple[str, str]] = {
    "label-studio, people by number": ("ls.json", json.dumps([studio(["L2"])])),
    "label-studio, a rating": ("ls.json", json.dumps([studio(2, "rating")])),
    "label-studio, completions before 1.0": (
        "ls.json",
        json.dumps([{"id": 1, "data": IDS, "completions": studio(["2"])["annotations"]}]),
    ),
    "label-studio, JSON_MIN": (
        "ls.json",
        json.dumps(
            [
                {**IDS, "comment": "2 apples", "id": 1, "level": "L2", "annotator": 3, "annotation_id": 7}
                | {"created_at": "2026-05-01T09:00:00Z", "updated_at": "2026-05-01T09:00:00Z", "lead_time": 2.0}
            ]
        ),
    ),
    "label-studio, JSON_MIN with a question of another name": (
        "ls.json",
        json.dumps([{**IDS, "id": 1, "grade": {"choices": ["L2: good"]}, "annotator": 3, "annotation_id": 7}]),
    ),
    "label-studio, CSV": (
        "ls.csv",
        "annotation_id,annotator,comment,comment_id,id,level,topic\n7,3,'a text',c9,1,L2,q1\n",
    ),
    "doccano, JSONL": ("3.jsonl", json.dumps({"id": 1, "text": "t", "label": ["L2"], "Comments": [], **IDS}) + "\n"),
    "doccano, JSON": ("3.json", json.dumps([{"id": 1, "text": "t", "label": ["L2"], **IDS}])),
    "doccano, before 1.6": ("3.jsonl", json.dumps({"id": 1, "data": "t", "label": ["L2"], **IDS}) + "\n"),
    "doccano, CSV": ("3.csv", "id,text,label,topic,comment_id\n1,a text,L2,q1,c9\n"),
    "doccano, before 1.5": (
        "all.jsonl",
        json.dumps({"id": 1, "text": "t", "meta": IDS, "annotations": [{"label": "L2", "user": 3}]}) + "\n",
    ),
    "argilla, flat": (
        "a.json",
        json.dumps(
            [
                {"id": "r", **IDS, "comment": "t", "level.responses": ["L2", "L0"], "level.responses.users": ["3", "4"]}
                | {"level.responses.status": ["submitted", "discarded"], "level.suggestion": "L0"}
            ]
        ),
    ),
    "argilla, version 1": (
        "a.jsonl",
        json.dumps(
            {"fields": {"comment": "t"}, "metadata": IDS, "external_id": "r"}
            | {"responses": [{"user_id": "3", "status": "submitted", "values": {"level": {"value": 2}}}]}
        ),
    ),
    "potato, TSV": (
        "annotated_instances.tsv",
        "user\tinstance_id\tdisplayed_text\tlevel:::L0\tlevel:::L2\n3\tq1::c9\ta text\t\ttrue\n",
    ),
    "potato, a scale": (
        "annotated_instances.csv",
        "user,instance_id,displayed_text,level:::scale_2\n3,q1::c9,a text,2\n",
    ),
    "potato, state of version 2": (
        "user_state.json",
        json.dumps(
            {"user_id": "3", "instance_id_to_label_to_value": {"q1::c9": [[{"schema": "level", "name": "L2"}, True]]}}
        ),
    ),
    "potato, another state of version 2": (
        "user_state.json",
        json.dumps(
            {"user_id": "3", "instance_id_to_label_to_value": {"q1::c9": {"level": {"L2": "true", "L0": "false"}}}}
        ),
    ),
}


@pytest.mark.parametrize("name", ["label-studio", "doccano", "argilla", "potato"])
def test_the_examples_of_the_tools_hold_the_same_votes(name: str) -> None:
    """Two people, two items, one item judged by one of them; assessors are named as the tool names them."""
    (path,) = (EXAMPLES / name).iterdir()
    names = {"ann@example.org": "ann", "bob@example.org": "bob", "8b0a": "ann", "77c2": "bob"}
    assert {(topic, comment, names.get(who, who), level) for topic, comment, who, level in rows(path)} == SAME
    assert len(set(read_votes(path).keys)) == 3


@pytest.mark.parametrize("kind", FILES)
def test_an_export_of_any_version_gives_the_vote(made: Made, kind: str) -> None:
    """One vote of person 3; recognised by its content."""
    name, text = FILES[kind]
    path = made(name, text)
    assert format_of(path, VOTES).name == kind.split(",", maxsplit=1)[0]
    assert rows(path) == {("q1", "c9", "3", 2)}


@pytest.mark.parametrize("kind", FILES)
def test_an_export_is_used_at_once(made: Made, kaiwa: Kaiwa, kind: str) -> None:
    """By agree, gains and convert."""
    name, text = FILES[kind]
    made(name, text)
    assert kaiwa("gains", name, "-q", "-o", "-").stdout == "q1 0 c9 3\n"
    assert kaiwa("agree", name, "--json").returncode == 0
    assert kaiwa("convert", name, "--format", "votes-csv", "-q").stdout.splitlines()[1] == "q1,c9,3,2"


def test_of_two_annotations_by_one_person_the_latest_counts(made: Made) -> None:
    """Label Studio keeps both; its times decide, whatever their order."""
    task = studio(["L2"])
    late = studio(["L1"], id=8, updated_at="2026-05-01T10:00:00Z")["annotations"]
    task["annotations"] = [*late, *task["annotations"]]  # type: ignore[misc]  # both are lists
    votes = read_votes(made("ls.json", json.dumps([task])))
    assert votes.level.tolist() == [1]
    assert votes.keys == ("label-studio:8@2026-05-01T10:00:00Z",)


def test_an_annotation_that_was_changed_has_another_key(made: Made) -> None:
    """So that an import takes the change, and the same export twice nothing."""
    first = read_votes(made("a.json", json.dumps([studio(["L2"])])))
    again = read_votes(made("b.json", json.dumps([studio(["L1"], updated_at="2026-05-02T09:00:00Z")])))
    assert first.keys == read_votes(made("c.json", json.dumps([studio(["L2"])]))).keys != again.keys


ERRORS = {
    "no ids": (json.dumps([{**studio(["L2"]), "data": {"text": "t"}}]), "record 1: has no topic id; give the items"),
    "no comment": (json.dumps([{**studio(["L2"]), "data": {"topic": "q"}}]), "record 1: has no comment id"),
    "not a level": (json.dumps([studio(["good"])]), "record 1: 'good' is not a level (0, 1, 2, ..., L2, NA)"),
    "two labels": (json.dumps([studio(["L1", "L2"])]), "record 1: has 2 labels (L1, L2); allow one label per item"),
    "nothing judged": (json.dumps([{**studio(["L2"]), "annotations": []}]), "contains no vote"),
    "no person": (json.dumps([studio(["L2"], completed_by=None)]), "record 1: the assessor is empty"),
    "two questions": (
        json.dumps([{**IDS, "id": 1, "a": "L1", "b": "L2", "annotator": 3, "annotation_id": 7}]),
        "record 1: several questions have levels: 'a', 'b'; name the one that counts 'level'",
    ),
    "a lone surrogate": (
        json.dumps([{**studio(["L2"]), "data": {"topic": "\ud800", "comment_id": "c"}}]),
        "contains a line end or a control character",
    ),
    "simulated and people": (
        json.dumps(
            [studio(["L2"]), {**studio(["L2"], completed_by="SIMULATED-1"), "data": {**IDS, "comment_id": "d"}}]
        ),
        "mixes votes of simulated assessors",
    ),
    "a mistyped level": (
        json.dumps([studio(["L1"]), {**studio(["22"]), "data": {**IDS, "comment_id": "d"}}]),
        "level 22 is far above the others",
    ),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_export_that_cannot_be_used_is_one_line(made: Made, kaiwa: Kaiwa, kind: str) -> None:
    """The place, what is wrong, what to do."""
    text, message = ERRORS[kind]
    made("ls.json", text)
    done = kaiwa("gains", "ls.json")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_a_very_long_line_is_read(made: Made) -> None:
    """Tools write a whole project on one line."""
    tasks = [
        {**studio(["L2"]), "data": {"topic": "q", "comment_id": f"c{number}", "text": "x" * 9_000}}
        for number in range(150)
    ]
    path = made("ls.json", json.dumps(tasks))
    assert path.stat().st_size > 1 << 20
    assert read_votes(path).items == 150


HOSTILE = ["=1+1", "+1", "-5", "@ann", "'=1", "''", "'x", '"q"', "a,b", "＝SUM(A1)"]


def test_the_ids_of_a_sheet_read_back_and_no_cell_is_computed(made: Made) -> None:
    """Cells that begin with = + - @ follow an apostrophe; texts too; names of assessors too."""
    items = [
        TaskItem(topic, comment, f"={topic}", f"@{comment}\nsecond line\x00\ud800")
        for topic in HOSTILE
        for comment in HOSTILE
    ]
    text = sheet_text(items, ["=A1", "B"])
    filled = text.encode().replace(b",,\n", b",2,1\n")
    votes = read_sheet(made("judge.csv", filled))
    assert votes.columns()["topic"] == [one.topic for one in items for _ in range(2)]
    assert votes.columns()["comment"] == [one.comment for one in items for _ in range(2)]
    assert votes.assessors == ("=A1", "B")
    cells = [cell for _, row in _cells(made("empty.csv", text)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in set("=+-@＝＋－＠\t\r")]


def _cells(path: Path) -> list[tuple[int, list[str]]]:
    from kaiwa.formats.fields import stream_csv

    return list(stream_csv(path))


SHEETS = {
    "an empty sheet": ("topic,post,comment_id,comment,A1\nq,p,c,t,\n", "contains no vote"),
    "no name": (
        "topic,post,comment_id,comment,A1,,A3\nq,p,c,t,1,1,1\n",
        "judge.csv:1: an assessor's column has no name",
    ),
    "the same name": ("topic,post,comment_id,comment,A1,A1\nq,p,c,t,1,1\n", "judge.csv:1: duplicate assessor 'A1'"),
    "a level outside": ("topic,post,comment_id,comment,A1\nq,p,c,t,good\n", "judge.csv:2: 'good' is not a level"),
    "a cell missing": ("topic,post,comment_id,comment,A1,A2\nq,p,c,t,1\n", "judge.csv:2: expected 6 cells, found 5"),
    "the same item": (
        "topic,post,comment_id,comment,A1\nq,p,c,t,1\nq,p,c,t,2\n",
        "judge.csv:3: duplicate item 'q' 'c' (first on line 2)",
    ),
}


@pytest.mark.parametrize("kind", SHEETS)
def test_a_sheet_that_cannot_be_used_is_one_line(made: Made, kaiwa: Kaiwa, kind: str) -> None:
    """The place, what is wrong, what to do."""
    text, message = SHEETS[kind]
    made("judge.csv", text)
    done = kaiwa("gains", "judge.csv")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_a_sheet_saved_with_semicolons_is_read(made: Made) -> None:
    """As spreadsheets of some countries save it; an empty cell is no vote, NA is one."""
    text = "topic;post;comment_id;comment;A1;A2\r\nq;p;c;t;2;\r\nq;p;d;t;NA;L1\r\n"
    assert rows(made("judge.csv", text)) == {("q", "c", "A1", 2), ("q", "d", "A1", None), ("q", "d", "A2", 1)}


def log(*votes: dict[str, object], **more: object) -> str:
    """The file of a page."""
    base = {"topic": "q", "comment": "c", "level": 2, "undo_of": "", "skip": False}
    return json.dumps(
        {"format": "kaiwa-votes", "version": 1, "assessor": "A3", "votes": [base | one for one in votes]} | more
    )


def test_the_log_of_a_page_gives_the_votes_that_count(made: Made) -> None:
    """An undo takes back its vote, a later vote replaces an earlier one, a skip is none; keys are kept."""
    path = made(
        "votes.json",
        log(
            {"key": "1"},
            {"key": "2", "level": 1, "undo_of": "1"},
            {"key": "3", "comment": "d", "level": 0},
            {"key": "4", "comment": "d", "level": None, "undo_of": "3"},
            {"key": "5", "comment": "e", "level": None, "skip": True},
            {"key": "6", "comment": "f", "level": "NA"},
            {"key": "2", "level": 0},
        ),
    )
    assert rows(path) == {("q", "c", "A3", 1), ("q", "f", "A3", None)}
    assert read_votes(path).keys == ("page:2", "page:6")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (log({"key": "1"}, version=2), "is of version 2, not 1; update Kaiwa"),
        (log({"key": ""}), "vote 1: is not a vote; download it"),
        (log({"key": "1", "level": [2]}), "vote 1: is not a vote"),
        (log({"key": "1"}, assessor=""), "is not a file of votes of a page"),
        (log({"key": "1"}, {"key": "2", "comment": "d", "level": 7}), "level 7 is far above the others"),
    ],
)
def test_a_log_that_cannot_be_used_is_one_line(made: Made, text: str, message: str) -> None:
    """Whatever was edited by hand."""
    with pytest.raises(package.InputError, match=message):
        read_votes(made("votes.json", text))
