"""The graph in memory: compressed sparse rows that never change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..kernels.runtime.nouns import Rows
from ..util.arrays import native
from ..util.errors import InputError
from ..util.memory import human
from ..util.text import did_you_mean, quoted
from .exchange import Exchange
from .foreign import frozen
from .parts import Parts

if TYPE_CHECKING:
    from .features import Features

#: The arguments of ``Graph(...)``; the attribute of each has an underscore before its name.
FIELDS = ("indptr", "indices", "weights", "directed", "names", "meta", "is_sorted", "m")


class Graph(Exchange, Parts):
    """A graph as compressed sparse rows: the arcs out of vertex ``v`` are
    ``indices[indptr[v]:indptr[v + 1]]``, and ``weights`` has their weights at the same places.

    An undirected graph holds each edge as two arcs, a self-loop as one. Ids are int32 while they
    fit, offsets int64, weights int32, float32, float64 or none. All arrays are read-only views.

    Make one with :meth:`from_edges`, :meth:`from_csr`, :meth:`from_scipy`, :meth:`from_networkx`,
    :meth:`from_arrow`, with :func:`tachograph.read` or a generator. The initialiser itself does not
    check its arguments.

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
    ) -> None:
        self._indptr = frozen(indptr)
        self._indices = frozen(indices)
        self._weights = None if weights is None else frozen(weights)
        self._directed = bool(directed)
        self._names = frozen(names) if isinstance(names, np.ndarray) else names
        entries = (meta or {}).items()
        self._meta = {k: frozen(v) if isinstance(v, np.ndarray) else v for k, v in entries}
        self._is_sorted, self._m = is_sorted, m
        #: reads the arrays from their file, or checks those of a mapped file, before they are used
        self._before_use: Callable[[], None] | None = None

    # -- from edges or rows, and back -----------------------------------------------------------

    @staticmethod
    def from_edges(
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        weight: npt.ArrayLike | None = None,
        *,
        n: int | None = None,
        directed: bool = True,
        symmetrize: bool | None = None,
        dedupe: str = "keep",
        drop_self_loops: bool = False,
        relabel: bool = False,
    ) -> Graph:
        """Return the graph of a list of edges.

        Parameters
        ----------
        source, target
            Ids of the two ends of each edge: integers from 0.
        weight
            A number for each edge, if any. Whole numbers become int32 (float64 if that is too
            narrow), float32 and float64 stay.
        n
            Number of vertices; by default one more than the highest id.
        directed
            Whether an edge leads only from source to target.
        symmetrize
            Whether to add the reverse of each edge. Default: if undirected. Say False for
            undirected edges that are listed in both directions already.
        dedupe
            What to do with parallel edges: ``"keep"`` them, or combine them into one with the
            ``"first"`` weight, the ``"min"`` or the ``"sum"``.
        drop_self_loops
            Leave out edges from a vertex to itself.
        relabel
            Take source and target for names (strings, or integers of any size), give them the ids
            0, 1, ... in sorted order, and keep the names in ``graph.names``.

        Raises
        ------
        InputError
            If ids are negative, not whole or not below ``n``; if weights are not finite; if lengths
            differ; if undirected edges with ``symmetrize=False`` are not symmetric.
        TooLargeError
            If the graph would not fit in memory.

        Examples
        --------
        >>> import tachograph as tg
        >>> tg.Graph.from_edges([0, 1, 1], [1, 0, 1], directed=False, dedupe="first")
        Graph(undirected, 2 vertices, 2 edges, unweighted, 36 B)
        """
        from .build import EdgeTable, Options, build

        options = Options(None, symmetrize, dedupe, drop_self_loops, relabel)
        if relabel and n is not None:
            raise InputError("n cannot be given with relabel=True: the names decide it")
        values = None if weight is None else native(weight, "weight")
        listed = native(source, "source"), native(target, "target"), values
        return build(EdgeTable(*listed, n=n, directed=directed, both=False), options)

    @staticmethod
    def from_csr(
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        directed: bool = True,
        copy: bool = True,
    ) -> Graph:
        """Return the graph of checked rows.

        The graph owns its arrays: what others can write to is copied. With ``copy=False`` arrays of
        the right types are shared, and you promise not to change them: a change would give wrong
        results or end the process.

        >>> import tachograph as tg
        >>> tg.Graph.from_csr([0, 2, 2, 3], [1, 2, 0]).n
        3
        """
        from .build import from_csr

        return from_csr(indptr, indices, weights, directed=directed, copy=copy)

    def arc_sources(self) -> np.ndarray:
        """Return the source of every arc, in the order of :attr:`indices`."""
        return np.repeat(np.arange(self.n, dtype=self.indices.dtype), self.degrees)

    def to_edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return sources, targets and weights, an undirected edge once (source <= target)."""
        source, target, weights = self.arc_sources(), self.indices, self.weights
        if self.directed:
            return source, target, weights
        once = source <= target
        return source[once], target[once], None if weights is None else weights[once]

    # -- what it holds ------------------------------------------------------------------------

    def _use(self) -> None:
        """Read the arrays if they are still in their file, or check that this has not changed."""
        if self._before_use is not None:
            self._before_use()

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
    def rows(self) -> Rows:
        """Offsets and targets together, as kernels take them."""
        return Rows(self.indptr, self.indices)

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
            self._names = frozen(self._names())
        return self._names

    @property
    def named(self) -> bool:
        """Whether the vertices have names."""
        return self._names is not None

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
        from ..kernels.rows.passes import count_loops, over_rows

        return int(sum(over_rows(count_loops, *self.rows)))

    @cached_property
    def degrees(self) -> np.ndarray:
        """Arcs out of each vertex."""
        return frozen(np.diff(self.indptr))

    @property
    def is_sorted(self) -> bool:
        """Whether every vertex's neighbours are in ascending order."""
        if self._is_sorted is None:
            from ..kernels.rows.passes import over_rows, unsorted_row

            self._is_sorted = max(over_rows(unsorted_row, *self.rows)) < 0
        return self._is_sorted

    def neighbors(self, vertex: object) -> np.ndarray:
        """Return the targets of the arcs out of a vertex: names if the vertices have names, else ids.

        >>> import tachograph as tg
        >>> g = tg.Graph.from_edges(["a", "a"], ["b", "c"], relabel=True)
        >>> g.neighbors("a").tolist()
        ['b', 'c']
        """
        found = self.row(self.id_of(vertex))
        return found if self.names is None else self.names[found]

    def row(self, vertex: int) -> np.ndarray:
        """Return the ids of the targets of the arcs out of the vertex with this id, as a view."""
        if not self._is_id(vertex):
            raise self._no_vertex(vertex)
        at = int(vertex)
        return self.indices[self.indptr[at] : self.indptr[at + 1]]

    def _is_id(self, given: object) -> bool:
        return isinstance(given, int | np.integer) and bool(0 <= given < self.n)

    def _no_vertex(self, given: object) -> InputError:
        there = f"ids go from 0 to {self.n - 1}" if self.n else "the graph has none"
        return InputError(f"there is no vertex {quoted(given)}: {there}")

    def id_of(self, name: object) -> int:
        """Return the id of the vertex with this name; of an id itself, unless names are numbers.

        >>> import tachograph as tg
        >>> g = tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True)
        >>> g.id_of("c")
        2
        """
        with suppress(TypeError):  # a list is no name
            if self.names is not None and name in self._ids:
                return self._ids[name]
        numbers = self.names is None or self.names.dtype.kind not in "iu"  # then a number is an id
        if numbers and self._is_id(name):
            return int(name)  # type: ignore[call-overload, no-any-return]
        if self.names is None:
            raise self._no_vertex(name)
        near = did_you_mean(name, self._ids)
        raise InputError(f"there is no vertex named {quoted(name)}{near}")

    def ids_of(self, names: npt.ArrayLike) -> np.ndarray:
        """Return the ids of several vertices, by name if they have names; the first unknown is named.

        >>> import tachograph as tg
        >>> tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True).ids_of(["c", "a"]).tolist()
        [2, 0]
        """
        given = names.tolist() if isinstance(names, np.ndarray) else names
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise InputError(f"{given!r:.200} is no list of vertices: write [{given!r:.200}]")
        return np.array([self.id_of(name) for name in given], np.int64)

    @cached_property
    def _ids(self) -> dict[object, int]:
        return {name: i for i, name in enumerate(() if self.names is None else self.names.tolist())}

    # -- other forms of the same graph --------------------------------------------------------

    @property
    def has_transpose(self) -> bool:
        """Whether :attr:`transpose` takes no work: the graph is undirected, or it was used before."""
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
        """Return the graph (arrays shared) with more ``meta``: ``g.with_meta(source=0, sink=9)``."""
        own = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in entries.items()}
        return self._replace(meta={**self._meta, **own})

    def _replace(self, **changes: Any) -> Graph:
        """Return a graph with some of its ``FIELDS`` changed."""
        self._use()
        made = Graph(**{name: getattr(self, f"_{name}") for name in FIELDS} | changes)
        made._before_use = self._before_use
        return made

    def _become(self, other: Graph) -> None:
        """Take the arrays of another graph, which was read from the file of this one."""
        for name in FIELDS:
            setattr(self, f"_{name}", getattr(other, f"_{name}"))
        self._before_use = None

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = "unweighted" if self._weights is None else f"{self._weights.dtype} weights"
        named = ", named vertices" if self._names is not None else ""
        size = f"{self.n:,} vertices, {self.m:,} edges"
        return f"Graph({kind}, {size}, {weights}{named}, {human(self.nbytes)})"

    def __getstate__(self) -> dict[str, Any]:
        self._use()
        return {name: getattr(self, f"_{name}") for name in FIELDS} | {"names": self.names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for array in (state["indptr"], state["indices"], state["weights"]):
            if array is not None:
                array.flags.writeable = False
        Graph.__init__(self, **state)
