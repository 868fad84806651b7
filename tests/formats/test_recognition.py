"""Every format is recognised by its example in ``examples/``; a file of another noun is answered with what it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.formats import table as format_table
from kaiwa.formats.readers import format_of, read_scores
from kaiwa.formats.recognition import QRELS, RUNS, SCORES, VOTES, Content, Format
from kaiwa.formats.table import FORMATS

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Made = Callable[[str, str | bytes], Path]
    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

EXAMPLES = Path(__file__).parent / "examples"
NOUNS = [noun for noun in vars(format_table).values() if isinstance(noun, Content)]


def example(name: str) -> Path:
    """The file or folder that shows a format."""
    (path,) = (EXAMPLES / name).iterdir()
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_the_example_of_a_format_is_recognised(name: str) -> None:
    """By the row itself, among all rows of its noun."""
    assert format_of(example(name), FORMATS[name].noun).name == name


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.name)
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_another_noun_is_answered_with_what_it_is(name: str, noun: Content[object, object]) -> None:
    """One line: what the file is, what was asked for, and a command that takes the file."""
    row: Format[object, object] = FORMATS[name]
    if row.noun is noun:
        return
    with pytest.raises(InputError) as refusal:
        format_of(example(name), noun)
    message = str(refusal.value)
    assert message.startswith(f"{example(name)}: this is {row.noun.file} ({row.shape}), not {noun.wanted}; ")
    assert f"kaiwa {row.noun.use.split('kaiwa ')[1].split()[0]}" in message
    assert "\n" not in message


NUMBERS_ONLY = {
    "numeric qrels": ("301 0 1234 1\n301 0 1235 0\n302 0 1234 2\n", QRELS),
    "numeric qrels of three columns": ("101 5521 1\n101 5522 0\n102 5521 2\n", QRELS),
    "a numeric run": ("301 0 1234 1 12.5 7\n301 0 1235 2 11.5 7\n", RUNS),
    "numeric labels": ("1001 2001 2 1 0 2\n1001 2002 0 0 1 1\n", VOTES),
}


@pytest.mark.parametrize("kind", NUMBERS_ONLY)
def test_numbers_that_are_ids_are_not_drawn_as_a_leaderboard(made: Made, kind: str) -> None:
    """Whole ids that are not repeated, with a second column of zeros or one-digit grades."""
    text, noun = NUMBERS_ONLY[kind]
    path = made("numbers.txt", text)
    assert format_of(path, noun).noun is noun
    with pytest.raises(InputError, match=f"this is {noun.file}"):
        read_scores(path)


@pytest.mark.parametrize(
    "text",
    [
        "0.5 0.25 0.1 0.9\n0.1 0.2 0.3 1\n",
        "1 0 1 1\n0 0 1 1\n1 0 0 0\n",
        "1 0 1 1 0 1\n0 0 1 1 1 1\n",
        "10 90 85 3 44\n20 80 10 0 55\n10 70 20 5 66\n",
        "3 4 2\n5 1 3\n5 2 2\n",
        "0 0 0 0\n0.5 0 1 1\n",
    ],
)
def test_a_matrix_of_bare_numbers_stays_a_matrix(made: Made, text: str) -> None:
    """Scores may be whole, and a run may score 0 throughout."""
    table = read_scores(made("AP.txt", text))["AP"]
    assert table.values.tolist() == [[float(cell) for cell in line.split()] for line in text.splitlines()]


def test_a_path_with_spaces_is_quoted_in_the_command(made: Made) -> None:
    """So that the command can be typed as it is shown."""
    with pytest.raises(InputError, match=r"kaiwa score RUN\.\.\. --qrels '.*my qrels\.txt'"):
        format_of(made("my qrels.txt", "q1 0 d1 2\nq1 0 d2 1\n"), SCORES)
