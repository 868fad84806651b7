"""Tweets to pairs: a reply (T1) belongs to the initial post (T2) whose id it names.

Files are read twice. The results of the first pass are on disk, so memory does not grow with the number of tweets.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.corpus.job import ColumnReader, key_columns, key_table, row_strings
from kaiwa.corpus.pair_keys import pair_keys
from kaiwa.corpus.rules import Removals
from kaiwa.engine.arrow_tables import row_numbers
from kaiwa.files.spill import StringFile
from kaiwa.nouns.ids import first_rows
from kaiwa.nouns.normalise import fingerprint
from kaiwa.nouns.run import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.corpus.duplicates import Columns, KeyArray
    from kaiwa.corpus.inputs import ReadTask
    from kaiwa.corpus.job import CleanJob
    from kaiwa.corpus.rules import RuleSet
    from kaiwa.engine.dataset import Dataset, Engine
    from kaiwa.formats.dialogues import Tweet

    Table = Any  # Any: a pyarrow table, untyped


# Replies joined to initial posts, in columns of keys, part by part.


NO_POST = np.uint64(2**64 - 1)


def tweet_columns(
    rows: KeyArray, ids: Sequence[int], answered: Sequence[int | None], passes: Sequence[bool]
) -> Columns:
    """Columns of tweets, from the keys of their ids and of the ids that they answer (None: an initial post).

    ``thread`` is the key of the initial post's id: the tweet's own, or the one it answers.
    """
    threads = [own if other is None else other for own, other in zip(ids, answered, strict=True)]
    return {
        "row": rows,
        "id": np.array(ids, dtype=np.uint64),
        "thread": np.array(threads, dtype=np.uint64),
        "initial": np.array([other is None for other in answered], dtype=np.bool_),
        "passes": np.array(passes, dtype=np.bool_),
    }


def mark_duplicate_ids(part: Columns) -> Columns:
    """Mark all but the first of the tweets with the same id."""
    return part | {"duplicate": first_rows(part["id"]) != np.arange(len(part["id"]))}


def join_replies(part: Columns) -> Columns:
    """Give each reply the row of the first initial post of its thread that passes, as ``post``."""
    initial = part["initial"] & part["passes"]
    threads, first = np.unique(part["thread"][initial], return_index=True)
    post = np.full(len(initial), NO_POST)
    if len(threads):
        place = np.minimum(np.searchsorted(threads, part["thread"]), len(threads) - 1)
        answered = threads[place] == part["thread"]
        post[answered] = part["row"][initial][first[place[answered]]]
    return {"row": part["row"], "duplicate": part["duplicate"], "post": post}


_BATCH = 8192


def tweet_keys(engine: Engine, tasks: Sequence[ReadTask], job: CleanJob) -> Dataset:
    """The keys of pairs of initial posts and the replies to them, both passing the rules (overview 3.3.1)."""
    tweets = engine.tables(read_tweet_keys, tasks, job)
    threads = tweets.regrouped("id", duplicates_step).regrouped("thread", threads_step)
    return threads.in_order(paired_keys, tuple(tasks), job)


def read_tweet_keys(task: ReadTask, job: CleanJob) -> Iterator[Table]:
    """The keys of tweets; the texts of initial posts that pass go to a string file, by row."""
    rows = 0
    with StringFile(job.tweets(task.number)) as texts:
        for _, batch in _batches(task):
            passes = [_reason(tweet, job.rules) is None for tweet in batch]
            initial = [good and not tweet.reply_to for tweet, good in zip(batch, passes, strict=True)]
            texts.add([tweet.text if one else "" for tweet, one in zip(batch, initial, strict=True)])
            ids = [fingerprint(tweet.id) for tweet in batch]
            answered = [fingerprint(tweet.reply_to) if tweet.reply_to else None for tweet in batch]
            yield key_table(tweet_columns(row_numbers(task.number, rows, len(batch)), ids, answered, passes))
            rows += len(batch)


def duplicates_step(table: Table) -> Table:
    """Tweets with the same id."""
    return key_table(mark_duplicate_ids(key_columns(table)))


def threads_step(table: Table) -> Table:
    """Tweets of the same thread."""
    return key_table(join_replies(key_columns(table)))


def paired_keys(tables: Iterator[Table], tasks: Sequence[ReadTask], job: CleanJob) -> Iterator[Any]:  # Any: and notes
    """The keys of the pairs of each task, in whose files the tweets are read again."""
    rows = ColumnReader(map(key_columns, tables))
    while (task := rows.task()) is not None:
        removals = Removals()
        yield from pair_keys(task, _pairs_of(tasks[task], rows, job, removals), job, removals)


def _pairs_of(
    task: ReadTask, rows: ColumnReader, job: CleanJob, removals: Removals
) -> Iterator[tuple[int, list[Pair]]]:
    for piece, batch in _batches(task):
        yield piece, _pairs(batch, rows.take(len(batch)), job, removals)


def _pairs(batch: list[Tweet], found: Columns, job: CleanJob, removals: Removals) -> list[Pair]:
    """The pairs of the batch's replies; the other tweets are counted as removed.

    A tweet of the takedown is no example of what was removed.
    """
    replies, posts = list[Any](), list[int]()
    for tweet, duplicate, post in zip(batch, found["duplicate"].tolist(), found["post"].tolist(), strict=True):
        reason = "id repeated" if duplicate else _reason(tweet, job.rules)
        if reason is None and tweet.reply_to and post == NO_POST:
            reason = "reply to no post in the pool"
        if reason is not None:
            removals.add(reason, tweet.text if job.listed.isdisjoint((tweet.id, tweet.reply_to)) else "")
        elif tweet.reply_to:
            replies.append(tweet)
            posts.append(post)
    texts = row_strings(job.tweets, np.array(posts, dtype=np.uint64))
    return [Pair(one.reply_to, text, one.id, one.text) for one, text in zip(replies, texts, strict=True)]


def _reason(tweet: Tweet, rules: RuleSet) -> str | None:
    side = "comment" if tweet.reply_to else "post"
    if tweet.retweet:
        return "retweet"
    tested = (("text", tweet.text), ("name", tweet.name), ("date", tweet.date))
    return next((reason for on, value in tested if (reason := rules.against(side, value, on=on))), None)


def _batches(task: ReadTask) -> Iterator[tuple[int, list[Tweet]]]:
    """The tweets of a task, with the numbers of their pieces."""
    for number, piece in enumerate(task.pieces):
        tweets = piece.read()
        while batch := list(islice(tweets, _BATCH)):
            yield number, batch
