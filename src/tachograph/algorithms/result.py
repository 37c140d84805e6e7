"""What an algorithm gives back: the values, what it did, and how long that took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..util.errors import InputError

if TYPE_CHECKING:
    from ..plots.drawing import Drawing

__all__ = ["Result", "Trace"]


class Trace:
    """One row per iteration: what was chosen, how much work there was, how long it took.

    Columns are arrays: ``trace["seconds"]``; ``len(trace)`` is the number of rows.

    >>> import tachograph as tg
    >>> trace = tg.bfs(tg.path(4), 0).trace
    >>> trace["frontier_vertices"].tolist()
    [1, 1, 1, 1]
    >>> next(iter(trace))["direction"]
    'push'
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = {k: np.asarray(v) for k, v in columns.items()}

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

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise InputError(f"the trace has no column {name!r}: {', '.join(self._columns)}")
        return self._columns[name]

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.table({k: pa.array(v.tolist()) for k, v in self._columns.items()})

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``."""
        return self.to_arrow().to_pandas()

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
        from ..plots.of_trace import charts_of

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

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return {name: column.tolist() for name, column in self._columns.items()}

    def _repr_html_(self) -> str:
        from ..plots.notebook import trace_html

        return trace_html(self.to_dict())

    def summary(self) -> dict[str, Any]:
        """Rows and seconds in all, and for each direction, phase or kernel."""
        seconds = self["seconds"]
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


class Result:
    """The outcome of a run; it cannot be changed. Values are attributes: ``result.levels``.

    ``seconds`` is the time of the algorithm itself: checks of arguments, compiling at the first
    use and verification are left out. ``provenance`` says whether numbers were ``measured``,
    ``modelled`` or ``simulated``.

    >>> import tachograph as tg
    >>> result = tg.connected_components(tg.path(3))
    >>> result.count, result.labels.tolist(), result.provenance
    (1, [0, 0, 0], 'measured')
    >>> sorted(result.to_dict())
    ['count', 'labels']
    """

    task: str
    seconds: float
    trace: Trace
    provenance: str
    plan: Any = None  # what it was run by, if there was one

    def __init__(
        self,
        task: str,
        values: Mapping[str, Any],
        *,
        later: Mapping[str, Callable[[], np.ndarray]] | None = None,
        seconds: float,
        trace: Trace,
        provenance: str = "measured",
    ) -> None:
        for value in values.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        own = {"task": task, "seconds": seconds, "trace": trace, "provenance": provenance}
        self.__dict__.update(
            {"_values": dict(values), "_later": dict(later or {}), **own, **values}
        )

    def to_dict(self) -> dict[str, Any]:
        """All values by name."""
        for name in list(self.__dict__["_later"]):
            getattr(self, name)
        return dict(self.__dict__["_values"])

    def __getattr__(self, name: str) -> Any:
        """A value that is computed when it is first asked for."""
        later = self.__dict__.get("_later", {})
        if name not in later:
            known = ", ".join([*self.__dict__.get("_values", ()), *later])
            raise AttributeError(f"this result has no {name!r}; it has {known}")
        value = later[name]()
        value.flags.writeable = False
        self.__dict__[name] = self.__dict__["_values"][name] = value
        later.pop(name, None)
        return value

    def __getstate__(self) -> dict[str, Any]:
        self.to_dict()
        return self.__dict__

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a result cannot be changed")

    def plot(self, path: str | Path | None = None) -> Drawing:
        """Draw the trace; see :meth:`Trace.plot`."""
        return self.trace.plot(path)

    def _repr_html_(self) -> str:
        from ..plots.notebook import result_html

        return result_html(self.task, _shown(self), self.trace.to_dict())

    def __repr__(self) -> str:
        shown = []
        for name, value in self.__dict__["_values"].items():
            large = isinstance(value, np.ndarray)
            shown.append(f"{name}: {value.dtype}[{value.size}]" if large else f"{name}={value!r}")
        return f"Result({self.task}, {', '.join(shown)}, {self.seconds * 1e3:.3g} ms)"


def _shown(result: Result) -> dict[str, str]:
    """What a result has, in words."""
    from ..plots import numbers as show

    made = {"time": f"{show.seconds(result.seconds)}, {result.provenance}"}
    for name, value in result.__dict__["_values"].items():
        if isinstance(value, np.ndarray):
            made[name] = f"{value.size:,} values of type {value.dtype}"
        elif isinstance(value, int | float | str):
            made[name] = f"{value:,.6g}" if isinstance(value, int | float) else value
    return made
