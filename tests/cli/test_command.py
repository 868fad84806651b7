"""The command itself: start-up, help, and refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from kaiwa.cli.group import VERBS

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

HEAVY = ("scipy.stats", "numba", "matplotlib", "starlette", "pyarrow", "numpy")


def test_help_loads_nothing_heavy() -> None:
    """``kaiwa --help`` imports none of the libraries that the verbs need."""
    look = (
        "import sys\nfrom kaiwa.cli.group import kaiwa\n"
        "try:\n    kaiwa(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_lists_every_verb(kaiwa: Kaiwa) -> None:
    """The table of verbs is the help."""
    shown = kaiwa("--help").stdout
    assert all(f"  {name} " in shown and verb.help in shown for name, verb in VERBS.items())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_and_json(kaiwa: Kaiwa, verb: str) -> None:
    """``--help`` of each verb shows an example, and every verb speaks JSON."""
    done = kaiwa(verb, "--help")
    assert done.returncode == 0
    assert f"kaiwa {verb}" in done.stdout.partition("Example")[2]
    assert "--json" in done.stdout


def test_the_command_alone_shows_its_help(kaiwa: Kaiwa) -> None:
    """A newcomer's first word is answered."""
    assert (kaiwa().returncode, kaiwa().stdout) == (0, kaiwa("--help").stdout)


def test_a_missing_choice_is_refused_in_one_line(kaiwa: Kaiwa) -> None:
    """The choices are in the line."""
    done = kaiwa("completion")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "bash, zsh, fish" in done.stderr


def test_a_misspelt_verb_offers_the_nearest(kaiwa: Kaiwa) -> None:
    """One line, exit code 2."""
    done = kaiwa("chekc")
    assert (done.returncode, done.stderr) == (
        2,
        "kaiwa: unknown verb 'chekc'; did you mean 'check'? (try: kaiwa --help)\n",
    )


def test_a_wrong_option_is_refused_in_one_line(kaiwa: Kaiwa) -> None:
    """Usage faults keep the house's form."""
    done = kaiwa("check", "--nonsense")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
