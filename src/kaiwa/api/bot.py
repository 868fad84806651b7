"""An index that answers, with answers that a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.api.nouns import Run, dressed
from kaiwa.api.results import Replies
from kaiwa.api.tabular import Sheet, Shown
from kaiwa.flow import retrieve

if TYPE_CHECKING:
    from collections.abc import Mapping


class Bot(Shown, retrieve.Bot):
    """An open index; ``reply`` answers a post with old comments and the reasons for them."""

    def reply(self, text: str, **how: Any) -> Replies:  # Any: k, system, filters, fusion, as in kaiwa.flow.retrieve
        """The k best comments for a post, best first; none when no word of it is known."""
        return Replies(super().reply(text, **how))

    def run(self, topics: Mapping[str, str], **how: Any) -> Run:  # Any: name, k, system and the like
        """A run over the topics; a topic without any answer has an empty list."""
        return dressed(Run, super().run(topics, **how))

    def _sheet(self) -> Sheet:
        posts, comments = len(self.index.posts.texts), len(self.index.comments.texts)
        return Sheet(["posts", "comments", "words by"], [[posts, comments, self.index.tokeniser]], "An open index")
