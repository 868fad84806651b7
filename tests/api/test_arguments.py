"""A wrong argument of a Python verb is one line that names it, before anything is read or written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.formats.reading import maybe_path, name_list, path_list, path_of, seed_of
from kaiwa.ranking.replies import Filters

if TYPE_CHECKING:
    from collections.abc import Callable

verbs: Any = kaiwa  # wrong types are what is tested
untyped: Any = Filters
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "no index": (lambda: verbs.open(None), "index=None is not a path"),
    "an empty index": (lambda: verbs.open(""), "index='' is not a path"),
    "a number of models": (lambda: verbs.open("index", models=3), "models=3 is not a path"),
    "no pairs": (lambda: verbs.clean(None, "repository"), "pairs=None is not a list"),
    "one pair of none": (lambda: verbs.clean([""], "repository"), "pairs='' is not a path"),
    "a seed below 0": (lambda: verbs.topics("repository", n=1, seed=-1), "seed=-1 is not a whole number"),
    "half a seed": (lambda: verbs.models("index", "models", seed=0.5), "seed=0.5 is not a whole number"),
    "no names": (lambda: verbs.models("index", "models", names=7), "names=7 is not a list"),
    "numbers as ids": (lambda: verbs.open("index", takedown=[7]), "takedown=[7] is not a list of ids"),
    "one number as ids": (lambda: verbs.open("index", takedown=7), "takedown=7 is not a list of ids"),
    "a blocked text": (lambda: untyped(blocked="advert"), "give a tuple of words"),
    "an invisible blocked word": (
        lambda: Filters(blocked=("\u200b",)),
        "blocked word '\\u200b' has no character",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the argument and its value, and nothing was made."""
    monkeypatch.chdir(tmp_path)
    call, message = WRONG[name]
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_right_arguments_are_taken_as_they_are() -> None:
    """A text is one path or one name; a seed may be any whole number."""
    assert path_of("index", "a") == maybe_path("index", Path("a")) == Path("a")
    assert maybe_path("index", None) is None
    assert path_list("pairs", "a") == path_list("pairs", [Path("a")]) == [Path("a")]
    assert name_list("names", "translation") == ["translation"]
    assert seed_of(3) == 3
