"""The graph in memory: compressed sparse rows that never change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..util.errors import InputError
from ..util.memory import human
from .conversions import Conversions

if TYPE_CHECKING:
    from .features import Features

__all__ = ["Graph"]


def _frozen(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view


class Graph(Conversions):
    """A graph as compressed sparse rows: the arcs out of vertex ``v`` are
    ``indices[indptr[v]:indptr[v + 1]]``, their weights stand at the same places of ``weights``.

    An undirected graph holds each edge as two arcs, a self-loop as one. Ids are int32 while they
    fit, offsets int64, weights int32, float32, float64 or none. All arrays are read-only views.

    Make one with :meth:`from_edges`, :meth:`from_csr`, :meth:`from_scipy`, :meth:`from_networkx`,
    :meth:`from_arrow`, with :func:`tachograph.read` or a generator; the initialiser itself trusts
    its arguments.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1], [1, 2, 2])
    >>> g
    Graph(directed, 3 vertices, 3 edges, unweighted, 44 B)
    >>> g.neighbors(0)
    array([1, 2], dtype=int32)
    """

    def __init__(
        self,
        indptr: np.ndarray,
        indices: np.ndarray,
        weights: np.ndarray | None = None,
        *,
        directed: bool,
        names: np.ndarray | Callable[[], np.ndarray] | None = None,
        meta: Mapping[str, Any] | None = None,
        is_sorted: bool | None = None,
        m: int | None = None,
        before_use: Callable[[], None] | None = None,
    ) -> None:
        self._indptr = _frozen(indptr)
        self._indices = _frozen(indices)
        self._weights = None if weights is None else _frozen(weights)
        self._directed = bool(directed)
        self._names = _frozen(names) if isinstance(names, np.ndarray) else names
        self._meta = {
            k: _frozen(v) if isinstance(v, np.ndarray) else v for k, v in (meta or {}).items()
        }
        self._is_sorted = is_sorted
        self._m = m
        self._before_use = before_use

    # -- what it holds ------------------------------------------------------------------------

    def _use(self) -> None:
        """Run the check that a lazily opened file still owes, once."""
        if self._before_use is not None:
            self._before_use()
            self._before_use = None

    @property
    def indptr(self) -> np.ndarray:
        """Where each vertex's arcs begin: int64, ``n + 1`` entries."""
        self._use()
        return self._indptr

    @property
    def indices(self) -> np.ndarray:
        """Targets of the arcs."""
        self._use()
        return self._indices

    @property
    def weights(self) -> np.ndarray | None:
        """Weights of the arcs, or None."""
        self._use()
        return self._weights

    @property
    def directed(self) -> bool:
        """Whether an edge leads one way only."""
        return self._directed

    @property
    def names(self) -> np.ndarray | None:
        """Names of the vertices by id (integers or any objects), or None if ids are the names."""
        if callable(self._names):
            self._use()
            self._names = _frozen(self._names())
        return self._names

    @property
    def meta(self) -> Mapping[str, Any]:
        """What the file said besides the edges (the source and sink of a flow problem, ...)."""
        self._use()
        return MappingProxyType(self._meta)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self._indptr.size - 1

    @property
    def arcs(self) -> int:
        """Number of stored arcs: ``m`` if directed, else two for each edge and one for a loop."""
        return self._indices.size

    @property
    def m(self) -> int:
        """Number of edges as people count them: an undirected edge once, parallel ones each."""
        if self._m is None:
            self._m = self.arcs if self.directed else (self.arcs + self.self_loops) // 2
        return self._m

    @property
    def weighted(self) -> bool:
        """Whether the edges have weights."""
        return self._weights is not None

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        weights = 0 if self._weights is None else self._weights.nbytes
        return self._indptr.nbytes + self._indices.nbytes + weights

    @cached_property
    def self_loops(self) -> int:
        """Number of edges from a vertex to itself."""
        from ..kernels.rows import passes as rows

        return int(sum(rows.over_rows(rows.count_loops, self.indptr, self.indices)))

    @cached_property
    def degrees(self) -> np.ndarray:
        """Arcs out of each vertex."""
        return _frozen(np.diff(self.indptr))

    @property
    def is_sorted(self) -> bool:
        """Whether every vertex's neighbours are in ascending order."""
        if self._is_sorted is None:
            from ..kernels.rows import passes as rows

            found = rows.over_rows(rows.unsorted_row, self.indptr, self.indices)
            self._is_sorted = max(found) < 0
        return self._is_sorted

    def neighbors(self, vertex: int) -> np.ndarray:
        """Targets of the arcs out of ``vertex``, as a view."""
        lo, hi = self._row(vertex)
        return self.indices[lo:hi]

    def _row(self, vertex: int) -> tuple[int, int]:
        if not 0 <= vertex < self.n:
            raise InputError(f"there is no vertex {vertex}: ids go from 0 to {self.n - 1}")
        return int(self.indptr[vertex]), int(self.indptr[vertex + 1])

    def id_of(self, name: object) -> int:
        """The id of the vertex with this name.

        >>> import tachograph as tg
        >>> g = tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True)
        >>> g.id_of("c")
        2
        """
        if self.names is None:
            known = isinstance(name, int | np.integer) and 0 <= name < self.n
            at = int(name) if known else -1  # type: ignore[call-overload]
        else:
            at = self._ids.get(name, -1)
        if at < 0:
            raise InputError(f"there is no vertex named {name!r}")
        return at

    @cached_property
    def _ids(self) -> dict[object, int]:
        assert self.names is not None
        return {name: i for i, name in enumerate(self.names.tolist())}

    # -- other forms of the same graph --------------------------------------------------------

    @property
    def has_transpose(self) -> bool:
        """Whether :attr:`transpose` is there without work: undirected, or asked for before."""
        return not self.directed or "transpose" in self.__dict__

    @cached_property
    def transpose(self) -> Graph:
        """The graph with every arc turned round; built once. Its rows are sorted."""
        if not self.directed:
            return self
        from .build import transpose

        return transpose(self)

    @cached_property
    def sorted(self) -> Graph:
        """The graph with each vertex's neighbours in ascending order; built once."""
        if self.is_sorted:
            return self
        from .build import sort_rows

        return sort_rows(self)

    @cached_property
    def features(self) -> Features:
        """Measured properties: degrees, skew, loops, reciprocity, diameter, weights."""
        from .features import Features

        return Features(self)

    def with_meta(self, **entries: Any) -> Graph:
        """The same graph (arrays shared) with more ``meta``: ``g.with_meta(source=0, sink=9)``."""
        return self._replace(meta={**self._meta, **entries})

    def _replace(self, **changes: Any) -> Graph:
        kept: dict[str, Any] = {
            "indptr": self._indptr,
            "indices": self._indices,
            "weights": self._weights,
            "directed": self._directed,
            "names": self._names,
            "meta": self._meta,
            "is_sorted": self._is_sorted,
            "m": self._m,
            "before_use": self._before_use,
        }
        return Graph(**{**kept, **changes})

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = "unweighted" if self._weights is None else f"{self._weights.dtype} weights"
        named = ", named vertices" if self._names is not None else ""
        return (
            f"Graph({kind}, {self.n:,} vertices, {self.m:,} edges, {weights}{named}, "
            f"{human(self.nbytes)})"
        )

    def __getstate__(self) -> dict[str, Any]:
        self._use()
        return {"names": self.names, **{k: getattr(self, f"_{k}") for k in (
            "indptr", "indices", "weights", "directed", "meta", "is_sorted", "m")}}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        for array in (state["indptr"], state["indices"], state["weights"]):
            if array is not None:
                array.flags.writeable = False
        Graph.__init__(self, **state)
