"""Names and calls of other libraries on our nouns: the line says what to write, and nothing of Python's own breaks."""

from __future__ import annotations

import copy
import pickle
import re

import pandas as pd
import polars as pl
import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.other_tools import FUNCTIONS, MEMBERS, no_function, no_member
from kaiwa.show.result import Description, Result

RUN = kaiwa.Run.from_dict({"q1": {"a": 2.0, "b": 1.0}}, "A")
NOUNS = ("Run", "Qrels", "Votes", "Scores", "Comparison")


def _members(noun: str) -> list[str]:
    """The attributes of a noun, its fields among them."""
    kind = getattr(kaiwa, noun)
    return [*dir(kind), *getattr(kind, "__dataclass_fields__", ())]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_of_another_tool_is_one_of_ours(name: str) -> None:
    """The table is for names that we do not have; each line ends with what to write."""
    assert name not in kaiwa.__all__
    assert f"; write {FUNCTIONS[name]}" in str(no_function(name, kaiwa.__all__))


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize("name", MEMBERS)
def test_what_a_line_says_to_write_exists(noun: str, name: str) -> None:
    """A method that the line names is one of this noun, or a function of ours; no brace is left."""
    own = _members(noun)
    line = str(no_member(noun, name, own))
    assert "{noun}" not in line
    written = line.partition("; write ")[2]
    if found := re.match(r"(?:kaiwa\.(?P<noun>[A-Z]\w+))?\.(?P<member>\w+)", written):
        assert found["member"] in own
    elif found := re.match(r"kaiwa\.(\w+)", written):
        assert found[1] in kaiwa.__all__
    else:
        assert written.startswith("len(") or not written


def test_the_most_usual_names_are_answered_for_every_noun() -> None:
    """Whatever has a file has its method, whatever has rows a data frame."""
    for noun in NOUNS:
        own = _members(noun)
        assert "; write .write(path)" in str(no_member(noun, "save", own))
        assert "; write .to_pandas().groupby" in str(no_member(noun, "groupby", own))
        assert noun == "Comparison" or "; write kaiwa." in str(no_member(noun, "from_df", own))


def test_an_attribute_that_is_nearly_ours_is_offered() -> None:
    """Of a noun, of its type, and of the package."""
    for ask, near in (
        (lambda: RUN.rankin, ".ranking"),
        (lambda: kaiwa.Run.from_dic, ".from_dict"),
        (lambda: kaiwa.compar, "kaiwa.compare"),
    ):
        with pytest.raises(AttributeError) as error:
            ask()
        assert f"did you mean {near}?" in str(error.value)


def test_a_run_is_copied_and_pickled() -> None:
    """Python asks for names that begin with an underscore."""
    assert copy.deepcopy(RUN) == copy.copy(RUN) == pickle.loads(pickle.dumps(RUN)) == RUN  # noqa: S301  our own
    assert not hasattr(RUN, "_repr_png_")
    assert not hasattr(kaiwa.Run, "__get_validators__")


def test_a_property_that_fails_keeps_its_own_error() -> None:
    """An AttributeError inside it is not taken for a missing name."""

    class Broken(Result):
        @property
        def answer(self) -> int:
            return self.describe().nothing  # type: ignore[attr-defined,no-any-return]

        def describe(self) -> Description:
            return Description()

    with pytest.raises(AttributeError, match="'Description' object has no attribute 'nothing'"):
        _ = Broken().answer


@pytest.mark.parametrize("noun", [kaiwa.Run, kaiwa.Qrels, kaiwa.Scores, kaiwa.Votes])
def test_a_noun_called_with_a_frame_names_its_constructor(noun: type) -> None:
    """Of pandas and polars."""
    for frame in (pd.DataFrame({"topic": ["q1"]}), pl.DataFrame({"topic": ["q1"]})):
        with pytest.raises(
            InputError, match=rf"takes its fields, not a DataFrame; write kaiwa\.{noun.__name__}\.from_p"
        ):
            noun(frame)


def test_qrels_and_votes_from_a_frame_name_their_columns() -> None:
    """By argument; the scale's top too."""
    frame = pd.DataFrame({"who": ["ann"], "q": [1], "d": ["a"], "points": [2]})
    qrels = kaiwa.Qrels.from_pandas(frame, topic="q", comment="d", gain="points", top=3)
    assert (qrels.of("1"), qrels.top) == ({"a": 2.0}, 3.0)
    votes = kaiwa.Votes.from_pandas(frame, topic="q", comment="d", assessor="who", level="points", max_level=3)
    assert (votes.assessors, votes.level.tolist(), votes.top) == (("ann",), [2], 3)
    with pytest.raises(InputError, match="has no column 'x'"):
        kaiwa.Qrels.from_pandas(frame, topic="x")
