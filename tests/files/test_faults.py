"""A kill or a full disk at any moment: each output is the old one or the new one, and a mixture is detected."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaiwa.cli.group import run_typed
from kaiwa.errors import InputError
from kaiwa.files import atomic as exchange_module
from kaiwa.files.atomic import atomic_file, atomic_folder, locked, together, write_text, write_texts
from kaiwa.files.inputs import open_input
from kaiwa.files.marks import UNFINISHED, Mark
from kaiwa.task.folder import read_task
from kaiwa.task.status import round_status

if TYPE_CHECKING:
    from collections.abc import Callable

MARK = Mark("mark.json", "a test")
CALLS = ("mkdir", "rename", "replace", "link", "unlink", "chmod", "open", "rmdir", "fsync")
"""The calls of the system by which outputs are made, named and removed."""


def fill(path: Path, text: str) -> None:
    """Write a folder of two files."""
    with atomic_folder(path, MARK) as new:
        (new / "sub").mkdir()
        (new / "sub" / "a.txt").write_text(text, encoding="utf-8")
        (new / "b.txt").write_text(text, encoding="utf-8")
        MARK.write(new, {}, ["sub/a.txt", "b.txt"])


def write_all(folder: Path, text: str) -> None:
    """Write two files and a folder that belong together."""
    with together():
        fill(folder / "out", text)
        write_text(folder / "one.txt", text)
        write_texts(folder / "more", {"two.txt": text})


def outputs(folder: Path) -> dict[str, str]:
    """The visible outputs, without the mark."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != MARK.name)
    found = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}
    return {name: text for name, text in found.items() if not any(part.startswith(".") for part in Path(name).parts)}


def killed_at(folder: Path, moment: int, work: str) -> bool:
    """Run the work in a child that is killed at a call of the system; whether it came so far."""
    child = os.fork()
    if child == 0:
        try:
            _die_at(moment)
            {
                "folder": lambda: fill(folder / "out", "new"),
                "all": lambda: write_all(folder, "new"),
                "two": lambda: write_texts(folder, {"a.txt": "new", "b.txt": "new"}),
                "pool": lambda: run_typed("kaiwa pool runs/*.txt -o pool.tsv"),
            }[work]()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    assert status in {0, signal.SIGKILL}
    return status != 0


def _die_at(moment: int) -> None:
    left = count()

    def watched(call: Callable[..., object]) -> Callable[..., object]:
        def counted(*given: object, **named: object) -> object:
            if next(left) == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*given, **named)

        return counted

    for name in CALLS:
        setattr(os, name, watched(getattr(os, name)))


