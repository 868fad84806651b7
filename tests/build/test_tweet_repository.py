"""The repository of the Japanese subtask: tweets of a year, posts and comments as candidates, ids used once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import kaiwa
from kaiwa.corpus.rules import Rule, RuleSet, known_rules, read_rules
from kaiwa.errors import InputError
from kaiwa.formats.repository import open_repository
from kaiwa.retrieval.inverted_index import open_index

if TYPE_CHECKING:
    from pathlib import Path

POST = "今日はとても天気がいいので散歩に行こうと思います"
REPLY = "いいですね、私も一緒に行きたいなあと思いました"
IN_2014, IN_2015 = "Wed Dec 31 23:59:59 +0000 2014", "Thu Jan 01 00:00:00 +0000 2015"


def tweet(ident: str, text: str, created_at: str = IN_2014, **more: object) -> dict[str, object]:
    """A tweet with the service's fields."""
    return {"id_str": ident, "text": text, "user": {"screen_name": "taro"}, "created_at": created_at, **more}


def reply(ident: str, text: str, to: str, created_at: str = IN_2014) -> dict[str, object]:
    """A tweet that answers another one."""
    return tweet(ident, text, created_at, in_reply_to_status_id_str=to)


TWEETS = [
    tweet("1", POST),
    reply("2", REPLY, "1"),
    reply("3", f"{REPLY}よ", "1"),
    tweet("4", f"{POST}ね"),
    reply("5", REPLY, "4"),
    tweet("6", f"{POST}か", IN_2015),
    reply("7", f"{REPLY}か", "6", IN_2015),
    tweet("8", f"{POST}な", "some day"),
    reply("9", f"{REPLY}な", "8"),
]


def cleaned(folder: Path, tweets: list[dict[str, object]] = TWEETS, **options: Any) -> kaiwa.Repository:
    """The repository of these tweets."""
    source = folder / "tweets.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in tweets), encoding="utf-8")
    return kaiwa.clean(source, folder / "repository", **{"rules": "ntcir12-ja", **options})


def rows(folder: Path, name: str) -> list[tuple[str, ...]]:
    """The rows of a table of the repository."""
    return [row for batch in open_repository(folder / "repository").table(name) for row in zip(*batch, strict=True)]


def test_the_japanese_repository_has_tweets_of_2014_in_pairs_of_their_own(tmp_path: Path) -> None:
    """A post with two replies is used once; a tweet of another year, or without a date, is left out."""
    made = cleaned(tmp_path)
    assert rows(tmp_path, "pairs") == [("1", "2"), ("4", "5")]
    assert rows(tmp_path, "posts") == [("1", POST), ("4", f"{POST}ね")]
    assert made.removed == {"year": 3, "reply to no post in the pool": 1, "id of an earlier pair": 1}


def test_posts_are_candidates_among_the_comments(tmp_path: Path) -> None:
    """In the order of the rows, each once; near-duplicate comments are not merged, so each candidate has its id."""
    made = cleaned(tmp_path)
    assert rows(tmp_path, "comments") == [("1", POST), ("2", REPLY), ("4", f"{POST}ね"), ("5", REPLY)]
    assert (made.candidates, made.posts, made.comments, made.pairs, made.merged) == ("both", 2, 4, 2, 0)
    assert "Posts are candidates too: the 2 posts are among the 4 comments." in str(made)
    assert made.lengths["comment"] == {"min": 23, "mean": 23.0, "max": 23}


def test_a_post_is_retrieved_by_its_own_words(tmp_path: Path) -> None:
    """Its post is itself: both sides of the index find it; an index in shards answers the same."""
    cleaned(tmp_path)
    made = kaiwa.index(tmp_path / "repository", tmp_path / "index", language="ja")
    shards = kaiwa.index(tmp_path / "repository", tmp_path / "shards", language="ja", shards=2)
    topics = {"q1": "散歩に行こうと思います"}
    runs = [kaiwa.retrieve(one, topics, k=4, unfiltered=True, name="T-J-R1") for one in (made, shards)]
    assert {comment for comment, _ in runs[0].ranking("q1")} == {"1", "2", "4", "5"}
    assert runs[0].ranking("q1")[0][0] == "1"
    assert runs[0].ranking("q1") == runs[1].ranking("q1")


