"""The demo's corpus: conversations between two people, as the installed package chitchat-dataset holds them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from kaiwa.errors import MissingExtra
from kaiwa.formats.collection.pair_files import clean_cell

PACKAGE = "chitchat-dataset"
_DATA = "chitchat_dataset/dataset.json"
_CONTACT = re.compile(r"[\w.+-]+@[\w-]+(?:\.\w+)+|\(?\b\d{3}[-. )]{1,2}\d{3,4}[-. ]?\d{4}\b|(?<![\d.])\d{10}\b")


@dataclass(frozen=True)
class ChatCorpus:
    """Conversations, each its messages in turn; where they come from, and under which licence."""

    conversations: tuple[tuple[str, ...], ...]
    origin: str
    licence: str


def installed_corpus() -> ChatCorpus:
    """The corpus on this machine; nothing is fetched."""
    try:
        package = metadata.distribution(PACKAGE)
        held = json.loads(Path(str(package.locate_file(_DATA))).read_text(encoding="utf-8"))
    except (metadata.PackageNotFoundError, FileNotFoundError):
        missing = f"the demo's conversations come with the package {PACKAGE}, which is not installed"
        raise MissingExtra(f"{missing}; type: pip install 'kaiwa[demo]'") from None
    facts = package.metadata
    origin = f"{facts['Name']} {facts['Version']} ({facts['License']}), {facts['Home-page']}"
    return ChatCorpus(tuple(map(_messages, held.values())), origin, package.read_text("LICENSE") or "")


def _messages(conversation: dict[str, Any]) -> tuple[str, ...]:  # Any: JSON values
    """The messages, turn by turn; the lines that one person sent in a row are one message."""
    return tuple(masked(clean_cell(" ".join(line["text"] for line in turn))) for turn in conversation["messages"])


def masked(text: str) -> str:
    """The text without the telephone numbers and mail addresses that some gave each other.

    >>> masked("I am at (555) 123-4567 or ann@example.org, by 2018")
    'I am at [...] or [...], by 2018'
    """
    return _CONTACT.sub("[...]", text)
