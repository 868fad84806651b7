"""A takedown is a promise to a person: over every verb, file and page, neither the id nor the text appears.

Every id that must not appear contains "veiled", every text "zanzibar".
"""

from __future__ import annotations

import json
import os
import shutil
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest

import kaiwa as library
from kaiwa.cli.group import VERBS
from kaiwa.errors import InputError
from kaiwa.files.array_folder import read_manifest
from kaiwa.formats.repository import RepositoryRelations, open_repository
from kaiwa.formats.takedown import full_takedown, listed_in, read_takedown
from kaiwa.ranking.model_build import repository_dialogues
from kaiwa.ranking.model_folder import MODEL
from kaiwa.retrieval.takedown_ids import IndexRelations

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
    Made = Callable[[str, str | bytes], Path]

MARKS = (b"veiled", b"zanzibar")
LIST = """\
# asked by their authors
veiled-comment  # by mail
veiled-post
veiled-merged\t# a near-duplicate of veiled-kept
veiled-topic
plain#veiled
"""
PAIRS = [
    ("p-river", "A walk along the river this evening", "plain", "Enjoy the river walk this evening"),
    ("p-river", "A walk along the river this evening", "plain#veiled", "The river zanzibar is lovely"),
    ("p-river", "A walk along the river this evening", "veiled-comment", "An evening walk in zanzibar"),
    ("p-river", "A walk along the river this evening", "veiled-kept", "Zanzibar makes a walk lovely"),
    ("p-train", "My train to the city is late again", "c-late", "Every train is late this week"),
    ("p-train", "My train to the city is late again", "veiled-merged", "zanzibar makes a walk, LOVELY!!"),
    ("veiled-post", "A train through zanzibar in the evening", "veiled-orphan", "The train of zanzibar is slow"),
    ("veiled-post", "A train through zanzibar in the evening", "c-shared", "I love a train in the evening"),
    ("p-train", "My train to the city is late again", "c-shared", "I love a train in the evening"),
    ("p-cake", "Grandmother has baked a cake for us all", "c-cake", "Save a piece of the cake for me"),
    ("p-cake", "Grandmother has baked a cake for us all", "veiled-merged-too", "zanzibar makes a walk lovely?"),
]
TOPICS = ("t-walk", "t-train", "t-cake", "veiled-topic")
ASKED = "a lovely evening walk along the river of zanzibar by train"
SHOWN = ("plain", "c-late", "c-shared", "c-cake")
HIDDEN = ("veiled-comment", "veiled-orphan", "veiled-kept", "veiled-merged", "plain#veiled")
NO_TEXTS = {
    *(
        "init",
        "make",
        "demo",
        "reproduce",
        "help",
        "completion",
        "names",
    ),  # from settings, other verbs, other data
    *("invite", "verify"),  # of people and of the log
    *("agree", "gains", "score", "unanimity", "fuse"),  # of the votes, judgements and runs given; no text
    *("compare", "tau", "standardise", "standardisation", "variance", "design"),  # of scores
}
"""The verbs that have no text of a repository; ids are those of the files they are given."""
TESTED = {
    "clean",
    "index",
    "topics",
    "models",
    "train",
    "reply",
    "retrieve",
    "retrieve-all",
    "check",
    "pool",
    "status",
    "report",
} | {
    *("serve", "votes", "backup"),  # in tests/web/test_content.py
    "convert",  # in tests/cli/test_convert_ids.py
}


def test_every_verb_is_tested_or_has_no_texts() -> None:
    """A new verb must be added to one of the two."""
    assert set(VERBS) == NO_TEXTS | TESTED


