"""Answers: who answers what, with which reasons, and what may not be answered with."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import kaiwa
from kaiwa.errors import InputError, UnknownName
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.retrieval.build import build_index

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def bot(index: Path, models_folder: Path) -> Bot:
    """The small index, open, with its models."""
    return Bot(index, models=models_folder)


def comments(bot: Bot, text: str, system: str = "bm25", **filters: Any) -> list[str]:
    """The ids of the answers."""
    return [one.comment for one in bot.reply(text, system=system, **(filters or {"unfiltered": True}))]


def test_q2p_answers_with_the_comments_of_the_similar_post(bot: Bot) -> None:
    """Run0 of the pilot looks at posts only; equal scores are in the order of their ids."""
    assert comments(bot, "考试 紧张", "run0") == ["c04", "c05"]


def test_q2c_answers_with_the_similar_comments(bot: Bot) -> None:
    """Run1 looks at comments only."""
    assert comments(bot, "海鲜 下雨", "run1") == ["c07", "c02"]


def test_the_joint_system_prefers_a_comment_that_matches_on_both_sides(bot: Bot) -> None:
    """Run2 adds the two similarities."""
    assert comments(bot, "考试", "run2")[0] == "c04"


def test_a_comment_under_two_posts_appears_once_with_its_better_post(bot: Bot) -> None:
    """c01 is a comment of p1 and of p3; the query is about p3."""
    found = {one.comment: one.post for one in bot.reply("去青岛看海", unfiltered=True)}
    assert found["c01"] == "p3"


def test_a_reply_has_its_reasons(bot: Bot) -> None:
    """Matched post, matched words and the values of both features."""
    first = bot.reply("明天考试", system="run2")[0]
    assert (first.comment, first.text, first.post, first.post_text) == (
        "c04",
        "祝你考试顺利",
        "p2",
        "明天要考试了，好紧张",
    )
    assert set(first.words) == {"明天", "考试"}
    assert first.features["q2p"] > 0
    assert first.score == pytest.approx(first.features["q2p"] + first.features["q2c"])


def test_words_are_as_written_strongest_first_without_particles(bot: Bot) -> None:
    """As they are in the query, in the order of what they add to the features."""
    assert bot.reply("我要考试了", system="run2")[0].words == ("考试",)
    assert [one.words for one in bot.reply("ＨＡＷＡＩＩ！", system="run1")] == [("ＨＡＷＡＩＩ",)]
    assert bot.reply("顺利的考试", system="run2")[0].words == ("考试", "顺利")


def test_filters_drop_repeats_and_keep_the_rest(bot: Bot) -> None:
    """A comment that repeats the query is not an answer (the non-repetitive criterion)."""
    assert "c03" in comments(bot, "今天天气真好")
    assert "c03" not in comments(bot, "今天天气真好", min_chars=2)


def test_a_blocked_word_never_appears(bot: Bot) -> None:
    """Blocked words drop comments whatever they score."""
    assert comments(bot, "考试", block=("祝你",)) == ["c05"]


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_every_system_answers(bot: Bot, system: str) -> None:
    """All named systems find the exam's comments."""
    assert "c04" in comments(bot, "考试顺利 紧张", system)


@pytest.mark.parametrize("fusion", ["rrf", "combsum", "combmnz"])
def test_fusion_puts_first_what_all_systems_find(bot: Bot, fusion: str) -> None:
    """Whatever the formula, the comment that every system ranks first wins."""
    assert bot.reply("考试顺利", system="fusion", fusion=fusion)[0].comment == "c04"


@pytest.mark.parametrize("name", ["run3", "run4", "run5"])
def test_a_system_that_needs_a_missing_model_says_so(index: Path, name: str) -> None:
    """One line, with the command that makes it."""
    with pytest.raises(InputError, match="needs models; make them with kaiwa models"):
        Bot(index).reply("考试", system=name)


@pytest.mark.parametrize(
    "query",
    [
        "😀",
        "\x00\x1b[31m\x07",
        "\u202eשלום עולם",
        "مرحبا",
        "qqqq zzzz",
        "\ud800",
        "的" * 33_000,
        "a b " * 25_000,
        "！？。",
    ],
)
@pytest.mark.parametrize("system", ["run2", "fusion"])
def test_strange_queries_get_an_answer_or_none(bot: Bot, query: str, system: str) -> None:
    """One emoji, control characters, right to left, unknown words, 100 kB: never an exception."""
    assert isinstance(bot.reply(query, system=system), list)


@pytest.mark.parametrize("post", ["", " "])
def test_a_post_that_says_nothing_is_refused(bot: Bot, post: str) -> None:
    """As the command does."""
    with pytest.raises(InputError, match="the post is empty; give some words"):
        bot.reply(post)


