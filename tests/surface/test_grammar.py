"""The grammar of the command: letters, lists, ``-``, one value per option, the groups of help, for every verb."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

import kaiwa
from kaiwa.cli.grammar import group_of
from kaiwa.cli.group import kaiwa as group
from kaiwa.cli.output import GROUPS, IN_FILE, OUT_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Typed = Callable[..., Any]  # Any: Done of the fixture

LETTERS = {"-o", "-m", "-k", "-n", "-q", "-h"}


def _contexts(parent: click.Context) -> Iterator[click.Context]:
    """A context of each command."""
    if isinstance(parent.command, click.Group):
        for name in parent.command.list_commands(parent):
            command = parent.command.get_command(parent, name)
            assert command is not None
            context = click.Context(command, info_name=name, parent=parent)
            yield context
            yield from _contexts(context)


ROOT = click.Context(group, info_name="kaiwa", **group.context_settings)
CONTEXTS = {one.command_path.removeprefix("kaiwa "): one for one in _contexts(ROOT)}


def _options(name: str) -> list[click.Option]:
    context = CONTEXTS[name]
    return [one for one in context.command.get_params(context) if isinstance(one, click.Option)]


@pytest.mark.parametrize("name", CONTEXTS)
def test_letters_are_few_and_mean_one_thing(name: str) -> None:
    """-o output, -m measures, -k, -n, -q, -h; no others. The letter of measures is that of ``--measures``."""
    for one in _options(name):
        short = {opt for opt in one.opts if not opt.startswith("--")}
        assert short <= LETTERS, one.opts
        long = {"-o": "--output", "-m": "--measures", "-q": "--quiet", "-h": "--help"}
        assert all(long[letter] in one.opts for letter in short & long.keys()), one.opts


@pytest.mark.parametrize("name", CONTEXTS)
def test_help_is_in_groups_with_one_example(name: str) -> None:
    """What it works on, how, what is shown, how it runs; each option once, in 80 columns."""
    context = CONTEXTS[name]
    page = context.command.get_help(
        click.Context(context.command, context.parent, context.info_name, terminal_width=80)
    )
    headings = [heading for heading in GROUPS if f"\n{heading}:\n" in page]
    assert headings == [heading for heading in GROUPS if heading in {group_of(one) for one in _options(name)}]
    assert sorted(headings, key=lambda heading: page.index(f"\n{heading}:\n")) == headings
    listed = page[page.index(f"\n{headings[0]}:\n") : page.index("Example: ")]
    assert page.count("Example: ") == 1
    assert max(map(len, page.splitlines())) <= 80
    for one in _options(name):
        longest = max(one.opts, key=len)
        assert len(re.findall(rf"(?m)^  (-\w, )?{re.escape(longest)}(?![\w-])", listed)) == 1, longest


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", CONTEXTS)
def test_a_second_value_of_an_option_is_refused(typed: Typed, name: str) -> None:
    """In every verb, of every option that has one value; before any work."""
    for one in _options(name):
        if one.multiple or one.is_flag or one.count:
            continue
        choice = next(iter(one.type.choices)) if isinstance(one.type, click.Choice) else "1"
        longest = max(one.opts, key=len)
        done = typed(*name.split(), longest, choice, longest, choice)
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1), longest
        assert "is given 2 times; give it once" in done.err, longest


# ``-`` is stdin for one input.


STDIN = {
    "check": ("check -", "T1-C-R1.txt"),
    "check topics": ("check T1-C-R1.txt --topics -", "topics.tsv"),
    "pool": ("pool T1-C-R2.txt -", "T1-C-R1.txt"),
    "score": ("score - --qrels qrels.txt", "T1-C-R1.txt"),
    "score qrels": ("score T1-C-R1.txt --qrels -", "qrels.txt"),
    "score votes": ("score T1-C-R1.txt --votes -", "votes.csv"),
    "compare": ("compare - --trials 199", "scores.csv"),
    "compare qrels": ("compare T?-C-R1.txt --trials 199 --qrels -", "qrels.txt"),
    "gains": ("gains -", "votes.csv"),
    "agree": ("agree - --trials 20", "votes.csv"),
    "tau": ("tau -", "scores.csv"),
    "tau other": ("tau scores.csv -m nG@1 --other -", "earlier.csv"),
    "variance": ("variance -", "one.csv"),
    "variance votes": ("variance - --crossed", "votes.csv"),
    "standardise": ("standardise -", "scores.csv"),
    "standardise factors": ("standardise scores.csv --factors -", "factors.csv"),
    "unanimity": ("unanimity T1-C-R1.txt T2-C-R1.txt --votes - --trials 200", "votes.csv"),
    "design": ("design - --systems 3 --min-diff .2 --test tukey", "one.csv"),
    "design decide": ("design decide - --target .5", "one.csv"),
    "topics": ("topics repository --source - -n 2", "posts.tsv"),
    "retrieve": ("retrieve index - --name R", "topics.tsv"),
    "clean": ("clean - -o made", "pairs.tsv"),
    "fuse": ("fuse run0.run -", "bm25.run"),
    "train": ("train index - --topics topics.tsv --folds 2 --features q2c", "labels.txt"),
    "takedown": ("check T1-C-R1.txt --takedown -", "listed.txt"),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", STDIN)
def test_dash_is_stdin(
    typed: Typed, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    """The format is recognised by content, also compressed; the result is that of the file, and nothing is left."""
    words, file = STDIN[name]
    content = Path(file).read_bytes()
    monkeypatch.setattr(tempfile, "tempdir", str(own := tmp_path / "temporary"))
    own.mkdir()
    by_name = typed(*[file if word == "-" else word for word in words.split()], "--json")
    by_stdin = typed(*words.split(), "--json", stdin=gzip.compress(content) if packed else content)
    assert (by_stdin.code, by_stdin.err.replace("stdin", file)) == (by_name.code, by_name.err)
    endings = r"\bstdin(\.gz)?\b"
    assert re.sub(endings, file, by_stdin.out) == by_name.out
    assert list(own.glob("kaiwa-*")) == []


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("compare - -", "- is stdin, which is one input; it is given 2 times (SCORES)"),
        ("score - --qrels -", "- is stdin, which is one input; it is given 2 times (RUNS and --qrels)"),
        ("clean pairs.tsv -o -", "-o does not write to stdout; give a name"),
        ("check T1-C-R1.txt --fix -", "--fix does not write to stdout; give a name"),
        ("compare -", "stdin:2: "),
    ],
)
def test_dashes_that_cannot_be_are_refused(typed: Typed, words: str, message: str) -> None:
    """In one line; an error in what stdin holds names it."""
    done = typed(*words.split(), stdin=b"what,is\nthis\n")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.startswith(f"kaiwa: {message}")


@pytest.mark.usefixtures("here")
def test_a_dash_is_a_name_in_python() -> None:
    """Stdin is of the command only, and a text is a path, never content."""
    with pytest.raises(kaiwa.InputError, match="-: no such file"):
        kaiwa.compare("-")
    with pytest.raises(kaiwa.InputError, match="no such file"):
        kaiwa.compare("topic,A,B\nq1,1,2\n")


# Lists: the option again, or commas; a name that has a comma itself is tried whole first.


LISTS = {
    "check": ("check T1-C-R1.txt", "--ignore", ("rank-order", "rising-scores")),
    "gains": ("gains votes.csv", "--without", ("ann", "bob")),
    "score": ("score T1-C-R1.txt --qrels qrels.txt", "-m", ("nG@1", "RBP(p=0.8)", "P+")),
    "compare": ("compare scores.csv --trials 199", "-m", ("nG@1", "ppl")),
    "directions": ("compare scores.csv --trials 199", "--lower-is-better", ("ppl", "nG@1")),
    "tau": ("tau scores.csv", "-m", ("nG@1", "ppl")),
    "standardise": ("standardise scores.csv", "-m", ("nG@1", "ppl")),
    "unanimity": ("unanimity T1-C-R1.txt T2-C-R1.txt --votes votes.csv --trials 200", "-m", ("nG@1", "AP")),
    "train": ("train index labels.txt --topics topics.tsv --folds 2", "--features", ("q2c", "length")),
    "grid": ("design --variance .06 --min-diff .2", "--systems", ("3", "5")),
    "depths": ("design cost --variance .06 --systems 3 --min-diff .2", "--depth", ("3", "5")),
    "looks": ("design rounds --variance .06 --systems 3 --min-diff .2", "--looks", ("30", "60")),
    "runs": (
        "design cost --variance .06 --systems 3 --min-diff .2 --depth 1",
        "--runs",
        ("T1-C-R1.txt", "T3-C-R1.txt"),
    ),
    "assessors": ("pool task --sheet judge.csv", "--assessors", ("A1", "A2")),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_the_option_again_or_commas(typed: Typed, name: str) -> None:
    """The same result, which one value alone does not give."""
    words, option, values = LISTS[name]

    def shown(*more: str) -> str:
        Path("judge.csv").unlink(missing_ok=True)
        done = typed(*words.split(), *more, "--json")
        return str(done.out or done.err)

    apart = shown(*[word for value in values for word in (option, value)])
    assert shown(option, ",".join(values)) == apart
    assert apart.startswith("{")
    assert shown(option, values[0]) != apart


@pytest.mark.usefixtures("here")
def test_a_name_with_a_comma_is_tried_whole_first(typed: Typed) -> None:
    """A measure, an assessor and a file may have one."""
    scores = Path("scores.csv").read_text()
    Path("comma.csv").write_text(scores.replace("nG@1,", '"NCUgu,P",'))
    done = typed("compare", "comma.csv", "-m", "NCUgu,P", "--json", "--trials", "199")
    assert json.loads(done.out)["measure"] == "NCUgu,P"
    Path("named.csv").write_text(Path("votes.csv").read_text().replace(",ann,", ',"Lee, Ann",'))
    assert json.loads(typed("gains", "named.csv", "--without", "Lee, Ann", "--json").out)["without"] == ["Lee, Ann"]
    Path("T1,C.txt").write_text(Path("T1-C-R1.txt").read_text())
    cost = ("design", "cost", "--variance", ".06", "--systems", "3", "--min-diff", ".2", "--pooled", "1", "--json")
    assert typed(*cost, "--runs", "T1,C.txt").out == typed(*cost, "--runs", "T1-C-R1.txt").out != ""


@pytest.mark.usefixtures("here")
def test_names_of_an_argument_may_have_commas(typed: Typed) -> None:
    """Those of a table."""
    made = json.loads(typed("models", "index", "topicword,translation", "-o", "made", "--json").out)
    assert {"topicword", "translation"} <= set(made["trained"])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "several"),
    [
        ("check {} --json", "T1-C-R1.txt T1-C-R2.txt"),
        ("pool {} --json", "T1-C-R1.txt T1-C-R2.txt"),
        ("score {} --qrels qrels.txt --json", "T1-C-R1.txt T1-C-R2.txt"),
        ("fuse {} --json", "T1-C-R1.txt T1-C-R2.txt"),
        ("unanimity {} --votes votes.csv --json", "T1-C-R1.txt T1-C-R2.txt"),
    ],
)
def test_folders_and_quoted_patterns_are_their_files(typed: Typed, words: str, several: str) -> None:
    """Wherever several files do."""
    folder = Path("some")
    folder.mkdir()
    for name in several.split():
        (folder / name).write_bytes(Path(name).read_bytes())
    apart = typed(*words.format(" ".join(f"some/{name}" for name in several.split())).split())
    assert apart.code in {0, 1}
    assert apart.out == typed(*words.format("some/*.txt").split()).out == typed(*words.format("some").split()).out


def test_inputs_and_outputs_are_told_by_their_types() -> None:
    """Every path of a command is one that it reads or writes; what is read may be ``-``."""
    for name, context in CONTEXTS.items():
        for one in context.command.params:
            assert not isinstance(one.type, click.Path) or one.type in (IN_FILE, OUT_FILE), (name, one.name)
