"""How a graph is made from other things, and turned into them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Conversions"]


class Conversions:
    """The constructors of :class:`Graph` and the ways back."""

    @classmethod
    def from_edges(
        cls,
        source: Any,
        target: Any,
        weight: Any = None,
        *,
        n: int | None = None,
        directed: bool = True,
        symmetrize: bool | None = None,
        dedupe: str = "keep",
        drop_self_loops: bool = False,
        relabel: bool = False,
    ) -> Graph:
        """A graph from its edges.

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
            Take source and target for names (strings, or integers of any size), give their sorted
            order the ids 0, 1, ... and keep the names in ``graph.names``.

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
        from .build import from_edges

        return from_edges(
            source,
            target,
            weight,
            n=n,
            directed=directed,
            symmetrize=symmetrize,
            dedupe=dedupe,
            drop_self_loops=drop_self_loops,
            relabel=relabel,
        )

    @classmethod
    def from_csr(
        cls, indptr: Any, indices: Any, weights: Any = None, *, directed: bool = True
    ) -> Graph:
        """A graph from its rows, without a copy if the types fit. The arrays are checked.

        >>> import tachograph as tg
        >>> tg.Graph.from_csr([0, 2, 2, 3], [1, 2, 0]).n
        3
        """
        from .build import from_csr

        return from_csr(indptr, indices, weights, directed=directed)

    @classmethod
    def from_scipy(cls, matrix: Any, *, directed: bool = True) -> Graph:
        """A graph from a square SciPy sparse matrix: an entry (i, j) is an arc from i to j."""
        from .exchange import from_scipy

        return from_scipy(matrix, directed=directed)

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str | None = "weight") -> Graph:
        """A graph from a NetworkX graph of any class, with its nodes as ``names`` if they are not
        0, 1, ... An edge without the attribute ``weight`` gets 1 if any other edge has it.
        """
        from .exchange import from_networkx

        return from_networkx(graph, weight=weight)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        *,
        source: str | None = None,
        target: str | None = None,
        weight: str | None = None,
        **options: Any,
    ) -> Graph:
        """A graph from a table of edges: anything with ``__arrow_c_stream__`` (pandas, polars,
        pyarrow, DuckDB). Columns are recognised by name (source, src, from, u; target, dst, to, v;
        weight, w) or given. ``options`` as in :meth:`from_edges`.
        """
        from .exchange import from_arrow

        return from_arrow(table, source=source, target=target, weight=weight, **options)

    def to_edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Sources, targets and weights, an undirected edge once (source <= target)."""
        from .build import to_edges

        return to_edges(cast("Graph", self))

    def to_scipy(self) -> Any:
        """A ``scipy.sparse.csr_array`` with the weights (or ones) as entries."""
        from .exchange import to_scipy

        return to_scipy(cast("Graph", self))

    def to_networkx(self) -> Any:
        """A NetworkX (Multi)(Di)Graph; weights become the attribute ``weight``."""
        from .exchange import to_networkx

        return to_networkx(cast("Graph", self))

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with columns source, target and, if weighted, weight."""
        from .exchange import to_arrow

        return to_arrow(cast("Graph", self))
