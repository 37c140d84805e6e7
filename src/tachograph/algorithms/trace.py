"""A trace: what each iteration of an algorithm chose, how much work there was, and how long it took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..util.errors import InputError
from ..util.text import did_you_mean

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    import pyarrow as pa

    from ..plots.drawing import Drawing

__all__ = ["Trace"]


class Trace:
    """One row per iteration: what was chosen, how much work there was, how long it took.

    Columns are arrays: ``trace["seconds"]``; ``len(trace)`` is the number of rows. A single value is
    that of all rows. A trace is an Arrow stream, so ``polars.DataFrame(trace)`` and DuckDB take it as
    it is.

    >>> import tachograph as tg
    >>> trace = tg.bfs(tg.path(4), 0).trace
    >>> trace["frontier_vertices"].tolist()
    [1, 1, 1, 1]
    >>> next(iter(trace))["direction"]
    'push'
    """

    def __init__(
        self,
        columns: Mapping[str, object],
        kept: bool = True,
        more: Callable[[], Mapping[str, object]] | None = None,
    ) -> None:
        """Keep ``columns``, and those that ``more`` computes when a column is first asked for."""
        self._given = columns if kept else {}
        self._more = more if kept else None

    @cached_property
    def _columns(self) -> dict[str, NDArray[Any]]:
        given = {**self._given, **(self._more() if self._more else {})}
        made = {name: np.asarray(column) for name, column in given.items()}
        rows = next((column.size for column in made.values() if column.ndim), 1)
        return {k: v if v.ndim else np.repeat(v, rows) for k, v in made.items()}

    def __getstate__(self) -> dict[str, object]:
        return {"_columns": self._columns}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dictionaries."""
        lists = [c.tolist() for c in self._columns.values()]
        return (dict(zip(self._columns, row, strict=True)) for row in zip(*lists, strict=True))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            near = did_you_mean(name, self._columns)
            raise InputError(f"the trace has no column {name!r}: {', '.join(self._columns)}{near}")
        return self._columns[name]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return {name: column.tolist() for name, column in self._columns.items()}

    def to_arrow(self) -> pa.Table:
        """A ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.table({k: pa.array(v.tolist()) for k, v in self._columns.items()})

    def to_pandas(self) -> pd.DataFrame:
        """A ``pandas.DataFrame``."""
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, path: str | Path | None = None) -> Drawing:
        """Draw the rounds of a search, the kernels of each iteration, or who worked when.

        With ``path`` it is written there: .svg, .html, or, with matplotlib, .png or .pdf. A search with
        ``direction="oracle"`` also shows what each direction would have taken.

        Raises
        ------
        InputError
            If there is no chart for such a trace.
        """
        from ..plots.drawing import check_picture
        from ..plots.traces import charts_of

        if path is not None:
            check_picture(path)
        drawn = charts_of(self.to_dict())
        if not drawn:
            raise InputError(
                "there is no chart of this trace: those of searches, of kernels in iterations and of "
                "work by devices can be drawn"
            )
        if path is not None:
            drawn[0].save(path)
        return drawn[0]

    def _repr_html_(self) -> str:
        from ..plots.tables import trace_html

        return trace_html(self.to_dict())

    def summary(self) -> dict[str, Any]:
        """Rows and seconds in all, and for each direction, phase or kernel."""
        seconds = self._columns.get("seconds", np.zeros(len(self)))
        made: dict[str, Any] = {"iterations": len(self), "seconds": float(seconds.sum())}
        kind = next((k for k in ("direction", "phase", "kernel") if k in self._columns), None)
        if kind is not None:
            for name in dict.fromkeys(self[kind].tolist()):
                chosen = self[kind] == name
                made[name] = {
                    "iterations": int(chosen.sum()),
                    "seconds": float(seconds[chosen].sum()),
                }
        return made

    def __repr__(self) -> str:
        return f"Trace({len(self)} rows: {', '.join(self._columns)})"