@pytest.mark.parametrize("at_once", [True, False])
def test_a_kill_at_any_call_leaves_the_old_folder_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, at_once: bool
) -> None:
    """And the user's files; the next build removes what the killed one left."""
    if not at_once:
        monkeypatch.setattr(exchange_module, "_exchanged_at_once", lambda _first, _second: False)
    for moment in count():
        fill(tmp_path / "out", "old")
        (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
        (tmp_path / "out" / "notes").mkdir(exist_ok=True)
        (tmp_path / "out" / "notes" / "n.txt").write_text("note", encoding="utf-8")
        killed = killed_at(tmp_path, moment, "folder")
        if at_once:
            found = outputs(tmp_path / "out")
            assert {found["b.txt"], found["sub/a.txt"]} in ({"old"}, {"new"})
            assert found["mine.txt"] == "mine"
        fill(tmp_path / "out", "next")
        own = {"b.txt": "next", "sub/a.txt": "next"}
        assert outputs(tmp_path / "out") == {**own, "mine.txt": "mine", "notes/n.txt": "note"}
        assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
        if not killed:
            break
    assert moment > 8


def test_a_kill_at_any_call_leaves_whole_files(tmp_path: Path) -> None:
    """Each output of a verb is the old one or the new one; the next one removes what the killed one left."""
    mixed = 0
    for moment in count():
        write_all(tmp_path, "old")
        killed = killed_at(tmp_path, moment, "all")
        found = outputs(tmp_path)
        assert set(found) == {"one.txt", "more/two.txt", "out/b.txt", "out/sub/a.txt"}
        assert found["out/b.txt"] == found["out/sub/a.txt"]
        assert set(found.values()) <= {"old", "new"}
        mixed += len(set(found.values())) == 2
        write_all(tmp_path, "old")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["more", "one.txt", "out"]
        assert [path.name for path in (tmp_path / "more").iterdir()] == ["two.txt"]
        if not killed:
            break
    assert (moment > 8, mixed > 0) == (True, True)


def test_reading_never_changes_what_a_kill_left(tmp_path: Path) -> None:
    """Whatever moment the kill came at: readers neither finish nor remove anything."""
    for moment in count():
        write_all(tmp_path, "old")
        killed = killed_at(tmp_path, moment, "all")
        before = state(tmp_path)
        for name in ("one.txt", "more/two.txt"):
            with open_input(tmp_path / name) as file:
                assert file.read() in {b"old", b"new"}
        assert state(tmp_path) == before
        if not killed:
            break


def state(folder: Path) -> dict[str, int]:
    """Every name in the folder, hidden ones too, and when it was changed."""
    return {str(path): path.lstat().st_mtime_ns for path in [folder, *folder.rglob("*")]}


@pytest.mark.parametrize("exists", [True, False])
def test_a_kill_between_two_names_is_detected(
    small_round: Path, monkeypatch: pytest.MonkeyPatch, *, exists: bool
) -> None:
    """If some outputs are old and some new, the status says stale or missing, and names the verb that makes them."""
    monkeypatch.chdir(small_round)
    if exists:
        run_typed("kaiwa pool runs/*.txt -o pool.tsv --seed 8")
    old, base = pools(small_round), shutil.copytree(small_round, small_round.with_name("base"))
    run_typed("kaiwa pool runs/*.txt -o pool.tsv")
    new, mixed = pools(small_round), 0
    assert _pool_state(small_round) == ("done", "")
    for moment in count():
        monkeypatch.chdir(base)
        shutil.rmtree(small_round)
        shutil.copytree(base, small_round)
        monkeypatch.chdir(small_round)
        killed = killed_at(small_round, moment, "pool")
        found = pools(small_round)
        assert all(data in {old.get(name), new.get(name)} for name, data in found.items())
        state, command = _pool_state(small_round)
        if found == new:
            assert state == "done"
        elif found != old:
            assert (state, command) == ("stale" if exists else "missing", "kaiwa pool runs/*.txt --depth 3 -o pool.tsv")
            mixed += 1
        if not killed:
            break
    assert mixed > 0


def pools(folder: Path) -> dict[str, str]:
    """The pool and the organisers' file, as far as they are there."""
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("pool.*")}


def _pool_state(folder: Path) -> tuple[str, str]:
    """The state of the pool, and the command to type if it is not done."""
    (step,) = (one for one in round_status(read_task(folder)).steps if one.file == "pool.tsv")
    return step.state, "" if step.state == "done" else step.command


def _killed_between_names(folder: Path) -> None:
    """Two files: one has its new content, and the process was killed before the other had."""
    for moment in count():
        for name in ("a.txt", "b.txt"):
            write_text(folder / name, "old")
        assert killed_at(folder, moment, "two")
        if outputs(folder) == {"a.txt": "old", "b.txt": "new"}:
            return


def test_a_file_that_was_changed_after_the_kill_stays(tmp_path: Path) -> None:
    """Nothing finishes later what was killed: the user's version is the newest."""
    _killed_between_names(tmp_path)
    (tmp_path / "a.txt").write_text("mine", encoding="utf-8")
    write_text(tmp_path / "c.txt", "next")
    assert outputs(tmp_path) == {"a.txt": "mine", "b.txt": "new", "c.txt": "next"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "c.txt"]


