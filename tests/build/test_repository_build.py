"""Cleaning end to end: what goes, what stays, under which id."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import kaiwa
from kaiwa.corpus.cleaning import Cleaned, write_cleaned
from kaiwa.corpus.rules import read_rules
from kaiwa.errors import InputError
from kaiwa.formats.repository import open_repository

if TYPE_CHECKING:
    from pathlib import Path


def silent(_done: int, _total: int) -> None:
    """A progress that shows nothing."""


def cleaned(
    tmp_path: Path, lines: list[str], *, rules: str = "weibo", sample: int | None = None, keep_first: bool = False
) -> Cleaned:
    """Clean these lines of TSV."""
    source = tmp_path / "pairs.tsv"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    chosen = read_rules(rules)
    return write_cleaned(
        source, tmp_path / "repo", rules=chosen, sample=sample, seed=1, progress=silent, keep_first=keep_first
    )


def pairs_in(tmp_path: Path) -> list[tuple[str, str]]:
    """The pairs that stayed, by their ids."""
    batches = open_repository(tmp_path / "repo").table("pairs")
    return [(post, comment) for batch in batches for post, comment in zip(*batch, strict=True)]


@pytest.mark.parametrize(
    "comment", ["哇", "哇塞！！！", "哈哈哈哈", "[赞][赞]", "顶", "wow", "支持!", "👍👍", "转发微博"]
)
def test_trivial_weibo_comments_go(tmp_path: Path, comment: str) -> None:
    """Exclamations like "wow" are of no use as answers (overview 2.3.1)."""
    cleaned(tmp_path, [f"p1\t天气真好\tc1\t{comment}", "p1\t天气真好\tc2\t一起去爬山吧"])
    assert pairs_in(tmp_path) == [("p1", "c2")]


@pytest.mark.parametrize(
    "comment",
    [
        "加我微信 abc12345 便宜包邮",
        "看这里 http://t.cn/zY1QWp0",
        "正品代购，批发价",
        "+v：abcde99",
        "咨询QQ：245-238-621",
        "详情：www.example.com",
        "太给力了[威武]求互粉",
        "全国包邮，只需255元",
        "充话费，有意者私聊我",
    ],
)
def test_weibo_advertisements_go(tmp_path: Path, comment: str) -> None:
    """Offers, contacts and links of sellers are removed."""
    cleaned(tmp_path, [f"p1\t天气真好\tc1\t{comment}", "p1\t天气真好\tc2\t一起去爬山吧"])
    assert pairs_in(tmp_path) == [("p1", "c2")]


@pytest.mark.parametrize(
    "comment",
    [
        "现在还有代购往韩国跑呢",
        "内蒙古可以包邮了吗",
        "已经加盟阿森纳",
        "必看！[思考][互粉]",
        "刘翔！！！！！QAQQAQQAQ",
        "侏罗纪公园。。。QQQQQAQQQQQ",
        "同胞相互关照，相互理解",
        "不带这么刷粉的，有点底线好不好",
        "批发价和零售价是不一样的",
        "有一个同学私聊我说这很正常",
        "加volatile也会被优化掉",
    ],
)
def test_everyday_words_are_no_advertisement(tmp_path: Path, comment: str) -> None:
    """Words of shops and emoticons that ordinary comments use."""
    assert cleaned(tmp_path, [f"p1\t天气真好\tc1\t{comment}"]).removed == {}


@pytest.mark.parametrize("comment", ["好想去青岛看海", "真的太让人感动了，祝福他们", "对不起，我来晚了", "是你先说的"])
def test_ordinary_weibo_comments_stay(tmp_path: Path, comment: str) -> None:
    """A sentence that merely begins like a trivial one is kept."""
    cleaned(tmp_path, [f"p1\t天气真好\tc1\t{comment}"])
    assert pairs_in(tmp_path) == [("p1", "c1")]


def test_only_the_first_thirty_comments_of_a_post_stay(tmp_path: Path) -> None:
    """Wang et al. 2013: later comments drift away from the post."""
    made = cleaned(tmp_path, [f"p1\t天气真好\tc{at}\t第{at}个人说的话" for at in range(40)])
    assert made.manifest.pairs == 30
    assert made.removed == {"after the first 30 comments": 10}


def test_near_duplicate_comments_merge_and_their_ids_are_kept(tmp_path: Path) -> None:
    """One text, two spellings, two posts: one comment under both posts, the other id remembered."""
    cleaned(tmp_path, ["p1\t甲\tc1\t一起去爬山吧！", "p2\t乙\tc2\t一起去爬山吧~~~~"])
    assert pairs_in(tmp_path) == [("p1", "c1"), ("p2", "c1")]
    assert open_repository(tmp_path / "repo").merged() == {"c2": "c1"}


def test_a_sample_is_of_the_size_asked_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    """Sampling is seeded."""
    lines = [f"p{at}\t第{at}条\tc{at}\t第{at}个人说的话" for at in range(50)]
    cleaned(tmp_path, lines, sample=7)
    first = pairs_in(tmp_path)
    cleaned(tmp_path, lines, sample=7)
    assert len(first) == 7
    assert pairs_in(tmp_path) == first


TURNS = ["4325\t0\tA\tOkay. So,", "4325\t1\tB\tI guess,", "4325\t2\tA\tWhat kind of experience?", "43\t0\tB\tHi"]


def test_a_file_whose_ids_have_many_texts_is_refused(tmp_path: Path) -> None:
    """Turns of dialogues, read as pairs: dialogue and speaker are no ids of posts and comments."""
    with pytest.raises(InputError) as refusal:
        cleaned(tmp_path, TURNS)
    assert str(refusal.value).startswith(
        f"{tmp_path}/pairs.tsv:2: 1 of 2 post ids and 2 of 2 comment ids have more than one text: "
        "post id '4325' is '0' (line 1) and '1' (line 2); check which columns are the ids"
    )
    assert {entry.name for entry in tmp_path.iterdir()} == {"pairs.tsv"}


def test_no_pair_is_made_of_texts_that_were_not_together(tmp_path: Path) -> None:
    """Accepted conflicts keep the first text of an id; a pair with another text of the id is removed and counted."""
    lines = [
        "p1\t天气真好\tc1\t一起去爬山吧",
        "p2\t下雨了\tc1\t带伞了吗",
        "p2\t下雪了\tc3\t真的好冷啊",
        "p2\t下雨了\tc4\t回家吧你们",
    ]
    made = cleaned(tmp_path, lines, keep_first=True)
    assert pairs_in(tmp_path) == [("p1", "c1"), ("p2", "c4")]
    assert made.removed == {"id with another text": 2}
    assert (made.conflicting.posts, made.conflicting.comments) == (1, 1)
    assert [one.line for one in made.conflicting.examples] == [3, 2]


def test_a_few_conflicting_ids_are_counted_and_shown(tmp_path: Path) -> None:
    """Up to one id in a hundred."""
    lines = [f"p{at}\t第{at}条\tc{at}\t第{at}个人说的话" for at in range(200)]
    made = cleaned(tmp_path, [*lines, "p1\t第1条\tc2\t别的话"])
    assert (made.manifest.pairs, made.removed) == (200, {"id with another text": 1})
    assert str(made.conflicting.examples[0]) == "comment id 'c2' is '第2个人说的话' (line 3) and '别的话' (line 201)"


def test_an_edited_mark_is_no_second_text(tmp_path: Path) -> None:
    """Texts are compared as near-duplicates are."""
    made = cleaned(tmp_path, ["p1\t天气真好\tc1\t一起去爬山吧", "p1\t天气真好！\tc2\t带伞了吗"])
    assert (made.manifest.pairs, made.conflicting.examples) == (2, ())


def tweet(ident: str, text: str, **more: object) -> str:
    """One tweet as a line of JSON."""
    return json.dumps({"id_str": ident, "text": text, "user": {"screen_name": "taro"}, **more})


LONG = "今日はとても天気がいいので散歩に行こうと思います"
GOOD = [tweet("1", LONG), tweet("2", "いいですね、私も一緒に行きたいなあと思いました", in_reply_to_status_id_str="1")]


def tweets_cleaned(tmp_path: Path, lines: list[str]) -> Cleaned:
    """Clean these tweets."""
    source = tmp_path / "tweets.jsonl"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rules = read_rules("twitter")
    return write_cleaned(
        source, tmp_path / "repo", rules=rules, sample=None, seed=1, progress=lambda _done, _total: None
    )


def test_tweets_are_paired_by_reply_id(tmp_path: Path) -> None:
    """A reply belongs to the initial post it names, anywhere in the file."""
    tweets_cleaned(tmp_path, GOOD[::-1])
    assert pairs_in(tmp_path) == [("1", "2")]


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        ("短い返事", {}, "short"),
        ("x" * 30, {}, "ascii"),
        ("いいですね、私も一緒に行きたいなあ http://t.co/x", {}, "url"),
        ("RT @taro いいですね、私も一緒に行きたいなあと", {}, "retweet"),
        ("いいですね、私も一緒に行きたいなあと思いました", {"retweeted_status": {"id": 1}}, "retweet"),
        ("いいですね、私も一緒に行きたいなあと思います😀😀", {}, "characters"),
        ("いいですね、私も一緒に行きたいなあと思いました", {"user": {"screen_name": "NewsBot1"}}, "bot"),
        (
            "いいですね、私も一緒に行きたいなあと思いました",
            {"in_reply_to_status_id_str": "99"},
            "reply to no post in the pool",
        ),
    ],
)
def test_each_twitter_rule_removes_its_own(tmp_path: Path, text: str, more: dict[str, object], why: str) -> None:
    """Overview 3.3.1, rule by rule."""
    bad = tweet("3", text, **{"in_reply_to_status_id_str": "1", **more})
    made = tweets_cleaned(tmp_path, [*GOOD, bad])
    assert made.removed == {why: 1}


def test_a_repeated_tweet_id_counts_once(tmp_path: Path) -> None:
    """Ids are unique within the pool."""
    assert tweets_cleaned(tmp_path, [*GOOD, GOOD[1]]).removed == {"id repeated": 1}


def test_a_failed_cleaning_leaves_the_old_repository_and_nothing_else(tmp_path: Path) -> None:
    """Whole or absent: a fault in line 2 changes nothing on disk."""
    cleaned(tmp_path, ["p1\t甲\tc1\t一起去爬山吧"])
    before = sorted((tmp_path / "repo").iterdir())
    with pytest.raises(InputError, match=r"pairs\.tsv:2"):
        cleaned(tmp_path, ["p1\t甲\tc9\t一起去游泳吧", "broken"])
    assert {entry.name for entry in tmp_path.iterdir()} == {"pairs.tsv", "repo"}
    assert sorted((tmp_path / "repo").iterdir()) == before
    assert pairs_in(tmp_path) == [("p1", "c1")]


def test_a_foreign_folder_is_not_overwritten(tmp_path: Path) -> None:
    """A folder with other files is refused."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match="other files"):
        cleaned(tmp_path, ["p1\t甲\tc1\t一起去爬山吧"])
    assert (tmp_path / "repo" / "thesis.tex").exists()