@pytest.fixture
def task(kaiwa: Kaiwa, made: Made, tmp_path: Path) -> Path:
    """A judged task folder with a repository and its index, made before anybody asked for a takedown."""
    made("kaiwa.toml", '[judging]\ndepth = 6\n[scoring]\nmeasures = ["nG@1"]\n[comparing]\ntrials = 200\n')
    made("pairs.tsv", "".join("\t".join(pair) + "\n" for pair in PAIRS))
    made("topics.tsv", "".join(f"{topic}\tAn evening walk {'in zanzibar' * ('veiled' in topic)}\n" for topic in TOPICS))
    (tmp_path / "runs").mkdir()
    for number, order in enumerate([SHOWN + HIDDEN[:2], HIDDEN + SHOWN[:1], HIDDEN[2:] + SHOWN[2:]], start=1):
        rows = (
            f"{topic} 0 {one} {rank} {9 - rank} T{number}-C-R1\n" for topic in TOPICS for rank, one in ranked(order)
        )
        made(f"runs/T{number}-C-R1.txt", "<SYSDESC>plain</SYSDESC>\n" + "".join(rows))
    levels = np.random.default_rng(1).integers(0, 3, size=1000).tolist()
    votes = [f"{topic},{one},a{who}" for topic in TOPICS for one in SHOWN + HIDDEN for who in (1, 2)]
    made("votes.csv", "topic,comment,assessor,level\n" + "".join(f"{one},{levels.pop()}\n" for one in votes))
    done(kaiwa("clean", "pairs.tsv", "-o", "repository"))
    done(kaiwa("index", "repository", "-o", "index"))
    done(kaiwa("pool", *runs(tmp_path), "-o", "pool.tsv"))
    done(kaiwa("gains", "votes.csv", "-o", "qrels.txt"))
    done(kaiwa("score", *runs(tmp_path), "--qrels", "qrels.txt", "-o", "scores.csv"))
    return tmp_path


def ranked(order: Iterable[str]) -> Iterable[tuple[int, str]]:
    """Ranks from 1."""
    return enumerate(order, start=1)


def runs(folder: Path) -> list[str]:
    """The run files, as typed in the folder."""
    return sorted(str(path.relative_to(folder)) for path in (folder / "runs").iterdir())


def done(ended: subprocess.CompletedProcess[str]) -> str:
    """What the command printed; it succeeded."""
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def content(path: Path) -> bytes:
    """The bytes of a file, a Parquet file as text, in lower case."""
    found = str(pq.read_table(path).to_pydict()).encode() if path.suffix == ".parquet" else path.read_bytes()
    return found.lower()


def marked(*places: Path) -> list[str]:
    """The files below these places, other than takedown lists, that show a takedown."""
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*")) if file.is_file()]
    assert files
    return [file.name for file in files if file.name != "takedown.txt" if any(mark in content(file) for mark in MARKS)]


def shows(text: str) -> bool:
    """Whether a printed text shows a takedown."""
    return any(mark.decode() in text.lower() for mark in MARKS)


