"""Tweets to pairs: a reply (T1) belongs to the initial post (T2) whose id it names.

The file is read twice. What the first reading learns is on disk, so memory does not grow with the number of tweets.
"""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from kaiwa.corpus.tweet_threads import NO_POST, Tweets, records_of, repeated_ids_marked, replies_joined
from kaiwa.disk.partitions import Partitions, RecordReader, part_of, range_of
from kaiwa.disk.strings import TemporaryStrings
from kaiwa.formats.collection.tweet_files import Tweet, read_tweets
from kaiwa.model.normalise import fingerprint
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.corpus.rule_filter import Account
    from kaiwa.corpus.rules import RuleSet

_BATCH = 8192


def paired_tweets(path: Path, folder: Path, rules: RuleSet, account: Account) -> Iterator[list[Pair]]:
    """Pairs of initial posts and the replies to them, both passing the rules (overview 3.3.1).

    ``folder`` is where the work may keep files meanwhile.
    """
    with closing(TemporaryStrings(folder)) as texts:
        fates = _fates(path, folder, rules, texts)
        for batch in _batches(path):
            yield _pairs(batch, fates.take(len(batch)), texts, rules, account)


def _fates(path: Path, folder: Path, rules: RuleSet, texts: TemporaryStrings) -> RecordReader:
    """What the whole file says of each tweet; the texts of initial posts that pass go to ``texts``, by their rows."""
    by_id = Partitions(folder)
    rows = 0
    for batch in _batches(path):
        passes = [_verdict(tweet, rules) is None for tweet in batch]
        texts.add(
            [tweet.text if good and not tweet.reply_to else "" for tweet, good in zip(batch, passes, strict=True)]
        )
        ids = [fingerprint(tweet.id) for tweet in batch]
        answered = [fingerprint(tweet.reply_to) if tweet.reply_to else None for tweet in batch]
        records = records_of(ids, answered, passes, first_row=rows)
        by_id.add(records, part_of(records["id"]))
        rows += len(batch)
    by_thread, in_order = Partitions(folder), Partitions(folder)
    for part in map(repeated_ids_marked, by_id.parts()):
        by_thread.add(part, part_of(part["thread"]))
    for part in map(replies_joined, by_thread.parts()):
        in_order.add(part, range_of(part["row"], rows))
    return RecordReader(in_order.parts())


def _pairs(batch: list[Tweet], fates: Tweets, texts: TemporaryStrings, rules: RuleSet, account: Account) -> list[Pair]:
    """The pairs of the batch's replies; what becomes no pair goes to the account."""
    replies: list[tuple[Tweet, int]] = []
    for tweet, repeated, post in zip(batch, fates["repeated"].tolist(), fates["post"].tolist(), strict=True):
        why = "id repeated" if repeated else _verdict(tweet, rules)
        if why is None and tweet.reply_to and post == NO_POST:
            why = "reply to no post in the pool"
        if why is not None:
            account.remove(why, tweet.text)
        elif tweet.reply_to:
            replies.append((tweet, post))
    posts = texts.at([post for _, post in replies])
    return [Pair(tweet.reply_to, text, tweet.id, tweet.text) for (tweet, _), text in zip(replies, posts, strict=True)]


def _verdict(tweet: Tweet, rules: RuleSet) -> str | None:
    side = "comment" if tweet.reply_to else "post"
    if tweet.retweet:
        return "retweet"
    return rules.against(side, tweet.text) or rules.against(side, tweet.name, on="name")


def _batches(path: Path) -> Iterator[list[Tweet]]:
    tweets = read_tweets(path)
    while batch := list(islice(tweets, _BATCH)):
        yield batch
