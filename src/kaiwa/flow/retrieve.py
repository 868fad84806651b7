"""An index that answers: one post at a time, or a file of topics to a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.takedown import NAME, read_takedown
from kaiwa.model.run import Run
from kaiwa.model.shown import Shown, counted
from kaiwa.rank.answer_filters import Filters
from kaiwa.rank.replies import Replies, replies
from kaiwa.rank.score_ties import told_apart
from kaiwa.rank.systems import system_named
from kaiwa.retrieve.search.takedown_ids import Banned, banned_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Progress = Callable[[int, int], None]

DEFAULT_SYSTEM = "run2"
_MOST = 1000
_FILTERS = Filters()


def compile_search(path: Path) -> None:
    """Answer one post by each similarity, so that what is compiled on a machine's first search is at hand."""
    bot = Bot(path)
    if len(bot.index.comments):
        text = bot.index.comments.texts.text_of(0)
        for system in (DEFAULT_SYSTEM, "bm25", "run1"):
            bot.reply(text, k=1, system=system)


class Bot(Shown):
    r"""An open index; ``reply`` answers a post with old comments and the reasons for them.

    The takedown list inside the index folder is read anew whenever it changes, so an id in it
    vanishes from the next answer on.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> pairs, index = folder / "pairs.tsv", folder / "index"
    >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> _ = kaiwa.clean_pairs(pairs, folder / "repository")
    >>> _ = kaiwa.index_repository(folder / "repository", index, language="en")
    >>> kaiwa.open(index)
    Bot(1 post, 1 comment)
    """

    def __init__(self, path: Path, *, takedown: frozenset[str] = frozenset()) -> None:
        self._list = path / NAME
        self._given = takedown
        self._stamp: tuple[int, int] | None = None
        self._banned = Banned()
        self.index = open_index(path)

    def __repr__(self) -> str:
        posts, comments = len(self.index.posts.texts), len(self.index.comments.texts)
        return f"Bot({counted(posts, 'post')}, {counted(comments, 'comment')})"

    def reply(
        self, text: str, *, k: int = 10, system: str = DEFAULT_SYSTEM, filters: Filters = _FILTERS, fusion: str = "rrf"
    ) -> Replies:
        r"""The k best comments for a post, best first; none when no word of it is known.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> folder = Path(mkdtemp())
        >>> pairs, index = folder / "pairs.tsv", folder / "index"
        >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
        >>> _ = kaiwa.clean_pairs(pairs, folder / "repository")
        >>> _ = kaiwa.index_repository(folder / "repository", index, language="en")
        >>> print(kaiwa.open(index).reply("A day in Hawaii", k=1)[0].text)
        Enjoy the beaches of Hawaii
        """
        if not 1 <= k <= _MOST:
            raise InputError(f"k is {k}; give 1 to {_MOST}")
        chosen = system_named(system)
        found = replies(self.index, text, chosen, k=k, filters=filters, banned=self._bans(), fusion=fusion)
        return Replies(found)

    def run(
        self,
        topics: Mapping[str, str],
        *,
        name: str,
        k: int = 10,
        system: str = DEFAULT_SYSTEM,
        filters: Filters = _FILTERS,
        fusion: str = "rrf",
        progress: Progress = lambda _done, _total: None,
    ) -> Run:
        r"""A run over the topics, tied scores told apart; a topic without any answer has an empty list.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> folder = Path(mkdtemp())
        >>> pairs, index = folder / "pairs.tsv", folder / "index"
        >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
        >>> _ = kaiwa.clean_pairs(pairs, folder / "repository")
        >>> _ = kaiwa.index_repository(folder / "repository", index, language="en")
        >>> kaiwa.open(index).run({"q1": "A day in Hawaii"}, name="KAIWA-E-R1").comments_of("q1")
        ['c1']
        """
        lists: dict[str, list[tuple[str, float]]] = {}
        for done, (topic, text) in enumerate(topics.items(), start=1):
            answers = self.reply(text, k=k, system=system, filters=filters, fusion=fusion)
            lists[topic] = told_apart([(answer.comment, answer.score) for answer in answers])
            progress(done, len(topics))
        chosen = system_named(system)
        how = f" ({fusion})" if len(chosen.matchers) > 1 else ""
        return Run.from_lists(name, lists, description=f"{chosen.says}{how}")

    def _bans(self) -> Banned:
        """What may not be shown, as numbers; looked up again only when the list has changed."""
        try:
            state = self._list.stat()
            stamp = (state.st_mtime_ns, state.st_size)
        except OSError:
            stamp = (0, 0)
        if stamp != self._stamp:
            listed = read_takedown(self._list) if stamp != (0, 0) else frozenset()
            self._banned = banned_by(self.index, listed | self._given)
            self._stamp = stamp
        return self._banned
