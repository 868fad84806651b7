"""Random command lines: a verb, files of the kinds that it takes, and some of its options."""

from __future__ import annotations

import contextlib
import io
import os
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmarks.fuzz.changed_files import example, mutated
from kaiwa.cli.group import VERBS, kaiwa
from kaiwa.errors import KaiwaError
from kaiwa.formats.table import FORMATS

if TYPE_CHECKING:
    import random

_NOT_RUN = {"demo", "make", "reproduce", "completion", "report"}
"""Verbs that work for long, or on no file."""
_TAKES = {
    **dict.fromkeys(("check", "pool", "score"), "run"),
    **dict.fromkeys(("agree", "gains", "unanimity"), "votes"),
    **dict.fromkeys(("compare", "tau", "standardise", "standardisation", "variance", "convert"), "scores"),
    "clean": "pairs",
}
"""The noun of the files that a verb takes."""
_OPTION_TAKES = {"pilots": "scores", "qrels": "qrels", "votes": "votes", "topics": "topics", "chances": "chances"}
_VALUES = [
    *("out/made", "nERR@10", "P+", "AP", "0", "1", "2", "3", "0.05", "L1=1,L2=3", "-1", "9" * 20, "1e999", "nan", ""),
    *("1e-320", " ", "\n", "x" * 300, "\x1b[31m", "\u202e", "=1+1", "'", "[", "*", "a b", "#", "../x", "\udcff"),
]


def tried_words(rng: random.Random, work: Path) -> str:
    """Run a random command line in a folder with examples: ``read`` if it answers, ``refused`` if it ends in code 2."""
    work.mkdir(parents=True, exist_ok=True)
    words = _words(rng, work)
    (work / "words.txt").write_text("\n".join(words), encoding="utf-8", errors="surrogatepass")
    here, out = Path.cwd(), io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    os.chdir(work)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            copy_context().run(_invoke, words)  # --quiet ends with the line
    except (KaiwaError, click.ClickException, click.Abort, OSError):
        return "refused"
    except click.exceptions.Exit:
        return "read"
    except SystemExit as ending:
        return "read" if ending.code in {0, 1} else "refused"
    finally:
        os.chdir(here)
    return "read"


def _invoke(words: list[str]) -> None:
    with kaiwa.make_context("kaiwa", words) as context:
        kaiwa.invoke(context)


def _words(rng: random.Random, work: Path) -> list[str]:
    verb = rng.choice([name for name in VERBS if name not in _NOT_RUN])
    command = kaiwa.get_command(click.Context(kaiwa), verb)
    options = [one for one in (command.params if command else []) if isinstance(one, click.Option)]
    words = [verb, *(_path(rng, _TAKES.get(verb), work) for _ in range(rng.choice([0, 1, 1, 1, 2])))]
    needed = [one for one in options if one.name in _OPTION_TAKES and rng.random() < 0.5]
    chosen = rng.sample(options, min(len(options), rng.choice([0, 1, 1, 2, 3])))
    for option in dict.fromkeys([*needed, *chosen]):
        words.append(rng.choice(option.opts))
        if not option.is_flag:
            words.append(_value(rng, option, work))
    return words


def _path(rng: random.Random, noun: str | None, work: Path) -> str:
    """A copy of an example, changed or not, mostly of the noun."""
    kinds = [row.name for row in FORMATS.values() if row.noun.name == noun and rng.random() < 0.9] or list(FORMATS)
    name = rng.choice(kinds)
    make = mutated if rng.random() < 0.5 else lambda _, name, folder: example(name, folder)
    return str(make(rng, name, work / f"{name}-{rng.randrange(100)}").relative_to(work))


def _value(rng: random.Random, option: click.Option, work: Path) -> str:
    """A value for the option: one that it knows, a path, a number or a hostile text."""
    if isinstance(option.type, click.Choice) and rng.random() < 0.7:
        return str(rng.choice(option.type.choices))
    if option.name in _OPTION_TAKES and rng.random() < 0.7:
        return _path(rng, _OPTION_TAKES[option.name], work)
    return rng.choice(_VALUES)
