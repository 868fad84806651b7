"""The interface of the engines: the same rows on this process, on several processes and on Spark."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import engine_steps as steps
import pytest

from kaiwa.engine.opening import engine_named, opened
from kaiwa.engine.spark.session import spark_fault
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from kaiwa.engine.dataset import Engine

ROWS = 2_500


def results(engine: Engine) -> dict[str, Any]:
    """What every kind of step makes of four tasks, in a form that can be compared."""
    rows = engine.tables(steps.numbered, [0, 1, 2, 3], ROWS).map(steps.doubled)
    groups = rows.regrouped("key", steps.firsts).kept()
    found = groups.gathered(by=["row"])
    joined = rows.joined(groups, "key", steps.both_sides).gathered(by=["key"])
    return {
        "rows": rows.gathered(by=["row"]).table.to_pylist(),
        "groups": found.table.to_pylist(),
        "keys": sum(found.noted("keys")),
        "notes": found.noted("rows"),
        "in order": rows.in_order(steps.counted_in_order).gathered(by=["task"]).table.to_pylist(),
        "joined": joined.table.to_pylist(),
    }


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """The results of the engine in this process."""
    with opened("local") as engine:
        return results(engine)


def test_results_are_what_the_steps_say(expected: dict[str, Any]) -> None:
    """Every row once, every key once, notes of every task, tasks in order."""
    assert len(expected["rows"]) == 4 * ROWS
    assert expected["keys"] == len(expected["groups"]) == 64
    assert sum(group["size"] for group in expected["groups"]) == 4 * ROWS
    assert expected["notes"] == [(task, ROWS) for task in range(4)]
    assert expected["in order"] == [{"task": task, "rows": ROWS} for task in range(4)]
    assert [row["right"] for row in expected["joined"]] == [1] * 64
    assert sum(row["left"] for row in expected["joined"]) == 4 * ROWS


@pytest.mark.parametrize("buffer", [1, 20_000])
def test_results_do_not_depend_on_the_rows_in_memory(expected: dict[str, Any], buffer: int, tmp_path: Path) -> None:
    """With spill files of many pieces, and nothing left of them."""
    with patch("kaiwa.engine.local.BUFFER_BYTES", buffer), opened("local", tmp_path) as engine:
        assert results(engine) == expected
    assert not list(tmp_path.iterdir())


def test_a_dataset_after_a_regrouping_is_used_once() -> None:
    """Its spill files are deleted when they are read; a dataset that is kept is used again."""
    with opened("local") as engine:
        once = engine.tables(steps.numbered, [0], 10).regrouped("key", steps.firsts)
        assert once.gathered().table.num_rows
        with pytest.raises(RuntimeError, match=r"keep it with kept\(\) to use it again"):
            once.gathered()


def test_processes_give_the_same_results(expected: dict[str, Any], tmp_path: Path) -> None:
    """With the steps imported by their names."""
    with opened("local[2]", tmp_path) as engine:
        assert results(engine) == expected
        with pytest.raises(InputError, match=r"^pairs-1\.tsv:1: is not UTF-8; save it again$"):
            engine.tables(steps.faulty, [0, 1, 2]).gathered()
    assert not list(tmp_path.iterdir())


def test_a_process_that_is_killed_is_one_line() -> None:
    """The pool cannot be used without it."""
    with (
        opened("local[1]") as engine,
        pytest.raises(InputError, match=r"^local\[1\]: a process ended by itself, perhaps"),
    ):
        engine.tables(steps.killed, [0]).gathered()


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """Also if it is killed."""
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import engine_steps
from kaiwa.engine.opening import opened
if __name__ == "__main__":
    with opened("local[1]") as engine:
        engine.tables(engine_steps.waiting, [0], {str(tmp_path / "pids")!r}).gathered()
"""
    (tmp_path / "pids").mkdir()
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    driver = subprocess.Popen([sys.executable, str(tmp_path / "program.py")])
    while not (started := list((tmp_path / "pids").iterdir())) and driver.poll() is None:
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    end = time.monotonic() + 600
    while Path(f"/proc/{started[0].name}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{started[0].name}").exists()