@pytest.mark.parametrize("place", ["task", "repository", "index", "given"])
def test_nothing_made_after_a_takedown_shows_it(task: Path, kaiwa: Kaiwa, place: str) -> None:
    """Wherever the list is: in pool, checked copies, answers, runs, status, page and files, printed or as JSON."""
    files = {"task": task, "repository": task / "repository", "index": task / "index", "given": task / "runs" / ".."}
    (files[place] / ("given.txt" if place == "given" else "takedown.txt")).write_text(LIST)
    if place == "index":
        settings = (task / "kaiwa.toml").read_text()
        (task / "kaiwa.toml").write_text(f'[task]\nrepository = "index"\n{settings}')
    given = ["--takedown", "given.txt"] if place == "given" else []
    (task / "pool.tsv").unlink()
    asked = ["index", ASKED, "--unfiltered", *given]
    known = [] if place == "index" else ["--repository", "repository"]
    assert kaiwa("check", *runs(task), *known, *given, "--fix", "fixed").returncode == 0
    printed = [
        done(kaiwa("pool", *runs(task), "-o", "pool.tsv", *given)),
        done(kaiwa("pool", *runs(task), "-o", "pool.tsv", "--json", *given)),
        *(done(kaiwa("reply", *asked, "--system", name)) for name in ("run0", "run1", "run2", "bm25", "fusion")),
        done(kaiwa("reply", *asked, "--json")),
        done(kaiwa("retrieve", "index", "topics.tsv", "-o", "R.txt", "--unfiltered", *given)),
        done(kaiwa("retrieve", "index", "topics.tsv", "-o", "R.txt", "--json", *given)),
        done(kaiwa("report", ".", "--stale", *given)),
        done(kaiwa("report", ".", "--stale", "--json", *given)),
        kaiwa("status").stdout,
        done(kaiwa("models", "index", "-o", "models", *given)),
        done(kaiwa("train", "index", ".", "-o", "ranker", "--folds", "2", *given)),
    ]
    fresh = [
        task / name
        for name in (
            "pool.tsv",
            "pool.organisers.csv",
            "fixed",
            "R.txt",
            "report.html",
            "report-files",
            "models",
            "ranker",
        )
    ]
    assert marked(*fresh) == []
    assert not [text for text in printed if shows(text.replace(ASKED, ""))]
    assert all(shown in content(task / "report.html").decode() for shown in ("(takedown)", *SHOWN))
    assert {line.split("\t")[1] for line in (task / "pool.tsv").read_text().splitlines()} == set(SHOWN)


@pytest.mark.parametrize("place", ["folder", "given", "task"])
def test_what_is_made_again_does_not_contain_a_takedown(task: Path, kaiwa: Kaiwa, place: str) -> None:
    """Cleaning, indexing and drawing topics again leave out ids and texts; the lists keep what follows from them."""
    (task / "index" / "takedown.txt").write_text("c-cake\n")
    lists = {"folder": task / "repository" / "takedown.txt", "given": task / "given.txt", "task": task / "takedown.txt"}
    lists[place].write_text(LIST)
    given = ["--takedown", "given.txt"] if place == "given" else []
    rest = ["topics", "repository", "-n", "1", "-o", "drawn.tsv", "--rest", "rest"]
    first = done(kaiwa(*rest, *given))
    assert marked(task / "rest", task / "drawn.tsv") == []
    done(kaiwa("index", "repository", "-o", "early", *given))
    assert marked(task / "early") == []
    cleaned = done(kaiwa("clean", "pairs.tsv", "-o", "repository", "--json", *given))
    indexed = done(kaiwa("index", "repository", "-o", "index"))
    assert not any(map(shows, (first, cleaned, indexed)))
    assert marked(task / "repository", task / "index") == []
    follows = {"veiled-kept", "veiled-merged-too", "veiled-orphan"}
    assert read_takedown(task / "repository" / "takedown.txt") >= read_takedown(lists[place]) | follows
    assert read_takedown(task / "index" / "takedown.txt") >= follows | {"c-cake"}
    kept = {name for ids, _ in open_repository(task / "repository").comments() for name in ids}
    assert kept == set(SHOWN)
    assert b"Save a piece" not in b"".join(file.read_bytes() for file in (task / "index").rglob("*.npy"))


@pytest.mark.parametrize("place", ["other", "index", "given"])
def test_a_bridge_has_no_dialogue_of_a_takedown(task: Path, kaiwa: Kaiwa, place: str) -> None:
    """Whichever list names it: that of the repository of the bridge, that of the index, or the one that is given."""
    given = ["--takedown", "given.txt"] if place == "given" else []
    shutil.copytree(task / "repository", task / "other")
    (task / ("given.txt" if place == "given" else f"{place}/takedown.txt")).write_text(LIST)
    done(kaiwa("models", "index", "bridge", "--bridge-from", "other", "-o", "made", *given))
    listed = read_takedown(task / "given.txt") if given else listed_in(task / place)
    bridge = repository_dialogues(task / "other", seed=1, takedown=listed)
    assert not shows(str(bridge.value))
    assert read_manifest(task / "made" / "bridge", MODEL)["facts"]["given"] == bridge.identity