@pytest.mark.parametrize("name", ["a.txt", "out"])
def test_a_writer_killed_while_it_writes_leaves_the_old_output(tmp_path: Path, name: str) -> None:
    """What it had written is removed by the next write into the same folder, of whatever file."""
    write_text(tmp_path / "a.txt", "old")
    fill(tmp_path / "out", "old")
    before = outputs(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", WRITING, tmp_path / name], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    assert len(hidden(tmp_path)) == 1
    write_text(tmp_path / "b.txt", "other")
    assert len(hidden(tmp_path)) == 1  # it is alive
    child.kill()
    child.communicate()
    assert outputs(tmp_path) == {**before, "b.txt": "other"}
    write_text(tmp_path / "b.txt", "next")
    assert outputs(tmp_path) == {**before, "b.txt": "next"}
    assert hidden(tmp_path) == []


def hidden(folder: Path) -> list[Path]:
    """What is hidden in the folder."""
    return list(folder.glob(".*"))


WRITING = """
import sys, time; from pathlib import Path
from kaiwa.files.atomic import atomic_file, atomic_folder; from kaiwa.files.marks import UNFINISHED, Mark
from kaiwa.task.folder import read_task
from kaiwa.task.status import round_status
target = Path(sys.argv[1])
with atomic_folder(target, Mark("mark.json", "a test")) if target.is_dir() else atomic_file(target) as new:
    (new / "half.txt" if target.is_dir() else new).write_text("half")
    print(flush=True)
    time.sleep(60)
"""


def test_of_two_writers_the_last_one_that_completes_wins(tmp_path: Path) -> None:
    """Each writes under a name of its own; nothing is left."""
    path = tmp_path / "a.txt"
    with atomic_file(path) as mine:
        mine.write_text("first", encoding="utf-8")
        subprocess.run([sys.executable, "-c", WRITE, path], check=True)
        assert path.read_text(encoding="utf-8") == "second"
    assert outputs(tmp_path) == {"a.txt": "first"}
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def _fill_alone(path: Path) -> None:
    with atomic_folder(path, MARK, alone=True):
        pass


def test_of_two_writers_of_a_folder_the_last_one_wins_or_is_refused(tmp_path: Path) -> None:
    """The one that began later is refused where only one may write."""
    with atomic_folder(tmp_path / "out", MARK) as first:
        with pytest.raises(InputError, match="is being made by another command"):
            _fill_alone(tmp_path / "out")
        fill(tmp_path / "out2", "second")
        MARK.write(first, {}, [])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out", "out2"]


def test_a_system_without_locks_writes_and_removes_nothing_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leftover cannot be told from what another process is writing."""
    left = tmp_path / f".kaiwa-{'0' * 16}"
    left.mkdir()
    (left / UNFINISHED).touch()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "fcntl", None)
        write_all(tmp_path, "old")
        write_all(tmp_path, "new")
        with locked(tmp_path) as is_locked:
            assert not is_locked
    assert (set(outputs(tmp_path).values()), hidden(tmp_path)) == ({"new"}, [left])
    write_text(tmp_path / "a.txt", "next")
    assert hidden(tmp_path) == []


def test_what_a_running_command_uses_stays(tmp_path: Path) -> None:
    """Another command in the same folder neither finishes nor removes its files."""
    with atomic_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("first", encoding="utf-8")
        subprocess.run([sys.executable, "-c", WRITE, tmp_path / "b.txt"], check=True)
    assert outputs(tmp_path) == {"a.txt": "first", "b.txt": "second"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


WRITE = """
import sys; from pathlib import Path; from kaiwa.files.atomic import write_text
write_text(Path(sys.argv[1]), "second")
"""


def test_a_folder_of_the_user_with_such_a_name_stays(tmp_path: Path) -> None:
    """Only the file of an unfinished folder makes it ours."""
    mine = tmp_path / f".kaiwa-{'0' * 16}" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine", encoding="utf-8")
    write_text(tmp_path / "a.txt", "text")
    assert mine.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("exists", [True, False])
def test_a_fault_at_any_call_leaves_all_outputs_old(tmp_path: Path, code: int, *, exists: bool) -> None:
    """Or, if it comes when all is done, all new; never a traceback, never a temporary file.

    A fault of a rename itself leaves each output old or new.
    """
    for moment in count():
        for name in ("out", "more", "one.txt"):
            _remove(tmp_path / name)
        before = {}
        if exists:
            write_all(tmp_path, "old")
            before = outputs(tmp_path)
        failed, call = _failing_at(moment, code, lambda: write_all(tmp_path, "new"))
        found = outputs(tmp_path)
        if failed == "refused" and call in {"rename", "replace"}:
            assert all(text in {"new", before.get(name)} for name, text in found.items())
            assert before.keys() <= found.keys()
        else:
            assert found == before if failed == "refused" else set(found.values()) == {"new"}
        assert [path for path in tmp_path.rglob("*") if path.name.startswith(".")] == []
        if failed == "done":
            break
    assert moment > 8


def _failing_at(moment: int, code: int, work: Callable[[], None]) -> tuple[str, str]:
    """Whether the work was refused, came to its end in spite of the fault, or met none (done); the call that failed."""
    left, failed = count(), [""]

    def watched(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def counted(*given: object, **named: object) -> object:
            if next(left) == moment:
                failed[0] = name
                raise OSError(code, os.strerror(code))
            return call(*given, **named)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        for name in ("mkdir", "rename", "replace", "open", "fsync", "chmod"):
            patch.setattr(os, name, watched(name, getattr(os, name)))
        try:
            work()
        except InputError as refused:
            assert "\n" not in str(refused)  # noqa: PT017  both ends are right
            return "refused", failed[0]
    return "met" if next(left) > moment else "done", failed[0]


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def test_two_outputs_of_one_name_are_refused(tmp_path: Path) -> None:
    """The second would replace the first."""
    with pytest.raises(InputError, match="would be written twice"):
        _write_twice(tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def _write_twice(path: Path) -> None:
    with together():
        write_text(path, "1")
        write_text(path, "2")


VERBS = {
    "clean": "clean pairs.tsv -o out",
    "topics": "topics repository -n 2 --rest out -o topics-new.tsv",
    "index": "index repository -o out",
    "report": "report . -o new.html",
    "pool": "pool runs/0.txt runs/1.txt -o new.tsv",
    "standardise": "standardise scores.csv --save-factors f.csv -o s.csv",
    "convert": "convert runs/0.txt runs/1.txt --format res -o out",
    "compare": "compare scores.csv -m nG@1 --heat-map h.svg --caterpillar c.svg -o c.txt",
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_is_one_line_and_leaves_nothing(small_round: Path, verb: str) -> None:
    """At every size of a file that the system allows: exit code 2, no traceback, no output."""
    texts = [f"a text with the number {at} and {'word ' * (at % 7)}" for at in range(300)]
    lines = [f"p{at}\tpost {text}\tc{at}\tcomment {text} {at * at}\n" for at, text in enumerate(texts)]
    (small_round / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    before = sorted(str(path) for path in small_round.rglob("*"))
    for limit in (0, 100, 3000):
        done = _limited(small_round, VERBS[verb], limit)
        if done.returncode == 0 and limit:
            return
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        assert sorted(str(path) for path in small_round.rglob("*")) == before


def _limited(folder: Path, words: str, limit: int) -> subprocess.CompletedProcess[str]:
    """The command in a process whose files cannot be larger than the limit, as on a full disk.

    Without any space it also has no compiled kernels, and cannot keep those that it compiles.
    """
    kernels = {} if limit else {"NUMBA_CACHE_DIR": str(folder.parent / "numba")}
    return subprocess.run(
        [sys.executable, "-m", "kaiwa.cli", *words.split(), "--quiet"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **kernels, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )


def test_eight_processes_record_eight_steps(tmp_path: Path) -> None:
    """No record is lost when verbs end at the same time."""
    (tmp_path / "kaiwa.toml").write_text("", encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; from kaiwa.task.record import recorded_step\n"
        "print(flush=True); sys.stdin.read()\n"
        "for turn in range(5):\n"
        "    made = Path(sys.argv[1], f'{sys.argv[2]}-{turn}')\n"
        "    with recorded_step(made, [], verb='v', version='1', options={}): pass\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for number in range(8)
    ]
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    for child in children:
        child.communicate()
    recorded = json.loads((tmp_path / ".kaiwa-steps.json").read_text(encoding="utf-8"))
    assert sorted(recorded) == [f"{number}-{turn}" for number in range(8) for turn in range(5)]
