"""What nouns share: their files in the formats of other tools."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.show.result import FILE_FORMATS, Result

if TYPE_CHECKING:
    from kaiwa.formats.fields import Texts


INTO_A_FOLDER = "write them into a folder: .write(FOLDER), -o FOLDER"


class Rows(Result):
    """A result that is a table of rows, of which ``pandas.DataFrame(x)`` cannot make a frame: its message says how."""

    def __iter__(self) -> NoReturn:
        """Refused by a TypeError, so that pandas shows the message of ``__array__``."""
        raise TypeError(f"a {type(self).__name__} has several columns; use its fields, or .columns()")

    def __getitem__(self, key: object) -> NoReturn:
        """Refused, with what gives the rows of a topic."""
        one = next((f".{name}({key!r})" for name in ("ranking", "of") if hasattr(type(self), name)), ".columns()")
        raise InputError(f"a {type(self).__name__} is not a dict; write {one}")


class Noun(Result):
    """What verbs take and return: runs, qrels, votes, scores, topics, factors, chances; with files of its own.

    ``kaiwa.convert`` returns the noun that the files hold, which it writes in the chosen format.

    >>> import kaiwa
    >>> isinstance(kaiwa.Qrels.from_dict({"q1": {"c9": 3}}), kaiwa.Noun)
    True
    """

    _in_table: ClassVar[str] = ""
    """The noun's name in the table of formats."""
    _format: str | None = None
    """The format that ``in_format`` chose; what is made of the noun later has none."""

    def in_format(self, format: str) -> Self:  # noqa: A002  the word that readers know
        """The same noun, which ``write`` writes in this format unless another is given.

        >>> import kaiwa
        >>> print(kaiwa.Qrels.from_dict({"q1": {"c9": 3}}).in_format("ntcir-qrels").own_form(), end="")
        q1 c9 L3
        """
        _writer(self._in_table, format)
        chosen = copy(self)
        object.__setattr__(chosen, "_format", format)
        return chosen

    def texts(self, format: str) -> Texts:  # noqa: A002
        r"""The text of each of its files in a format of ``kaiwa.names("written-formats")``; one file has the name "".

        >>> import kaiwa
        >>> kaiwa.Qrels.from_dict({"q1": {"c9": 3}}).texts("trec-qrels")
        {'': 'q1 0 c9 3\n'}
        """
        made: Texts = _writer(self._in_table, format)(self)
        return made

    def own_form(self, table: str | None = None) -> str:
        """What its own file holds, or one in the chosen format; of another table, what its form of a file holds."""
        if self._format is None or table is not None:
            return self._own_file(table)
        texts = self.texts(self._format)
        if "" not in texts:
            raise InputError(f"{self._format} is {counted(len(texts), 'file')}; {INTO_A_FOLDER}")
        return texts[""]

    def _own_file(self, table: str | None) -> str:
        """The text of its own file; a table that has none is written as ``print`` shows it."""
        return super().own_form(table)

    def write(self, path: Path | str, *, format: str | None = None, table: str | None = None) -> None:  # noqa: A002
        """Write its own file, or another form by the ending or ``format``; a format of several files makes a folder.

        Its own file is that of an STC/NTCIR run if the run has a description, else of a TREC run; of TREC qrels; of
        topics, ``id TAB text``; tidy CSV of votes, scores and factors. ``format`` is a form, such as ``json``, or a
        format of ``kaiwa.names("written-formats")``.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "qrels")
        >>> kaiwa.Qrels.from_dict({"q1": {"c9": 3}}).write(path, format="rel")
        >>> sorted(file.name for file in path.rglob("*"))
        ['q1', 'q1.rel', 'topics.tid']
        """
        from kaiwa.files.atomic import write_text, write_texts

        chosen = format or (self._format if table is None else None)
        if chosen is None or (chosen in FILE_FORMATS and chosen != self._format):
            super().write(path, format=chosen, table=table)
            return
        if table is not None:
            raise InputError(f"a file of {chosen} has no table {table!r}; leave out {option('table')}")
        texts = self.texts(chosen)
        if "" in texts:
            write_text(Path(path), texts[""])
        else:
            write_texts(Path(path), texts)


def _writer(noun: str, name: str) -> Any:  # Any: a function of the noun, which the table does not know
    """The function that makes the texts of a noun in one of its formats."""
    from kaiwa.formats.table import FORMATS

    known = {row.name: row.texts for row in FORMATS.values() if row.noun.name == noun and row.texts is not None}
    if name not in known:
        raise UnknownName.among("format", name, [*known, *(form for form in FILE_FORMATS if form not in known)])
    return known[name]
