"""Tweets to pairs: a reply (T1) belongs to the initial post (T2) whose id it names.

The file is read twice. The results of the first pass are on disk, so memory does not grow with the number of tweets.
"""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from kaiwa.corpus.tweet_threads import NO_POST, Tweets, join_replies, mark_duplicate_ids, records_of
from kaiwa.disk.partitions import Partitions, RecordReader, part_of, range_of
from kaiwa.disk.strings import TemporaryStrings
from kaiwa.formats.collection.tweet_files import Tweet, read_tweets
from kaiwa.model.normalise import fingerprint
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kaiwa.corpus.rule_filter import Removals
    from kaiwa.corpus.rules import RuleSet

_BATCH = 8192


def paired_tweets(
    path: Path, folder: Path, rules: RuleSet, removals: Removals, takedown: frozenset[str]
) -> Iterator[list[Pair]]:
    """Pairs of initial posts and the replies to them, both passing the rules (overview 3.3.1).

    ``folder`` is for temporary files. A tweet of the takedown is no example of what was removed.
    """

    def removed(reason: str, tweet: Tweet) -> None:
        removals.add(reason, tweet.text if takedown.isdisjoint((tweet.id, tweet.reply_to)) else "")

    with closing(TemporaryStrings(folder)) as texts:
        decisions = _decisions(path, folder, rules, texts)
        for batch in _batches(path):
            yield _pairs(batch, decisions.take(len(batch)), texts, rules, removed)


def _decisions(path: Path, folder: Path, rules: RuleSet, texts: TemporaryStrings) -> RecordReader:
    """The record of each tweet; the texts of initial posts that pass are added to ``texts``, by row."""
    by_id = Partitions(folder)
    rows = 0
    for batch in _batches(path):
        passes = [_reason(tweet, rules) is None for tweet in batch]
        texts.add(
            [tweet.text if good and not tweet.reply_to else "" for tweet, good in zip(batch, passes, strict=True)]
        )
        ids = [fingerprint(tweet.id) for tweet in batch]
        answered = [fingerprint(tweet.reply_to) if tweet.reply_to else None for tweet in batch]
        records = records_of(ids, answered, passes, first_row=rows)
        by_id.add(records, part_of(records["id"]))
        rows += len(batch)
    by_thread, in_order = Partitions(folder), Partitions(folder)
    for part in map(mark_duplicate_ids, by_id.parts()):
        by_thread.add(part, part_of(part["thread"]))
    for part in map(join_replies, by_thread.parts()):
        in_order.add(part, range_of(part["row"], rows))
    return RecordReader(in_order.parts())


def _pairs(
    batch: list[Tweet], records: Tweets, texts: TemporaryStrings, rules: RuleSet, removed: Callable[[str, Tweet], None]
) -> list[Pair]:
    """The pairs of the batch's replies; the other tweets are counted as removed."""
    replies: list[tuple[Tweet, int]] = []
    for tweet, duplicate, post in zip(batch, records["duplicate"].tolist(), records["post"].tolist(), strict=True):
        reason = "id repeated" if duplicate else _reason(tweet, rules)
        if reason is None and tweet.reply_to and post == NO_POST:
            reason = "reply to no post in the pool"
        if reason is not None:
            removed(reason, tweet)
        elif tweet.reply_to:
            replies.append((tweet, post))
    posts = texts.at([post for _, post in replies])
    return [Pair(tweet.reply_to, text, tweet.id, tweet.text) for (tweet, _), text in zip(replies, posts, strict=True)]


def _reason(tweet: Tweet, rules: RuleSet) -> str | None:
    side = "comment" if tweet.reply_to else "post"
    if tweet.retweet:
        return "retweet"
    return rules.against(side, tweet.text) or rules.against(side, tweet.name, on="name")


def _batches(path: Path) -> Iterator[list[Tweet]]:
    tweets = read_tweets(path)
    while batch := list(islice(tweets, _BATCH)):
        yield batch
