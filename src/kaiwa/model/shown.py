"""What every noun and result can do: be printed, be shown in a notebook, and become a table of another library."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from kaiwa.errors import needs_extra
from kaiwa.model.late import verb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    import polars as pl


class Shown:
    """A noun or a result: ``print`` shows its text, a notebook its table; it converts to data frames and LaTeX.

    >>> import kaiwa
    >>> gains = kaiwa.Gains.from_lists({"q1": {"a": 2, "b": 0}})
    >>> print(gains)
      gain  comments
    ------  --------
    2.0000         1
    0.0000         1
    2 judged comments of 1 topic; gmax 2
    """

    def __str__(self) -> str:
        text: str = verb("Shown.text")(self)
        return text

    def _repr_html_(self) -> str:
        html: str = verb("Shown.sheet")(self).html()
        return html

    def to_latex(self) -> str:
        r"""The table that ``print`` shows, as a LaTeX tabular with booktabs rules.

        >>> import kaiwa
        >>> gains = kaiwa.Gains.from_lists({"q1": {"a": 2}})
        >>> gains.to_latex().splitlines()[2]
        'gain & comments \\\\'
        """
        latex: str = verb("Shown.sheet")(self).latex()
        return latex

    def columns(self) -> Mapping[str, Sequence[object]]:
        """The rows of the table, column by column.

        >>> import kaiwa
        >>> dict(kaiwa.Gains.from_lists({"q1": {"a": 2}}).columns())
        {'topic': ['q1'], 'comment': ['a'], 'gain': [2.0]}
        """
        columns: Mapping[str, Sequence[object]] = verb("Shown.sheet")(self).columns()
        return columns

    def to_csv(self, path: Path | str | None = None) -> str:
        r"""The rows as CSV text, also written to ``path`` if given.

        >>> import kaiwa
        >>> kaiwa.Gains.from_lists({"q1": {"a": 2}}).to_csv()
        'topic,comment,gain\nq1,a,2.0\n'
        """
        text: str = verb("Shown.csv")(self.columns(), path)
        return text

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        >>> import kaiwa
        >>> kaiwa.Gains.from_lists({"q1": {"a": 2}}).to_pandas().columns.tolist()
        ['topic', 'comment', 'gain']
        """
        with needs_extra("pandas"):
            import pandas as pd
        return pd.DataFrame(dict(self.columns()))

    def to_polars(self) -> pl.DataFrame:
        """The rows as a polars data frame.

        >>> import kaiwa
        >>> kaiwa.Gains.from_lists({"q1": {"a": 2}}).to_polars().columns
        ['topic', 'comment', 'gain']
        """
        with needs_extra("polars"):
            import polars as pl
        return pl.DataFrame(dict(self.columns()))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as a stream of Arrow batches: ``polars.DataFrame(x)``, ``pyarrow.table(x)``, duckdb."""
        with needs_extra("parquet"):
            import pyarrow as pa
        return pa.table(dict(self.columns())).__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: object = None, *, copy: object = None) -> NoReturn:
        """Refused: ``pandas.DataFrame(x)`` would otherwise not make a frame of the rows."""
        name = type(self).__name__
        raise TypeError(f"a {name} is a table of several types; use .to_pandas(), .to_polars() or .columns()")


class Noun(Shown):
    """A table of rows: a run, gains, votes or one measure's scores."""

    def __iter__(self) -> NoReturn:
        """Refused by a TypeError, so that ``pandas.DataFrame(x)`` shows the message of ``__array__``."""
        name = type(self).__name__
        raise TypeError(f"a {name} has several columns; use its fields, or .columns()")
