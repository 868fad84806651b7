"""The patterns of every rule set on a quarter of a mebibyte of adversarial text: work in proportion to the text."""

from __future__ import annotations

import resource
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from kaiwa.corpus.rules import known_rules

SECONDS = 100
"""Of processor time, for all texts together: about three are used; a quadratic pattern needs minutes for each text."""

PROGRAM = r"""
from kaiwa.corpus.rules import known_rules

SIZE = 1 << 18
UNITS = (
    *("a", " ", "a ", "1", "_", "!", "-", "\n"),  # any pattern
    *("ha", "haaa", "oh", "ye", "lol ", "@", "@a", "@-", "[a", "转", "转！", "哈", "对的"),  # repeated words
    *("www.", "www.a-", "t.", "RT ", "qq ", "qq1-", "微信 a", "加 v", "正品", "求互", "あ", "\u3000"),  # beginnings
)
texts = [(unit * (SIZE // len(unit) + 1))[:SIZE] + "\0" for unit in UNITS]
texts += [one * (SIZE // 2) + other * (SIZE // 2) for one, other in (("a", " "), (" ", "a"), ("!", "@"), ("@a", "!"))]
for rules in known_rules().values():
    for rule in rules.rules:
        print(rules.name, rule.name, sum(map(rule.refuses, texts)), len(texts), flush=True)
"""


def test_no_pattern_backtracks_on_long_texts() -> None:
    """Every rule of every set answers for every text, within a limit of work that only linear patterns keep."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )
    answered = [line.rsplit(maxsplit=2)[0] for line in done.stdout.splitlines()]
    assert answered == [f"{rules.name} {rule.name}" for rules in known_rules().values() for rule in rules.rules]
    assert done.returncode == 0, done.stderr


@given(st.text(alphabet="ab1 \t\n\u3000\x1c!", max_size=12))
def test_a_brief_post_has_fewer_than_four_words(text: str) -> None:
    """However its words are separated."""
    brief = next(rule for rule in known_rules()["chat"].rules if rule.name == "brief")
    assert brief.refuses(text) == (len(text.split()) < 4)
