from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pair:
    """One post and one comment made on it, with their ids in the source.

    ``line`` is where the pair was read in its file (0 if it was not); it is not compared.

    >>> import kaiwa
    >>> kaiwa.Pair("p1", "The first day in Hawaii.", "c1", "Enjoy the beaches!").comment
    'Enjoy the beaches!'
    """

    post_id: str
    post: str
    comment_id: str
    comment: str
    line: int = field(default=0, compare=False, repr=False, kw_only=True)
