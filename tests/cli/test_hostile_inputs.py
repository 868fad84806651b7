"""Inputs that once ended in a traceback end in one line with exit code 2; a fault of ours in one line with 70."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import kaiwa as package
from kaiwa.files import zstd
from kaiwa.formats import scores as score_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

RUN = b"q1 0 c1 1 1 A\nq1 0 c2 2 0.5 A\n"
LOG = b'{"doc_id": 1, "acc": 1.0}\n' * 2000
PAIR = b"p1\ta post of words\tc1\ta comment of words\n"
RULES = 'name = "mine"\nsource = "me"\n'
RULE = '[[rule]]\nname = "short"\nsays = "too short"\n'
REFUSED = {
    "score run.txt --qrels run.txt -m AP@999999999999999999999999": {"run.txt": RUN},
    "compare samples_a.jsonl.gz": {"samples_a.jsonl.gz": gzip.compress(LOG, mtime=0)[:40]},
    "compare samples_b.jsonl.gz": {
        "samples_b.jsonl.gz": gzip.compress(LOG, mtime=0).replace(b"\x00" * 2, b"\x55\xaa")[:-3]
    },
    "compare samples_c.jsonl.zst": {"samples_c.jsonl.zst": zstd.compress(LOG)[:30]},
    "compare deep.json": {"deep.json": b'{"results":' + b"[" * 100_000},
    "compare digits.jsonl": {"digits.jsonl": b'{"doc_id":1,"acc":' + b"9" * 5000 + b"}\n"},
    "compare digits.csv": {"digits.csv": b"measure,topic,run,score\nAP,q1,A," + b"9" * 400 + b"\n"},
    "agree digits.csv": {"digits.csv": b"topic,comment,assessor,level\nq1,c1,a," + b"9" * 400 + b"\nq1,c1,b,1\n"},
    "clean deep.jsonl -o repo": {"deep.jsonl": b"[" * 100_000},
    "clean digits.jsonl -o repo": {"digits.jsonl": b'{"comment_id":' + b"9" * 5000 + b"}\n"},
    "clean p.tsv -o repo --rules deep.toml": {"p.tsv": PAIR, "deep.toml": b"a=" + b"[" * 50_000},
    "clean p.tsv -o repo --rules digits.toml": {"p.tsv": PAIR, "digits.toml": b"a=" + b"9" * 5000},
    "clean p.tsv -o repo --rules a.toml": {"p.tsv": PAIR, "a.toml": b'name = 3\nsource = ["x"]\n'},
    "clean p.tsv -o repo --rules b.toml": {"p.tsv": PAIR, "b.toml": f"{RULES}rule = 7\n".encode()},
    "clean p.tsv -o repo --rules c.toml": {"p.tsv": PAIR, "c.toml": f"{RULES}rule = [7]\n".encode()},
    "clean p.tsv -o repo --rules d.toml": {"p.tsv": PAIR, "d.toml": f'{RULES}{RULE}min_chars = "x"\n'.encode()},
    "clean p.tsv -o repo --rules e.toml": {"p.tsv": PAIR, "e.toml": f"{RULES}{RULE}removes = 7\n".encode()},
    "status .": {"kaiwa.toml": b"a=" + b"[" * 50_000},
    "status ./": {"kaiwa.toml": b"a=" + b"9" * 5000},
    "pool run.txt --depth 99999999999999999999 -o pool.tsv": {"run.txt": RUN},
    "pool run.txt -o .": {"run.txt": RUN},
    "compare m.txt --alpha 1e-320": {"m.txt": b"topic A B\n1 .1 .2\n2 .2 .1\n"},
    "compare m.txt --alpha 1e-8 --baseline A": {"m.txt": b"topic A B\n1 .1 .2\n2 .2 .1\n"},
    "design --systems 3 --variance 0.1 --min-diff 1e-320": {},
    "design --systems 3 --variance 1e-320 --min-diff 0.1": {},
    "design cost --systems 3 --variance 0.1 --min-diff 0.1 --seconds inf": {},
    "design cost --systems 3 --variance 0.1 --budget inf": {},
    "unanimity a.txt --qrels a.txt --p nan": {},
    "serve --reply index --timeout nan": {},
}


@pytest.mark.parametrize("words", REFUSED)
def test_a_hostile_input_is_refused_in_one_line(words: str, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Never a traceback, never exit code 1, which means findings."""
    for name, data in REFUSED[words].items():
        (tmp_path / name).write_bytes(data)
    done = kaiwa(*words.split())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("words", ["models index -o", "retrieve-all index t.tsv -o", "verify", "convert s.csv -o"])
