"""A kill or a full disk at any moment: the old output or the new one, all outputs of a verb or none."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaiwa.disk import exchange as exchange_module
from kaiwa.disk.atomic_files import atomic_file, write_text, write_texts
from kaiwa.disk.atomic_folders import atomic_folder
from kaiwa.disk.folder_marks import Mark
from kaiwa.disk.input_files import open_input
from kaiwa.disk.joint_output import together
from kaiwa.errors import InputError

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
    """Each output of a verb is the old one or the new one; when one is read, all are old or all are new."""
    mixed = 0
    for moment in count():
        write_all(tmp_path, "old")
        killed = killed_at(tmp_path, moment, "all")
        found = outputs(tmp_path)
        assert set(found) == {"one.txt", "more/two.txt", "out/b.txt", "out/sub/a.txt"}
        assert found["out/b.txt"] == found["out/sub/a.txt"]
        assert set(found.values()) <= {"old", "new"}
        mixed += len(set(found.values())) == 2
        with open_input(tmp_path / "more" / "two.txt"):
            assert set(outputs(tmp_path).values()) in ({"old"}, {"new"})
        if not killed:
            break
    assert (moment > 8, mixed > 0) == (True, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["more", "one.txt", "out"]
    assert [path.name for path in (tmp_path / "more").iterdir()] == ["two.txt"]


def _killed_between_names(folder: Path) -> None:
    """Two files: the first has its new content, and the process was killed before the second had."""
    for moment in count():
        for name in ("a.txt", "b.txt"):
            write_text(folder / name, "old")
        assert killed_at(folder, moment, "two")
        if outputs(folder) == {"a.txt": "new", "b.txt": "old"}:
            return


def test_a_file_that_was_changed_after_the_kill_stays(tmp_path: Path) -> None:
    """The user's version is newer than the one that waited for its name."""
    _killed_between_names(tmp_path)
    (tmp_path / "b.txt").write_text("mine", encoding="utf-8")
    write_text(tmp_path / "c.txt", "next")
    assert outputs(tmp_path) == {"a.txt": "new", "b.txt": "mine", "c.txt": "next"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "c.txt"]


def test_what_a_running_command_uses_stays(tmp_path: Path) -> None:
    """Another command in the same folder neither finishes nor removes its files."""
    with atomic_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("first", encoding="utf-8")
        subprocess.run([sys.executable, "-c", WRITE, tmp_path / "b.txt"], check=True)
    assert outputs(tmp_path) == {"a.txt": "first", "b.txt": "second"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


WRITE = """
import sys; from pathlib import Path; from kaiwa.disk.atomic_files import write_text
write_text(Path(sys.argv[1]), "second")
"""


@pytest.mark.parametrize("name", ["../victim.txt", "/victim.txt", "sub/victim.txt"])
def test_a_list_of_renames_never_leads_out_of_its_folder(tmp_path: Path, name: str) -> None:
    """It may have come with an archive."""
    folder = tmp_path / "in" / f".kaiwa-{'0' * 16}"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub").mkdir()
    (folder / ".kaiwa-unfinished").touch()
    (folder / ".1").write_text("hostile", encoding="utf-8")
    state = (folder / ".1").stat()
    entry = {"from": ".1", "to": name, "new": [state.st_ino, state.st_size, state.st_mtime_ns], "old": None}
    (folder / "renames.json").write_text(json.dumps({"folders": [str(folder)], "renames": [entry]}), encoding="utf-8")
    write_text(tmp_path / "in" / "a.txt", "text")
    assert outputs(tmp_path) == {"in/a.txt": "text"}
    assert not folder.exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"folders": []}', '{"folders": [1]}', '{"folders": ["/"]}'])
def test_a_damaged_list_of_renames_is_ignored(tmp_path: Path, text: str) -> None:
    """The outputs stay as they are, and the next command works."""
    folder = tmp_path / f".kaiwa-{'0' * 16}"
    folder.mkdir()
    (folder / ".kaiwa-unfinished").touch()
    (folder / "renames.json").write_text(text, encoding="utf-8")
    write_text(tmp_path / "a.txt", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


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
    """Or, if it comes when all is done, all new; never a traceback, never a temporary file."""
    for moment in count():
        for name in ("out", "more", "one.txt"):
            _remove(tmp_path / name)
        before = {}
        if exists:
            write_all(tmp_path, "old")
            before = outputs(tmp_path)
        failed = _failing_at(moment, code, lambda: write_all(tmp_path, "new"))
        found = outputs(tmp_path)
        assert found == before or set(found.values()) == {"new"}
        if failed == "refused":
            assert found == before
        if failed == "done":
            break
    assert moment > 8


def _failing_at(moment: int, code: int, work: Callable[[], None]) -> str:
    """Whether the work was refused, came to its end in spite of the fault, or met none (done)."""
    left = count()

    def watched(call: Callable[..., object]) -> Callable[..., object]:
        def counted(*given: object, **named: object) -> object:
            if next(left) == moment:
                raise OSError(code, os.strerror(code))
            return call(*given, **named)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        for name in ("mkdir", "rename", "replace", "open", "fsync", "chmod"):
            patch.setattr(os, name, watched(getattr(os, name)))
        try:
            work()
        except InputError as refused:
            assert "\n" not in str(refused)  # noqa: PT017  both ends are right
            return "refused"
    return "met" if next(left) > moment else "done"


def _remove(path: Path) -> None:
    import shutil

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
    "convert": "convert runs/0.txt runs/1.txt --to res -o out",
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
        "import sys; from pathlib import Path; from kaiwa.task.step_record import recorded_step\n"
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
