"""What an algorithm gives back: its values, and how they came about.

A task has a frozen dataclass of its own beside its algorithm (``BfsResult`` in ``bfs.py``); all of them
share what is here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..util.errors import InputError, MissingDependencyError
from ..util.text import did_you_mean
from .trace import Trace

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    import polars as pl
    import pyarrow as pa

    from ..plots.drawing import Drawing

__all__ = ["Labels", "Lazy", "Result", "Run", "Trace", "back_to_source"]

T = TypeVar("T")
#: Why there is no path; a result does not know how far its search was meant to go.
NOT_REACHED = "it was not reached (a search with a target ends there)"
NOT_VALUES = ("run", "consecutive")  # fields that say how values came about, or how they are meant


def back_to_source(before: NDArray[np.integer], end: int) -> NDArray[np.int64] | None:
    """Return the path from a source to ``end`` along predecessors; None if it does not begin at one.

    >>> back_to_source(np.array([0, 0, 1]), 2).tolist()
    [0, 1, 2]
    """
    found = [end]
    while (last := int(before[found[-1]])) != found[-1]:
        if last < 0:
            return None
        found.append(last)
    return np.array(found[::-1])


def _changed(known: T, **changes: object) -> T:
    """Return a copy with some other attributes; every call needs two, and this takes a microsecond."""
    made: T = object.__new__(type(known))
    vars(made).update(vars(known), **changes)
    return made


class Lazy(Generic[T]):
    """A value that is computed when it is first asked for.

    >>> late = Lazy(lambda: 6 * 7)
    >>> late(), late()
    (42, 42)
    """

    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute: Callable[[], T] | None = compute

    def __call__(self) -> T:
        if self._compute is not None:
            self._value, self._compute = self._compute(), None
        return self._value

    def __getstate__(self) -> dict[str, object]:
        return {"_compute": None, "_value": self()}  # functions do not travel


@dataclass(frozen=True)
class Run:
    """How a result came about: which way was chosen, by whom and why, and what it took.

    ``seconds`` is the time of the algorithm itself: checks of arguments, compiling at the first use and
    verification are left out. ``predicted`` is what the chosen way was predicted to take, None where
    nothing is known. ``provenance`` says whether numbers were ``measured``, ``modelled`` or
    ``simulated``; ``number`` is the run's number in the journal, if it was kept. ``stopped`` is empty
    unless a deadline has ended the run before it was finished: then it says what the values are.

    >>> import tachograph as tg
    >>> run = tg.bfs(tg.path(3), 0).run
    >>> run.way, run.device, run.provenance
    ('auto', 'host', 'measured')
    """

    seconds: float
    trace: Trace
    way: str = ""
    reason: str = ""
    device: str = "host"
    provenance: str = "measured"
    number: int | None = None
    stopped: str = ""
    prediction: Lazy[float | None] = dataclasses.field(default=Lazy(lambda: None))
    names: Lazy[NDArray[Any] | None] = dataclasses.field(default=Lazy(lambda: None))

    def __repr__(self) -> str:
        from ..plots.numbers import seconds

        told = [f"{self.way} on {self.device}", f"{seconds(self.seconds)} {self.provenance}"]
        told += [] if self.number is None else [f"number {self.number}"]
        return f"Run({', '.join(told)}: {self.stopped or self.reason})"

    @property
    def predicted(self) -> float | None:
        """Seconds that the chosen way was predicted to take."""
        return self.prediction()


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Result:
    """The outcome of a run; it cannot be changed. Values are attributes: ``result.levels``.

    A result whose values are one array is that array to NumPy; the arrays that have a row for each
    vertex, or each pair, are a table (:meth:`to_pandas`, :meth:`to_polars`, :meth:`to_arrow`) and an
    Arrow stream: ``polars.DataFrame(result)``. If the graph's vertices have names, tables have them
    instead of ids.

    >>> import tachograph as tg
    >>> result = tg.connected_components(tg.path(3))
    >>> result.count, result.labels.tolist(), result.run.way
    (1, [0, 0, 0], 'auto')
    >>> sorted(result.to_dict())
    ['count', 'labels']
    """

    task: ClassVar[str]
    #: The value that the result is to NumPy, and those that are columns of one table.
    array: ClassVar[str | None] = None
    table: ClassVar[tuple[str, ...]] = ()
    #: The values that are ids of vertices; below 0 is none.
    ids: ClassVar[tuple[str, ...]] = ()

    run: Run

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def seconds(self) -> float:
        """The time of the algorithm itself; see :class:`Run`."""
        return self.run.seconds

    @property
    def trace(self) -> Trace:
        """What was done in each iteration."""
        return self.run.trace

    @property
    def provenance(self) -> str:
        """``measured``, ``modelled`` or ``simulated``."""
        return self.run.provenance

    def to_dict(self) -> dict[str, object]:
        """All values by name."""
        fields = (f.name for f in dataclasses.fields(self) if f.name not in NOT_VALUES)
        names = [name.removeprefix("late_") for name in fields]
        return {name: getattr(self, name) for name in names}

    def with_run(self, **changes: object) -> Self:
        """The same values with another :class:`Run`."""
        assert changes.keys() <= vars(self.run).keys()
        return _changed(self, run=_changed(self.run, **changes))

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of the result's table; empty if it is not one.

        A table with a row for each vertex begins with the column ``vertex``. Names take the place of
        ids if the graph has names; where there is no vertex, an entry is masked.
        """
        names = self.run.names()
        made: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in self.table}
        if names is not None:
            for name in self.ids:
                ids = made[name]
                found = names[ids] if names.size else names
                made[name] = np.ma.array(found, mask=ids < 0) if (ids < 0).any() else found
        if not made or "source" in made:
            return made
        size = next(iter(made.values())).size
        return {"vertex": np.arange(size) if names is None else names, **made}

    def vertex(self, name: object) -> int:
        """The id of a vertex: of that name if the graph's vertices have names."""
        names = self.run.names()
        if names is None:
            if isinstance(name, int | np.integer) and not isinstance(name, bool):
                return int(name)
            raise InputError(f"{name!r} is not a vertex id: vertices have no names")
        listed = names.tolist()
        if name not in listed:
            raise InputError(f"there is no vertex named {name!r}{did_you_mean(name, listed)}")
        return int(listed.index(name))

    def named(self, ids: NDArray[np.integer]) -> NDArray[Any]:
        """The names of vertices, or the ids if they have none."""
        names = self.run.names()
        found: NDArray[Any] = ids if names is None else names[ids]
        return found

    def to_arrow(self) -> pa.Table:
        """A ``pyarrow.Table`` with a row for each vertex or pair; see :meth:`columns`."""
        import pyarrow as pa

        found = self._converted()
        for name, values in found.items():
            if isinstance(values, list):
                kinds = ", ".join(sorted({type(value).__name__ for value in values}))
                how = "to_pandas() keeps them as they are"
                raise InputError(f"{name} has names that Arrow cannot hold ({kinds}): {how}")
        return pa.table(found)

    def _converted(self) -> dict[str, pa.Array | list[object]]:
        """Columns as Arrow has them, and as lists where it cannot hold the names of vertices."""
        import pyarrow as pa

        found: dict[str, pa.Array | list[object]] = {}
        for name, values in self.columns().items():
            listed = values.tolist() if values.dtype.kind in "OU" else values
            try:
                found[name] = pa.array(listed)
            except (pa.ArrowException, OverflowError):
                found[name] = listed
            if isinstance(listed, list) and any(isinstance(value, tuple) for value in listed):
                found[name] = listed  # which Arrow would take for lists, and give back as arrays
        if not found:
            counted = hasattr(self, "per_vertex")
            do = "ask for it with per_vertex=True" if counted else "take its values one by one"
            raise TypeError(f"a {type(self).__name__} is not a table: {do}")
        return found

    def to_pandas(self) -> pd.DataFrame:
        """A ``pandas.DataFrame`` with a row for each vertex or pair; see :meth:`columns`.

        >>> import tachograph as tg
        >>> g = tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True)
        >>> tg.bfs(g, "a").to_pandas()["vertex"].tolist()
        ['a', 'b', 'c']
        """
        import pandas as pd
        import pyarrow as pa

        found = self._converted()
        made = pa.table({k: v for k, v in found.items() if not isinstance(v, list)}).to_pandas()
        for place, (name, values) in enumerate(found.items()):
            if isinstance(values, list):
                made.insert(place, name, pd.Series(values, made.index, object))
        return made

    def to_polars(self) -> pl.DataFrame:
        """A ``polars.DataFrame`` with a row for each vertex or pair; see :meth:`columns`."""
        try:
            import polars as pl
        except ImportError:
            raise MissingDependencyError("polars is not installed: pip install polars") from None
        return pl.DataFrame(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __array__(
        self, dtype: np.dtype[np.generic] | None = None, copy: bool | None = None
    ) -> NDArray[np.generic]:
        if self.array is None:
            raise TypeError(f"a {type(self).__name__} is not one array: take its values by name")
        return np.array(getattr(self, self.array), dtype=dtype, copy=copy)

    def so_far(self) -> str:
        """What a result is worth that a deadline has stopped."""
        return "values are those that were found by then"

    def facts(self) -> dict[str, object]:
        """What is worth telling of the result: single values, not arrays."""
        plain = bool | int | float | str | np.generic
        return {k: v for k, v in self.shown().items() if isinstance(v, plain)}

    def plot(self, path: str | Path | None = None) -> Drawing:
        """Draw the trace; see :meth:`Trace.plot`."""
        return self.trace.plot(path)

    def widget(self) -> Any:
        """Return a widget for a notebook, as in the lab: how the run went, in slow motion too.

        Raises
        ------
        MissingDependencyError
            If anywidget is not installed: ``pip install 'tachograph[lab]'``.
        """
        lab = import_module("tachograph.lab.widget")  # a door, which no room may import
        return lab.of(self)

    def _repr_html_(self) -> str:
        from ..plots import numbers as show
        from ..plots.tables import result_html

        facts = {"time": f"{show.seconds(self.seconds)}, {self.provenance}"}
        for name, value in {**self.shown(), **self.facts()}.items():
            if isinstance(value, np.ndarray):
                facts[name] = f"{value.size:,} values of type {value.dtype}"
            elif isinstance(value, int | float):
                facts[name] = f"{value:,.6g}"
            elif isinstance(value, str):
                facts[name] = value
        return result_html(self.task, facts, self.trace.to_dict())

    def shown(self) -> dict[str, object]:
        """The values that are known already."""
        known = self.__dict__.items()
        return {k: v for k, v in known if k not in NOT_VALUES and not isinstance(v, Lazy)}

    def __repr__(self) -> str:
        from ..plots.numbers import seconds

        def text(v: object) -> str:
            if isinstance(v, np.ndarray):
                return f": {v.dtype}[{', '.join(map(str, v.shape))}]"
            if (brief := getattr(v, "brief", None)) is not None:
                return f"={brief}"
            return f"={v:.6g}" if isinstance(v, float) else f"={v!r}"

        values = self.shown().items()
        known = [(k, v) for k, v in values if v is not None and getattr(v, "brief", True)]
        shown = "".join(f"{name}{text(value)}, " for name, value in known)
        return f"{type(self).__name__}({shown}{seconds(self.seconds)})"


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Labels(Result):
    """A label for each vertex: the id of one of those that have it, or a number if ``consecutive``."""

    array: ClassVar[str] = "labels"
    table: ClassVar[tuple[str, ...]] = ("labels",)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Vertices and labels; labels are names, too, unless they are consecutive."""
        made = super().columns()
        if not self.__dict__["consecutive"]:
            made["labels"] = self.named(made["labels"])
        return made
