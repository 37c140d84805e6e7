"""What an algorithm gives back: its values, and how they came about.

A task has a frozen dataclass of its own beside its algorithm (``BfsResult`` in ``bfs.py``); all of them
share what is here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .trace import Trace

if TYPE_CHECKING:
    import pyarrow as pa

    from ..plots.drawing import Drawing

__all__ = ["Lazy", "Result", "Run", "Trace"]

T = TypeVar("T")


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


def _unknown() -> None:
    return None


@dataclass(frozen=True)
class Run:
    """How a result came about: which way was chosen, by whom and why, and what it took.

    ``seconds`` is the time of the algorithm itself: checks of arguments, compiling at the first use and
    verification are left out. ``predicted`` is what the chosen way was predicted to take, None where
    nothing is known. ``provenance`` says whether numbers were ``measured``, ``modelled`` or
    ``simulated``; ``number`` is the run's number in the journal, if it was kept.

    >>> import tachograph as tg
    >>> run = tg.bfs(tg.path(3), 0).run
    >>> run.way, run.device, run.provenance
    ('auto', 'host', 'measured')
    """

    seconds: float
    trace: Trace = dataclasses.field(repr=False)
    way: str = ""
    reason: str = ""
    device: str = "host"
    provenance: str = "measured"
    number: int | None = None
    prediction: Lazy[float | None] = dataclasses.field(default=Lazy(_unknown), repr=False)

    @property
    def predicted(self) -> float | None:
        """Seconds that the chosen way was predicted to take."""
        return self.prediction()


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Result:
    """The outcome of a run; it cannot be changed. Values are attributes: ``result.levels``.

    A result whose values are one array is that array to NumPy; the arrays that have a row for each
    vertex, or each pair, are an Arrow stream: ``polars.DataFrame(result)``.

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

    def _names(self) -> Iterator[str]:
        """The names of the values; a value that is computed late has a field with an underscore."""
        for field in dataclasses.fields(self):
            if field.name != "run":
                yield field.name.removeprefix("late_")

    def to_dict(self) -> dict[str, object]:
        """All values by name."""
        return {name: getattr(self, name) for name in self._names()}

    def with_run(self, **changes: object) -> Self:
        """The same values with another :class:`Run`."""
        run = dataclasses.replace(self.run, **changes)  # type: ignore[arg-type]
        return dataclasses.replace(self, run=run)

    def to_arrow(self) -> pa.Table:
        """A ``pyarrow.Table`` with a column for each array, a row for each vertex or pair."""
        import pyarrow as pa

        if not self.table:
            raise TypeError(f"a {type(self).__name__} is not a table: take its values one by one")
        return pa.table({name: pa.array(getattr(self, name)) for name in self.table})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __array__(
        self, dtype: np.dtype[np.generic] | None = None, copy: bool | None = None
    ) -> NDArray[np.generic]:
        if self.array is None:
            raise TypeError(f"a {type(self).__name__} is not one array: take its values by name")
        return np.array(getattr(self, self.array), dtype=dtype, copy=copy)

    def facts(self) -> dict[str, object]:
        """What is worth telling of the result: single values, not arrays."""
        plain = bool | int | float | str | np.generic
        return {k: v for k, v in self.shown().items() if isinstance(v, plain)}

    def plot(self, path: str | Path | None = None) -> Drawing:
        """Draw the trace; see :meth:`Trace.plot`."""
        return self.trace.plot(path)

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
        return {name: value for name, value in self.__dict__.items()
                if name != "run" and not isinstance(value, Lazy)}  # fmt: skip

    def __repr__(self) -> str:
        shown = [
            f"{name}: {value.dtype}[{value.size}]"
            if isinstance(value, np.ndarray)
            else f"{name}={value!r}"
            for name, value in self.shown().items()
        ]
        return f"{type(self).__name__}({', '.join(shown)}, {self.seconds * 1e3:.3g} ms)"
