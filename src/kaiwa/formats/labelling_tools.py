"""The records of a labelling tool's export: JSON, JSON lines or CSV; the ids, the answer and the person in a record.

The items that a tool labels must carry their ids, as fields ``topic`` and ``comment_id`` of its data or metadata, or
together in the id of the item: ``topic::comment``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.files.atomic import visible_files
from kaiwa.formats.fields import split_header, stream_csv
from kaiwa.formats.recognition import Head, Match
from kaiwa.formats.text_files import bare_name, read_bytes
from kaiwa.formats.votes import VoteRow, level_of, votes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.nouns.votes import Votes

    Record = Mapping[str, Any]  # Any: JSON values
    Responses = dict[str, dict[str, list[str]]]


MAX_BYTES = 1 << 28
TOPIC_FIELDS = ("topic", "topic_id", "query_id", "qid", "post_id")
COMMENT_FIELDS = ("comment_id", "doc_id", "docid", "reply_id", "comment")
_TOOL_RECORDS_BETWEEN = ("\t", "|||", "::", "|")
_HOW = "give the items the fields topic and comment_id, or the id topic::comment, when they are put into the tool"
_WANTED = "level"
_SHOWN = 60
_PAIR = 2


def json_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Each record with its place: of a JSON array, of an object, or one on each line."""
    data = read_bytes(path, limit=MAX_BYTES).removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError.at(path, "is not UTF-8", "export it again as UTF-8") from None
    whole = _parsed(text)
    if isinstance(whole, list):
        values = [(f"{path}, record {number}", one) for number, one in enumerate(whole, start=1)]
    elif whole is not None:
        values = [(str(path), whole)]
    else:
        lines = ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())
        values = [(f"{path}:{number}", _parsed(line)) for number, line in lines]
    for place, value in values:
        if not isinstance(value, dict):
            raise InputError.at(place, "is not a JSON object", "export it again; one record is one object")
        yield place, value


def _parsed(text: str) -> Any:  # Any: JSON values
    """The JSON value, None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def csv_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Each row by the names of the header, with its place."""
    from kaiwa.formats.recognition import Head

    separator, _ = split_header((Head(path).lines or [""])[0])
    header: list[str] | None = None
    for line, cells in stream_csv(path, separator=separator):
        if header is None:
            header = [name.removeprefix("\ufeff") for name in cells]
        elif len(cells) != len(header):
            what = f"expected {len(header)} cells, found {len(cells)}"
            raise InputError.at(path, what, "check the quotes and separators of the row", line=line)
        else:
            yield f"{path}:{line}", dict(zip(header, cells, strict=True))


def item_of(place: str, *parts: object, ids: tuple[object, ...] = ()) -> tuple[str, str]:
    """The topic and comment of a record: from the first part that has both, else from an id that names both.

    >>> item_of("x.json", {"topic": "q1", "comment_id": 7, "comment": "a text"})
    ('q1', '7')
    >>> item_of("x.json", {}, ids=("q1::c7",))
    ('q1', 'c7')
    """
    known = [part for part in parts if isinstance(part, dict)]
    topic, comment = (
        next((found for part in known if (found := _named(part, names))), "")
        for names in (TOPIC_FIELDS, COMMENT_FIELDS)
    )
    if topic and comment:
        return topic, comment
    for one in ids:
        for sign in _TOOL_RECORDS_BETWEEN:
            ends = [end.strip() for end in str(one).split(sign)]
            if len(ends) == _PAIR and all(ends):
                return ends[0], ends[1]
    raise InputError.at(place, f"has no {'comment' if topic else 'topic'} id", _HOW)


def _named(part: Record, names: tuple[str, ...]) -> str:
    return next((found for name in names if (found := identity(part.get(name)))), "")


def identity(value: object) -> str:
    """An id as text; empty if the value cannot be one.

    >>> identity(7), identity("q1"), identity(None), identity(["q1"])
    ('7', 'q1', '', '')
    """
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def answer_of(place: str, answers: Mapping[str, list[str]]) -> str:
    """The one label of the question about the level; empty if nothing was answered.

    ``answers`` are the labels by question. The question is the one named ``level``, or the only one whose labels are
    levels.
    """
    given = {name: labels for name, labels in answers.items() if labels}
    if _WANTED not in given:
        levels = [name for name, labels in given.items() if all(level_of(label) is not None for label in labels)]
        if len(levels) > 1:
            what = f"several questions have levels: {', '.join(map(repr, levels[:3]))}"
            raise InputError.at(place, what, f"name the one that counts {_WANTED!r}")
        if not given:
            return ""
        chosen = (levels or list(given))[0]
    else:
        chosen = _WANTED
    labels = given[chosen]
    if len(labels) > 1:
        what = f"has {len(labels)} labels ({', '.join(labels)[:_SHOWN]})"
        raise InputError.at(place, what, "allow one label per item")
    return labels[0]


