"""The versions of Python and Kaiwa on the workers, compared in the first task."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from kaiwa.engine.spark.tasks import mapped
from kaiwa.errors import InputError, needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMA = "python string, kaiwa string"


def own_versions() -> dict[str, str]:
    """The versions in this process: of Python without its last number, and of Kaiwa."""
    from importlib.metadata import version

    return {"python": ".".join(map(str, sys.version_info[:2])), "kaiwa": version("kaiwa")}


def refuse_other_versions(session: Any, address: str) -> None:  # Any: a session of Spark
    """Refuse workers whose versions differ from those of this process."""
    for row in mapped(session.range(0, 2, 1, 2), _worker_versions, _SCHEMA).toArrow().to_pylist():
        for name, own in own_versions().items():
            if row[name] != own:
                what = f"a worker has {name} {row[name]}, this machine has {own}"
                raise InputError.at(address, what, "install the same version on both")


# A function of the module: Spark sends it by its name, so that the worker's own Kaiwa answers. A nested one would be
# sent with the values that it uses, those of this process.


def _worker_versions(batches: Iterator[Any]) -> Iterator[Any]:  # Any: Arrow batches
    with needs_extra("spark"):
        import pyarrow as pa

    for _ in batches:
        yield pa.RecordBatch.from_pylist([own_versions()])