@pytest.mark.parametrize("k", [0, -1, 1001, 2.5, "3", None])
def test_a_senseless_k_is_refused(bot: Bot, k: int) -> None:
    """K is checked where it enters."""
    with pytest.raises(InputError, match="is not a number of answers; give 1 to 1,000"):
        bot.reply("考试", k=k)


@pytest.mark.parametrize("post", [None, 3, b"text"])
def test_a_post_that_is_no_text_is_refused(bot: Bot, post: str) -> None:
    """One line, also for the texts of a run's topics."""
    with pytest.raises(InputError, match="not a text; give its text"):
        bot.reply(post)
    with pytest.raises(InputError, match=r"topic 'q1': .* is not a text"):
        bot.retrieve({"q1": post}, name="R")


def test_topics_that_are_no_dict_are_refused(bot: Bot) -> None:
    """A text is the name of a file, never a topic."""
    with pytest.raises(InputError, match="考试: no such file"):
        bot.retrieve(["考试"], name="R")


def test_an_empty_name_is_no_system(bot: Bot) -> None:
    """It is not the default, which has no name."""
    with pytest.raises(UnknownName, match="unknown system ''"):
        bot.reply("考试", system="")


def test_a_takedown_works_at_once_on_an_open_index(index: Path, tmp_path: Path) -> None:
    """Writing the list is enough: the next answer is without the comment, and back when the list is removed."""
    shutil.copytree(index, tmp_path / "index")
    open_bot = Bot(tmp_path / "index")
    assert comments(open_bot, "考试") == ["c04", "c05"]
    (tmp_path / "index" / "takedown.txt").write_text("c04  # on request\n", encoding="utf-8")
    assert comments(open_bot, "考试") == ["c05"]
    (tmp_path / "index" / "takedown.txt").unlink()
    assert comments(open_bot, "考试") == ["c04", "c05"]


@pytest.mark.parametrize("system", ["run0", "run1", "run2", "bm25", "fusion"])
def test_a_post_of_the_takedown_list_is_never_shown(index: Path, system: str) -> None:
    """Its own comments go with it; a comment of another post too answers from there."""
    without = Bot(index, takedown=frozenset({"p3"}))
    found = without.reply("去青岛看海 爬山 海鲜", system=system, unfiltered=True)
    assert all(one.post != "p3" and one.comment != "c07" for one in found)
    assert {one.post for one in found if one.comment == "c01"} <= {"p1"}


def test_a_run_has_a_list_for_every_topic(bot: Bot) -> None:
    """A topic without known words has an empty list."""
    run = bot.retrieve({"t1": "考试", "t2": "zzzz"}, name="KAIWA-C-R1", k=1, system="run2")
    assert run.topics == ("t1", "t2")
    assert [run.comments_of(topic) for topic in run.topics] == [["c04"], []]


def test_an_opened_index_and_its_answers_show_themselves(index: Path) -> None:
    """``kaiwa.open``: answers are a list and an HTML table; a run goes to a data frame."""
    opened = kaiwa.open(index)
    answers = opened.reply("明天考试", k=2)
    assert "c04" in [answer.comment for answer in answers]
    assert answers._repr_html_().count("<tr>") == len(answers) + 1
    assert "An open index" in opened._repr_html_()
    run = pa.table(opened.retrieve({"q": "明天考试"}, name="R", k=2))
    assert run["comment"].to_pylist() == [answer.comment for answer in answers]


def test_a_takedown_list_in_the_repository_reaches_its_index(repository: Path, tmp_path: Path) -> None:
    """A takedown before the index was built is in no answer; the index's own list stays."""
    shutil.copytree(repository, tmp_path / "repository")
    target = tmp_path / "index"

    def answers() -> set[str]:
        build_index(tmp_path / "repository", target, language="zh", tokens=None, progress=lambda _done, _total: None)
        return {one.comment for one in Bot(target).reply("考试", unfiltered=True)}

    first, second = sorted(answers())[:2]
    (target / "takedown.txt").write_text(f"{first}\n", encoding="utf-8")
    (tmp_path / "repository" / "takedown.txt").write_text(f"{second} # asked by its author\n", encoding="utf-8")
    assert not {first, second} & answers()


@pytest.mark.parametrize("system", ["towers", "encoder", "ngrams", "cnn"])
def test_shared_words_are_shown_whatever_the_features(index: Path, models_folder: Path, system: str) -> None:
    """A system of vectors has no term of the query; its replies still name the words that they share."""
    found = {one.comment: one for one in Bot(index, models=models_folder).reply("考试顺利", system=system)}
    assert "考试顺利" in "".join(found["c04"].words)


def test_replies_say_what_each_feature_weighs(index: Path, models_folder: Path) -> None:
    """A sum of standardised features has weights; a search has none."""
    bot = Bot(index, models=models_folder)
    assert bot.reply("考试", system="run3").weights == {"q2p": 1.0, "q2c": 1.0, "translm": 1.0}
    assert bot.reply("考试").weights is None