def test_an_entry_is_one_id_and_a_remark_needs_a_blank(made: Made) -> None:
    """``c#2`` is an id; what follows a blank and # is a remark; two words are an error with their line."""
    path = made("list.txt", "\ufeffc#2\r\n\n  c3 # c4\n# c5\n#c6\nc7\t#c8\n\u3000c9\u3000# c10")
    assert read_takedown(path) == {"c#2", "c3", "c7", "c9"}
    assert read_takedown(made("empty.txt", "")) == frozenset()
    with pytest.raises(InputError, match=r"two.txt:2: 'c1 c2' is not one id; write one id per line"):
        read_takedown(made("two.txt", "c0\nc1 c2 # remark\n"))


@pytest.mark.parametrize("place", ["", "repository", "index"])
@pytest.mark.parametrize("kind", ["link", "folder", "binary"])
def test_a_list_that_cannot_be_read_is_an_error(task: Path, kaiwa: Kaiwa, place: str, kind: str) -> None:
    """Never an empty list: every verb that would apply it stops, and writes nothing."""
    path = task / place / "takedown.txt"
    if kind == "link":
        path.symlink_to(task / "missing.txt")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"\xff\xfec\x001\x00")
    verbs = {
        "": ["pool runs/T1-C-R1.txt -o new", "report . --stale -o new", "status", "reply index walk"],
        "repository": ["index repository -o new", "topics repository -n 1 -o new", "clean pairs.tsv -o repository"],
        "index": ["reply index walk", "retrieve index topics.tsv -o new", "index repository -o index"],
    }
    for words in verbs[place]:
        ended = kaiwa(*words.split())
        assert (ended.returncode, "takedown.txt" in ended.stderr, "Traceback" in ended.stderr) == (2, True, False), (
            words
        )
        assert not (task / "new").exists()


def test_an_open_index_sees_a_change_that_the_clock_does_not_show(task: Path) -> None:
    """The list has the same size and the same time as before, and other ids."""
    path = task / "index" / "takedown.txt"
    opened = library.open(task / "index")

    def answered(listed: str) -> set[str]:
        path.write_text(listed)
        os.utime(path, ns=(10**18, 10**18))
        return {reply.comment for reply in opened.reply("train river", k=20)}

    assert {"c-late", "plain"} & answered("c-late\n") == {"plain"}
    assert {"c-late", "plain"} & answered("plain#\n") == {"plain", "c-late"}
    assert {"c-late", "plain"} & answered("plain \n") == {"c-late"}
    path.write_text("c-late plain\n")
    with pytest.raises(InputError, match=r"takedown.txt:1: .* is not one id"):
        opened.reply("train river")


def test_a_repository_and_its_index_agree_on_what_follows(task: Path) -> None:
    """For every one and two ids, of posts, comments and merged comments, and for unknown ones."""
    manifest = open_repository(task / "repository").manifest
    relations = RepositoryRelations(task / "repository", manifest), IndexRelations(library.open(task / "index").index)
    ids = sorted({name for pair in PAIRS for name in (pair[0], pair[2])} | {"unknown"})
    for pair in permutations(ids, 2):
        one, other = (full_takedown(frozenset(pair), each) for each in relations)
        assert one == other
    assert full_takedown(frozenset({"veiled-merged"}), relations[1]) == {
        "veiled-merged",
        "veiled-kept",
        "veiled-merged-too",
    }


def test_ids_in_python_are_a_collection_or_a_file(task: Path) -> None:
    """A path is never taken for a collection of letters."""
    (task / "given.txt").write_text(LIST)
    for given in (task / "given.txt", str(task / "given.txt"), read_takedown(task / "given.txt")):
        found = library.open(task / "index", takedown=given).reply(ASKED, k=20)
        assert not shows(str([(one.comment, one.text, one.post_text) for one in found]))
        run = library.read_runs(task / "runs" / "T2-C-R1.txt")
        assert "veiled-topic" not in library.pool(run, takedown=given).pooled.topics
    assert not library.retrieve(task / "index", {"veiled-topic": ASKED}, name="R", takedown=given).topics