def labels_of(value: object) -> list[str]:
    """The labels in an answer as tools write it: a text, a number, a list of them, or an object around them.

    >>> labels_of("L2"), labels_of({"choices": ["L2"]}), labels_of([1]), labels_of(None), labels_of({"value": 0})
    (['L2'], ['L2'], ['1'], [], ['0'])
    """
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, str | int | float):
        return [str(value)] if str(value).strip() else []
    if isinstance(value, list):
        return [label for one in value for label in labels_of(one)]
    if isinstance(value, dict):
        inner = ("choices", "value", "rating", "number", "label", "text")
        return next((labels_of(value[name]) for name in inner if name in value), [])
    return []


# The votes that a page judged without a server gives: its log, with every vote, undo and skip.


FORMAT = "kaiwa-votes"
VERSION = 1
_MARK = re.compile(rf'\s*\{{\s*"format"\s*:\s*"{FORMAT}"')
_FIX = "download it from the page again"


@dataclass(frozen=True)
class PageVote:
    """One line of the log: who, on what, which answer; ``level`` is empty for an undo and a skip."""

    place: str
    assessor: str
    topic: str
    comment: str
    level: str
    key: str
    undo_of: str
    skip: bool
    fields: Mapping[str, Any]  # Any: JSON values


def is_page_votes(head: Head) -> Match:
    """Whether it is the log of a page."""
    return Match.SURE if _MARK.match(head.start.removeprefix("\ufeff")) else Match.NO


def page_log(path: Path) -> list[PageVote]:
    """Every line of the log, in order; a line with a known key is the same line again."""
    found: dict[str, PageVote] = {}
    for _, record in json_records(path):
        assessor, votes = identity(record.get("assessor")), record.get("votes")
        if record.get("format") != FORMAT or not assessor or not isinstance(votes, list):
            raise InputError.at(path, "is not a file of votes of a page", _FIX)
        if record.get("version") != VERSION:
            what = f"is of version {record.get('version')!r}, not {VERSION}"
            raise InputError.at(path, what, "update Kaiwa, or make the page again")
        for number, one in enumerate(votes, start=1):
            vote = _line(f"{path}, vote {number}", assessor, one)
            found.setdefault(vote.key, vote)
    return list(found.values())


def read_page_votes(path: Path, *, top: int | None = None) -> Votes:
    """The votes that count: an undo takes back the vote that it names, and a later vote replaces an earlier one."""
    return votes_of(path, _counted(page_log(path)), top=top)


def _line(place: str, assessor: str, one: object) -> PageVote:
    if not isinstance(one, dict) or not (key := identity(one.get("key"))):
        raise InputError.at(place, "is not a vote", _FIX)
    topic, comment = identity(one.get("topic")), identity(one.get("comment"))
    level = one.get("level")
    is_level = level is None or isinstance(level, str | int)
    if not topic or not comment or not is_level or isinstance(level, bool):
        raise InputError.at(place, "is not a vote", _FIX)
    given = "" if level is None else str(level)
    undone = identity(one.get("undo_of"))
    return PageVote(place, assessor, topic, comment, given, key, undone, one.get("skip") is True, one)


def _counted(log: list[PageVote]) -> Iterator[VoteRow]:
    undone = {vote.undo_of for vote in log if vote.undo_of}
    last: dict[tuple[str, str], PageVote] = {}
    for vote in log:
        if vote.level and not vote.skip and vote.key not in undone:
            last[vote.topic, vote.comment] = vote
    for vote in last.values():
        yield VoteRow(vote.place, vote.topic, vote.comment, vote.assessor, vote.level, f"page:{vote.key}")


# Exports of Argilla: the records of a dataset as JSON, nested or flat, of versions 1 and 2.


_ARGILLA_FLAT = re.compile(r'"[^"]+\.responses(?:\.users)?"\s*:')
_USERS, _STATUS, _VALUES = ".responses.users", ".responses.status", ".responses"
_NO_ANSWER = {"discarded", "draft", "pending", "missing"}


