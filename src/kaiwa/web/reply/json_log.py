"""Logs as lines of JSON on stderr; a line never has the text of a post."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime


class JsonLines(logging.Formatter):
    """One JSON object per record: time, level, process, the message, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line.

        >>> import logging
        >>> record = logging.LogRecord("kaiwa", logging.ERROR, "", 0, "no such index", None, None)
        >>> '"level": "error"' in JsonLines().format(record)
        True
        """
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        given = getattr(record, "request", None)
        said = given if given is not None else {"message": record.getMessage()}
        fields = {"time": time, "level": record.levelname.lower(), "process": os.getpid(), **said}
        return json.dumps(fields, ensure_ascii=False).encode(errors="backslashreplace").decode()


def log_as_json(*, with_requests: bool) -> None:
    """Make every log of this process lines of JSON on stderr; requests are logged if wanted."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("kaiwa.reply").setLevel(logging.INFO if with_requests else logging.WARNING)