def test_models_are_trained_on_the_pairs_that_people_wrote(tmp_path: Path) -> None:
    """Not on posts with themselves, from which a translation model would learn that every word means itself."""
    cleaned(tmp_path)
    kaiwa.index(tmp_path / "repository", tmp_path / "index", language="ja")
    index = open_index(tmp_path / "index")
    assert index.links.post_comments.tolist() == [0, 1, 2, 3]
    written = index.written_pairs
    assert [part.tolist() for part in written] == [[0, 1, 2], [1, 3], [0, 0, 1, 1, 2], [0, 1]]


def test_check_and_pool_accept_answers_that_are_posts(tmp_path: Path) -> None:
    """If posts are candidates; with other rules the id of a post is an unknown comment."""
    cleaned(tmp_path)
    run = kaiwa.Run.from_dict({"q1": {"1": 3.0, "2": 2.0}}, name="T1-J-R1", description="words")
    run.write(tmp_path / "T1-J-R1.txt")
    assert kaiwa.check(tmp_path / "T1-J-R1.txt", repository=tmp_path / "repository").problems == []
    assert kaiwa.pool(run, depth=2).items == 2
    cleaned(tmp_path, rules="twitter")
    found = kaiwa.check(tmp_path / "T1-J-R1.txt", repository=tmp_path / "repository").problems
    assert [(problem.code, problem.line) for problem in found] == [("unknown-comment", 2)]