def is_argilla(head: Head) -> Match:
    """Whether records have fields, and responses by question or user."""
    start = head.start
    if not head.has_objects:
        return Match.NO
    nested = '"responses"' in start and '"fields"' in start
    return Match.SURE if nested or (_ARGILLA_FLAT.search(start) and _USERS in start) else Match.NO


def read_argilla(path: Path, *, top: int | None = None) -> Votes:
    """The votes of an export; suggestions of models, drafts and discarded responses are no votes."""
    rows = (row for place, record in json_records(path) for row in _argilla_rows(place, record))
    return votes_of(path, rows, top=top)


def _argilla_rows(place: str, record: Mapping[str, Any]) -> Iterator[VoteRow]:  # Any: JSON values
    responses, flat = record.get("responses"), [name for name in record if name.endswith(_USERS)]
    if isinstance(responses, dict):
        by_user = _by_question(responses)
    elif isinstance(responses, list):
        by_user = _by_response(responses)
    else:
        by_user = _flat(record, [name.removesuffix(_USERS) for name in flat])
    number = identity(record.get("id")) or identity(record.get("external_id")) or identity(record.get("_server_id"))
    for user, answers in by_user.items():
        if label := answer_of(place, answers):
            topic, comment = item_of(place, record.get("metadata"), record.get("fields"), record, ids=(number,))
            key = f"argilla:{number}:{user}:{label}" if number else ""
            yield VoteRow(place, topic, comment, user, label, key)


def _by_question(responses: Mapping[str, object]) -> Responses:
    found: Responses = {}
    for question, given in responses.items():
        for one in given if isinstance(given, list) else []:
            if isinstance(one, dict) and str(one.get("status") or "submitted") not in _NO_ANSWER:
                found.setdefault(identity(one.get("user_id")), {})[question] = labels_of(one.get("value"))
    return found


def _by_response(responses: list[Any]) -> Responses:  # Any: JSON values
    found: Responses = {}
    for one in responses:
        if not isinstance(one, dict) or str(one.get("status") or "submitted") in _NO_ANSWER:
            continue
        values = one.get("values")
        if isinstance(values, dict):
            answers = {str(question): labels_of(value) for question, value in values.items()}
            found[identity(one.get("user_id"))] = answers
    return found


def _flat(record: Mapping[str, Any], questions: list[str]) -> Responses:  # Any: JSON values
    found: Responses = {}
    for question in questions:
        values, users = (record.get(f"{question}{end}") for end in (_VALUES, _USERS))
        if not isinstance(values, list) or not isinstance(users, list):
            continue
        status = record.get(f"{question}{_STATUS}")
        states = status if isinstance(status, list) else []
        for number, (value, user) in enumerate(zip(values, users, strict=False)):
            if number >= len(states) or str(states[number] or "submitted") not in _NO_ANSWER:
                found.setdefault(identity(user), {})[question] = labels_of(value)
    return found


# Exports of doccano: JSONL, JSON or CSV, one file for each person, named after the person, or a folder of them.


_LABELLED = re.compile(r'"(?:label|labels|cats|annotations)"\s*:\s*\[')
_TEXT = re.compile(r'"(?:text|data)"\s*:\s*"')
_COLUMNS = {"id", "label"}
_SUFFIXES = (".jsonl", ".json", ".csv")


def is_doccano(head: Head) -> Match:
    """Whether records have an id, a text and a list of labels; of a folder, whether its files do."""
    if head.is_folder:
        files = _doccano_files(head.path)
        return Match.SURE if files and all(is_doccano(Head(file)) is Match.SURE for file in files) else Match.NO
    start = head.start
    if head.has_objects:
        fits = '"id"' in start and _TEXT.search(start) and _LABELLED.search(start) and '"completed_by"' not in start
        return Match.SURE if fits else Match.NO
    names = set(head.header)
    return Match.SURE if names >= _COLUMNS and names & {"text", "data"} and names & {"topic", "topic_id"} else Match.NO


def read_doccano(path: Path, *, top: int | None = None) -> Votes:
    """The votes of a file, by the person whom it is named after; of a folder, those of its files."""
    files = _doccano_files(path) if path.is_dir() else [path]
    return votes_of(path, (row for file in files for row in _doccano_rows_of(file)), top=top)


