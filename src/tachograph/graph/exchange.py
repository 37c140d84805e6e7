"""Graphs from and to SciPy, NetworkX and Arrow (pandas, polars, DuckDB)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, MissingDependencyError
from .build import from_csr
from .edge_table import EdgeTable
from .graph import Graph

# fmt: off
__all__ = ["edge_columns", "from_arrow", "from_networkx", "from_scipy", "to_arrow", "to_networkx",
           "to_scipy"]
# fmt: on

SOURCE = ("source", "src", "from", "u", "tail", "start")
TARGET = ("target", "dst", "to", "v", "head", "end", "destination")
WEIGHT = ("weight", "w", "cost", "distance", "length", "capacity", "value")


def from_scipy(matrix: Any, *, directed: bool) -> Graph:
    """See :meth:`Graph.from_scipy`."""
    if not hasattr(matrix, "tocsr"):
        raise InputError(f"expected a SciPy sparse matrix, not {type(matrix).__name__}")
    rows = matrix.tocsr()
    if rows.shape[0] != rows.shape[1]:
        raise InputError(f"a graph needs a square matrix, not one of shape {rows.shape}")
    weights = None if rows.dtype == bool else rows.data
    return from_csr(rows.indptr, rows.indices, weights, directed=directed)


def to_scipy(graph: Graph) -> Any:
    """See :meth:`Graph.to_scipy`."""
    from scipy.sparse import csr_array

    data = np.ones(graph.arcs, np.int8) if graph.weights is None else graph.weights
    return csr_array((data, graph.indices, graph.indptr), shape=(graph.n, graph.n))


def from_networkx(graph: Any, *, weight: str | None) -> Graph:
    """See :meth:`Graph.from_networkx`."""
    nodes = list(graph)
    ids = {node: i for i, node in enumerate(nodes)}
    ends = list(graph.edges(data=weight) if weight is not None else graph.edges())
    source = np.fromiter((ids[e[0]] for e in ends), np.int64, len(ends))
    target = np.fromiter((ids[e[1]] for e in ends), np.int64, len(ends))
    values = None
    if weight is not None and any(e[2] is not None for e in ends):
        values = np.array([1 if e[2] is None else e[2] for e in ends])
    made = Graph.from_edges(source, target, values, n=len(nodes), directed=graph.is_directed())
    if nodes == list(range(len(nodes))):
        return made
    names = np.empty(len(nodes), object)
    names[:] = nodes
    return made._replace(names=names)


def to_networkx(graph: Graph) -> Any:
    """See :meth:`Graph.to_networkx`."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependencyError(
            "NetworkX is not installed: pip install 'tachograph[networkx]'"
        ) from None
    source, target, weights = graph.to_edges()
    pairs = source.astype(np.int64) * max(graph.n, 1) + target
    parallel = np.unique(pairs).size < pairs.size
    kinds = {
        (True, False): nx.DiGraph,
        (False, False): nx.Graph,
        (True, True): nx.MultiDiGraph,
        (False, True): nx.MultiGraph,
    }
    made = kinds[graph.directed, parallel]()
    names = list(range(graph.n)) if graph.names is None else graph.names.tolist()
    made.add_nodes_from(names)
    ends = ([names[s] for s in source.tolist()], [names[t] for t in target.tolist()])
    if weights is None:
        made.add_edges_from(zip(*ends, strict=True))
    else:
        made.add_weighted_edges_from(zip(*ends, weights.tolist(), strict=True))
    return made


def from_arrow(
    table: Any,
    *,
    source: str | None,
    target: str | None,
    weight: str | None,
    **options: Any,
) -> Graph:
    """See :meth:`Graph.from_arrow`."""
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        if not hasattr(table, "__arrow_c_stream__"):
            raise InputError(
                f"{type(table).__name__} has no __arrow_c_stream__: pass a pandas, polars or "
                "pyarrow table"
            )
        table = pa.table(table)
    edges = edge_columns(table, source, target, weight)
    options = {"directed": True if edges.directed is None else edges.directed, **options}
    if not options.get("relabel"):
        options = {"n": edges.n, **options}
    return Graph.from_edges(edges.source, edges.target, edges.weight, **options)


def edge_columns(
    table: Any, source: str | None, target: str | None, weight: str | bool | None
) -> EdgeTable:
    """The columns of a ``pyarrow.Table`` that hold edges, and what its metadata says."""
    names = table.column_names
    if twice := {c for c in names if names.count(c) > 1}:
        raise InputError(f"several columns are called {sorted(twice)[0]!r}")
    first = _pick(names, source, SOURCE, 0, "source")
    second = _pick(names, target, TARGET, 1, "target")
    third = None
    if isinstance(weight, str):
        third = _pick(names, weight, (), -1, "weight")
    elif weight is not False:
        third = next((c for w in WEIGHT for c in names if c.lower() == w), None)
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()
                if k in (b"vertices", b"directed")}  # fmt: skip
    directed = metadata.get("directed")
    n = metadata.get("vertices", "")
    return EdgeTable(
        _array(table, first),
        _array(table, second),
        None if third is None else _array(table, third),
        n=int(n) if n.isascii() and n.isdigit() and len(n) < 19 else None,
        directed=None if directed is None else directed.lower() == "true",
    )


def _pick(
    names: list[str], given: str | None, known: tuple[str, ...], position: int, what: str
) -> str:
    if given is not None:
        if given not in names:
            raise InputError(f"no column {given!r} for the {what}; there are {', '.join(names)}")
        return given
    found = next((c for k in known for c in names if c.lower() == k), None)
    if found is None:
        if len(names) not in (2, 3):
            raise InputError(
                f"which column holds the {what}? There are {', '.join(names) or 'none'}; "
                f"name it {known[0]!r} or pass {what}=..."
            )
        found = names[position]
    return found


def _array(table: Any, name: str) -> np.ndarray:
    column = table.column(name)
    if column.null_count:
        raise InputError(f"column {name!r} has {column.null_count:,} empty cells")
    array: np.ndarray = column.combine_chunks().to_numpy(zero_copy_only=False)
    return array


def to_arrow(graph: Graph) -> Any:
    """See :meth:`Graph.to_arrow`."""
    import pyarrow as pa

    source, target, weights = graph.to_edges()
    ends = {"source": source, "target": target}
    if graph.names is not None:
        ends = {k: graph.names[v] for k, v in ends.items()}
    columns = {k: pa.array(v) for k, v in ends.items()}
    if weights is not None:
        columns["weight"] = pa.array(weights)
    metadata = {"vertices": str(graph.n), "directed": str(graph.directed)}
    return pa.table(columns).replace_schema_metadata(metadata)
