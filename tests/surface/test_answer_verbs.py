"""The verbs of the corpus, of the index and of answers: the command and Python are one door."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import kaiwa
from kaiwa.cli.group import kaiwa as group
from kaiwa.errors import in_command

if TYPE_CHECKING:
    from collections.abc import Callable

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
