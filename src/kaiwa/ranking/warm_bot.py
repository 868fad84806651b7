"""An index opened for requests: warm before the first one, and opened again when it has been replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, UnknownName, option
from kaiwa.files.array_folder import MANIFEST, read_manifest
from kaiwa.formats.takedown import read_takedown
from kaiwa.task.comment_texts import listed_in_task
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.ranking.answering import Bot


_ANY_POST = "a"
"""The first query of an index without posts."""


@dataclass(frozen=True)
class BotSource:
    """What a bot is opened from: folders, and ids that it must not show.

    ``lists`` are files of such ids, and task folders whose lists apply; they are read again when they change.
    """

    index: Path
    models: Path | None = None
    ranker: Path | None = None
    lists: tuple[Path, ...] = ()
    ids: frozenset[str] = frozenset()

    def listed(self) -> frozenset[str]:
        """The ids outside the index; the list in the index is read by the bot, before each answer."""
        of_lists = (listed_in_task(read_task(one)) if one.is_dir() else read_takedown(one) for one in self.lists)
        return self.ids.union(*of_lists)

    def state(self) -> tuple[object, ...]:
        """Equal as long as the folders and lists have not been replaced."""
        folders = [folder for folder in (self.index, self.models, self.ranker) if folder]
        manifests = [path for folder in folders for path in (folder / MANIFEST, *sorted(folder.glob(f"*/{MANIFEST}")))]
        return self.listed(), *(_signature(path) for path in manifests)


@dataclass(frozen=True)
class OpenBot:
    """A bot that has answered by each of its systems, and the bytes of its index."""

    bot: Bot
    systems: tuple[str, ...]
    default: str
    size: int

    def system(self, name: str | None) -> str:
        """The system of this name, the default one without a name; an error says which there are."""
        if name is None or name in self.systems:
            return name or self.default
        from kaiwa.ranking.system_table import SYSTEMS

        if name in SYSTEMS:
            raise InputError(f"the system {name!r} needs models that this server does not have; see {option('models')}")
        raise UnknownName.among("system", name, self.systems)


class LiveBot:
    """The bot of a source; ``opened`` is None until it is warm, and is replaced when the source has changed."""

    def __init__(self, source: BotSource) -> None:
        self._source = source
        self._seen: tuple[object, ...] | None = None
        self.opened: OpenBot | None = None

    def look(self) -> bool:
        """Whether the source has changed; the new bot is then open and warm. After an error the old one remains."""
        state = self._source.state()
        if state == self._seen:
            return False
        self._seen = state
        self.opened = opened_bot(self._source)
        return True


def opened_bot(source: BotSource) -> OpenBot:
    """The bot of a source, warm: kernels compiled, models open, a query answered by each system."""
    # this imports numba, while the server is already asked for its health
    from kaiwa.ranking.answering import DEFAULT_SYSTEM, LEARNED, Bot
    from kaiwa.retrieval.inverted_index import INDEX

    bot = Bot(source.index, takedown=source.listed(), models=source.models, ranker=source.ranker)
    systems = bot.system_names()
    texts = bot.index.posts.texts
    post = texts.text_of(0) if len(texts) else _ANY_POST
    for name in systems:
        bot.reply(post, system=name)
    size = sum(file["bytes"] for file in read_manifest(source.index, INDEX)["files"].values())
    return OpenBot(bot, systems, LEARNED if source.ranker else DEFAULT_SYSTEM, size)


def _signature(path: Path) -> tuple[int, int, int] | None:
    """Another one for another file of the same name."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size
