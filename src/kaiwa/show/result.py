"""A result shows itself once: its description in, and every form of it out: text, JSON, CSV, LaTeX, HTML, data frames.

A result says what it has in ``describe()``: tables with named columns, notes, a paragraph for a paper, JSON fields. The
command, ``print``, a notebook and a written file are drawn from this description, so they have the same columns and
the same notes.
"""

from __future__ import annotations

import json
from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from kaiwa.errors import InputError, UnknownName, counted, in_python, needs_extra
from kaiwa.show.text import table as text_table
from kaiwa.show.text import visible

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from kaiwa.show.text import Cell

MAX_ROWS = 50
MAX_COLUMNS = 20
MAX_CHARACTERS = 500
"""What a notebook shows of a table; the rest is counted."""
FORMATS = ("text", "json", "csv", "tex", "html", "md")
FILE_FORMATS = (*FORMATS, "tsv", "parquet", "svg")
_ENDINGS = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".tex": "tex", ".html": "html", ".md": "md"}
_MORE_ENDINGS = {".parquet": "parquet", ".svg": "svg"}
_PACKED = {".gz", ".zst"}


@dataclass(frozen=True)
class Table:
    """One table of a result.

    ``columns`` are the names that programs use, and ``rows`` have numbers or None in their cells. ``header`` and
    ``printed`` are the same as people read them: ranges, marks, limits cut at the end of the scale. ``unseen`` counts
    rows that the result has and the table does not.
    """

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    header: Sequence[str] = ()
    printed: Sequence[Sequence[Cell]] | None = None
    caption: str = ""
    digits: int = 4
    unseen: int = 0

    @property
    def heading(self) -> Sequence[str]:
        """The header that people read."""
        return self.header or self.columns

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows that people read."""
        return self.rows if self.printed is None else self.printed

    @property
    def more(self) -> str:
        """How many rows are not in the table; empty if all are."""
        return f"... and {counted(self.unseen, 'more row')}" if self.unseen else ""

    def text(self) -> str:
        """The table for a terminal, with what is not in it, and its caption."""
        under = [visible(line) for line in (self.more, self.caption) if line]
        return "\n".join([text_table(self.heading, self.shown, digits=self.digits), *under])

    def html(self) -> str:
        """The table as static HTML; rows beyond its size are counted, not shown."""
        from kaiwa.show.page import paragraph
        from kaiwa.show.page import table as html_table

        rows = [[_clipped(cell) for cell in row[:MAX_COLUMNS]] for row in self.shown[:MAX_ROWS]]
        header = [str(_clipped(name)) for name in self.heading[:MAX_COLUMNS]]
        more = replace(self, unseen=len(self.shown) - len(rows) + self.unseen).more
        caption = paragraph(str(_clipped(self.caption))) if self.caption else ""
        return caption + html_table(header, rows, digits=self.digits) + (paragraph(more) if more else "")

    def latex(self) -> str:
        """The table as a LaTeX tabular; a comment counts rows that are not in it."""
        from kaiwa.show.latex import latex_table

        return latex_table(self.heading, self.shown, digits=self.digits) + (f"% {self.more}\n" if self.more else "")

    def markdown(self) -> str:
        """The table as Markdown."""
        from kaiwa.show.text import show

        def line(cells: Sequence[Cell]) -> str:
            shown = [visible(show(cell, digits=self.digits)).replace("|", r"\|") for cell in cells]
            return f"| {' | '.join(shown)} |"

        rule = f"|{' --- |' * len(self.heading)}"
        return "\n".join([line(self.heading), rule, *map(line, self.shown), *([f"\n{self.more}"] if self.more else [])])

    def by_column(self) -> dict[str, list[Cell]]:
        """The rows, column by column."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}