def _doccano_files(folder: Path) -> list[Path]:
    return [file for file in visible_files(folder.glob("*")) if file.suffix in _SUFFIXES]


def _doccano_rows_of(file: Path) -> Iterator[VoteRow]:
    is_json = Head(file).has_objects
    person = bare_name(file).rsplit(".", 1)[0]
    for place, record in json_records(file) if is_json else csv_records(file):
        yield from _doccano_rows(place, record, person)


def _doccano_rows(place: str, record: Mapping[str, Any], person: str) -> Iterator[VoteRow]:  # Any: JSON values
    by_person: dict[str, list[str]] = {}
    if isinstance(record.get("annotations"), list):
        for one in record["annotations"]:
            if isinstance(one, dict):
                by_person.setdefault(identity(one.get("user")) or person, []).extend(labels_of(one.get("label")))
    else:
        given = next((record[name] for name in ("label", "labels", "cats") if name in record), None)
        by_person[person] = given.split("#") if isinstance(given, str) and given else labels_of(given)
    number = identity(record.get("id"))
    for name, labels in by_person.items():
        if label := answer_of(place, {"level": labels}):
            topic, comment = item_of(place, record, record.get("meta"), record.get("metadata"), ids=(number,))
            yield VoteRow(place, topic, comment, name, label, f"doccano:{number}:{name}:{label}" if number else "")


# Exports of Label Studio: JSON, JSON_MIN and CSV or TSV.


_OF_TASKS = re.compile(
    r'"(?:annotations|completions)"\s*:\s*\[\s*(?:\]|\{[^{}]*"(?:completed_by|result|was_cancelled)")'
)
_LABEL_STUDIO_FLAT = {"annotator", "annotation_id"}
_OWN = {"annotator", "annotation_id", "created_at", "updated_at", "lead_time", "id", "agreement"}
_IDS = {*TOPIC_FIELDS, *COMMENT_FIELDS}
_ANSWERS = {"choices", "rating", "number", "taxonomy"}


def is_label_studio(head: Head) -> Match:
    """Whether it has annotations as Label Studio writes them."""
    start = head.start
    if head.has_objects:
        flat = all(f'"{name}"' in start for name in _LABEL_STUDIO_FLAT)
        return Match.SURE if flat or _OF_TASKS.search(start) or '"completed_by"' in start else Match.NO
    return Match.SURE if set(head.header) >= _LABEL_STUDIO_FLAT else Match.NO


def read_label_studio(path: Path, *, top: int | None = None) -> Votes:
    """The votes of an export; cancelled annotations and predictions are no votes."""
    is_json = Head(path).has_objects
    records = json_records(path) if is_json else csv_records(path)
    rows = (row for place, record in records for row in _label_studio_rows(place, record))
    return votes_of(path, rows, top=top)


def _label_studio_rows(place: str, record: Mapping[str, Any]) -> Iterator[VoteRow]:  # Any: JSON values
    done = record.get("annotations", record.get("completions"))
    if not isinstance(done, list):
        if record.keys() >= _LABEL_STUDIO_FLAT:
            yield from _flat_row(place, record)
        return
    for one in done:
        if not isinstance(one, dict) or one.get("was_cancelled") is True:
            continue
        if label := answer_of(place, _answers(one.get("result"))):
            topic, comment = item_of(place, record.get("data"), record.get("meta"), ids=(record.get("id"),))
            time = identity(one.get("updated_at")) or identity(one.get("created_at"))
            key = _key(identity(one.get("id")) or identity(one.get("unique_id")), time)
            yield VoteRow(place, topic, comment, _person(one.get("completed_by")), label, key, time)


def _flat_row(place: str, record: Mapping[str, Any]) -> Iterator[VoteRow]:  # Any: JSON values
    data = {name: value for name, value in record.items() if name not in _OWN}
    answers = {name: labels_of(value) for name, value in data.items() if name not in _IDS}
    levels = {name: labels for name, labels in answers.items() if name == "level" or _are_levels(labels)}
    if label := answer_of(place, levels):
        topic, comment = item_of(place, data, ids=(record.get("id"),))
        time = identity(record.get("updated_at")) or identity(record.get("created_at"))
        yield VoteRow(
            place,
            topic,
            comment,
            _person(record["annotator"]),
            label,
            _key(identity(record["annotation_id"]), time),
            time,
        )


def _are_levels(labels: list[str]) -> bool:
    return all(level_of(label) is not None for label in labels)


