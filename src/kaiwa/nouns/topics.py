"""Topics: the posts that runs answer, id to text; of sampled ones, what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted, option
from kaiwa.nouns.ids import id_text
from kaiwa.nouns.noun import Noun
from kaiwa.show.result import Description, Table, form_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.show.text import Cell


@dataclass(frozen=True)
class Stratum:
    """Posts of similar lengths: the shortest and the longest, how many there are, and how many are topics."""

    shortest: int
    longest: int
    posts: int
    topics: int


@dataclass(frozen=True, repr=False, eq=False)
class Topics(Noun, Mapping[str, str]):
    """Topics, id to text: a mapping, which is written as lines ``id TAB text``.

    Of topics that ``kaiwa.topics`` sampled, ``candidates`` is the number of posts from which they were drawn,
    ``removed`` counts what was left out by each reason, ``rest`` the posts, comments and pairs of the repository that
    was written without them, and ``still_there`` is true if they are still in the repository; ``balance`` has how many
    are in each fifth of the lengths of the posts. Topics that were given to be held out were not drawn: ``held_out`` is
    the number of posts of the repository that went with them.

    >>> import kaiwa
    >>> topics = kaiwa.Topics.from_dict({"q1": "Hello"})
    >>> topics, topics["q1"]
    (Topics(1 topic), 'Hello')
    """

    topics: Mapping[str, str]
    candidates: int | None = None
    removed: Mapping[str, int] = field(default_factory=dict)
    rest: Mapping[str, int] | None = None
    still_there: bool = False
    balance: Sequence[Stratum] = ()
    held_out: int | None = None

    _in_table = "topics"

    @classmethod
    def from_dict(cls, topics: Mapping[object, str]) -> Topics:
        """Topics from ``{id: text}``; ids become text.

        >>> import kaiwa
        >>> dict(kaiwa.Topics.from_dict({1: "Hello"}))
        {'1': 'Hello'}
        """
        for topic, text in topics.items():
            if not isinstance(text, str):
                raise InputError(f"topic {topic!r}: {text!r} is not a text; give {{topic: text}}")
        named = {id_text("topic", topic): text for topic, text in topics.items()}
        if len(named) < len(topics):
            raise InputError("two topics have the same id as text; give each topic once")
        return cls(named)

    def __getitem__(self, topic: str) -> str:
        return self.topics[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return f"Topics({self._size})"

    @property
    def _size(self) -> str:
        if self.held_out is not None:
            posts = counted(self.candidates or 0, "post")
            return f"{counted(len(self), 'topic')}, {self.held_out:,} of {posts} held out"
        posts = "" if self.candidates is None else f" of {counted(self.candidates, 'post')}"
        return f"{counted(len(self), 'topic')}{posts}"

    def describe(self) -> Description:
        """How many topics there are, of which lengths, and what was left out; the table ``topics`` has them."""
        balance: list[list[Cell]] = [[one.shortest, one.longest, one.posts, one.topics] for one in self.balance]
        removed = [f"{count:,} by {reason}" for reason, count in self.removed.items() if count]
        notes = [f"Left out: {', '.join(removed)}."] if removed else []
        if self.rest is not None:
            sizes = ", ".join(counted(count, noun.removesuffix("s")) for noun, count in self.rest.items())
            notes.append(f"The rest: {sizes}.")
        if self.still_there:
            notes.append(f"Every topic is still in the repository; {option('rest')} writes it without the topics.")
        if self.held_out == 0:
            notes.append("No post of the repository is one of them, or a near-duplicate.")
        tables = [Table("topics", ["topic", "text"], [[name, text] for name, text in self.topics.items()])]
        if balance:
            caption = "Balanced by length: about as many topics from each fifth of the posts."
            tables.append(Table("balance", ["shortest", "longest", "posts", "topics"], balance, caption=caption))
        return Description(
            title=self._size if balance else "",
            tables=tables,
            shown=["balance"] if balance else [],
            text=None if balance else self._size,
            notes=notes,
            fields={
                "topics": dict(self.topics),
                "candidates": self.candidates,
                "removed": dict(self.removed),
                "rest": self.rest,
                "balance": [asdict(one) for one in self.balance],
                "held_out": self.held_out,
            },
        )

    def _own_file(self, table: str | None) -> str:  # noqa: ARG002  topics have one form
        """The file of topics: lines ``id TAB text``."""
        return self.texts("topics")[""]

    def write(self, path: Path | str, *, format: str | None = None, table: str | None = None) -> None:  # noqa: A002
        r"""Write the topics: lines ``id TAB text``, also as ``.tsv``, the ending of a task's topics; or another form.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "topics.tsv")
        >>> kaiwa.Topics({"q1": "Hello"}).write(path)
        >>> path.read_text()
        'q1\tHello\n'
        """
        is_own = format is None and table is None and form_of(Path(path)) == "tsv"
        super().write(path, format="topics" if is_own else format, table=table)
