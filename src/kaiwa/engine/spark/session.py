"""A session on a Spark master or a Spark Connect server, and its faults in one line."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import time
import warnings
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryFile
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


CONNECT_SECONDS = 5
ANSWER_SECONDS = 30
WORKER_SECONDS = 60
_JAVA_FIX = "install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME"
_SETTINGS = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",  # a row is a whole table
    "spark.sql.adaptive.enabled": "false",  # each part is one task, whatever its size
}
_CONNECT_MODE = "SPARK_CONNECT_MODE_ENABLED"
_OPEN: dict[str, SparkAccess] = {}


@dataclass(frozen=True)
class SparkAccess:
    """A session, its address, and the number of cores that it has."""

    session: Any  # Any: of Spark or Spark Connect
    address: str
    workers: int

    @contextmanager
    def one_line(self) -> Iterator[None]:
        """The faults of Spark as one line."""
        try:
            yield
        except _faults() as fault:
            raise spark_fault(self.address, f"{fault}") from None


def _faults() -> tuple[type[Exception], ...]:
    """What Spark raises in this process."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError, OSError


def spark_fault(address: str, text: str) -> InputError:
    """The error for a message of Spark: the line that says what is wrong."""
    if "UnsupportedClassVersionError" in text:
        return InputError.at("Spark", "this Java is too old", _JAVA_FIX)
    if "PYTHON_VERSION_MISMATCH" in text:
        own = ".".join(map(str, sys.version_info[:2]))
        return InputError.at(
            address, f"the workers have another Python than {own}", "set PYSPARK_PYTHON to the same one"
        )
    if "No module named 'kaiwa'" in text:
        return InputError.at(address, "kaiwa is not installed on the workers", "install the same version there")
    if "No space left on device" in text:
        return InputError.at(address, "a worker has no disk space left", "free some, or set spark.local.dir")
    lines = [
        line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith(("at ", "File "))
    ]
    caused = [line for line in lines if "Error" in line or "Exception" in line or line.startswith("Caused by")]
    what = (caused or lines or ["no message"])[-1][:300]
    return InputError.at(address, f"the job failed ({what})", "see the log of the Spark workers")


@contextmanager
def spark_session(address: str) -> Iterator[SparkAccess]:
    """A session on ``spark://HOST:PORT`` or ``sc://HOST:PORT``, stopped at the end; inside another, the same one."""
    if address in _OPEN:
        yield _OPEN[address]
        return
    with _new_session(address) as access:
        _OPEN[address] = access
        try:
            yield access
        finally:
            del _OPEN[address]


@contextmanager
def _new_session(address: str) -> Iterator[SparkAccess]:
    """A session that was tried out on a worker."""
    with needs_extra("spark"):
        import pandas as pd  # noqa: F401  Spark asks for it when the first table comes
        import pyspark  # noqa: F401
    _refuse_unreachable(address)
    opened = _connect_session if address.startswith("sc://") else _master_session
    with ExitStack() as stack:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # Spark warns of a newer pandas when it is loaded
            access = stack.enter_context(opened(address))
            with access.one_line():
                for name, value in _SETTINGS.items():
                    access.session.conf.set(name, value)
                refuse_other_versions(access.session, address)
        yield access


def _refuse_unreachable(address: str) -> None:
    host, _, port = address.partition("://")[2].partition("/")[0].rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as fault:
        what = f"cannot be reached ({fault.strerror or fault})"
        raise InputError.at(address, what, "start it, or check host and port") from None


@contextmanager
def _connect_session(address: str) -> Iterator[SparkAccess]:
    _refuse_other_server(address)
    from pyspark.sql import SparkSession

    mode = os.environ.get(_CONNECT_MODE)
    try:
        session = SparkSession.builder.remote(address).create()
        cores = int(session.conf.get("spark.default.parallelism", "2") or 2)
    except _faults() as fault:
        raise spark_fault(address, f"{fault}") from None
    try:
        yield SparkAccess(session, address, cores)
    finally:
        session.stop()
        if mode is None:  # Spark leaves it, and then refuses a session on a master
            os.environ.pop(_CONNECT_MODE, None)


def _refuse_other_server(address: str) -> None:
    """Refuse a server that does not speak Spark Connect's protocol; Spark would try again for ten minutes."""
    with needs_extra("spark"):
        import grpc

    host, _, parameters = address.removeprefix("sc://").partition("/")
    if "use_ssl=true" in parameters:
        return
    with grpc.insecure_channel(host) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=ANSWER_SECONDS)
        except grpc.FutureTimeoutError:
            what = f"no Spark Connect server answered within {ANSWER_SECONDS} seconds"
            raise InputError.at(address, what, "check host and port; a master is spark://HOST:PORT") from None


@contextmanager
def _master_session(address: str) -> Iterator[SparkAccess]:
    _refuse_without_java()
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    settings = files("kaiwa.engine.spark").joinpath("log4j2.properties")
    conf = SparkConf().setMaster(address).setAppName("kaiwa")
    conf.set("spark.driver.defaultJavaOptions", f"-Dlog4j2.configurationFile={Path(str(settings)).as_uri()}")
    conf.set("spark.ui.showConsoleProgress", "false").setIfMissing("spark.ui.enabled", "false")
    launch: Any = launch_gateway  # Any: pyspark does not annotate it
    with TemporaryFile() as log:
        try:
            gateway = launch(conf, popen_kwargs={"stderr": log, "stdout": log})
            context = SparkContext(conf=conf, gateway=gateway)
        except _faults() as fault:
            log.seek(0)
            raise spark_fault(address, f"{fault}\n{log.read().decode(errors='replace')}") from None
        context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
        try:
            _wait_for_worker(context, address)
            yield SparkAccess(SparkSession(context), address, max(context.defaultParallelism, 1))
        finally:
            _stop(context, gateway)


def _stop(context: Any, gateway: Any) -> None:  # Any: of pyspark
    """Stop the session and the Java process that was started for it; the next session starts its own."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with suppress(*_faults()):  # the master may have gone
        context.stop()
    with suppress(*_faults()):
        gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.terminate()
    gateway.proc.wait()
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001  there is no public way
    SparkSession._instantiatedSession = None  # noqa: SLF001


def _refuse_without_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")):
        what = f"no Java in {home}/bin" if home else "no Java found"
        raise InputError.at("Spark", what, _JAVA_FIX)


def _wait_for_worker(context: Any, address: str) -> None:  # Any: of pyspark
    """Wait until a worker takes part; without one, Spark waits for ever."""
    status = context._jsc.sc().statusTracker()  # noqa: SLF001  there is no public way
    end = time.monotonic() + WORKER_SECONDS
    while len(status.getExecutorInfos()) < 2:  # noqa: PLR2004  the driver is one of them
        if time.monotonic() > end:
            what = f"no worker joined within {WORKER_SECONDS} seconds"
            raise InputError.at(address, what, "start workers, or free memory and cores on them")
        time.sleep(0.1)
