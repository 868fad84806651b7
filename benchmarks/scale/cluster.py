"""A standalone Spark master and its workers on this machine, on loopback alone, for tests and measurements.

``with cluster(folder) as spark:`` starts them from the installed pyspark package and stops them by their process ids.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SECONDS = 600  # for a process to start on a busy machine
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_CONNECT = re.compile(r"Spark Connect server started at: \S*:(\d+)")
_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"  # short lives: little to compile


@dataclass
class Process:
    """One process of the cluster, with the file of what it wrote."""

    name: str
    running: subprocess.Popen[bytes]
    log: Path

    def wrote(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """The first match in its log, once it is there."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end and self.running.poll() is None:
            if found := pattern.search(self.log.read_text(encoding="utf-8", errors="replace")):
                return found
            time.sleep(0.1)
        raise RuntimeError(f"{self.name} did not start; it wrote:\n{self.log.read_text(encoding='utf-8')[-2000:]}")

    def kill(self) -> None:
        """Kill the process and all that it started: its process group, and the groups of its descendants."""
        below = descendants(self.running.pid)
        for pid in (self.running.pid, *below):
            _signal(pid, signal.SIGKILL)
        self.running.wait()


@dataclass
class Cluster:
    """A master and its workers."""

    folder: Path
    environment: dict[str, str]
    address: str = ""
    workers: list[Process] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)

    def start(self, name: str, words: Sequence[str]) -> Process:
        """Start a class of Spark."""
        log = self.folder / f"{name}.log"
        with log.open("wb") as out:
            running = subprocess.Popen(
                [spark_home() / "bin" / "spark-class", *words],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.folder,
            )
        self.processes.append(Process(name, running, log))
        return self.processes[-1]

    def add_worker(self) -> Process:
        """Start one more worker, and wait until the master knows it."""
        name = f"worker-{len(self.workers)}"
        words = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "4", "--memory", "2g"]
        words += ["--work-dir", str(self.folder / name), self.address]
        worker = self.start(name, ["org.apache.spark.deploy.worker.Worker", *words])
        worker.wrote(re.compile("Successfully registered with master"))
        self.workers.append(worker)
        return worker

    def add_connect_server(self) -> str:
        """Start a Spark Connect server on the master; its address."""
        settings = {"spark.connect.grpc.binding.port": "0", "spark.connect.grpc.binding.address": "127.0.0.1"}
        settings |= {"spark.cores.max": "1", "spark.ui.enabled": "false"}
        words = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", self.address]
        for name, value in settings.items():
            words += ["--conf", f"{name}={value}"]
        server = self.start("connect", ["org.apache.spark.deploy.SparkSubmit", *words, "spark-internal"])
        return f"sc://127.0.0.1:{server.wrote(_CONNECT)[1]}"

    def stop(self) -> None:
        """Stop all processes, the last one first."""
        for process in reversed(self.processes):
            process.kill()


def spark_home() -> Path:
    """The folder of the installed pyspark package."""
    import pyspark

    return Path(pyspark.__file__).parent


def settings_for(folder: Path) -> dict[str, str]:
    """The environment of drivers and workers: loopback, small heaps, this Python and its path."""
    conf = folder / "conf"
    conf.mkdir(exist_ok=True)
    lines = ["spark.cores.max 2", "spark.executor.cores 1"]  # of each driver: one on every worker, the rest for another
    lines += ["spark.executor.memory 512m", "spark.driver.memory 1g", "spark.ui.enabled false"]
    lines += [f"spark.{side}.extraJavaOptions {_JAVA}" for side in ("driver", "executor")]
    lines += ["spark.driver.bindAddress 127.0.0.1", "spark.driver.host 127.0.0.1"]
    (conf / "spark-defaults.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {
        **os.environ,
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "640m",
        "SPARK_DAEMON_JAVA_OPTS": _JAVA,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
    }


@contextmanager
def cluster(folder: Path, *, workers: int = 2) -> Iterator[Cluster]:
    """A master and its workers, stopped at the end; their logs are in the folder."""
    started = Cluster(folder, settings_for(folder))
    with ExitStack() as stack:
        stack.callback(started.stop)
        words = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        started.address = started.start("master", words).wrote(_MASTER)[1]
        for _ in range(workers):
            started.add_worker()
        yield started


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    children = dict[int, list[int]]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, waiting = list[int](), [pid]
    while waiting:
        more = children.get(waiting.pop(), [])
        found += more
        waiting += more
    return found


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:  # it has just ended
        return
