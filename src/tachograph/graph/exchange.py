"""Graphs from and to SciPy, NetworkX and Arrow (pandas, polars, DuckDB)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Unpack, cast

import numpy as np

from ..util.errors import InputError, MissingDependencyError
from .names import unicode_only

if TYPE_CHECKING:
    import networkx as nx
    import pyarrow as pa
    from scipy.sparse import csr_array, sparray, spmatrix

    from .build import EdgeOptions, EdgeTable
    from .graph import Graph

SOURCE_NAMES = ("source", "src", "from", "u", "tail", "start")
TARGET = ("target", "dst", "to", "v", "head", "end", "destination")
WEIGHT = ("weight", "w", "cost", "distance", "length", "capacity", "value")
FLAGS = {b"": None, b"true": True, b"false": False}  # in the metadata of tables
MOST_DIGITS = 18  # of a number of vertices there


class ArrowStream(Protocol):
    """A table of any library: what it can do is hand over its data as a stream of Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class Exchange:
    """The base class of :class:`Graph` that knows other libraries."""

    @staticmethod
    def from_scipy(matrix: sparray | spmatrix, *, directed: bool = True) -> Graph:
        """Return the graph of a square sparse matrix: an entry (i, j) is an arc from i to j."""
        from .build import from_csr

        if not hasattr(matrix, "tocsr"):
            raise InputError(f"expected a SciPy sparse matrix, not {type(matrix).__name__}")
        rows = matrix.tocsr()
        if rows.shape[0] != rows.shape[1]:
            raise InputError(f"a graph needs a square matrix, not one of shape {rows.shape}")
        weights = None if rows.dtype == bool else rows.data
        return from_csr(rows.indptr, rows.indices, weights, directed=directed)

    def to_scipy(self) -> csr_array:
        """Return a ``scipy.sparse.csr_array`` with the weights (or ones) as entries."""
        from scipy.sparse import csr_array

        graph = cast("Graph", self)
        data = np.ones(graph.arcs, np.int64) if graph.weights is None else graph.weights.copy()
        # copies, because SciPy changes its matrices in place
        rows = data, graph.indices.copy(), graph.indptr.copy()
        return csr_array(rows, shape=(graph.n, graph.n))

    @staticmethod
    def from_networkx(graph: nx.Graph[Any], *, weight: str | None = "weight") -> Graph:
        """Return a NetworkX graph of any class as a :class:`Graph`.

        Its nodes become ``names`` if they are not 0, 1, ... An edge without the attribute ``weight``
        gets 1 if any other edge has it.
        """
        from .graph import Graph

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
        whole = all(type(node) is int and abs(node) < 2**63 for node in nodes)
        names = np.empty(len(nodes), np.int64 if whole else object)
        names[:] = nodes
        return made._replace(names=names)

    def to_networkx(self) -> nx.Graph[Any]:
        """Return a NetworkX (Multi)(Di)Graph; weights become the attribute ``weight``."""
        try:
            import networkx as nx
        except ImportError:
            advice = "NetworkX is not installed: pip install 'tachograph[networkx]'"
            raise MissingDependencyError(advice) from None
        graph = cast("Graph", self)
        source, target, weights = graph.to_edges()
        pairs = source.astype(np.int64) * max(graph.n, 1) + target
        kinds = [(nx.Graph, nx.DiGraph), (nx.MultiGraph, nx.MultiDiGraph)]
        made = kinds[np.unique(pairs).size < pairs.size][graph.directed]()
        names = list(range(graph.n)) if graph.names is None else graph.names.tolist()
        made.add_nodes_from(names)
        columns = [[names[v] for v in side.tolist()] for side in (source, target)]
        if weights is None:
            made.add_edges_from(zip(*columns, strict=True))
        else:
            made.add_weighted_edges_from(zip(*columns, weights.tolist(), strict=True))
        return made

    @staticmethod
    def from_arrow(
        table: ArrowStream,
        *,
        source: str | None = None,
        target: str | None = None,
        weight: str | None = None,
        n: int | None = None,
        **options: Unpack[EdgeOptions],
    ) -> Graph:
        """Return the graph of a table of edges: anything with ``__arrow_c_stream__`` (pandas,
        polars, pyarrow, DuckDB).

        Columns are recognised by name (source, src, from, u; target, dst, to, v; weight, w), or
        given. ``n`` and ``options`` are those of :meth:`Graph.from_edges`.
        """
        import pyarrow as pa

        from .build import Options, build

        if not hasattr(table, "__arrow_c_stream__"):
            lacks = f"{type(table).__name__} has no __arrow_c_stream__"
            raise InputError(f"{lacks}: pass a pandas, polars or pyarrow table")
        made = table if isinstance(table, pa.Table) else pa.table(table)
        edges = edge_columns(made, source, target, weight)
        edges.n = edges.n if n is None else n
        return build(edges, Options(**options))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the edges as a stream of Arrow data, so that ``polars.DataFrame(graph)``,
        ``pyarrow.table(graph)`` and ``duckdb.from_arrow(graph)`` make a table of them.
        """
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    def to_arrow(self) -> pa.Table:
        """Return a ``pyarrow.Table`` with the columns source, target and, if weighted, weight."""
        import pyarrow as pa

        graph = cast("Graph", self)
        source, target, weights = graph.to_edges()
        columns = {"source": source, "target": target}
        metadata = {"directed": str(graph.directed), "vertices": str(graph.n)}
        if graph.names is not None:
            columns = {name: graph.names[ids] for name, ids in columns.items()}
            metadata = {"directed": str(graph.directed), "named": "True"}
        if weights is not None:
            columns["weight"] = weights
        with unicode_only():
            made = pa.table({name: pa.array(values) for name, values in columns.items()})
        return made.replace_schema_metadata(metadata)


def edge_columns(
    table: pa.Table, source: str | None, target: str | None, weight: str | bool | None
) -> EdgeTable:
    """Return the columns of a table that hold edges, and what its metadata says about them."""
    from .build import EdgeTable

    names = table.column_names
    if twice := {c for c in names if names.count(c) > 1}:
        raise InputError(f"several columns are called {sorted(twice)[0]!r}")
    first, second = _ends(names, source, target)
    third = None
    if isinstance(weight, str):
        third = _given(names, weight, "weight")
    elif weight is not False:
        third = _known([c for c in names if c not in (first, second)], WEIGHT)
    directed, named, n = _said(table)
    return EdgeTable(
        _array(table, first),
        _array(table, second),
        None if third is None else _array(table, third),
        n=n,
        directed=directed,
        named=bool(named),
    )


def _said(table: pa.Table) -> tuple[bool | None, bool | None, int | None]:
    """Return what the metadata says: whether edges are directed, ends are names; how many vertices."""
    said = table.schema.metadata or {}
    flags = []
    for name in (b"directed", b"named"):
        if (found := said.get(name, b"").lower()) not in FLAGS:
            raise InputError(_odd(name, found, "True or False"))
        flags.append(FLAGS[found])
    n = said.get(b"vertices", b"")
    if n and not (n.isdigit() and len(n) <= MOST_DIGITS):
        raise InputError(_odd(b"vertices", n, "a number"))
    return flags[0], flags[1], int(n) if n else None


def _odd(name: bytes, value: bytes, wanted: str) -> str:
    shown = value[:40].decode(errors="backslashreplace")
    return f"the metadata says {name.decode()} = {shown!r}: write {wanted}, or remove that entry"


def _given(names: list[str], name: str, what: str) -> str:
    if name not in names:
        raise InputError(f"no column {name!r} for the {what}; there are {', '.join(names)}")
    return name


def _known(names: list[str], known: tuple[str, ...]) -> str | None:
    """Return the first column that has one of the ``known`` names, the likeliest name first."""
    return next((c for k in known for c in names if c.lower() == k), None)


def _ends(names: list[str], source: str | None, target: str | None) -> tuple[str, str]:
    """Return the columns of source and target: as given, by their names, else those left over."""
    first = _known(names, SOURCE_NAMES) if source is None else _given(names, source, "source")
    second = _known(names, TARGET) if target is None else _given(names, target, "target")
    left = [c for c in names if c not in (first, second) and c.lower() not in WEIGHT]
    if first is None and second is None and len(left) in (2, 3):
        return left[0], left[1]
    for what, found in (("source", first), ("target", second)):
        if found is None and len(left) != 1:
            known = SOURCE_NAMES if what == "source" else TARGET
            raise InputError(
                f"which column holds the {what}? There are {', '.join(names) or 'none'}; "
                f"name it {known[0]!r} or pass {what}=..."
            )
    return first or left[0], second or left[0]


def _array(table: pa.Table, name: str) -> np.ndarray:
    """Return a column as an array of numbers or strings."""
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
    # to_numpy() would import pandas if it is installed, which takes 50 MB and half a second
    if not column.num_chunks:
        return np.empty(0, column.type.to_pandas_dtype())
    found = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    array: np.ndarray = np.from_dlpack(found)
    array.flags.writeable = False
    return array


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the Arrow type that a column of type ``kind`` is converted to before NumPy gets it."""
    import pyarrow as pa

    if pa.types.is_null(kind):
        return pa.int32()
    if pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.large_string()
    return kind