def test_a_users_own_rules_are_read_and_misspelt_fields_refused(tmp_path: Path) -> None:
    """A rule set is data: a TOML file with the shape of ours."""
    own = tmp_path / "own.toml"
    own.write_text('name="own"\nsource="me"\n[[rule]]\nname="no-x"\nsays="no x"\nremoves="x"\n', encoding="utf-8")
    assert read_rules(str(own)).against("post", "axb") == "no-x"
    own.write_text('name="own"\nsource="me"\n[[rule]]\nname="no-x"\nsays="no x"\nremove="x"\n', encoding="utf-8")
    with pytest.raises(InputError, match="unknown field 'remove'"):
        read_rules(str(own))


@pytest.mark.parametrize("text", ["真的" * 5000 + "x", "@a-" * 5000 + " b", "加我" + " " * 20_000 + "。", "[赞" * 5000])
@pytest.mark.parametrize("rules", ["weibo", "twitter"])
def test_no_text_makes_a_rule_search_without_end(text: str, rules: str) -> None:
    """Patterns do not go back over what they have matched, so a hostile text costs its length."""
    assert read_rules(rules).against("comment", text) != "short"


def test_lengths_and_comments_per_post_are_reported(tmp_path: Path) -> None:
    """Least, mean and greatest, of what is kept: characters of posts and comments, comments of a post."""
    lines = [
        "p1\t天气真好\tc1\t去爬山",
        "p1\t天气真好\tc2\t一起去爬山吧",
        "p2\t雨\tc3\t带伞",
        "p3\t \tc4\t" + "长" * 50,
    ]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines), encoding="utf-8")
    made = kaiwa.clean(tmp_path / "pairs.tsv", tmp_path / "repository")
    assert made.lengths == {
        "post": {"min": 1, "mean": 2.5, "max": 4},
        "comment": {"min": 2, "mean": 11 / 3, "max": 6},
        "comments_per_post": {"min": 1, "mean": 1.5, "max": 2},
    }
    table = [line.split() for line in str(made).splitlines() if line.startswith(("characters of", "comments of"))]
    assert [row[-3:] for row in table] == [["1", "2.5", "4"], ["2", "3.7", "6"], ["1", "1.5", "2"]]
    assert made.to_csv("lengths").splitlines()[-1] == "comments of a post,1,1.5,2"
