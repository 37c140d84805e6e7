"""Other graphs made of one: undirected, without weights, some of its vertices; and what it is like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from ..util.arrays import native
from ..util.errors import InputError
from ..util.printed import three_digits

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Parts", "Summary"]


@dataclass(frozen=True)
class Summary:
    """What a graph is like, to print."""

    rows: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.rows)
        return "\n".join(f"{name.ljust(width)}  {value}" for name, value in self.rows)

    __repr__ = __str__

    def to_dict(self) -> dict[str, str]:
        """Return the lines by name."""
        return dict(self.rows)

    def _repr_html_(self) -> str:
        from html import escape

        cells = (f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in self.rows)
        return f"<table>{''.join(cells)}</table>"


class Parts:
    """The base class of :class:`Graph` that makes other graphs of it."""

    def to_undirected(self, dedupe: str = "first") -> Graph:
        """Return the graph with edges that lead both ways; the graph itself if it is undirected.

        Arcs in both directions become one edge: ``dedupe`` says which weight it gets (``"first"``,
        ``"min"`` or ``"sum"``); ``"keep"`` keeps both.

        >>> import tachograph as tg
        >>> tg.Graph.from_edges([0, 1, 1], [1, 0, 2]).to_undirected()
        Graph(undirected, 3 vertices, 2 edges, unweighted, 48 B)
        """
        from .build import EdgeTable, Options, build

        graph, options = cast("Graph", self), Options(dedupe=dedupe)
        if not graph.directed:
            return graph
        source, target, weights = graph.to_edges()
        if options.dedupe != "keep":  # so that two arcs between the same two vertices are parallel
            source, target = np.minimum(source, target), np.maximum(source, target)
        table = EdgeTable(source, target, weights, n=graph.n, directed=False, both=False)
        table.names, table.meta = graph.names, dict(graph.meta)
        return build(table, options)

    def without_weights(self) -> Graph:
        """Return the graph without its weights; other arrays are shared.

        >>> import tachograph as tg
        >>> tg.Graph.from_edges([0], [1], [2.5]).without_weights().weighted
        False
        """
        return cast("Graph", self)._replace(weights=None)

    def subgraph(self, vertices: npt.ArrayLike) -> Graph:
        """Return the graph of some vertices, by name if they have names, and the edges between them.

        Vertices are numbered anew in the order of their ids. The new graph's ``names`` are those of the
        old one, or the old ids.

        >>> import tachograph as tg
        >>> part = tg.path(5).subgraph([1, 2, 4])
        >>> part.n, part.m, part.names.tolist()
        (3, 1, [1, 2, 4])
        """
        graph = cast("Graph", self)
        given = [*vertices] if isinstance(vertices, Iterator) else vertices
        bools = isinstance(given, list | tuple) and {type(v) for v in given} == {bool}
        if bools or isinstance(given, np.ndarray):
            chosen = native(given, "vertices")
            if chosen.dtype == np.bool_:
                if chosen.shape != (graph.n,):
                    raise InputError(f"a mask of shape {chosen.shape} for {graph.n} vertices")
                return _induced(graph, chosen)
        mask = np.zeros(graph.n, np.bool_)
        mask[graph.ids_of(given)] = True
        return _induced(graph, mask)

    def largest_component(self) -> Graph:
        """Return the graph of the largest weakly connected component, the first of equally large ones.

        >>> import tachograph as tg
        >>> tg.disjoint_union(tg.path(2), tg.path(3)).largest_component().n
        3
        """
        from ..kernels.components import label_components

        graph = cast("Graph", self)
        if not graph.n:
            return graph
        labels = label_components(graph.rows, graph.transpose.rows, graph.directed).labels
        sizes = np.bincount(labels)
        return _induced(graph, labels == sizes.argmax())

    def summary(self) -> Summary:
        """Return what the graph is like: its size, degrees, components and weights. Print it.

        >>> import tachograph as tg
        >>> print(tg.star(5).summary())  # doctest: +ELLIPSIS
        vertices    5
        edges       4, undirected
        ...
        """
        from ..kernels.components import label_components

        graph = cast("Graph", self)
        known = graph.features
        arcs = graph.rows, graph.transpose.rows
        sizes = (
            np.bincount(label_components(*arcs, graph.directed).labels) if graph.n else np.zeros(1)
        )
        kind = "directed" if graph.directed else "undirected"
        out = " (arcs out)" * graph.directed
        degrees = f"mean {three_digits(known.mean_degree)}, largest {known.max_degree:,}{out}"
        occur = graph.n - round(known.isolated_share * graph.n)
        rows = [
            ("vertices", f"{graph.n:,}" + f", of which {occur:,} have edges" * (occur < graph.n)),
            ("edges", f"{graph.m:,}, {kind}"),
            ("degrees", degrees),
            ("self-loops", f"{graph.self_loops:,}"),
            (
                "components",
                f"{np.count_nonzero(sizes):,}, the largest of {sizes.max():,.0f} vertices",
            ),
        ]
        if graph.directed:
            rows.append(("both ways", f"{known.reciprocity:.1%} of the edges"))
        weights = known.weights
        told = "none" if weights is None else f"{weights['min']:,.6g} to {weights['max']:,.6g}"
        rows.append(("weights", told))
        if graph.names is not None:
            some = ", ".join(map(str, graph.names[:3].tolist()))
            rows.append(("names", some + (", ..." if graph.n > 3 else "")))
        return Summary(tuple(rows))


def _induced(graph: Graph, mask: np.ndarray) -> Graph:
    """Return the graph of the vertices in ``mask``; rows keep their order."""
    from .build import index_type
    from .graph import Graph

    source, target = graph.arc_sources(), graph.indices
    kept = mask[source] & mask[target]
    count = int(np.count_nonzero(mask))
    numbers = (np.cumsum(mask) - 1).astype(index_type(count))
    degrees = np.bincount(numbers[source[kept]], minlength=count)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(degrees)])
    weights = None if graph.weights is None else graph.weights[kept]
    names = np.flatnonzero(mask) if graph.names is None else graph.names[mask]
    rows = indptr, numbers[target[kept]], weights
    return Graph(*rows, directed=graph.directed, names=names, is_sorted=graph._is_sorted)
