"""Numbers agree with their nouns, and read the same wherever they are printed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str], Path]
    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

ONE_OF_EACH = {
    "pairs.tsv": "p1\tthe first day in Hawaii was sunny\tc1\tenjoy the beaches there\n",
    "removed.tsv": "p1\tone two three four five\tc1\thaha\np1\tone two three four five\tc2\ta longer answer\n",
    "topics.tsv": "q1\tfirst day in Hawaii\n",
    "bad.txt": "<SYSDESC>by hand</SYSDESC>\nq1 0 c1 1 1 bad\nq1 0 c1 2 1 bad\nq2 0 c1 1 1 bad\n",
    "votes.csv": "topic,comment,assessor,level\nq1,c1,ann,1\nq1,c1,bob,2\nq1,c1,eve,NA\nq1,c2,ann,NA\n",
    "one.csv": "topic,comment,assessor,level\nq1,c1,ann,1\n",
    "first.toml": 'source = "made up"\nfirst_comments = 1\n',
    "matrix.csv": "measure,topic,run,score\nnG@1,q1,A,1\nnG@1,q1,B,0\nnG@1,q2,A,1\nnG@1,q2,B,0\n"
    "P+,q1,A,1\nP+,q1,B,0\nP+,q2,A,1\nP+,q2,B,1\n",
}
COMMANDS = """\
clean pairs.tsv -o repository
clean removed.tsv -o removed --rules chat
clean removed.tsv -o first --rules first.toml
topics repository -n 1 -o drawn.tsv
topics repository -n 2
index repository -o index --language en
retrieve index topics.tsv -o A-E-R1.txt --system run0
check A-E-R1.txt --topics topics.tsv
check bad.txt --topics topics.tsv
check bad.txt --topics topics.tsv --fix fixed
pool A-E-R1.txt --depth 1 -o pool.tsv
agree votes.csv --pairs
agree one.csv
gains votes.csv -o qrels.txt
score A-E-R1.txt --qrels qrels.txt
unanimity A-E-R1.txt --votes votes.csv -m nG@1
unanimity A-E-R1.txt --qrels qrels.txt --sizes 1 -m nG@1
tau matrix.csv -m nG@1 -m P+
tau matrix.csv -m nG@1
tau matrix.csv --other matrix.csv -m P+
standardise matrix.csv -o standard.csv
standardisation matrix.csv
variance matrix.csv -m P+
reproduce unanimity
status .
"""
VERBS = ("is", "was", "has", "ties")


def test_one_of_a_thing_is_singular(made: Made, kaiwa: Kaiwa) -> None:
    """Every verb with one post, one comment, one topic, one run, one vote: no line says ``1 posts``."""
    for name, text in ONE_OF_EACH.items():
        made(name, text)
    kaiwa("init", ".")
    said = {line: kaiwa(*line.split()) for line in COMMANDS.splitlines()}
    plural = re.compile(rf"(?<![\d.,@])1 (?!(?:{'|'.join(VERBS)})\b)[a-z-]+s\b")
    wrong = {line: plural.findall(done.stdout + done.stderr) for line, done in said.items()}
    assert {line: found for line, found in wrong.items() if found} == {}
    assert "1 post, 1 comment, 1 pair of 1 read" in said["clean pairs.tsv -o repository"].stdout
    assert "1 post, 1 comment, 1 pair, 6 terms (en)" in said["index repository -o index --language en"].stdout
    assert "A-E-R1: 1 comment of 1 topic" in said[COMMANDS.splitlines()[6]].stdout
    assert "1 item of 1 topic, 2 votes, 2 per item" in said["agree votes.csv --pairs"].stdout
    assert "overlap of the first run " in said["tau matrix.csv -m nG@1 -m P+"].stdout


def test_a_thousand_of_a_thing_reads_the_same_in_a_line_and_in_a_table(made: Made, kaiwa: Kaiwa) -> None:
    """Whole numbers have a comma after the thousands."""
    votes = "".join(f"q,c{item},{who},{item % 3}\n" for item in range(1200) for who in ("ann", "bob"))
    made("votes.csv", f"topic,comment,assessor,level\n{votes}")
    lines = kaiwa("agree", "votes.csv").stdout.splitlines()
    assert lines[0] == "1,200 items of 1 topic, 2,400 votes, 2 per item"
    assert any(line.startswith("ann       1,200   0 ") for line in lines)
