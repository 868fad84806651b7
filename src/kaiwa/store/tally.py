"""How far posts and assessors are, counted vote by vote: a question about progress takes one look at each post."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kaiwa.store.records import Item


@dataclass(frozen=True)
class Progress:
    """How many items an assessor has judged, how many there are for the assessor, and the same of posts."""

    done: int
    total: int
    posts_done: int
    posts_total: int


class Tally:
    """Per post: its items, and those that have all their votes; per assessor and post: votes on full and other items.

    Training items are left out. An item outside the pool never is full: everybody judges it.
    """

    def __init__(self, items: Iterable[Item], given: Mapping[str, Collection[str]], *, votes_per_item: int) -> None:
        self._votes_per_item = votes_per_item
        self.posts: defaultdict[str, list[Item]] = defaultdict(list)
        self._full = Counter[str]()
        self._on_open: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._on_full: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for item in items:
            if item.kind != "training":
                self.posts[item.topic].append(item)
                voters = list(given.get(item.item, ()))
                for number, who in enumerate(voters, start=1):
                    self.add(item, who, voters[:number])

    def add(self, item: Item, assessor: str, voters: Collection[str]) -> None:
        """Count the vote of an assessor on an item; ``voters`` are all who have voted on it now."""
        self._move(item, assessor, voters, 1)

    def remove(self, item: Item, assessor: str, voters: Collection[str]) -> None:
        """Take a vote back; ``voters`` are all who had voted on it until now."""
        self._move(item, assessor, voters, -1)

    def _move(self, item: Item, assessor: str, voters: Collection[str], step: int) -> None:
        topic, number = item.topic, len(voters)
        if item.kind == "training":
            return
        if item.kind != "pool" or number < self._votes_per_item:
            self._on_open[assessor][topic] += step
        elif number > self._votes_per_item:
            self._on_full[assessor][topic] += step
        else:  # the vote that makes it full
            self._full[topic] += step
            for who in voters:
                self._on_full[who][topic] += step
                self._on_open[who][topic] -= step if who != assessor else 0

    def open_in(self, assessor: str, topic: str) -> int:
        """The items of a post that lack votes and that the assessor has not judged."""
        return len(self.posts[topic]) - self._full[topic] - self._on_open[assessor][topic]

    def progress_of(self, assessor: str) -> Progress:
        """How far an assessor is."""
        counts = [(self.open_in(assessor, topic), self._done_in(assessor, topic)) for topic in self.posts]
        done = sum(voted for _, voted in counts)
        waiting = sum(still for still, _ in counts)
        posts = sum(still > 0 or voted > 0 for still, voted in counts)
        return Progress(done, done + waiting, posts - sum(still > 0 for still, _ in counts), posts)

    def _done_in(self, assessor: str, topic: str) -> int:
        return self._on_open[assessor][topic] + self._on_full[assessor][topic]
