"""Tweets to pairs: a reply (T1) stands under the initial post (T2) whose id it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.files.tweets import Tweet, read_tweets
from kaiwa.model import Pair
from kaiwa.model.text import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.corpus.clean import Account
    from kaiwa.corpus.rules import RuleSet

_BATCH = 65_536


def paired_tweets(path: Path, rules: RuleSet, account: Account) -> Iterator[list[Pair]]:
    """Pairs of initial posts and the replies to them, both passing the rules (overview 3.3.1)."""
    answered = {fingerprint(tweet.reply_to) for tweet in read_tweets(path) if tweet.reply_to}
    posts: dict[str, str] = {}
    for tweet in read_tweets(path):
        if not tweet.reply_to and fingerprint(tweet.id) in answered and _verdict(tweet, rules) is None:
            posts.setdefault(tweet.id, tweet.text)
    yield from _batches(_pairs(path, rules, account, posts))


def _pairs(path: Path, rules: RuleSet, account: Account, posts: dict[str, str]) -> Iterator[Pair]:
    seen: set[int] = set()
    for tweet in read_tweets(path):
        key = fingerprint(tweet.id)
        why = "id repeated" if key in seen else _verdict(tweet, rules)
        seen.add(key)
        if why is None and tweet.reply_to and tweet.reply_to not in posts:
            why = "reply to no post in the pool"
        if why is not None:
            account.remove(why, tweet.text)
        elif tweet.reply_to:
            yield Pair(tweet.reply_to, posts[tweet.reply_to], tweet.id, tweet.text)


def _verdict(tweet: Tweet, rules: RuleSet) -> str | None:
    side = "comment" if tweet.reply_to else "post"
    if tweet.retweet:
        return "retweet"
    return rules.against(side, tweet.text) or rules.against(side, tweet.name, on="name")


def _batches(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    batch: list[Pair] = []
    for pair in pairs:
        batch.append(pair)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch
