"""Which tests run which lines of the modules under mutation."""

from __future__ import annotations

import functools
import sys
import threading
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

Lines = dict[str, set[int]]


@contextmanager
def lines_run(files: frozenset[str]) -> Iterator[Lines]:
    """The lines of each file that run inside the block, in any thread of this process."""
    seen: Lines = defaultdict(set)

    def local(frame: FrameType, event: str, _: Any) -> Any:  # Any: the interpreter's protocol
        if event == "line":
            seen[frame.f_code.co_filename].add(frame.f_lineno)
        return local

    def entered(frame: FrameType, _: str, __: Any) -> Any:  # Any: the interpreter's protocol
        return local if frame.f_code.co_filename in files else None

    sys.settrace(entered)
    threading.settrace(entered)
    try:
        yield seen
    finally:
        sys.settrace(None)
        threading.settrace(None)


def forget_cached_results() -> None:
    """Empty every ``functools.cache`` of the package and unload the compiled path, as in a new process."""
    sys.modules.pop("kaiwa.stats.shuffle_kernel", None)
    modules = [module for name, module in sys.modules.items() if name.startswith("kaiwa")]
    for one in (value for module in modules for value in vars(module).values()):
        if type(one) is functools._lru_cache_wrapper:  # noqa: SLF001  the type has no public name
            one.cache_clear()