@pytest.mark.xdist_group("spark")
def test_spark_gives_the_same_results(expected: dict[str, Any], session: str, tmp_path: Path) -> None:
    """And the first error of the tasks, in one line; an error of the system names the machine."""
    with opened(session, tmp_path) as engine:
        assert results(engine) == expected
        with pytest.raises(InputError, match=r"^pairs-1\.tsv:1: is not UTF-8; save it again$"):
            engine.tables(steps.faulty, [0, 1, 2]).regrouped("row", steps.firsts).gathered()
        with pytest.raises(InputError, match=r"part-000001: cannot be used \(No space left on device\); check"):
            engine.tables(steps.unwritable, [0]).gathered()


@pytest.mark.xdist_group("spark")
def test_workers_that_do_not_share_the_folder_are_one_line(session: str, tmp_path: Path) -> None:
    """The file by which tasks see the folder is missing for them."""
    with opened(session, tmp_path) as engine:
        (token,) = tmp_path.iterdir()
        token.rename(tmp_path / "elsewhere")
        with pytest.raises(InputError, match=r"cannot be seen from \S+; keep input and output on storage"):
            engine.tables(steps.numbered, [0], 1).gathered()
        (tmp_path / "elsewhere").rename(token)


@pytest.mark.xdist_group("spark")
def test_workers_with_another_kaiwa_are_one_line(session: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first task tells the versions of its process."""
    from kaiwa.engine.spark import session as sessions

    known = sessions.own_versions()
    monkeypatch.setattr(sessions, "own_versions", lambda: known | {"kaiwa": "9.9"})
    with pytest.raises(InputError, match=r"a worker has kaiwa \S+, this machine has 9\.9; install the same version"):
        sessions.refuse_other_versions(sessions._OPEN[session].session, session)


@pytest.mark.parametrize(
    "name", ["yarn", "spark://host", "local[]", "local[0]", "local[9999]", "sc://h:x", "Local", ""]
)
def test_unknown_engines_are_one_line(name: str) -> None:
    """With the names that are known, or the number of processes."""
    with pytest.raises(InputError, match=r"give (local, local\[N\], spark://HOST:PORT or sc://HOST:PORT|1 to 256)$"):
        engine_named(name)


@pytest.mark.parametrize("kind", ["spark", "sc"])
def test_an_address_that_nobody_serves_is_one_line(kind: str) -> None:
    """Before any Java starts."""
    with pytest.raises(InputError, match=rf"^{kind}://127\.0\.0\.1:1: cannot be reached \(.*\); start it, or check"):
        opened(f"{kind}://127.0.0.1:1").__enter__()


def test_a_server_of_another_kind_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark Connect would try for ten minutes."""
    import socket

    from kaiwa.engine.spark import session as sessions

    monkeypatch.setattr(sessions, "ANSWER_SECONDS", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(InputError, match=r"^sc://\S+: no Spark Connect server answered within 0\.2 seconds; check host"),
    ):
        opened(f"sc://127.0.0.1:{server.getsockname()[1]}").__enter__()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "java.lang.UnsupportedClassVersionError: class file version 61.0",
            "Spark: this Java is too old; install Java 17",
        ),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has 3.10",
            r"spark://m:1: the workers have another Python than 3\.\d+; set",
        ),
        ("ModuleNotFoundError: No module named 'kaiwa'", "spark://m:1: kaiwa is not installed on the workers; install"),
        (
            "java.io.IOException: No space left on device",
            "spark://m:1: a worker has no disk space left; free some, or set",
        ),
        (
            "Job aborted\nValueError: odd\n  at x.y(Z.java)",
            r"spark://m:1: the job failed \(ValueError: odd\); see the log",
        ),
    ],
)
def test_messages_of_spark_are_one_line(text: str, line: str) -> None:
    """With the repair, if the cause is known."""
    found = str(spark_fault("spark://m:1", text))
    assert re.match(line, found)
    assert "\n" not in found


def test_a_machine_without_java_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of a master that can be reached."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        with pytest.raises(InputError, match=r"^Spark: no Java in .*/bin; install Java 17 or newer \(Debian: apt-get"):
            opened(f"spark://127.0.0.1:{server.getsockname()[1]}").__enter__()


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(InputError, match=r"pyspark is not installed; type: pip install 'kaiwa\[spark\]'"):
        opened("spark://127.0.0.1:1").__enter__()