@dataclass(frozen=True)
class Description:
    """What a result has to show.

    ``tables``: the first is the main one; ``shown`` names those that ``print`` shows, by default the main one.
    ``title`` precedes the tables. ``methods`` is a paragraph for a paper, and ends the text. ``fields`` are what
    programs get as JSON; what is not finite becomes null. ``text`` replaces the tables in print where the result is
    not a table.
    """

    tables: Sequence[Table] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON values
    title: str = ""
    notes: Sequence[str] = ()
    methods: str = ""
    shown: Sequence[str] = ()
    text: str | None = None

    def table(self, name: str | None = None) -> Table:
        """The table of this name, by default the main one; an unknown name is an error that lists the known ones."""
        if not self.tables:
            raise InputError("this result has no table; print it, or use its fields")
        known = {one.name: one for one in self.tables}
        if name is None:
            return self.tables[0]
        if name not in known:
            if form_of(Path(str(name))):
                raise InputError(f"{name!r} is a file, not a table; write it with .write({name!r})")
            raise UnknownName.among("table", name, known)
        return known[name]

    def worded(self, spelled: Callable[[str], str]) -> Description:
        """The same, with the options in its sentences spelled for Python or for the command."""
        return replace(
            self,
            title=spelled(self.title),
            notes=[spelled(note) for note in self.notes],
            methods=spelled(self.methods),
            text=None if self.text is None else spelled(self.text),
        )

    @property
    def printed(self) -> list[Table]:
        """The tables that ``print`` shows."""
        return [self.table(name) for name in self.shown] if self.shown else list(self.tables[:1])

    def plain(self, name: str | None = None) -> str:
        """The result for a terminal: title, tables, notes, methods; of a table by its name, the table alone."""
        if name is not None:
            return self.table(name).text()
        written = None if self.text is None else "\n".join(map(visible, self.text.split("\n")))
        body = [one.text() for one in self.printed] if written is None else [written]
        title = [visible(self.title)] if self.title else []
        under = "\n".join(visible(note) for note in self.notes)
        return "\n\n".join(part for part in (*title, *body, under, visible(self.methods)) if part)

    def html(self) -> str:
        """The result as HTML without external files, for a notebook."""
        from kaiwa.show.page import paragraph

        before = [paragraph(str(_clipped(self.title)))] if self.title else []
        if self.text is not None and not self.tables:
            before += [paragraph(line) for line in self.text.split("\n\n")]
        after = [paragraph(str(_clipped(note))) for note in self.notes]
        return "".join([*before, *(one.html() for one in self.printed), *after])

    def page(self, name: str | None = None) -> str:
        """The result, or a table, as a whole HTML page without external files."""
        shown = self.table(name).html() if name is not None else self.html()
        return f'<!doctype html>\n<meta charset="utf-8">\n<title>Kaiwa</title>\n{shown}'

    def latex(self, name: str | None = None) -> str:
        """A table, or all that ``print`` shows, as LaTeX; notes are comments."""
        if name is not None:
            return self.table(name).latex()
        from kaiwa.show.latex import APART

        made = APART.join(one.latex().rstrip("\n") for one in (self.printed or [self.table()]))
        return "\n".join([made, *(f"% {visible(note)}" for note in self.notes)]) + "\n"

    def markdown(self, name: str | None = None) -> str:
        """A table, or all that ``print`` shows, as Markdown."""
        if name is not None:
            return self.table(name).markdown() + "\n"
        chosen = self.printed or [self.table()]
        return "\n\n".join([*(one.markdown() for one in chosen), *(visible(note) for note in self.notes)]) + "\n"

    def json(self) -> str:
        """The fields as one line of JSON; an infinite limit is null."""
        return json.dumps(_plain(self.fields), ensure_ascii=False, allow_nan=False)

    def form(self, form: str, table: str | None = None) -> str:
        """The result in a form of FORMATS."""
        if form == "text":
            return self.plain(table)
        if form == "json":
            if table is not None:
                raise InputError("JSON has every table; leave out the name of one")
            return self.json()
        if form in {"csv", "tsv"}:
            from kaiwa.formats.fields import csv_text

            chosen = self.table(table)
            rows = [["" if cell is None else cell for cell in row] for row in chosen.rows]
            return csv_text(list(chosen.columns), rows, delimiter="\t" if form == "tsv" else ",")
        if form == "html":
            return self.table(table).html() if table else self.html()
        drawn = {"tex": self.latex, "md": self.markdown}
        if form not in drawn:
            raise UnknownName.among("format", form, FORMATS)
        return drawn[form](table)