def test_posts_that_are_pooled_are_judged_with_their_texts(tmp_path: Path) -> None:
    """The sheet of a task has the text of each answer, also of one that is a post."""
    cleaned(tmp_path)
    (tmp_path / "kaiwa.toml").write_text("[judging]\ndepth = 2\n")
    (tmp_path / "topics.tsv").write_text("q1\t散歩に行きたい\n", encoding="utf-8")
    (tmp_path / "pool.tsv").write_text("q1\t1\nq1\t5\n")
    kaiwa.pool(tmp_path, sheet=tmp_path / "judge.csv")
    lines = (tmp_path / "judge.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[1:] == [f"q1,散歩に行きたい,1,{POST},", f"q1,散歩に行きたい,5,{REPLY},"]


def test_a_takedown_of_a_post_is_one_of_the_candidate(tmp_path: Path) -> None:
    """Neither the post nor the comment with its id is shown, nor its reply, which has no other post."""
    cleaned(tmp_path)
    (tmp_path / "repository" / "takedown.txt").write_text("1\n")
    assert rows(tmp_path, "comments") == [("4", f"{POST}ね"), ("5", REPLY)]
    assert kaiwa.index(tmp_path / "repository", tmp_path / "index", language="ja").comments == 2


def test_topics_that_are_held_out_are_no_candidates(tmp_path: Path) -> None:
    """The rest has the other posts as candidates, and neither the topic nor its reply."""
    cleaned(tmp_path)
    kaiwa.topics(tmp_path / "repository", hold_out={"4": "q"}, rest=tmp_path / "rest")
    left = open_repository(tmp_path / "rest")
    assert [row for batch in left.comments() for row in zip(*batch, strict=True)] == [("1", POST), ("2", REPLY)]
    assert left.manifest.candidates == "both"


def test_pairs_are_used_once_by_the_ids_of_both_sides(tmp_path: Path) -> None:
    """An id that an earlier pair has, as a post or as a comment, ends the later pair."""
    rules = tmp_path / "own.toml"
    rules.write_text('name = "own"\nsource = "me"\nonce = true\nmerge = false\n')
    lines = [
        "a\tone\tb\ttwo",
        "c\tthree\ta\tone",
        "b\ttwo\td\tfour",
        "e\tfive\tf\tsix",
        "g\tx\tg\tx",
        "e\tfive\th\tseven",
    ]
    (tmp_path / "pairs.tsv").write_text("".join(f"{line}\n" for line in lines))
    for engine in ("local", "local[2]"):
        made = kaiwa.clean(tmp_path / "pairs.tsv", tmp_path / "repository", rules=str(rules), engine=engine)
        assert rows(tmp_path, "pairs") == [("a", "b"), ("e", "f"), ("g", "g")]
        assert made.removed == {"id of an earlier pair": 3}


def test_rules_of_ones_own_have_a_window_of_dates(tmp_path: Path) -> None:
    """Days are included; ``side`` chooses the tweets that must be inside."""
    rules = tmp_path / "own.toml"
    window = 'on = "date"\nside = "comment"\nsince = "2014-03"\nuntil = "2014-03-02"\n'
    rules.write_text(f'name = "own"\nsource = "me"\n[[rule]]\nname = "days"\nsays = "March"\n{window}')
    dates = ["2014-02-28T23:00:00Z", "2014-03-01T00:00:00Z", "2014-03-03T08:59:00+09:00", "2014-03-03T00:00:00Z"]
    replies = [reply(f"r{place}", f"{REPLY}{place}", "1", date) for place, date in enumerate(dates)]
    made = cleaned(tmp_path, [tweet("1", POST), *replies], rules=str(rules))
    assert rows(tmp_path, "pairs") == [("1", "r1"), ("1", "r2")]
    assert made.removed == {"days": 2}


def test_dates_are_matched_by_patterns_too() -> None:
    """As texts and names are: removes and needs."""
    rules = RuleSet("s", "", (Rule("newyear", "", on="date", removes=r"-01-01$"),))
    assert rules.against("post", "2014-01-01", on="date") == "newyear"
    assert rules.against("post", "2014-01-02", on="date") is None


def test_a_rule_set_extends_one_that_comes_with_kaiwa(tmp_path: Path) -> None:
    """Its rules are applied first, then one's own."""
    rules = tmp_path / "own.toml"
    own = '[[rule]]\nname = "rain"\nsays = "rain"\nremoves = "雨"\n'
    rules.write_text(f'name = "own"\nsource = "me"\nextends = "twitter"\n{own}', encoding="utf-8")
    found = read_rules(str(rules))
    assert [rule.name for rule in found.rules] == [*(rule.name for rule in known_rules()["twitter"].rules), "rain"]
    assert found.against("post", f"{POST}雨") == "rain"
    assert found.against("post", "雨") == "short"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('extends = "twiter"', "unknown rule set 'twiter'; did you mean 'twitter'?"),
        ('candidates = "posts"', "candidates 'posts'; candidates are comments or both"),
        (
            'candidates = "both"\nonce = true',
            "needs a text to have one id and one pair; add once = true and merge = false",
        ),
        ('candidates = "both"\nmerge = false', "needs a text to have one id and one pair; add once = true"),
        ("once = true\nfirst_comments = 3", "first_comments = 3 cannot act where each id is used once; leave it out"),
        ('[[rule]]\nname = "r"\nsays = ""\nsince = "2014"', 'since and until are tests of a date; add on = "date"'),
        (
            '[[rule]]\nname = "r"\nsays = ""\non = "date"\nsince = "2014-13"',
            "'2014-13' is not a date; write 2014, 2014-08 or 2014-08-04",
        ),
        (
            '[[rule]]\nname = "r"\nsays = ""\non = "date"\nsince = "2014-06"\nuntil = "2013"',
            "until 2013 is before since 2014-06; exchange them",
        ),
        ('[[rule]]\nname = "r"\nsays = ""\non = "day"\nneeds = "x"', "on is text, name, date"),
    ],
)
def test_rules_that_cannot_act_are_refused(tmp_path: Path, text: str, fault: str) -> None:
    """One line that names the file and the fix."""
    rules = tmp_path / "own.toml"
    rules.write_text(f'name = "own"\nsource = "me"\n{text}\n')
    with pytest.raises(InputError) as refusal:
        read_rules(str(rules))
    assert str(refusal.value).startswith(f"{rules}: ")
    assert fault in str(refusal.value)


def test_rules_on_tweets_say_that_they_do_not_act_on_pairs(tmp_path: Path) -> None:
    """Pairs have neither a name nor a date: the rules are named, and all pairs pass them."""
    (tmp_path / "pairs.tsv").write_text(f"1\t{POST}\t2\t{REPLY}\n", encoding="utf-8")
    made = kaiwa.clean(tmp_path / "pairs.tsv", tmp_path / "repository", rules="ntcir12-ja")
    assert made.pairs == 1
    assert "Without effect, because pairs have no name and no date: bot, year." in str(made)
    assert "Without effect" not in str(cleaned(tmp_path))
