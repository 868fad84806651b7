"""An open index that answers: one post at a time, or a file of topics as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.takedown import FolderList, takedown_of
from kaiwa.model.progress_callback import Progress, no_progress
from kaiwa.model.run import Run
from kaiwa.model.shown import Shown
from kaiwa.rank.answer_filters import Filters
from kaiwa.rank.replies import Replies, answers, ranking, replies
from kaiwa.rank.systems import System, system_named
from kaiwa.retrieve.search.matching import query_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.retrieve.search.matching import Candidates, Query
    from kaiwa.retrieve.search.takedown_ids import Takedown

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
        self._list = FolderList(path)
        self._given = takedown
        self.index = open_index(path)
        self._numbers = takedown_of(self.index, takedown)

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

        A topic on a takedown list is left out.

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
            found = self._answers(query_of(self.index, text), chosen, k, filters)
            if topic not in self._given | self._list.ids:
                lists[topic] = ranking(self.index, found)
            progress(done, len(topics))
        return Run.from_lists(name, lists, description=chosen.description)

    def _answers(self, query: Query, system: System, k: int, filters: Filters) -> Candidates:
        if not 1 <= k <= _MAX_K:
            raise InputError(f"k is {k}; give 1 to {_MAX_K}")
        return answers(query, system, k=k, filters=filters, takedown=self._takedown())

    def _takedown(self) -> Takedown:
        """The takedown as numbers; looked up again only if the list has changed."""
        if self._list.read_again():
            self._numbers = takedown_of(self.index, self._given | self._list.ids)
        return self._numbers
