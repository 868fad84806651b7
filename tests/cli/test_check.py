"""``kaiwa check``: every fault with its code, line and column; the fixed copy; errors in one line."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kaiwa.checking.problems import CODES
from kaiwa.formats.readers import read_run
from kaiwa.formats.repository import open_repository

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

CLEAN = (
    "<SYSDESC>BM25 over posts</SYSDESC>\n"
    "q1 0 c1 1 3.0 T1-C-R1\nq1 0 c2 2 2.0 T1-C-R1\nq2 0 c3 1 1.5 T1-C-R1\nq2 0 c1 2 1.0 T1-C-R1\n"
)
TOPICS = "q1\tThe first day in Hawaii.\nq2\t会話\n"


def _codes(done: subprocess.CompletedProcess[str]) -> set[str]:
    return {problem["code"] for problem in json.loads(done.stdout)["problems"]}


def test_a_clean_run_passes_with_exit_code_0(made: Made, kaiwa: Kaiwa) -> None:
    """Nothing to report: one line a file and a summary."""
    made("T1-C-R1.txt", CLEAN)
    made("topics.tsv", TOPICS)
    done = kaiwa("check", "T1-C-R1.txt", "--topics", "topics.tsv")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "T1-C-R1.txt: ok: 2 topics, 4 comments\n\n1 file: no problem\n",
        "",
    )


FAULTS = {
    "byte-order-mark": ("\ufeff" + CLEAN),
    "carriage-returns": CLEAN.replace("\n", "\r\n"),
    "no-last-newline": CLEAN.rstrip("\n"),
    "not-utf8": CLEAN.encode().replace(b"c3", b"c\xe9"),
    "control-character": CLEAN.replace("c3", "c3\u202e"),
    "sysdesc-missing": CLEAN.partition("\n")[2],
    "sysdesc-template": CLEAN.replace("BM25 over posts", "insert a short description in English here"),
    "sysdesc-misplaced": CLEAN + "<SYSDESC>again</SYSDESC>\n",
    "missing-fields": CLEAN + "q2 0 c9\n",
    "extra-fields": CLEAN.replace("T1-C-R1\nq2", "T1-C-R1 extra\nq2"),
    "long-field": CLEAN.replace("c2 2 2.0", f"c2 2 2.{'0' * 600}"),
    "second-field": CLEAN.replace("q1 0 c1", "q1 X c1"),
    "bad-rank": CLEAN.replace("c2 2 2.0", "c2 two 2.0"),
    "rank-order": CLEAN.replace("c1 1 3.0", "c1 2 3.0").replace("c2 2 2.0", "c2 1 2.0"),
    "rank-gap": CLEAN.replace("c2 2 2.0", "c2 4 2.0"),
    "bad-score": CLEAN.replace("c2 2 2.0", "c2 2 NaN"),
    "rising-scores": CLEAN.replace("c2 2 2.0", "c2 2 4.0"),
    "tied-scores": CLEAN.replace("c2 2 2.0", "c2 2 3.0"),
    "unknown-topic": CLEAN + "q7 0 c1 1 1.0 T1-C-R1\n",
    "missing-topic": CLEAN.partition("q2")[0],
    "split-topic": CLEAN + "q1 0 c3 3 1.0 T1-C-R1\n",
    "unknown-comment": CLEAN.replace("c3", "c77"),
    "takedown": CLEAN.replace("c3", "c5"),
    "duplicate-comment": CLEAN.replace("q1 0 c2", "q1 0 c1"),
    "too-many": CLEAN + "q2 0 c4 3 0.5 T1-C-R1\n",
    "run-name": CLEAN.replace("T1-C-R1\nq2", "T1-C-R2\nq2"),
}


@pytest.mark.parametrize("code", FAULTS)
def test_each_fault_is_found_fixed_or_left_as_promised(made: Made, kaiwa: Kaiwa, tmp_path: Path, code: str) -> None:
    """The fault is the only finding; --fix fixes it if its code is fixable, and leaves it otherwise."""
    fault = FAULTS[code]
    made("T1-C-R1.txt", fault)
    made("topics.tsv", TOPICS)
    made("ids.txt", "c1\nc2\nc3\nc4\nc5\n")
    made("takedown.txt", "c5\n")
    words = (
        "check",
        "T1-C-R1.txt",
        "--topics",
        "topics.tsv",
        "--repository",
        "ids.txt",
        "--takedown",
        "takedown.txt",
        "--depth",
        "2",
    )
    along = {"split-topic": {"too-many"}, "not-utf8": {"unknown-comment"}, "control-character": {"unknown-comment"}}
    found = kaiwa(*words, "--json")
    assert (found.returncode, _codes(found)) == (1, {code} | along.get(code, set()))
    fixed = kaiwa(*words, "--fix", "fixed", "--json")
    copy = tmp_path / "fixed" / "T1-C-R1.txt"
    assert copy.exists() == bool(CODES[code].fix)
    if CODES[code].fix:
        again = kaiwa("check", "fixed/T1-C-R1.txt", *words[2:], "--json")
        assert (fixed.returncode, _codes(again)) == (0, set())
        read_run(copy)


def test_a_repository_folder_says_which_comments_there_are(made: Made, kaiwa: Kaiwa) -> None:
    """--repository takes what ``kaiwa clean`` wrote."""
    made(
        "pairs.tsv",
        "p1\tthe first day in Hawaii\tc1\tenjoy the sunset\np1\tthe first day in Hawaii\tc2\thave fun there\n",
    )
    assert kaiwa("clean", "pairs.tsv", "-o", "repo", "--rules", "none").returncode == 0
    made("T1-C-R1.txt", CLEAN)
    done = kaiwa("check", "T1-C-R1.txt", "--repository", "repo", "--json")
    assert [problem["line"] for problem in json.loads(done.stdout)["problems"]] == [4]
    assert _codes(done) == {"unknown-comment"}


NEAR = (
    "p0\tthe first day in Hawaii\tc0\tenjoy the sunset\n"
    "p1\train again up north\tc1\tEnjoy the sunset!!\n"
    "p2\tmy exam is over\tc2\thave fun\n"
    "p3\twe bought a boat\tc3\tHave fun :)\n"
    "p4\tleaving for Kyoto tonight\tc4\tsee you there\n"
)


def test_comments_that_cleaning_merged_are_mapped_to_those_it_kept(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """They were dropped as unknown; the repository knows their new ids."""
    made("pairs.tsv", NEAR)
    assert kaiwa("clean", "pairs.tsv", "-o", "repo").returncode == 0
    lines = ["q1 0 c1 1 3.0", "q1 0 c4 2 2.0", "q1 0 c9 3 1.0", "q2 0 c2 1 3.0", "q2 0 c3 2 2.0", "q2 0 c1 3 1.0"]
    made("T1-C-R1.txt", "<SYSDESC>x y</SYSDESC>\n" + "".join(f"{line} T1-C-R1\n" for line in lines))
    found = json.loads(kaiwa("check", "T1-C-R1.txt", "--repository", "repo", "--json").stdout)["problems"]
    assert [(one["line"], one["code"]) for one in found] == [
        (2, "merged-comment"),
        (4, "unknown-comment"),
        (6, "duplicate-comment"),
        (6, "merged-comment"),
        (7, "merged-comment"),
    ]
    assert found[0]["message"] == ("comment 'c1' was merged into its near-duplicate 'c0' by cleaning; write c0")
    done = kaiwa("check", "T1-C-R1.txt", "--repository", "repo", "--fix", "fixed")
    assert (done.returncode, "id of a merged comment replaced: 3" in done.stdout) == (0, True)
    assert (tmp_path / "fixed" / "T1-C-R1.txt").read_text().splitlines()[1:] == [
        "q1 0 c0 1 3.0 T1-C-R1",
        "q1 0 c4 2 2.0 T1-C-R1",
        "q2 0 c2 1 3.0 T1-C-R1",
        "q2 0 c0 2 1.0 T1-C-R1",
    ]


def test_a_takedown_holds_for_what_was_merged_into_it(made: Made, kaiwa: Kaiwa) -> None:
    """c1 is shown as c0, which must not be shown."""
    made("pairs.tsv", NEAR)
    made("takedown.txt", "c0\n")
    assert kaiwa("clean", "pairs.tsv", "-o", "repo").returncode == 0
    made("T1-C-R1.txt", "<SYSDESC>x y</SYSDESC>\nq1 0 c1 1 3.0 T1-C-R1\n")
    done = kaiwa("check", "T1-C-R1.txt", "--repository", "repo", "--takedown", "takedown.txt", "--json")
    assert _codes(done) == {"takedown"}


def test_the_rest_of_a_repository_knows_merged_ids(made: Made, kaiwa: Kaiwa) -> None:
    """``kaiwa topics --rest`` keeps them for the comments that it keeps."""
    made("pairs.tsv", NEAR)
    assert kaiwa("clean", "pairs.tsv", "-o", "repo").returncode == 0
    assert kaiwa("topics", "repo", "-n", "1", "-o", "topics.tsv", "--rest", "rest").returncode == 0
    merged = open_repository(made("other", "").parent / "rest").merged()
    assert merged
    assert merged.items() <= {"c1": "c0", "c3": "c2"}.items()


def test_problems_between_files_are_found(made: Made, kaiwa: Kaiwa) -> None:
    """Two runs of one team that are the same, under two names; and one name used twice."""
    made("T1-C-R1.txt", CLEAN)
    made("T1-C-R2.txt", CLEAN.replace("T1-C-R1", "T1-C-R2"))
    assert _codes(kaiwa("check", "T1-C-R1.txt", "T1-C-R2.txt", "--json")) == {"twin-runs"}
    made("T2-C-R1.txt", CLEAN)
    assert _codes(kaiwa("check", "T1-C-R1.txt", "T2-C-R1.txt", "--json")) == {"run-name", "same-run-name"}


def test_a_badly_named_file_is_told(made: Made, kaiwa: Kaiwa) -> None:
    """NTCIR names its files team, subtask, run number."""
    made("mine.txt", CLEAN.replace("T1-C-R1", "mine"))
    assert _codes(kaiwa("check", "mine.txt", "--json")) == {"file-name"}


def test_a_trec_run_is_judged_by_trec_rules(made: Made, kaiwa: Kaiwa) -> None:
    """No description, no limit of ten, any order of lines; but one run name and no ties."""
    lines = "".join(f"301 Q0 d{place} {place} {100 - place}.5 tag\n" for place in range(1, 30))
    made("run.txt", lines)
    assert kaiwa("check", "run.txt").returncode == 0
    made("run.txt", lines + "301 Q0 d99 30 0.5 other\n301 Q0 d98 31 0.5 tag\n")
    assert _codes(kaiwa("check", "run.txt", "--json")) == {"mixed-run-names", "tied-scores"}


def test_a_finding_shows_its_place_like_a_compiler(made: Made, kaiwa: Kaiwa) -> None:
    """File, line, column, gravity, message, code; then the line with a mark under the fault."""
    made("T1-C-R1.txt", CLEAN.replace("q1 0 c2", "q1 0 c1"))
    assert kaiwa("check", "T1-C-R1.txt").stdout.splitlines()[:3] == [
        (
            "T1-C-R1.txt:3:6: error: duplicate comment 'c1' (first on line 2); "
            "each comment may appear once per topic [duplicate-comment]"
        ),
        "    q1 0 c1 2 2.0 T1-C-R1",
        "         ^^",
    ]


def test_an_ignored_code_is_not_reported_and_an_unknown_one_is_refused(made: Made, kaiwa: Kaiwa) -> None:
    """--ignore silences one code; a misspelt code offers the nearest."""
    made("T1-C-R1.txt", FAULTS["tied-scores"])
    assert kaiwa("check", "T1-C-R1.txt", "--ignore", "tied-scores").returncode == 0
    done = kaiwa("check", "T1-C-R1.txt", "--ignore", "tied-score")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kaiwa: unknown check code 'tied-score'; did you mean 'tied-scores'")


def test_the_original_is_never_overwritten(made: Made, kaiwa: Kaiwa) -> None:
    """--fix into the run's own folder is refused."""
    path = made("T1-C-R1.txt", FAULTS["run-name"])
    done = kaiwa("check", "T1-C-R1.txt", "--fix", ".")
    assert done.returncode == 2
    assert "would overwrite what this command reads" in done.stderr
    assert path.read_text() == FAULTS["run-name"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "the file is empty"),
        ("binary.txt", bytes(range(256)) * 10, "NUL byte"),
        ("endless.txt", b"x" * (5 << 20), "line longer than"),
        ("cut.txt.gz", gzip.compress(CLEAN.encode() * 99, mtime=0)[:-20], "not a complete gzip file"),
        ("zeros.txt.gz", gzip.compress(bytes(30 << 20), mtime=0), "NUL byte"),
    ],
)
def test_what_is_no_run_gets_one_line_and_exit_code_2(
    made: Made, kaiwa: Kaiwa, name: str, content: bytes, message: str
) -> None:
    """Never a traceback, nothing on stdout."""
    made(name, content)
    done = kaiwa("check", name)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_a_folder_an_absent_file_and_a_locked_one_get_one_line(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Errors of the system have the form of ours."""
    (tmp_path / "folder").mkdir()
    locked = made("locked.txt", CLEAN)
    locked.chmod(0)
    names = ["folder", "absent.txt"] + (["locked.txt"] if os.geteuid() else [])  # nothing is locked to root
    for name in names:
        done = kaiwa("check", name)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_codes_can_be_listed(kaiwa: Kaiwa) -> None:
    """``names codes`` has every code with its repair."""
    done = kaiwa("names", "codes")
    assert done.returncode == 0
    assert all(code in done.stdout for code in CODES)


def test_ties_that_are_ignored_are_left_when_other_faults_are_fixed(made: Made, kaiwa: Kaiwa, tmp_path: Path) -> None:
    """--fix changes what it reports, and nothing else; an English run may be named so."""
    tied = CLEAN.replace("c2 2 2.0", "c2 2 3.0").replace("T1-C-R1", "T1-E-R1")
    made("T1-E-R1.txt", tied.replace("\n", "\r\n"))
    done = kaiwa("check", "T1-E-R1.txt", "--ignore", "tied-scores", "--fix", "fixed")
    assert (done.returncode, (tmp_path / "fixed" / "T1-E-R1.txt").read_text()) == (0, tied)