class ResultType(ABCMeta):
    """The type of nouns and results: a name or a call of another tool is an error that says what to write."""

    if not TYPE_CHECKING:  # a type checker goes on refusing unknown names

        def __getattr__(cls, name: str) -> NoReturn:
            if name.startswith("_"):  # asked by Python and notebooks
                raise AttributeError(name)
            from kaiwa.other_tools import no_member

            raise no_member(cls.__name__, name, dir(cls))

        def __call__(cls, *given: object, **fields: object) -> object:
            """Make one of its fields; where a dict or a frame is given for them, the constructor is named."""
            try:
                return super().__call__(*given, **fields)
            except (TypeError, InputError):
                if len(given) == 1 and (maker := _maker(given[0])) and hasattr(cls, maker):
                    name, other = f"kaiwa.{cls.__name__}", type(given[0]).__name__
                    what = f"{name}(...) takes its fields, not a {other}; write {name}.{maker}(...)"
                    raise InputError(what) from None
                raise


def _maker(given: object) -> str:
    """The constructor that takes it; "" if none does."""
    if isinstance(given, Mapping):
        return "from_dict"
    return "from_pandas" if hasattr(given, "__arrow_c_stream__") else ""


class Result(metaclass=ResultType):
    """A noun or a result: ``print`` shows its text, a notebook its tables; it becomes frames, LaTeX, JSON.

    ``settings`` are the options that were taken from the settings of a task, by name; empty for what is made without.
    """

    settings: Mapping[str, Any] = MappingProxyType({})  # Any: JSON values

    if not TYPE_CHECKING:  # as above

        def __getattr__(self, name: str) -> Any:  # Any: a property that failed fails again, with its own error
            if name.startswith("_") or hasattr(type(self), name):
                return object.__getattribute__(self, name)
            from kaiwa.other_tools import no_member

            raise no_member(type(self).__name__, name, dir(self))

    def describe(self) -> Description:
        """What it has to show: tables, notes, JSON fields.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> [table.name for table in compared.describe().tables]
        ['leaderboard', 'pairs', 'anova']
        """
        raise NotImplementedError

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables, the main one first."""
        return tuple(one.name for one in self.describe().tables)

    def __str__(self) -> str:
        return self.describe().worded(in_python).plain()

    def _repr_html_(self) -> str:
        return self.describe().worded(in_python).html()

    def methods(self) -> str:
        """How it was made, as a paragraph for a paper.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.methods().split(" by ")[0]
        '2 runs were compared'
        """
        return in_python(self.describe().methods)

    def to_json(self) -> str:
        """Its JSON fields as one line, as ``--json`` prints them.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.to_json()[:42]
        '{"measure": "score", "direction": "higher"'
        """
        found = self.describe()
        taken = {"settings": dict(self.settings)} if self.settings else {}
        return replace(found, fields={**found.fields, **taken}).json()

    def with_settings(self, settings: Mapping[str, Any]) -> Self:  # Any: as above
        """The same, made with these settings of a task; JSON names them, so that the call can be repeated.

        >>> import kaiwa
        >>> kaiwa.names("fusions").with_settings({"seed": 3}).settings
        {'seed': 3}
        """
        if not settings:
            return self
        made = copy(self)
        object.__setattr__(made, "settings", {**self.settings, **settings})  # results are frozen
        return made

    def to_latex(self, table: str | None = None) -> str:
        r"""A table as a LaTeX tabular with booktabs rules; by default what ``print`` shows.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.to_latex("pairs").splitlines()[1]
        '\\toprule'
        """
        return self.describe().worded(in_python).latex(table)

    def to_csv(self, table: str | None = None) -> str:
        """A table as CSV text.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.to_csv("pairs").splitlines()[0][:13]
        'a,b,diff,low,'
        """
        return self.describe().form("csv", table)

    def columns(self, table: str | None = None) -> Mapping[str, Sequence[object]]:
        """The rows of a table, column by column.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.columns("pairs")["diff"]
        [1.0]
        """
        return self.describe().table(table).by_column()

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """A table as a pandas data frame.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.to_pandas()["run"].tolist()
        ['A', 'B']
        """
        with needs_extra("pandas"):
            import pandas as pd
        return pd.DataFrame(dict(self.columns(table)))

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """A table as a polars data frame.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.to_polars("pairs").shape[0]
        1
        """
        with needs_extra("polars"):
            import polars as pl
        return pl.DataFrame(dict(self.columns(table)))

    def write(self, path: Path | str, *, format: str | None = None, table: str | None = None) -> None:  # noqa: A002
        """Write it to a file: the ending says in which form, or ``format`` does; a table is chosen by its name.

        A name with another ending, or with none, gets ``own_form``.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "pairs.csv")
        >>> compared.write(path, table="pairs")
        >>> path.read_text()[:8]
        'a,b,diff'
        """
        from kaiwa.files.atomic import write_text

        target = Path(path)
        form = format or form_of(target)
        if form == "parquet":
            self._write_parquet(target, table)
        else:
            write_text(target, self._written(form, table).rstrip("\n") + "\n")

    def _written(self, form: str | None, table: str | None) -> str:
        """What a file of this form holds."""
        if form is None:
            return self.own_form(table)
        if form == "json" and table is None:
            return self.to_json()
        description = self.describe().worded(in_python)
        if form == "svg":
            if table is not None:
                description.table(table)  # an unknown name is an error
            return self.figure(table)
        return description.page(table) if form == "html" else description.form(form, table)

    def own_form(self, table: str | None = None) -> str:
        """What a file holds whose name says no form: what ``print`` shows.

        >>> import kaiwa
        >>> scores = {"A": dict.fromkeys("123456", 1.0), "B": dict.fromkeys("123456", 0.0)}
        >>> compared = kaiwa.compare(scores, trials=999)
        >>> compared.own_form() == str(compared)
        True
        """
        return self.describe().worded(in_python).plain(table)

    def figure(self, table: str | None = None) -> str:
        """A figure of a table as SVG; an error if it has none.

        >>> import kaiwa
        >>> kaiwa.names("fusions").figure()
        Traceback (most recent call last):
        ...
        kaiwa.errors.InputError: no figure of NameTable; write a table instead
        """
        raise InputError(
            f"no figure of {type(self).__name__}{f', table {table}' if table else ''}; write a table instead"
        )

    def _write_parquet(self, path: Path, table: str | None) -> None:
        from kaiwa.files.atomic import atomic_file

        if path.suffix in _PACKED:
            raise InputError.at(path, "is Parquet, which compresses itself", f"leave out {path.suffix}")
        with needs_extra("parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq
        with atomic_file(path) as temporary:
            pq.write_table(pa.table(dict(self.columns(table))), temporary)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as a stream of Arrow batches: ``polars.DataFrame(x)``, ``pyarrow.table(x)``, duckdb."""
        with needs_extra("parquet"):
            import pyarrow as pa
        return pa.table(dict(self.columns())).__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: object = None, *, copy: object = None) -> NoReturn:
        """Refused: ``pandas.DataFrame(x)`` would otherwise not make a frame of the rows."""
        name = type(self).__name__
        raise TypeError(f"a {name} is a table of several types; use .to_pandas(), .to_polars() or .columns()")


def form_of(path: Path) -> str | None:
    """The form that the ending of a name asks for, also before .gz and .zst; None if it names none."""
    endings = [ending for ending in path.suffixes if ending not in _PACKED]
    return (_ENDINGS | _MORE_ENDINGS).get(endings[-1]) if endings else None


def _plain(value: Any) -> Any:  # Any: JSON values
    """The value with only what JSON knows: no number that is not finite."""
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return value


def _clipped(cell: Cell) -> Cell:
    return f"{cell[:MAX_CHARACTERS]}..." if isinstance(cell, str) and len(cell) > MAX_CHARACTERS else cell
