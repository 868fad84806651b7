"""The verbs of the corpus, of the index and of answers: the command and Python are one door."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import kaiwa
from kaiwa.cli.command import VerbCommand
from kaiwa.cli.group import kaiwa as group
from kaiwa.errors import in_command
from kaiwa.naming.names import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS = ("clean", "topics", "index", "models", "train", "reply", "retrieve", "retrieve-all", "fuse", "names")
OF_THE_SHELL = {"form", "as_json", "table"}
OWN_FILE = {"topics", "reply", "retrieve", "fuse", "names"}
"""The verbs whose -o is the file of the result, not a parameter."""
PAIRS = (
    "p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n"
    "p2\tIt rains again today\tc2\tStay at home if it rains\n"
    "p3\tMy cat sleeps all day\tc3\tLet the cat sleep\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs, their repository, an index of it, topics, judgements and a ranker."""
    path = tmp_path_factory.mktemp("surface")
    (path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    (path / "topics.tsv").write_text("q1\tA day in Hawaii\nq2\tIt rains\n", encoding="utf-8")
    (path / "qrels.txt").write_text("q1 0 c1 1\nq1 0 c2 0\nq2 0 c1 0\nq2 0 c2 1\n", encoding="utf-8")
    made = kaiwa.index(kaiwa.clean(path / "pairs.tsv", path / "repository"), path / "index", language="en")
    kaiwa.train(made, path / "qrels.txt", topics=path / "topics.tsv", folds=2, output=path / "ranker")
    for system in ("run0", "run1"):
        kaiwa.retrieve(made, path / "topics.tsv", name=system, system=system).write(path / f"{system}.txt")
    return path


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder as the current one."""
    monkeypatch.chdir(folder)
    return folder


def printed(*words: str) -> str:
    """What the command prints; it succeeds."""
    done = CliRunner().invoke(group, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def _command(verb: str) -> VerbCommand:
    found = group.get_command(click.Context(group), verb)
    assert isinstance(found, VerbCommand)
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_the_command_has_the_parameters_and_defaults_of_the_function(verb: str) -> None:
    """None more, none fewer, each with the same default."""
    function = getattr(kaiwa, verb.replace("-", "_"))
    left_out = OF_THE_SHELL | ({"output"} if verb in OWN_FILE else set())
    options = {one.name: one for one in _command(verb).params if one.name not in {*left_out, "quiet"}}
    parameters = inspect.signature(function).parameters
    assert set(options) == set(parameters)
    for name, one in parameters.items():
        wanted = None if one.default is one.empty else one.default
        default = options[name].default
        given = default if isinstance(default, str | int | float | tuple) else None  # else: click's own mark of none
        assert (given or None) == (wanted or None), name


JSON: dict[str, tuple[tuple[str, ...], Callable[[], Any]]] = {
    "clean": (
        ("clean", "pairs.tsv", "-o", "again", "--rules", "none"),
        lambda: kaiwa.clean("pairs.tsv", "again", rules="none"),
    ),
    "topics": (("topics", "repository", "-n", "2"), lambda: kaiwa.topics("repository", n=2)),
    "topics --exclude": (
        ("topics", "repository", "-n", "1", "--exclude", "topics.tsv"),
        lambda: kaiwa.topics("repository", n=1, exclude="topics.tsv"),
    ),
    "topics --hold-out": (
        ("topics", "repository", "--hold-out", "topics.tsv", "--rest", "held"),
        lambda: kaiwa.topics("repository", hold_out="topics.tsv", rest="held"),
    ),
    "index": (
        ("index", "repository", "-o", "other", "--language", "en", "--shards", "2"),
        lambda: kaiwa.index("repository", "other", language="en", shards=2),
    ),
    "train": (
        ("train", "index", "qrels.txt", "--topics", "topics.tsv", "--folds", "2", "--features", "similarity"),
        lambda: kaiwa.train("index", "qrels.txt", topics="topics.tsv", folds=2, features="similarity"),
    ),
    "reply": (
        ("reply", "index", "A day in Hawaii", "--ranker", "ranker"),
        lambda: kaiwa.reply("index", "A day in Hawaii", ranker="ranker"),
    ),
    "retrieve": (
        ("retrieve", "index", "topics.tsv", "--system", "bm25", "-k", "1"),
        lambda: kaiwa.retrieve("index", "topics.tsv", system="bm25", k=1),
    ),
    "retrieve-all": (
        ("retrieve-all", "index", "topics.tsv", "-o", "runs"),
        lambda: kaiwa.retrieve_all("index", "topics.tsv", "runs"),
    ),
    "fuse": (
        ("fuse", "run0.txt", "run1.txt", "--method", "combsum"),
        lambda: kaiwa.fuse(["run0.txt", "run1.txt"], method="combsum"),
    ),
    **{f"names {kind}": (("names", kind), lambda kind=kind: kaiwa.names(kind)) for kind in KINDS},
}


@pytest.mark.parametrize("name", JSON)
@pytest.mark.usefixtures("here")
def test_json_is_that_of_the_result(name: str) -> None:
    """``--json`` prints ``to_json()``, and every field is an attribute of the same name."""
    words, call = JSON[name]
    result = call()
    assert printed(*words, "--json").rstrip("\n") == result.to_json()
    assert all(hasattr(result, field) for field in json.loads(result.to_json()))


@pytest.mark.usefixtures("here")
def test_models_are_described_as_json() -> None:
    """Made and kept, in both doors."""
    assert kaiwa.models("index", "models", "topicword").trained == ("tokens", "topicword")
    kept = kaiwa.models("index", "models", "topicword")
    assert printed("models", "index", "topicword", "-o", "models", "--json").rstrip("\n") == kept.to_json()
    assert os.fspath(kept) == "models"


CONTRADICTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "a ranker and a system": (
        lambda: kaiwa.reply("index", "rain", ranker="ranker", system="run0"),
        "--ranker and --system run0 both order the answers; give one of them",
    ),
    "a fusion of nothing": (
        lambda: kaiwa.reply("index", "rain", system="run0", fusion="combsum"),
        "--fusion combsum is for systems that fuse rankings, such as 'fusion', not for 'run0'; leave it out",
    ),
    "a filter of none": (
        lambda: kaiwa.retrieve("index", "topics.tsv", unfiltered=True, near=0.5),
        "--unfiltered drops this filter; leave out it or --near",
    ),
    "models for an open index": (
        lambda: kaiwa.reply(kaiwa.open("index"), "rain", models="models"),
        "the index is open already; give --models to kaiwa.open",
    ),
    "one run to fuse": (lambda: kaiwa.fuse("run0.txt"), "1 run cannot be fused; give two or more"),
    "an index for features of a file": (
        lambda: kaiwa.train("index", letor="qrels.txt"),
        "--letor has its own features and no texts; leave out INDEX",
    ),
    "votes' settings for judgements": (
        lambda: kaiwa.train("index", "qrels.txt", topics="topics.tsv", max_level=2),
        "qrels.txt: has gains, not votes; leave out --max-level",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
@pytest.mark.usefixtures("here")
def test_options_that_cannot_act_are_refused(name: str) -> None:
    """With what works."""
    call, expected = CONTRADICTIONS[name]
    with pytest.raises(kaiwa.InputError) as caught:
        call()
    assert in_command(caught.value.marked) == expected


@pytest.mark.usefixtures("here")
def test_what_is_on_disk_stands_for_its_folder() -> None:
    """A result is given where a folder is expected."""
    repository = kaiwa.clean("pairs.tsv", "chained")
    assert [os.fspath(one) for one in (repository, kaiwa.index(repository, "chained-index", language="en"))] == [
        "chained",
        "chained-index",
    ]
    drawn = kaiwa.topics(repository, n=1, rest="without")
    run = kaiwa.retrieve(kaiwa.open("chained-index"), drawn, name="R")
    assert run.topics == tuple(drawn)


@pytest.mark.usefixtures("here")
def test_topics_are_written_as_their_file() -> None:
    """``-o`` writes lines of id TAB text, ``-o -`` prints them; their text has no row."""
    drawn = kaiwa.topics("repository", n=2)
    drawn.write("drawn.tsv")
    lines = "".join(f"{name}\t{text}\n" for name, text in drawn.items())
    assert Path("drawn.tsv").read_text(encoding="utf-8") == lines
    assert printed("topics", "repository", "-n", "2", "-o", "-") == lines
    assert not set(drawn) & set(str(drawn).split())


@pytest.mark.usefixtures("here")
def test_fused_runs_have_distinct_scores_and_a_depth() -> None:
    """By reciprocal rank; a comment that both runs have first stays first."""
    one = kaiwa.Run.from_dict({"q": {"a": 3.0, "b": 2.0}, "p": {"x": 1.0}}, name="A")
    two = kaiwa.Run.from_dict({"q": {"a": 9.0, "c": 2.0}}, name="B")
    fused = kaiwa.fuse([one, two], name="both")
    assert fused.comments_of("q") == ["a", "c", "b"]
    assert fused.ranking("q")[0][1] == pytest.approx(2 / 61)
    assert len({score for _, score in fused.ranking("q")}) == 3
    assert (fused.topics, fused.description) == (("q", "p"), "A, B, fused (rrf)")
    assert kaiwa.fuse([one, two], k=1).comments_of("q") == ["a"]