def test_an_empty_path_is_not_the_current_folder(words: str, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """It is a variable of the shell that is not set."""
    done = kaiwa(*words.split(), "")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the path is empty" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [b"# the end", b"   ", b"\t", b"#"])
def test_judgements_may_end_in_a_remark_or_blanks_without_a_newline(
    ending: bytes, kaiwa: Kaiwa, tmp_path: Path
) -> None:
    """They are as with a newline."""
    (tmp_path / "run.txt").write_bytes(RUN)
    (tmp_path / "qrels.txt").write_bytes(b"q1 0 c1 1\nq1 0 c2 0\n" + ending)
    assert "1.0000" in kaiwa("score", "run.txt", "--qrels", "qrels.txt", "-m", "AP").stdout


def test_a_name_with_a_lone_surrogate_is_printed_as_json_escapes_it(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """JSON can hold what UTF-8 cannot."""
    rows = [
        {"score": score, "testIdx": at, "provider": name} for at in (1, 2) for score, name in ((1, "m\ud800"), (0, "n"))
    ]
    (tmp_path / "results.json").write_text(json.dumps({"results": rows}), encoding="utf-8")
    done = kaiwa("compare", "results.json", "--json")
    assert "m\ud800" in {one["a"] for one in json.loads(done.stdout)["pairs"]}
    assert "m\\ud800" in kaiwa("compare", "results.json").stdout


def test_a_file_name_that_is_not_utf8_is_read_and_shown(tmp_path: Path) -> None:
    """Its bytes are escaped in text and in JSON."""
    name = os.fsencode(tmp_path) + b"/n\xff.csv"
    Path(os.fsdecode(name)).write_text(
        "measure,topic,run,score\nAP,q1,A,1\nAP,q1,B,0\nAP,q2,A,1\nAP,q2,B,1\n", encoding="utf-8"
    )
    for more in ([], ["--json"]):
        done = subprocess.run([sys.executable, "-m", "kaiwa", "compare", name, *more], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    missing = subprocess.run([sys.executable, "-m", "kaiwa", "compare", name + b"x"], capture_output=True, check=False)
    assert (missing.returncode, missing.stderr.count(b"\n")) == (2, 1)


def test_a_frame_with_a_column_twice_is_refused() -> None:
    """It is not known which is meant."""
    frame = pa.table([["q1"], ["A"], [1.0], [0.0]], names=["topic", "run", "score", "score"])
    with pytest.raises(package.InputError, match="has the column 'score' twice"):
        package.read_scores(frame)


def test_completion_ignores_short_rows(tmp_path: Path) -> None:
    """A file that is being written has one."""
    (tmp_path / "scores.csv").write_text("measure,topic,run,score\nAP,q1,BM25,1\nAP,q1\n", encoding="utf-8")
    typed = {
        "COMP_WORDS": "kaiwa compare scores.csv --baseline ",
        "COMP_CWORD": "4",
        "_KAIWA_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-m", "kaiwa"],
        cwd=tmp_path,
        env={**os.environ, **typed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("plain,BM25\n", "")


def test_a_closed_stdin_is_one_line(index: Path) -> None:
    """There is no post to answer."""
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -m kaiwa reply "$1" <&-', sys.executable, index],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2,
        "kaiwa: stdin is closed; give a post, or posts on stdin, one per line\n",
    )


def test_a_scale_of_votes_is_bounded(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """A top of twenty digits is one line."""
    (tmp_path / "votes.csv").write_text("topic,comment,assessor,level\nq1,c1,ann,2\n")
    done = kaiwa("gains", "votes.csv", "--max-level", "99999999999999999999")
    assert (done.returncode, done.stderr) == (
        2,
        "kaiwa: --max-level 99999999999999999999 is not a level from 1 to 1,000; give the scale's highest level\n",
    )


def test_a_line_of_stdin_is_bounded(index: Path, command: Kaiwa, tmp_path: Path) -> None:
    """A stream without a newline is not collected in memory."""
    done = command("reply", index, folder=tmp_path, stdin="a" * (1 << 20) + "b")
    assert done.stderr == "kaiwa: stdin:1: line longer than 1,048,576 bytes; give one post per line\n"


def test_a_fault_of_ours_is_one_line_and_a_private_file(tmp_path: Path) -> None:
    """Exit code 70; the file has the command and the traceback, and only the user can read it."""
    program = "import sys, kaiwa.comparison.command as verb\nfrom kaiwa.cli.group import main\n"
    program += "def broken(**_): raise LookupError('one\\ntwo')\nverb.tau_command.callback = broken\nmain()"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program, "tau", "a.csv", "b.csv"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    line = r"kaiwa: unexpected error \(LookupError: one two\); .* please report it with the details in (.*)\n"
    found = re.fullmatch(line, done.stderr)
    assert found, done.stderr
    assert done.returncode == 70
    details = Path(found[1])
    assert stat.S_IMODE(details.stat().st_mode) == 0o600
    assert "Traceback" in details.read_text(encoding="utf-8")
    assert "'a.csv'" in details.read_text(encoding="utf-8")


def test_ctrl_c_while_the_command_is_loaded_ends_it_silently() -> None:
    """Before there is a verb that could say what it has written."""
    program = """
import os, runpy, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
runpy.run_module("kaiwa", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


PROGRAM = """
import numba, sys
import numpy as np
numba.config.CACHE_DIR = sys.argv[1]
from kaiwa.stats import compiled
@compiled.kernel
def doubled(values):
    return values * 2
print(doubled(np.arange(3)).tolist())
"""


def test_a_damaged_kernel_cache_is_compiled_again(tmp_path: Path) -> None:
    """Whichever of its files is damaged."""
    (tmp_path / "kernels.py").write_text(PROGRAM, encoding="utf-8")
    run = [sys.executable, tmp_path / "kernels.py", tmp_path / "cache"]
    first = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    for name in (tmp_path / "cache").rglob("*.nb*"):
        for damage in (b"", b"\x80\x05garbage"):
            name.write_bytes(damage)
            assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == first


def test_too_many_runs_are_refused_before_their_pairs_are_made(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Ten thousand runs have fifty million pairs."""
    row = " ".join(f"0.{number % 7}" for number in range(3001))
    (tmp_path / "m.txt").write_text(f"{row}\n{row}\n", encoding="utf-8")
    done = kaiwa("compare", "m.txt")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "3,001 runs have 4,501,500 pairs" in done.stderr


def test_a_score_table_with_too_many_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its first row too many."""
    monkeypatch.setattr(score_tables, "MAX_ROWS", 3)
    (tmp_path / "s.csv").write_text("topic,run,score\nq1,A,1\nq2,A,1\nq3,A,1\n", encoding="utf-8")
    with pytest.raises(package.InputError, match=r"s\.csv:4: more than 3 rows; split it"):
        package.read_scores(tmp_path / "s.csv")


@pytest.mark.parametrize("words", ["compare m.txt", "compare absent.txt", "compare m.txt --json -o made.json"])
def test_a_closed_stderr_changes_no_exit_code(words: str, tmp_path: Path) -> None:
    """Remarks and errors are dropped; the result and its code are the same, and no file gets the number of stderr."""
    (tmp_path / "m.txt").write_text("topic A B\n1 0.1 0.2\n2 0.2 0.1\n3 0.4 0.3\n", encoding="utf-8")
    found = [in_shell(f"{words} {closed}", tmp_path) for closed in ("", "2>&-")]
    assert [done.returncode for done in found] == [2 if "absent" in words else 0] * 2
    assert found[0].stdout == found[1].stdout
    assert not list(tmp_path.glob("*kaiwa-error*"))


def test_a_result_for_a_closed_stdout_is_an_error(tmp_path: Path) -> None:
    """As in other tools; -o writes the file, and is for the result beside stdout."""
    (tmp_path / "m.txt").write_text("topic A B\n1 0.1 0.2\n2 0.2 0.1\n3 0.4 0.3\n", encoding="utf-8")
    done = in_shell("compare m.txt >&-", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "Bad file descriptor" in done.stderr
    full = in_shell("compare m.txt > /dev/full", tmp_path)
    assert (full.returncode, full.stderr.count("\n")) == (2, 1)
    beside = in_shell("compare m.txt -o made.txt >&-", tmp_path)
    assert (beside.returncode, "Bad file descriptor" in beside.stderr) == (2, True)


def in_shell(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with redirections."""
    line = f"'{sys.executable}' -m kaiwa {words}"
    return subprocess.run(["/bin/sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)


def test_a_folder_whose_name_is_not_utf8_is_written(tmp_path: Path) -> None:
    """By the libraries that open files themselves, too."""
    (tmp_path / "p.tsv").write_bytes(PAIR)
    index = "index $(printf 'r\\377') -o $(printf 'i\\377')"
    for words in ("clean p.tsv -o $(printf 'r\\377')", index, f"{index} --shards 2"):
        done = in_shell(words, tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    assert {os.fsencode(path.name) for path in tmp_path.iterdir()} == {b"p.tsv", b"r\xff", b"i\xff"}
