"""The vocabulary numbers terms as a plain dictionary would, whatever the tokens and the blocks they come in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kaiwa.retrieval.documents import TermTable, term_arrays
from kaiwa.retrieval.tokenisers import Tokeniser
from kaiwa.retrieval.vocabulary import Vocabulary

LETTERS = "ab\x00é中文😀"
TEXTS = st.lists(st.lists(st.text(LETTERS, min_size=1, max_size=9), max_size=8), max_size=12)


def _tokeniser() -> Tokeniser:
    """Drops what holds an "a" first, and takes two tokens for one term."""
    return Tokeniser("law", str.split, lambda token: "" if token[0] == "a" else token.replace("é", "b"))


def _by_dictionary(texts: list[list[str]]) -> tuple[list[list[int]], list[str]]:
    known: dict[str, int] = {}
    term = _tokeniser().term
    numbers = [[known.setdefault(term(one), len(known)) for one in text if term(one)] for text in texts]
    return numbers, list(known)


@given(st.lists(TEXTS, max_size=4))
def test_terms_are_numbered_in_the_order_of_first_occurrence(blocks: list[list[list[str]]]) -> None:
    """Several blocks give the numbers, counts and terms that one dictionary gives."""
    vocabulary = Vocabulary(_tokeniser())
    lines = ["".join(" ".join(text) + "\n" for text in block).encode() for block in blocks]
    made = [vocabulary.numbers(block) for block in lines]
    numbers, terms = _by_dictionary([text for block in blocks for text in block])
    assert [term for tokens, _ in made for term in tokens.tolist()] == [term for text in numbers for term in text]
    assert [length for _, lengths in made for length in lengths.tolist()] == list(map(len, numbers))
    assert (vocabulary.terms(), len(vocabulary)) == (terms, len(terms))


def test_many_tokens_grow_the_table() -> None:
    """Tens of thousands of tokens, short and long, all keep their numbers when they occur again."""
    tokens = [f"{number}" if number % 2 else f"中文词{number:09d}" for number in range(30_000)]
    vocabulary = Vocabulary(Tokeniser("law", str.split, str))
    block = (" ".join(tokens) + "\n").encode()
    first, _ = vocabulary.numbers(block)
    again, _ = vocabulary.numbers(block)
    assert first.tolist() == again.tolist() == list(range(len(tokens)))


@given(st.lists(st.text("ab中😀", min_size=1, max_size=4), unique=True, max_size=20), st.text("ab中😀", max_size=4))
def test_every_term_is_found_and_no_other(terms: list[str], other: str) -> None:
    """A term's number is its place in the list; an unknown one has none."""
    vocabulary = Vocabulary(Tokeniser("law", str.split, str))
    vocabulary.numbers("".join(f"{term}\n" for term in terms).encode())
    table = TermTable(**term_arrays(*vocabulary.encoded()))
    assert table.numbers(terms).tolist() == list(range(len(terms)))
    assert [table.text_of(number) for number in range(len(terms))] == terms
    assert table.numbers([other]).tolist() == [terms.index(other) if other in terms else -1]