def test_no_example_of_cleaning_shows_a_takedown(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """What a rule removes, and ids with several texts, are shown with examples; those of a takedown are not."""
    made("list.txt", "veiled\nveiled-post\n")
    rows = [
        "p1\tA post\tveiled\thttp://zanzibar",
        "p1\tA post\tveiled\tAnother zanzibar",
        "veiled-post\thttp://zanzibar\tc1\tA comment",
        "veiled-post\tzanzibar two\tc2\tMore",
        "p1\tA post\tc3\tThanks a lot",
        "p1\tA post\tc4\thttp://shown",
    ]
    made("rules.toml", 'name="r"\nsource="s"\n[[rule]]\nname="link"\nsays="link"\nremoves="http"\n')
    made("pairs.tsv", "\n".join(rows) + "\n")
    words = ["clean", "pairs.tsv", "-o", "repository", "--rules", "rules.toml", "--takedown", "list.txt"]
    text = done(kaiwa(*words, "--json"))
    assert not shows(text)
    assert "http://shown" in text
    assert marked(tmp_path / "repository") == []


def test_posts_from_outside_are_no_way_around_a_takedown(task: Path, kaiwa: Kaiwa, made: Made) -> None:
    """Neither a listed id nor a near-duplicate of a listed post is drawn from other posts."""
    (task / "repository" / "takedown.txt").write_text(LIST)
    posts = ["veiled-post\tA new text", "n1\tA TRAIN through zanzibar in the evening!", "n2\tSnow fell on the hills"]
    made("posts.tsv", "\n".join(posts) + "\n")
    done(kaiwa("topics", "repository", "--source", "posts.tsv", "-n", "1", "-o", "drawn.tsv"))
    assert (task / "drawn.tsv").read_text() == "n2\tSnow fell on the hills\n"


def test_tweets_of_a_takedown_are_in_no_pair_and_no_example(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """An initial post, a reply, and a tweet that a rule removes."""
    made("list.txt", "veiled-1\nveiled-2\nveiled-3\n")
    tweets = [
        ("t1", "", "今日はとても良い天気なので散歩に行きたいと思います"),
        ("t2", "t1", "散歩に行くなら川のほうがとても気持ち良いと思いますよ"),
        ("veiled-1", "t1", "私もzanzibarの川のほうへ散歩に行きたいと思っています"),
        ("veiled-2", "", "zanzibarの海へ行きたいと思うので誰か一緒に行きませんか"),
        ("t3", "veiled-2", "海はとても良いところなので来週にでも一緒に行きたいです"),
        ("veiled-3", "t1", "zanzibar"),
    ]
    lines = [json.dumps({"id": one, "reply_to": to, "text": text}) for one, to, text in tweets]
    made("tweets.jsonl", "\n".join(lines) + "\n")
    words = ["clean", "tweets.jsonl", "-o", "repository", "--rules", "twitter", "--takedown", "list.txt", "--json"]
    assert not shows(done(kaiwa(*words)))
    assert marked(tmp_path / "repository") == []
    assert [ids for ids, _ in open_repository(tmp_path / "repository").comments()] == [["t2"]]


def test_a_linked_list_stays_a_link_when_a_repository_is_cleaned_again(task: Path, kaiwa: Kaiwa) -> None:
    """One list for all folders: later changes to it apply."""
    (task / "shared.txt").write_text(LIST)
    (task / "repository" / "takedown.txt").symlink_to(task / "shared.txt")
    done(kaiwa("clean", "pairs.tsv", "-o", "repository"))
    assert (task / "repository" / "takedown.txt").readlink() == task / "shared.txt"
    assert marked(task / "repository") == []
