"""An open index that answers: one post at a time, or a file of topics as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.takedown import NAME, read_takedown
from kaiwa.model.progress_callback import Progress, no_progress
from kaiwa.model.run import Run
from kaiwa.model.shown import Shown
from kaiwa.rank.answer_filters import Filters
from kaiwa.rank.replies import Replies, answers, ranking, replies
from kaiwa.rank.systems import System, system_named
from kaiwa.retrieve.search.matching import query_of
from kaiwa.retrieve.search.takedown_ids import Takedown, takedown_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.retrieve.search.matching import Candidates, Query

DEFAULT_SYSTEM = "run2"
_MAX_K = 1000
_FILTERS = Filters()


class Bot(Shown):
    r"""An open index; ``reply`` answers a post with old comments and the reasons for them.

    The takedown list in the index folder is read again when it changes, so an id added to it is not in the next
    answer.

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
        self._listed = Takedown()
        self.index = open_index(path)

    def __repr__(self) -> str:
        posts, comments = len(self.index.posts.texts), len(self.index.comments.texts)
        return f"Bot({counted(posts, 'post')}, {counted(comments, 'comment')})"

    def reply(
        self, text: str, *, k: int = 10, system: str = DEFAULT_SYSTEM, filters: Filters = _FILTERS, fusion: str = "rrf"
    ) -> Replies:
        r"""The k best comments for a post, best first; empty if the index has no word of it.

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
        query, chosen = query_of(self.index, text), system_named(system, fusion=fusion)
        return Replies(replies(query, chosen, self._answers(query, chosen, k, filters)))

    def run(
        self,
        topics: Mapping[str, str],
        *,
        name: str,
        k: int = 10,
        system: str = DEFAULT_SYSTEM,
        filters: Filters = _FILTERS,
        fusion: str = "rrf",
        progress: Progress = no_progress,
    ) -> Run:
        r"""A run over the topics, with distinct scores; a topic without any answer has an empty list.

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
        chosen = system_named(system, fusion=fusion)
        lists: dict[str, list[tuple[str, float]]] = {}
        for done, (topic, text) in enumerate(topics.items(), start=1):
            lists[topic] = ranking(self.index, self._answers(query_of(self.index, text), chosen, k, filters))
            progress(done, len(topics))
        return Run.from_lists(name, lists, description=chosen.description)

    def _answers(self, query: Query, system: System, k: int, filters: Filters) -> Candidates:
        if not 1 <= k <= _MAX_K:
            raise InputError(f"k is {k}; give 1 to {_MAX_K}")
        return answers(query, system, k=k, filters=filters, takedown=self._takedown())

    def _takedown(self) -> Takedown:
        """The takedown list as numbers; looked up again only if the list has changed."""
        try:
            state = self._list.stat()
            stamp = (state.st_mtime_ns, state.st_size)
        except OSError:
            stamp = (0, 0)
        if stamp != self._stamp:
            listed = read_takedown(self._list) if stamp != (0, 0) else frozenset()
            self._listed = takedown_of(self.index, listed | self._given)
            self._stamp = stamp
        return self._listed
