"""Graphs from and to SciPy, NetworkX and Arrow (pandas, polars, DuckDB)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..util.errors import InputError, MissingDependencyError
from .assemble import assemble
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

    data = np.ones(graph.arcs, np.int64) if graph.weights is None else graph.weights.copy()
    rows = data, graph.indices.copy(), graph.indptr.copy()  # SciPy changes its matrices in place
    return csr_array(rows, shape=(graph.n, graph.n))


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
    if all(type(node) is int and abs(node) < 2**63 for node in nodes):
        return made._replace(names=np.array(nodes, np.int64))
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
    if "n" in options:
        edges.n = options.pop("n")
    return assemble(edges, **options)


def edge_columns(
    table: Any, source: str | None, target: str | None, weight: str | bool | None
) -> EdgeTable:
    """The columns of a ``pyarrow.Table`` that hold edges, and what its metadata says."""
    names = table.column_names
    if twice := {c for c in names if names.count(c) > 1}:
        raise InputError(f"several columns are called {sorted(twice)[0]!r}")
    first, second = _ends(names, source, target)
    third = None
    if isinstance(weight, str):
        third = _given(names, weight, "weight")
    elif weight is not False:
        third = _known([c for c in names if c not in (first, second)], WEIGHT)
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()
                if k in (b"vertices", b"directed", b"named")}  # fmt: skip
    directed = metadata.get("directed")
    n = metadata.get("vertices", "")
    return EdgeTable(
        _array(table, first),
        _array(table, second),
        None if third is None else _array(table, third),
        n=int(n) if n.isascii() and n.isdigit() and len(n) < 19 else None,
        directed=None if directed is None else directed.lower() == "true",
        named=metadata.get("named") == "True",
    )


def _given(names: list[str], name: str, what: str) -> str:
    if name not in names:
        raise InputError(f"no column {name!r} for the {what}; there are {', '.join(names)}")
    return name


def _known(names: list[str], known: tuple[str, ...]) -> str | None:
    """The first column that is called like one of ``known``."""
    return next((c for k in known for c in names if c.lower() == k), None)


def _ends(names: list[str], source: str | None, target: str | None) -> tuple[str, str]:
    """The columns of source and target: as given, by their names, else those that are left."""
    first = _known(names, SOURCE) if source is None else _given(names, source, "source")
    second = _known(names, TARGET) if target is None else _given(names, target, "target")
    left = [c for c in names if c not in (first, second) and c.lower() not in WEIGHT]
    if first is None and second is None and len(left) in (2, 3):
        return left[0], left[1]
    for what, found in (("source", first), ("target", second)):
        if found is None and len(left) != 1:
            known = SOURCE if what == "source" else TARGET
            raise InputError(
                f"which column holds the {what}? There are {', '.join(names) or 'none'}; "
                f"name it {known[0]!r} or pass {what}=..."
            )
    return first or left[0], second or left[0]


def _array(table: Any, name: str) -> np.ndarray:
    """A column as an array of numbers or strings."""
    import pyarrow as pa

    column = table.column(name)
    if column.null_count:
        raise InputError(f"column {name!r} has {column.null_count:,} empty cells")
    if pa.types.is_dictionary(column.type):
        words = _plain_type(column.type.value_type)
        chunks = [c.dictionary.cast(words).take(c.indices.cast(pa.int64())) for c in column.chunks]
        column = pa.chunked_array(chunks, words)
    column = column.cast(_plain_type(column.type))
    if not pa.types.is_integer(column.type) and not pa.types.is_floating(column.type):
        return np.asarray(column.combine_chunks().to_numpy(zero_copy_only=False))
    # the usual ways to NumPy import pandas, if it is installed: 50 MB, and half a second
    if not column.num_chunks:
        return np.empty(0, column.type.to_pandas_dtype())
    found = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    array: np.ndarray = np.from_dlpack(found)
    array.flags.writeable = False
    return array


def _plain_type(kind: Any) -> Any:
    """The Arrow type that NumPy gets for a column of type ``kind``."""
    import pyarrow as pa

    if pa.types.is_null(kind):
        return pa.int32()
    if pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.large_string()
    return kind


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
    metadata = {"directed": str(graph.directed)}
    metadata |= {"vertices": str(graph.n)} if graph.names is None else {"named": "True"}
    return pa.table(columns).replace_schema_metadata(metadata)