def _answers(result: object) -> dict[str, list[str]]:
    """The labels by question; regions and texts are no answers."""
    found: dict[str, list[str]] = {}
    for part in result if isinstance(result, list) else []:
        if isinstance(part, dict) and part.get("type") in _ANSWERS:
            found.setdefault(str(part.get("from_name", "")), []).extend(labels_of(part.get("value")))
    return found


def _person(value: object) -> str:
    if isinstance(value, dict):
        return identity(value.get("email")) or identity(value.get("id"))
    return identity(value)


def _key(number: str, time: str) -> str:
    return f"label-studio:{number}@{time}" if number else ""


# Output of potato: ``annotated_instances`` as JSONL, CSV or TSV, ``user_state.json``, or the folder of all people.


_POTATO_BETWEEN = ":::"
_STATE = "instance_id_to_label_to_value"

_OFF = {"", "false", "none", "null"}
_PATTERNS = ("*/user_state.json", "*/annotated_instances.jsonl", "user_state.json", "annotated_instances.*")
"""The files of a folder of output, the best source first: all of the first kind that is there are read."""


def is_potato(head: Head) -> Match:
    """Whether lines have label annotations, a table has columns of labels, or it is the state of a person."""
    if head.is_folder:
        files = _potato_files(head.path)
        return Match.SURE if files and all(is_potato(Head(file)) is Match.SURE for file in files) else Match.NO
    start = head.start
    if head.has_objects:
        return Match.SURE if f'"{_STATE}"' in start or '"label_annotations"' in start else Match.NO
    names = set(head.header)
    labels = any(_POTATO_BETWEEN in name for name in names)
    return Match.SURE if labels and names >= {"user", "instance_id"} else Match.NO


def read_potato(path: Path, *, top: int | None = None) -> Votes:
    """The votes of a file or of a folder of output."""
    files = _potato_files(path) if path.is_dir() else [path]
    return votes_of(path, (row for file in files for row in _potato_rows_of(file)), top=top)


def _potato_files(folder: Path) -> list[Path]:
    return next((files for pattern in _PATTERNS if (files := visible_files(folder.glob(pattern)))), [])


def _potato_rows_of(file: Path) -> Iterator[VoteRow]:
    is_json = Head(file).has_objects
    for place, record in json_records(file) if is_json else csv_records(file):
        person = identity(record.get("user_id")) or identity(record.get("user")) or file.resolve().parent.name
        if isinstance(record.get(_STATE), dict):
            for item, labels in record[_STATE].items():
                yield from _row(place, {}, item, person, _stated(labels))
        elif not is_json:
            yield from _row(place, record, record.get("instance_id"), person, _columns(record))
        elif isinstance(record.get("label_annotations"), dict):
            yield from _row(place, record, record.get("id"), person, _stated(record["label_annotations"]))


def _row(
    place: str, record: Mapping[str, Any], item: object, person: str, answers: dict[str, list[str]]
) -> Iterator[VoteRow]:  # Any: JSON values
    if label := answer_of(place, answers):
        topic, comment = item_of(place, record, ids=(item,))
        yield VoteRow(place, topic, comment, person, label, f"potato:{identity(item)}:{person}:{label}")


def _columns(record: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in record.items():
        question, between, label = name.partition(_POTATO_BETWEEN)
        if between:
            found.setdefault(question, []).extend(_chosen(label, value))
    return found


def _stated(labels: object) -> dict[str, list[str]]:
    """The labels by question, from question to label to value, or from pairs of a label and its value."""
    found: dict[str, list[str]] = {}
    if isinstance(labels, dict):
        for question, values in labels.items():
            for label, value in values.items() if isinstance(values, dict) else []:
                found.setdefault(question, []).extend(_chosen(str(label), value))
    elif isinstance(labels, list):
        for pair in labels:
            if isinstance(pair, list) and len(pair) == _PAIR and isinstance(pair[0], dict):
                label, value = str(pair[0].get("name", "")), pair[1]
                found.setdefault(str(pair[0].get("schema", "")), []).extend(_chosen(label, value))
    return found


def _chosen(label: str, value: object) -> list[str]:
    """The label if its box is ticked: its value is true, itself, or the number of a scale."""
    given = str(value).strip()
    if value is None or value is False or given.lower() in _OFF:
        return []
    if level_of(label) is None and level_of(given) is not None:
        return [given]
    return [label]
