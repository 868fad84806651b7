"""The state of a folder, to compare before and after: every file and folder in it, hidden ones too."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

State = dict[str, bytes]
"""The bytes of each file by its path; of a folder, its slash."""
RECORD = ".kaiwa-steps.json"
_DATA = re.compile("data-[0-9a-f]{16}")
_OF_SQLITE = ("-shm", "-wal", ".lock")
"""What SQLite keeps beside a file that is open, and the lock of its writer."""


def state_of(folder: Path) -> State:
    """All that is in a folder; the data that the manifest of an index names are called ``data``."""
    used = {path.parent / name for path in folder.rglob("manifest.json") if (name := _manifest(path).get("data"))}
    found: State = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not used.isdisjoint([path, *path.parents]):
            name = _DATA.sub("data", name)
        found[name] = b"/" if path.is_dir() else _content(path)
    return found


def _manifest(path: Path) -> dict[str, Any]:  # Any: JSON values
    with suppress(ValueError):
        return dict(json.loads(path.read_bytes()))
    return {}  # it is being written


def _content(path: Path) -> bytes:
    """The bytes of a file; of the manifest of an index without the names of data, which are random."""
    if path.name != "manifest.json" or "data" not in (manifest := _manifest(path)):
        return path.read_bytes()
    return json.dumps({key: manifest[key] for key in manifest if key not in {"data", "replaced", "seal"}}).encode()


def visible(state: State) -> State:
    """The files that are used: nothing under a hidden name, no data that the manifest of its index does not name."""
    return {
        name: data for name, data in state.items() if data != b"/" and not any(map(_is_unused, PurePath(name).parts))
    }


def _is_unused(part: str) -> bool:
    return part.startswith(".") or part.endswith(_OF_SQLITE) or _DATA.fullmatch(part) is not None


def difference(found: State, *expected: State) -> str:
    """What is in the way of the nearest of the expected states; empty if the state is one of them."""
    if found in expected:
        return ""
    apart = [
        [name for name in sorted(found.keys() | one.keys()) if found.get(name) != one.get(name)] for one in expected
    ]
    return "; ".join(" ".join(names[:4]) + (" ..." if len(names) > 4 else "") for names in apart)


def parts_differ(found: State, before: State, after: State) -> str:
    """The first file that is neither the old one nor the new one; empty if there is none."""
    for name in sorted(found.keys() | before.keys() | after.keys()):
        if found.get(name) not in (before.get(name), after.get(name)):
            return f"{name} is neither old nor new"
    return ""
